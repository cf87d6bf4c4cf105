// A round played one decision at a time: the state of an attempt is a fold over its decisions.

import { tilesOf } from "./encoding.js";
import { End, Reason, judgeShut } from "./replay.js";

/** @import { EndCode, Turn } from "./replay.js" */
/** @import { Roll, RollTable, Rules } from "./rules.js" */

/** The decision that the player owes. */
export const Awaits = Object.freeze({ CHOOSE_DICE: "choose_dice", CHOOSE_TILES: "choose_tiles" });

/** The decision is of another kind than the one that the player owes. */
export const WrongDecision = Object.freeze({ DICE_EXPECTED: "dice-expected", TILES_EXPECTED: "tiles-expected" });

/** @typedef {{readonly dice: number} | {readonly shut: readonly number[]}} Decision Dice to roll, or tiles to shut. */

/**
 * Where a round stands: nothing in it depends on a roll that has not been shown.
 * @typedef {object} Position
 * @property {EndCode | typeof Awaits[keyof typeof Awaits]} state
 * @property {number} open a mask
 * @property {readonly Turn[]} turns the turns that are complete
 * @property {number} roll number of the roll that is shown, or that comes next
 * @property {number | null} dice how many dice show; null: not rolled yet
 * @property {Roll | null} faces
 */

/**
 * Return the position before the first decision; where the rules leave one number of dice, they are rolled.
 * @type {(rules: Rules, table: RollTable) => Position}
 */
export const start = (rules, table) => nextRoll(rules, table, rules.opening, []);

/**
 * Return the position after a decision, or the code of why it is refused or of how the round had already ended.
 * @param {Rules} rules
 * @param {RollTable} table
 * @param {Position} position
 * @param {Decision} decision
 */
export function decide(rules, table, position, decision) {
  const { state, open, roll, dice } = position;
  if (state === End.LOCKED || state === End.SHUT) return state;
  if ("dice" in decision) {
    if (state !== Awaits.CHOOSE_DICE) return WrongDecision.TILES_EXPECTED;
    if (!rules.diceAllowed[open].includes(decision.dice)) return Reason.DICE_NOT_ALLOWED;
    return rolled(rules, table, position, decision.dice);
  }
  if (dice === null) return WrongDecision.DICE_EXPECTED;
  const mask = judgeShut(rules, open, table.matches[roll][dice], decision.shut);
  if (typeof mask === "string") return mask;
  const turns = [...position.turns, { dice, shut: tilesOf(mask) }];
  if (mask === open) return { ...position, state: End.SHUT, open: 0, turns };
  return nextRoll(rules, table, open ^ mask, turns);
}

/**
 * Return the position after decisions that were accepted one by one; an Error if one is not legal: they were changed.
 * @type {(rules: Rules, table: RollTable, decisions: readonly Decision[]) => Position}
 */
export function positionAfter(rules, table, decisions) {
  return decisions.reduce((position, decision, number) => {
    const following = decide(rules, table, position, decision);
    if (typeof following === "string") throw new Error(`stored decision ${number} is not legal: ${following}`);
    return following;
  }, start(rules, table));
}

/**
 * Return the sets of tiles that may be shut now, fewest tiles first; empty where none may.
 * @type {(rules: Rules, table: RollTable, position: Position) => number[][]}
 */
export function legalWays(rules, table, { state, open, roll, dice }) {
  if (state !== Awaits.CHOOSE_TILES || dice === null) return [];
  return rules.legalSets(open, table.matches[roll][dice]).map(tilesOf);
}

/** @type {(rules: Rules, table: RollTable, open: number, turns: readonly Turn[]) => Position} */
function nextRoll(rules, table, open, turns) {
  /** @type {Position} */
  const position = { state: Awaits.CHOOSE_DICE, open, turns, roll: turns.length, dice: null, faces: null };
  const allowed = rules.diceAllowed[open];
  return allowed.length === 1 ? rolled(rules, table, position, allowed[0]) : position;
}

/** @type {(rules: Rules, table: RollTable, position: Position, dice: number) => Position} */
function rolled(rules, table, position, dice) {
  const { open, roll, turns } = position;
  const shown = { ...position, dice, faces: table.rolls[roll].slice(0, dice) };
  if (rules.legalSets(open, table.matches[roll][dice]).length) return { ...shown, state: Awaits.CHOOSE_TILES };
  return { ...shown, state: End.LOCKED, turns: [...turns, { dice, shut: [] }] };
}
