// Checking a receipt: the file is read here and sent nowhere; then the log is asked whether it still holds it.

import { diceWord, join } from "../choice.js";
import { calm, say } from "../live.js";
import { make, part, write } from "../parts.js";
import { verifyReceiptFile } from "./checks.js";
import { Files } from "./files.js";
import { forget, recall, remember, sizeOf } from "./memory.js";
import { Steps, showEnd } from "./steps.js";
import { uuidOf } from "./words.js";

/** @import { Turn } from "../game/replay.js" */
/** @import { ReceiptFound } from "./checks.js" */

const LONGEST_RECEIPT = 1 << 20;

const { key: shownKey } = JSON.parse(/** @type {string} */ (part("receipt").dataset.facts));
const steps = new Steps(part("steps"));
const input = /** @type {HTMLInputElement} */ (part("receipt-file"));

/** The number of the newest check: one that was overtaken shows nothing any more. */
let newest = 0;

input.addEventListener("change", () => {
  const file = input.files?.[0];
  if (file) check(file);
});

/** @param {File} file */
async function check(file) {
  const number = ++newest;
  const memory = recall();
  steps.reset();
  part("receipt-facts").hidden = true;
  delete part("verdict").dataset.end;
  part("verdict").replaceChildren(make("p", {}, "Checking."));
  part("checked").hidden = false;
  calm();
  say("Checking.");
  const content = await bytesOf(file);
  const files = new Files();
  const end = await verifyReceiptFile({
    content,
    keyText: shownKey,
    memory,
    files,
    tell: (told) => (number === newest ? steps.tell(told) : undefined),
    keep: (right) => remember(right, memory.state === "known" ? memory.key : ""),
  });
  files.close();
  if (number !== newest) return;
  steps.end(end);
  if (end.found) showFacts(end.found);
  showEnd(part("verdict"), end, ["It is right.", "The run was accepted, and the log still holds it."], memory, {
    "checkpoint of the receipt": end.receiptNote,
    "checkpoint of now": end.note,
  });
  if (end.end === "undecided" && end.found) {
    part("verdict").append(make("p", {}, "The receipt by itself is right: its run was accepted and logged."));
  }
  showMemory();
}

/** @type {(file: File) => Promise<Uint8Array<ArrayBuffer>>} What is too large to be a receipt is read in part. */
const bytesOf = async (file) => new Uint8Array(await file.slice(0, LONGEST_RECEIPT).arrayBuffer());

/** @param {ReceiptFound} found */
function showFacts({ roundId, runId, index, size, turns }) {
  const id = uuidOf(runId);
  const rows = {
    Run: make("a", { href: `/run/${id}` }, id),
    Round: make("a", { href: `/verify/${encodeURIComponent(roundId)}` }, roundId),
    "In the log": `leaf ${index}; signed over ${size} leaves`,
    Turns: turns.map(turnText).join(" · "),
  };
  part("receipt-facts").replaceChildren(
    ...Object.entries(rows).map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))),
  );
  part("receipt-facts").hidden = false;
}

/** @type {(turn: Turn) => string} */
const turnText = ({ dice, shut }) => `${diceWord(dice)}, ${shut.length ? `shut ${join(shut)}` : "no move"}`;

function showMemory() {
  const memory = recall();
  const words = {
    none: "This browser remembers nothing of the log yet.",
    denied: "This browser keeps nothing for this site, so it cannot remember the log.",
    damaged: "What this browser remembered of the log is damaged.",
    known: "",
  };
  if (memory.state === "known") {
    const size = sizeOf(memory.checkpoint).toLocaleString("en");
    const key = memory.key === shownKey ? "this key" : `another key, ${memory.key}`;
    words.known = `This browser remembers the log at ${size} leaves, signed by ${key}.`;
  }
  write(part("memory-text"), words[memory.state]);
  part("forget").hidden = memory.state === "none" || memory.state === "denied";
}

part("forget").addEventListener("click", () => {
  forget();
  showMemory();
  part("memory-text").focus();
});
showMemory();
