// The share sheet of a device, which a finger gets; a mouse copies instead.

import { say } from "./live.js";
import { holds } from "./parts.js";

/** @type {(text: string) => Promise<boolean>} Hand a text to the device's sheet; tell whether that has been settled. */
export async function sheet(text) {
  if (!holds("(pointer: coarse)") || !navigator.canShare?.({ text })) return false;
  try {
    await navigator.share({ text });
    say("Shared.");
  } catch (error) {
    return error instanceof DOMException && error.name === "AbortError";
  }
  return true;
}
