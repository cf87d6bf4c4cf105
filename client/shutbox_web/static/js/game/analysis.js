// What a run was worth beside the best play: points given away, and the best possible with foresight.

import { maskOf } from "./encoding.js";
import { leastExpectedPenalty } from "./solver.js";

/** @import { Turn } from "./replay.js" */
/** @import { RollTable, Rules } from "./rules.js" */

/**
 * Return floor(1000 × the expected points that the decisions of a legal run lost), in exact arithmetic.
 * @type {(rules: Rules, table: RollTable, turns: readonly Turn[]) => number}
 */
export function givenAwayMilli(rules, table, turns) {
  const { denominator, ofBoard, ofDice } = leastExpectedPenalty(rules.ruleset);
  let board = rules.opening;
  let lost = 0n;
  for (const [number, { dice, shut }] of turns.entries()) {
    lost += ofDice[dice][board] - ofBoard[board];
    if (shut.length) {
      const choices = rules.legalSets(board, table.matches[number][dice]).map((tiles) => ofBoard[board ^ tiles]);
      board ^= maskOf(shut);
      lost += ofBoard[board] - choices.reduce((best, value) => (value < best ? value : best));
    }
  }
  return Number((1000n * lost) / denominator);
}

/**
 * Return the least penalty that any legal line reaches on these dice: what foresight of all rolls could do.
 * @type {(rules: Rules, table: RollTable) => number}
 */
export function bestPossiblePenalty(rules, table) {
  let boards = new Set([rules.opening]);
  let least = rules.openingPenalty;
  for (const matches of table.matches) {
    /** @type {Set<number>} */
    const following = new Set();
    for (const board of boards) {
      for (const dice of rules.diceAllowed[board]) {
        const legal = rules.legalSets(board, matches[dice]);
        for (const tiles of legal) following.add(board ^ tiles);
        if (!legal.length) least = Math.min(least, rules.penalties[board]);
      }
    }
    if (following.has(0)) return 0;
    boards = following;
  }
  return least;
}
