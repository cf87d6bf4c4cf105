// Puts a text on the clipboard, or where that is not possible selects it in a box so that its reader can.

import { say } from "./live.js";
import { part } from "./parts.js";

/** @typedef {HTMLInputElement | HTMLTextAreaElement} Box */

/**
 * Copy the text of a box and say so beneath the button; `show` makes the box visible where it can only be selected.
 * @type {(button: HTMLElement, box: Box, done: string, show: () => void) => Promise<void>}
 */
export async function copy(button, box, done, show) {
  button.parentElement?.after(part("note"));
  try {
    await navigator.clipboard.writeText(box.value);
    say(done);
  } catch {
    show();
    box.focus();
    box.select();
    say("This browser copies nothing here. The text is selected: copy it with your keys or menu.");
  }
}
