// The settings of this browser: colours, sound and single-key shortcuts, kept where storage allows it.

import { say } from "./live.js";
import { part } from "./parts.js";

/** @type {Record<string, string>} */
const DEFAULTS = { theme: "auto", sound: "off", shortcuts: "on" };
const root = document.documentElement;
const form = part("settings");

for (const input of form.querySelectorAll("input")) {
  input.checked = input.value === (root.dataset[input.name] ?? DEFAULTS[input.name]);
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
