// What a run was worth beside the best play: decisions and rolls in exact parts, and what foresight could do.

import { maskOf, tilesOf } from "./encoding.js";
import { leastExpectedPenalty } from "./solver.js";

/** @import { Turn } from "./replay.js" */
/** @import { Roll, RollTable, Rules } from "./rules.js" */

/**
 * What was chosen among the legal ways, each with the least expected penalty after it, in 1/denominator. `best` is the
 * way that leaves the least; of several the first: fewest dice, or fewest tiles and then by number.
 * @typedef {{chosen: number, ways: {dice: number, value: bigint}[], best: number, lost: bigint}} DiceDecision
 * @typedef {{chosen: number[], ways: {shut: number[], value: bigint}[], best: number[], lost: bigint}} ShutDecision
 */

/**
 * One turn of a run.
 * @typedef {object} Step
 * @property {number} board the mask before it
 * @property {DiceDecision | null} dice null: the rules leave one number of dice
 * @property {Roll} faces
 * @property {bigint} luck the value after the best reply minus the value before the roll: negative is good
 * @property {ShutDecision | null} shut null: no set of tiles is legal, so the round ends
 */

/**
 * A run in exact parts, all in 1/denominator: expected + luck + givenAway === penalty. What the best player pays on the
 * average, what the rolls changed for a player who always replies best, what the decisions lost, what the run cost.
 * @typedef {object} Analysis
 * @property {bigint} denominator
 * @property {bigint} expected
 * @property {bigint} luck
 * @property {bigint} givenAway
 * @property {bigint} penalty
 * @property {Step[]} steps
 */

/** How good a decision was (docs/adr/0016). */
export const Grade = Object.freeze({
  BEST: "best", // nothing was lost
  FINE: "fine", // less than 1/180 of the opening penalty: in classic a quarter of a point
  SLIP: "slip", // less than 1/45 of it: in classic one point
  BLUNDER: "blunder",
});

/** @typedef {typeof Grade[keyof typeof Grade]} GradeName */

/**
 * Return the grade of a decision that lost so many 1/denominator.
 * @type {(rules: Rules, lost: bigint, denominator: bigint) => GradeName}
 */
export function grade(rules, lost, denominator) {
  if (lost === 0n) return Grade.BEST;
  const opening = BigInt(rules.openingPenalty) * denominator;
  if (180n * lost < opening) return Grade.FINE;
  return 45n * lost < opening ? Grade.SLIP : Grade.BLUNDER;
}

/**
 * Return the parts of a legal run; the tiles of a turn may be in any order.
 * @type {(rules: Rules, table: RollTable, turns: readonly Turn[]) => Analysis}
 */
export function analysis(rules, table, turns) {
  const { denominator, ofBoard } = leastExpectedPenalty(rules.ruleset);
  const expected = ofBoard[rules.opening];
  /** @type {Step[]} */
  const steps = [];
  let board = rules.opening;
  let [luck, givenAway] = [0n, 0n];
  for (const [number, turn] of turns.entries()) {
    const step = stepOf(rules, table, board, number, turn);
    steps.push(step);
    luck += step.luck;
    givenAway += (step.dice?.lost ?? 0n) + (step.shut?.lost ?? 0n);
    board ^= maskOf(turn.shut);
  }
  return { denominator, expected, luck, givenAway, penalty: expected + luck + givenAway, steps };
}

