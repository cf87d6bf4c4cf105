// The exact solver: the least expected penalty and the greatest chance to shut the box, from every board.

import { rulesOf } from "./rules.js";
import { perRuleset } from "./rulesets.js";

/** @import { Rules } from "./rules.js" */

/**
 * Values of boards as integers over one denominator, so that they add and compare exactly; `ofDice[dice][board]` where
 * the board allows that number of dice. The denominator is 6^(dice · tiles): k open tiles need at most 6^(dice · k).
 * @typedef {{denominator: bigint, ofBoard: bigint[], ofDice: bigint[][]}} Values
 */

/** Return E: what the best player of a ruleset pays on the average. */
export const leastExpectedPenalty = perRuleset((ruleset) => {
  const rules = rulesOf(ruleset);
  return solve(rules, (board) => rules.penalties[board], (one, two) => one < two);
});

/** Return the chance to shut the box of a player who wants nothing else. */
export const greatestChanceToShut = perRuleset((ruleset) =>
  solve(rulesOf(ruleset), (board) => (board ? 0 : 1), (one, two) => one > two),
);

/** @type {(values: Values, board: number) => [bigint, bigint]} Return numerator and denominator in lowest terms. */
export function fraction({ denominator, ofBoard }, board) {
  let [divisor, rest] = [denominator, ofBoard[board]];
  while (rest) [divisor, rest] = [rest, divisor % rest];
  return [ofBoard[board] / divisor, denominator / divisor];
}

/** @type {(rules: Rules, atEnd: (board: number) => number, better: (one: bigint, two: bigint) => boolean) => Values} */
function solve(rules, atEnd, better) {
  const denominator = 6n ** BigInt(rules.ruleset.dice * rules.ruleset.tableRolls);
  const ofBoard = [BigInt(atEnd(0)) * denominator];
  /** @type {bigint[][]} */
  const ofDice = rules.weights.map(() => []);
  const weights = rules.weights.map((byMatch) => Array.from(byMatch, ([match, n]) => ({ match, weight: BigInt(n) })));
  for (const board of rules.boards.slice(1)) { // ascending: what follows a board is solved before it
    const locked = BigInt(atEnd(board)) * denominator;
    for (const dice of rules.diceAllowed[board]) {
      let total = 0n;
      for (const { match, weight } of weights[dice]) {
        let best;
        for (const tiles of rules.legalSets(board, match)) {
          const value = ofBoard[board ^ tiles];
          if (best === undefined || better(value, best)) best = value;
        }
        total += weight * (best ?? locked);
      }
      const value = total / 6n ** BigInt(dice); // exact: see Values
      ofDice[dice][board] = value;
      if (!(board in ofBoard) || better(value, ofBoard[board])) ofBoard[board] = value;
    }
  }
  return { denominator, ofBoard, ofDice };
}
