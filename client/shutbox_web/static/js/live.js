// What the page says aloud: two live regions, each emptied and filled in a later task so that equal texts are spoken.
// Beside a table the status is heard only, and a note shows what eyes do not see elsewhere.

import { part, write } from "./parts.js";

const GAP_MS = 60;

/** @type {Map<string, string[]>} */
const waiting = new Map();

/** @type {(text: string) => void} Say how play goes on; texts that come together are said one after the other. */
export function say(text) {
  note(text);
  speak(text);
}

/** @type {(text: string) => void} Say to a screen reader what eyes see elsewhere on the page. */
export const speak = (text) => enqueue("status", text);

/** @type {(text: string) => void} Say at once that the connection is lost or that something was refused. */
export const warn = (text) => enqueue("alert", text);

/** Take the warning away. */
export function calm() {
  waiting.delete("alert");
  part("alert").textContent = "";
}

/** @type {(text: string) => void} Show a text beside the table, or none. */
export function note(text) {
  const shown = document.getElementById("note");
  if (shown) write(shown, text);
}

/** @type {(region: string, text: string) => void} */
function enqueue(region, text) {
  const queue = waiting.get(region);
  if (queue) queue.push(text);
  else {
    waiting.set(region, [text]);
    next(region);
  }
}

/** @type {(region: string) => void} */
function next(region) {
  const text = waiting.get(region)?.shift();
  if (text === undefined) {
    waiting.delete(region);
    return;
  }
  const host = part(region);
  host.textContent = "";
  setTimeout(() => {
    if (!waiting.has(region)) return;
    host.textContent = text;
    setTimeout(next, GAP_MS, region);
  }, GAP_MS);
}
