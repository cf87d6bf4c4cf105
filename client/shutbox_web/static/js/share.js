// Sharing a result: a finger gets the sheet of its device, a mouse a copy, and where neither works a selected text.

import { copy } from "./clipboard.js";
import { part } from "./parts.js";
import { sheet } from "./sheet.js";

const texts = /** @type {HTMLDetailsElement} */ (part("share-texts"));

/** @type {(id: string) => HTMLTextAreaElement} */
const box = (id) => /** @type {HTMLTextAreaElement} */ (part(id));

const show = () => {
  texts.open = true;
};

part("share-squares").addEventListener("click", async () => {
  const text = box("squares-text");
  if (!(await sheet(text.value))) await copy(part("share-squares"), text, "Copied.", show);
});
part("share-plain").addEventListener("click", () =>
  copy(part("share-plain"), box("plain-text"), "Copied as plain text.", show),
);
