// The page of a league: joining, inviting, leaving, and what its owner does, each after a question.

import { copy } from "./clipboard.js";
import { say, warn } from "./live.js";
import { part, write } from "./parts.js";
import { send, sendAsPlayer, why } from "./player.js";
import { sheet } from "./sheet.js";


/** @type {(id: string) => HTMLElement | null} */
const found = (id) => document.getElementById(id);

// Joining

const join = /** @type {HTMLButtonElement | null} */ (found("join"));
let sending = false;

if (join) join.disabled = false; // until now nobody would have heard it
join?.addEventListener("click", async () => {
  if (sending) return;
  sending = true;
  const answer = await sendAsPlayer({ method: "POST", path: join.dataset.path ?? "" });
  sending = false;
  if (answer.status === 200 || answer.status === 201) location.reload();
  else warn(why(answer));
});

// Inviting

const link = /** @type {HTMLTextAreaElement | null} */ (found("invite-link"));
const text = /** @type {HTMLTextAreaElement | null} */ (found("invite-text"));
if (link && text) {
  const texts = /** @type {HTMLDetailsElement} */ (part("invite-texts"));
  part("copy-link").addEventListener("click", () => copy(part("copy-link"), link, "Link copied.", () => {}));
  part("share").addEventListener("click", async () => {
    if (await sheet(text.value)) return;
    await copy(part("share"), text, "Invitation copied.", () => {
      texts.open = true;
    });
  });
}

// What is asked first: leaving, removing, a new link, closing

const dialog = /** @type {HTMLDialogElement | null} */ (found("confirm"));
/** @type {HTMLElement | null} */
let asking = null;

for (const button of document.querySelectorAll("[data-title]")) {
  button.addEventListener("click", () => ask(/** @type {HTMLElement} */ (button)));
}

/** @type {(button: HTMLElement) => void} */
function ask(button) {
  if (!dialog) return;
  asking = button;
  const verb = button.firstElementChild?.textContent ?? "";
  write(part("confirm-title"), button.dataset.title ?? "");
  write(part("confirm-note"), button.dataset.note ?? "");
  write(part("confirm-act"), verb.replace("…", ""));
  dialog.returnValue = "";
  dialog.showModal();
}

dialog?.addEventListener("close", async () => {
  if (dialog.returnValue !== "yes" || !asking) return;
  const { method = "", path = "" } = asking.dataset;
  const answer = await send({ method, path });
  if (answer.status === 201) location.replace(`/league/${answer.body.code}`);
  else if (answer.status === 204) gone(asking);
  else warn(why(answer));
});

/** @type {(button: HTMLElement) => void} Go on where something is no more: a member, or the league. */
function gone(button) {
  const row = button.closest("tr");
  if (!row) {
    location.assign("/leagues");
    return;
  }
  row.remove();
  part("members").focus();
  say("Removed.");
}

// Renaming

const rename = /** @type {HTMLFormElement | null} */ (found("rename"));
rename?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = /** @type {HTMLInputElement} */ (part("league-name"));
  const answer = await send({ method: "PATCH", path: rename.dataset.path ?? "", body: { name: field.value } });
  field.setAttribute("aria-invalid", String(answer.status !== 200));
  if (answer.status === 200) write(part("league"), answer.body.name);
  write(part("rename-note"), answer.status === 200 ? `It is called ${answer.body.name} now.` : why(answer));
});
