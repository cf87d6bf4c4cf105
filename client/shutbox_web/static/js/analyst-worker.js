// Computes exact values beside the page, which stays quick meanwhile: a question comes in, its answer goes out.

import { analysis, bestLine } from "./game/analysis.js";
import { maskOf } from "./game/encoding.js";
import { rulesOf } from "./game/rules.js";
import { CATALOGUE } from "./game/rulesets.js";
import { leastExpectedPenalty } from "./game/solver.js";

/** @import { Question } from "./analyst.js" */

addEventListener("message", ({ data: { number, question } }) => postMessage({ number, answer: answerTo(question) }));

/** @type {(question: Question) => object} */
function answerTo({ ruleset: id, turns, rolls, open, ways }) {
  const ruleset = CATALOGUE.get(id);
  if (!ruleset) throw new Error(`no ruleset ${id}`);
  const rules = rulesOf(ruleset);
  const table = rules.table(rolls);
  const { ofBoard, ofDice } = leastExpectedPenalty(ruleset);
  return {
    analysis: analysis(rules, table, turns),
    bestLine: bestLine(rules, table),
    ofWays: ways.map((way) => ofBoard[open ^ maskOf(way)]),
    ofDice: rules.diceAllowed[open].map((dice) => ofDice[dice][open]),
  };
}
