// Claiming a name: changes the label of the player and nothing else, also in the middle of a round.

import { persist } from "./api.js";
import { calm, speak, warn } from "./live.js";
import { part, write } from "./parts.js";

const form = /** @type {HTMLFormElement} */ (part("claim"));
const field = /** @type {HTMLInputElement} */ (part("name"));

for (const shown of [form, part("who")]) shown.closest("[hidden]")?.removeAttribute("hidden");
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const request = { method: "PATCH", path: "/api/v1/players/me", body: { name: field.value.trim() } };
  const { status, body } = await persist(request, { lost: () => warn("Connection lost. Trying again."), back: calm });
  field.setAttribute("aria-invalid", String(status !== 200));
  if (status === 200) {
    write(part("claim-note"), `You play as ${body.name}.`);
    write(part("who"), body.name);
    for (const shown of document.querySelectorAll(".own-name")) shown.textContent = body.name;
    part("claim-act").textContent = "Change";
    speak(`You play as ${body.name}.`);
  } else {
    const text = status === 401 ? "Roll once first: that makes your player." : `${body.title}: ${body.detail}.`;
    write(part("claim-note"), text);
    speak(text);
  }
});
