// The page without a connection: when the service was seen last, what this browser has kept, and going on by itself.

import { make, part, write } from "./parts.js";

const TRY_MS = 10_000;
const PATIENCE_MS = 8000;

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

/** @type {() => Promise<boolean>} Go to where this page stands for, if the service answers. */
async function goOn() {
  const answer = await fetch("/healthz", { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => null);
  if (!answer?.ok) return false;
  if (location.pathname === "/offline") location.replace("/");
  else location.reload();
  return true;
}

function goOnUnlessHidden() {
  if (!document.hidden) goOn();
}

part("again").addEventListener("click", async () => {
  write(part("status"), "");
  if (!(await goOn())) write(part("status"), "Still no connection.");
});
addEventListener("online", goOn);
document.addEventListener("visibilitychange", goOnUnlessHidden);
setInterval(goOnUnlessHidden, TRY_MS);
part("ranked").hidden = !/^\/play(\/|$)/.test(location.pathname);
part("why").hidden = !part("ranked").hidden;
showWhatIsKept();
