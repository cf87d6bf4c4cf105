// Verifies a closed round beside the page, which stays quick meanwhile: one order comes in, what is found goes out.

import { verifyRound } from "./checks.js";
import { Files } from "./files.js";

/** @import { Told } from "./checks.js" */

const LEAST_PAUSE_MS = 100;

let last = 0;

/** @type {(told: Told) => void} Tell the page what has changed, but of progress no more than a person can see. */
function tell(told) {
  const now = performance.now();
  if (told.done !== undefined && now - last < LEAST_PAUSE_MS) return;
  last = told.done === undefined ? last : now;
  postMessage(told);
}

addEventListener("message", async ({ data: { roundId, keyText, memory } }) => {
  const files = new Files();
  const ended = await verifyRound({ roundId, keyText, memory, files, tell, keep: (keep) => postMessage({ keep }) });
  files.close();
  postMessage(ended);
});
