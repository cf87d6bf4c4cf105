// Asks the worker that computes exact values, one question after the other.

/** @import { Analysis } from "./game/analysis.js" */
/** @import { Turn } from "./game/replay.js" */
/** @import { Roll } from "./game/rules.js" */

/**
 * Where a line stands: its turns so far, the board, and the sets that may be shut now.
 * @typedef {object} Question
 * @property {string} ruleset
 * @property {readonly Roll[]} rolls the whole table
 * @property {readonly Turn[]} turns
 * @property {number} open a mask
 * @property {number[][]} ways
 */

/**
 * What is left on the average after each way, and after each allowed number of dice, in 1/denominator of the analysis;
 * the analysis of the turns, and a run with the least penalty that these dice allow.
 * @typedef {{analysis: Analysis, bestLine: Turn[], ofWays: bigint[], ofDice: bigint[]}} Answer
 */

/** @type {Worker | null} */
let worker = null;
/** @type {Map<number, {resolve: (answer: Answer) => void, reject: () => void}>} */
const waiting = new Map();
let asked = 0;

/** @type {(question: Question) => Promise<Answer>} Return the answer; rejected where the browser has no such worker. */
export function ask(question) {
  worker ??= started();
  const number = ++asked;
  worker.postMessage({ number, question });
  return new Promise((resolve, reject) => waiting.set(number, { resolve, reject }));
}

function started() {
  const made = new Worker(new URL("analyst-worker.js", import.meta.url), { type: "module" });
  made.onmessage = ({ data: { number, answer } }) => {
    waiting.get(number)?.resolve(answer);
    waiting.delete(number);
  };
  made.onerror = () => {
    worker = null;
    for (const { reject } of waiting.values()) reject();
    waiting.clear();
  };
  return made;
}
