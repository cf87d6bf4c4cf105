// The page of all leagues of a player: making one.

import { newKey } from "./api.js";
import { part, write } from "./parts.js";
import { sendAsPlayer, why } from "./player.js";

const form = /** @type {HTMLFormElement} */ (part("make"));
const field = /** @type {HTMLInputElement} */ (part("league-name"));

/** @type {HTMLButtonElement} */ (part("make-it")).disabled = false; // until now nobody would have heard it
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (field.readOnly) return;
  field.readOnly = true;
  write(part("make-fault"), "");
  const request = { method: "POST", path: "/api/v1/leagues", body: { name: field.value }, key: newKey() };
  const answer = await sendAsPlayer(request);
  if (answer.status === 201) {
    location.assign(`/league/${answer.body.code}`);
    return;
  }
  field.readOnly = false;
  field.setAttribute("aria-invalid", "true");
  write(part("make-fault"), why(answer));
  field.focus();
});
