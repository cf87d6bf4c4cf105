// Challenges: making one, and handing its link on.

import { newKey } from "./api.js";
import { copy } from "./clipboard.js";
import { speak } from "./live.js";
import { part, write } from "./parts.js";
import { sendAsPlayer, why } from "./player.js";
import { sheet } from "./sheet.js";

const form = /** @type {HTMLFormElement} */ (part("make"));
const link = /** @type {HTMLTextAreaElement | null} */ (document.getElementById("link"));
let sending = false;

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (sending) return;
  sending = true;
  write(part("fault"), "");
  const asked = new FormData(form);
  const body = {
    ruleset: asked.get("ruleset"),
    players: Number(asked.get("players")),
    hours: Number(asked.get("hours")),
  };
  const answer = await sendAsPlayer({ method: "POST", path: "/api/v1/challenges", body, key: newKey() });
  sending = false;
  if (answer.status === 201) location.assign(`/challenge?made=${answer.body.round_id}#made`);
  else {
    write(part("fault"), why(answer));
    speak(why(answer));
  }
});

if (link) {
  const copied = (/** @type {string} */ id) => copy(part(id), link, "Link copied.", () => {});
  part("copy").addEventListener("click", () => copied("copy"));
  part("share").addEventListener("click", async () => {
    if (!(await sheet(part("share").dataset.text ?? ""))) await copied("share");
  });
}
