// My data on the settings page: tokens of browsers and programs are made and ended, and the player is deleted.

import { persist } from "./api.js";
import { calm, say, warn } from "./live.js";
import { part, write } from "./parts.js";

/** @import { Answer, Request } from "./api.js" */

const SETTINGS = ["theme", "sound", "shortcuts"];

/** @type {(request: Request) => Promise<Answer>} */
const send = (request) =>
  persist(request, { slow: () => say("Sending."), lost: () => warn("Connection lost. Trying again."), back: calm });

/** @type {(path: string) => Promise<Answer>} */
const end = (path) => send({ method: "DELETE", path });

// Tokens

for (const button of document.querySelectorAll("[data-token]")) {
  button.addEventListener("click", async () => {
    const { status, body } = await end(`/api/v1/players/me/tokens/${/** @type {HTMLElement} */ (button).dataset.token}`);
    if (status !== 204 && status !== 404) {
      warn(`${body.title}: ${body.detail}.`);
      return;
    }
    if ("leaves" in /** @type {HTMLElement} */ (button).dataset) {
      location.assign("/");
      return;
    }
    const heading = button.closest("section")?.querySelector("h2");
    button.closest("tr")?.remove();
    heading?.focus();
    say("Ended.");
  });
}

document.getElementById("end-others")?.addEventListener("click", async () => {
  const { status, body } = await end("/api/v1/players/me/tokens");
  if (status === 204) location.reload();
  else warn(`${body.title}: ${body.detail}.`);
});

const form = /** @type {HTMLFormElement} */ (part("make-token"));
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const wanted = new FormData(form);
  const scopes = wanted.getAll("scopes").map(String);
  const fault = part("token-fault");
  write(fault, scopes.length ? "" : "Choose what the token may do.");
  if (!scopes.length) return;
  const body = { label: String(wanted.get("label")), scopes };
  const answer = await send({ method: "POST", path: "/api/v1/players/me/tokens", body });
  if (answer.status !== 201) {
    write(fault, `${answer.body.title}: ${answer.body.detail}.`);
    return;
  }
  const box = /** @type {HTMLTextAreaElement} */ (part("token"));
  box.value = answer.body.token;
  part("token-shown").hidden = false;
  box.focus();
  box.select();
  say("Token made. It is shown only now.");
});

// The player

const dialog = /** @type {HTMLDialogElement} */ (part("delete"));
part("ask-delete").addEventListener("click", () => {
  dialog.returnValue = "";
  dialog.showModal();
});
dialog.addEventListener("close", async () => {
  if (dialog.returnValue !== "delete") return;
  const { status, body } = await end("/api/v1/players/me");
  if (status !== 204 && status !== 401) {
    warn(`${body.title}: ${body.detail}.`);
    return;
  }
  await forget(); // 401: an answer was lost, and the player is gone already
  history.replaceState(null, "", "#gone");
  location.reload();
});

/** Empty what this browser keeps, but for its settings, and take the service worker away. */
async function forget() {
  for (const worker of (await navigator.serviceWorker?.getRegistrations()) ?? []) await worker.unregister();
  if ("caches" in globalThis) for (const name of await caches.keys()) await caches.delete(name);
  try {
    for (const key of Object.keys(localStorage)) if (!SETTINGS.includes(key)) localStorage.removeItem(key);
  } catch {
    // Storage is denied, so it holds nothing.
  }
}
