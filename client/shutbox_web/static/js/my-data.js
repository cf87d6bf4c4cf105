// My data on the settings page: tokens are revoked, and the player is deleted.

import { persist } from "./api.js";
import { calm, say, warn } from "./live.js";
import { part } from "./parts.js";

/** @import { Answer } from "./api.js" */

const SETTINGS = ["theme", "sound", "shortcuts"];

/** @type {(path: string) => Promise<Answer>} */
const end = (path) =>
  persist(
    { method: "DELETE", path },
    { slow: () => say("Sending."), lost: () => warn("Connection lost. Trying again."), back: calm },
  );

// Tokens

for (const button of document.querySelectorAll("[data-token]")) {
  button.addEventListener("click", async () => {
    const { status, body } = await end(`/api/v1/players/me/tokens/${/** @type {HTMLElement} */ (button).dataset.token}`);
    if (status !== 204 && status !== 404) {
      warn(`${body.title}: ${body.detail}.`);
      return;
    }
    button.closest("tr")?.remove();
    part("tokens").focus();
    say("Revoked.");
  });
}

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
