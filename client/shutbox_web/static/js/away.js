// The page without a connection: when the service was seen last, what this browser has kept, and going on by itself.

import { make, part, write } from "./parts.js";
import { answers, whenItAnswers } from "./service.js";

async function showWhatIsKept() {
  const seen = await (await caches.open("shutbox-seen")).match("/offline");
  if (seen) {
    write(part("seen"), `Last seen: ${await seen.text()}`);
    part("seen").hidden = false;
  }
  const own = await (await caches.open("shutbox-own")).matchAll();
  if (!own.length) return;
  part("no-results").hidden = true;
  part("results").hidden = false;
  part("results").append(...own.map((page) => make("li", {}, linkTo(page))).reverse());
}

/** @type {(page: Response) => HTMLElement} */
const linkTo = (page) =>
  make("a", { href: new URL(page.url).pathname }, decodeURIComponent(page.headers.get("X-Shutbox-Own") ?? ""));

/** Go to where this page stands for. */
function goOn() {
  if (location.pathname === "/offline") location.replace("/");
  else location.reload();
}

part("again").addEventListener("click", async () => {
  write(part("status"), "");
  if (await answers()) goOn();
  else write(part("status"), "Still no connection.");
});
whenItAnswers(goOn);
part("ranked").hidden = !/^\/play(\/|$)/.test(location.pathname);
part("why").hidden = !part("ranked").hidden;
showWhatIsKept();