/** @type {(rules: Rules, table: RollTable, board: number, number: number, turn: Turn) => Step} */
function stepOf(rules, table, board, number, turn) {
  const { denominator, ofBoard, ofDice } = leastExpectedPenalty(rules.ruleset);
  const allowed = rules.diceAllowed[board];
  const legal = rules.legalSets(board, table.matches[number][turn.dice]);
  const mask = maskOf(turn.shut);
  const dice =
    allowed.length > 1
      ? weighed(allowed.map((dice) => ({ dice, value: ofDice[dice][board] })), allowed.indexOf(turn.dice))
      : null;
  const shut = legal.length
    ? weighed(legal.map((tiles) => ({ shut: tilesOf(tiles), value: ofBoard[board ^ tiles] })), legal.indexOf(mask))
    : null;
  const after = shut ? shut.best.value : BigInt(rules.penalties[board]) * denominator;
  return {
    board,
    dice: dice && { chosen: turn.dice, ways: dice.ways, best: dice.best.dice, lost: dice.lost },
    faces: table.rolls[number].slice(0, turn.dice),
    luck: after - ofDice[turn.dice][board],
    shut: shut && { chosen: tilesOf(mask), ways: shut.ways, best: shut.best.shut, lost: shut.lost },
  };
}

/**
 * Return the first way with the least value, and how much more than it the chosen one, by its place, leaves.
 * @template {{value: bigint}} Way
 * @param {Way[]} ways
 * @param {number} chosen
 */
function weighed(ways, chosen) {
  const best = ways.reduce((one, other) => (other.value < one.value ? other : one));
  return { ways, best, lost: ways[chosen].value - best.value };
}

/**
 * Return floor(1000 × the expected points that the decisions of a legal run lost), in exact arithmetic. The same as from
 * `analysis`, whose parts are not made for it: an audit asks it of every sealed run.
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
export const bestPossiblePenalty = (rules, table) => rules.penalties[bestEnd(rules, table).board];

/**
 * Return a run with the least penalty that is possible on these dice. Of several it is one with the fewest rolls; of
 * those the first, turn by turn: fewest dice, fewest tiles, by number.
 * @type {(rules: Rules, table: RollTable) => Turn[]}
 */
export function bestLine(rules, table) {
  let { before, board } = bestEnd(rules, table);
  /** @type {Turn[]} */
  const turns = board ? [turnOf(rules, table, before.length - 1, board, 0)] : [];
  for (let number = before.length - 2; number >= 0; number--) {
    const followed = /** @type {number} */ (before[number + 1].get(board));
    turns.unshift(turnOf(rules, table, number, followed, followed ^ board));
    board = followed;
  }
  return turns;
}

/**
 * Return the turn with the fewest dice that shuts these tiles (a mask), or with none of them ends the round.
 * @type {(rules: Rules, table: RollTable, number: number, board: number, tiles: number) => Turn}
 */
function turnOf(rules, table, number, board, tiles) {
  const dice = rules.diceAllowed[board].find((allowed) => {
    const legal = rules.legalSets(board, table.matches[number][allowed]);
    return tiles ? legal.includes(tiles) : !legal.length;
  });
  return { dice: /** @type {number} */ (dice), shut: tilesOf(tiles) };
}

/**
 * Return the board on which the best line ends, behind the boards that every number of rolls up to there reaches, each
 * with the board that leads to it first: boards stand in the order of the first lines that reach them.
 * @type {(rules: Rules, table: RollTable) => {before: Map<number, number>[], board: number}}
 */
function bestEnd(rules, table) {
  let reached = new Map([[rules.opening, 0]]);
  const before = [reached];
  let [rolls, end, least] = [0, rules.opening, Infinity];
  for (const [number, matches] of table.matches.entries()) {
    /** @type {Map<number, number>} */
    const following = new Map();
    for (const board of reached.keys()) {
      for (const dice of rules.diceAllowed[board]) {
        const legal = rules.legalSets(board, matches[dice]);
        for (const tiles of legal) if (!following.has(board ^ tiles)) following.set(board ^ tiles, board);
        if (!legal.length && rules.penalties[board] < least) {
          [rolls, end, least] = [number + 1, board, rules.penalties[board]];
        }
      }
    }
    before.push(following);
    if (following.has(0)) return { before, board: 0 };
    reached = following;
  }
  return { before: before.slice(0, rolls), board: end };
}
