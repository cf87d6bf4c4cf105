// Codes on the settings page: making a transfer or a recovery code, and using one that another browser made.

import { newKey } from "./api.js";
import { copy } from "./clipboard.js";
import { calm, say, warn } from "./live.js";
import { duration, serverNow } from "./page.js";
import { part, write } from "./parts.js";
import { send, why } from "./player.js";

const form = /** @type {HTMLFormElement} */ (part("use-code"));
const field = /** @type {HTMLInputElement} */ (part("code"));
/** @type {ReturnType<typeof setInterval> | undefined} */
let counting;

// Making a code

/** @type {(id: string) => HTMLTextAreaElement} */
const boxOf = (id) => /** @type {HTMLTextAreaElement} */ (part(id));

/** @type {(kind: "transfer" | "recovery", shown: (body: any) => void) => void} */
function offer(kind, shown) {
  const button = document.getElementById(`make-${kind}`);
  button?.addEventListener("click", async () => {
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    const answer = await send({ method: "POST", path: `/api/v1/players/me/${kind}-codes` });
    button.setAttribute("aria-disabled", "false");
    if (answer.status !== 201) {
      warn(why(answer));
      return;
    }
    calm();
    const box = boxOf(`${kind}-code`);
    box.value = answer.body.code;
    part(`${kind}-shown`).hidden = false;
    shown(answer.body);
    box.focus();
  });
}

offer("transfer", ({ expires_at }) => {
  const end = Date.parse(expires_at);
  const count = () => {
    const left = end - serverNow();
    write(part("transfer-left"), left > 0 ? `Works for ${duration(left).replace(/^0:0?/, "")} more.` : "");
    if (left > 0) return;
    clearInterval(counting);
    part("transfer-shown").hidden = true;
    say("The time of the transfer code is over. Make a new one.");
  };
  clearInterval(counting);
  counting = setInterval(count, 1000);
  count();
  say("Transfer code made. It works once, within 10 minutes.");
});

offer("recovery", () => {
  write(part("recovery-state"), "You have a new recovery code, not used yet.");
  write(part("make-recovery"), "Make a new recovery code");
  part("lost").hidden = true;
  part("kept").hidden = false;
  say("Recovery code made. Write it down: it is shown only now.");
});

for (const found of document.querySelectorAll("[data-copies]")) {
  const button = /** @type {HTMLElement} */ (found);
  const box = boxOf(button.dataset.copies ?? "");
  button.addEventListener("click", () => copy(button, box, "Copied.", () => {}));
}

// Using a code

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (field.readOnly) return;
  field.readOnly = true;
  write(part("code-fault"), "");
  const answer = await send({ method: "POST", path: "/api/v1/transfers", body: { code: field.value.trim() }, key: newKey() });
  field.readOnly = false;
  const taken = answer.status === 200;
  field.setAttribute("aria-invalid", String(!taken));
  if (!taken) {
    write(part("code-fault"), why(answer));
    field.focus();
    return;
  }
  location.assign("/player/me#moved");
});
