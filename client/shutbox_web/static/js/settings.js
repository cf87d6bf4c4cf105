// The settings of this browser: colours and single-key shortcuts, kept where storage allows it.

import { say } from "./live.js";
import { part } from "./parts.js";

const root = document.documentElement;
const form = part("settings");

for (const input of form.querySelectorAll("input")) {
  const kept = input.name === "theme" ? root.dataset.theme ?? "auto" : root.dataset.shortcuts ?? "on";
  input.checked = input.value === kept;
}

form.addEventListener("change", ({ target }) => {
  const { name, value } = /** @type {HTMLInputElement} */ (target);
  root.dataset[name] = value;
  try {
    localStorage.setItem(name, value);
    say("Kept.");
  } catch {
    say("In force on this page. This browser does not keep settings for this site.");
  }
});
