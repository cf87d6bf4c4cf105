// Sharing a result: a finger gets the sheet of its device, a mouse a copy, and where neither works a selected text.

import { copy } from "./clipboard.js";
import { say } from "./live.js";
import { holds, part } from "./parts.js";

const texts = /** @type {HTMLDetailsElement} */ (part("share-texts"));

/** @type {(id: string) => HTMLTextAreaElement} */
const box = (id) => /** @type {HTMLTextAreaElement} */ (part(id));

const show = () => {
  texts.open = true;
};

/** @type {(text: string) => Promise<boolean>} Hand a text to the device's sheet; tell whether that has been settled. */
async function sheet(text) {
  if (!holds("(pointer: coarse)") || !navigator.canShare?.({ text })) return false;
  try {
    await navigator.share({ text });
    say("Shared.");
  } catch (error) {
    return error instanceof DOMException && error.name === "AbortError";
  }
  return true;
}

part("share-squares").addEventListener("click", async () => {
  const text = box("squares-text");
  if (!(await sheet(text.value))) await copy(part("share-squares"), text, "Copied.", show);
});
part("share-plain").addEventListener("click", () =>
  copy(part("share-plain"), box("plain-text"), "Copied as plain text.", show),
);
