// Replay: the only source of a score (protocol.md, "Replay").

import { maskOf, tilesOf } from "./encoding.js";

/** @import { RollTable, Rules } from "./rules.js" */

/**
 * One roll of a run: the number of dice and the tiles shut, empty if the roll had no legal set.
 * @typedef {{readonly dice: number, readonly shut: readonly number[]}} Turn
 */

/** How a round ends by the rules. */
export const End = Object.freeze({
  LOCKED: "locked", // the last roll had no legal set
  SHUT: "shut", // every tile is shut
});

/** Why a run is refused. The codes are part of the protocol and never change. */
export const Reason = Object.freeze({
  DICE_NOT_ALLOWED: "dice-not-allowed", // this board does not allow that number of dice
  NO_LEGAL_SHUT: "no-legal-shut", // nothing can be shut on this roll, yet tiles were named
  REPEATED_TILE: "repeated-tile", // a tile is named twice
  SHUT_REQUIRED: "shut-required", // something can be shut, yet no tile was named
  TILE_NOT_OPEN: "tile-not-open", // a tile is shut already, or is not in the box
  WRONG_TILES: "wrong-tiles", // the tiles are open but do not match the roll
  TURN_AFTER_END: "turn-after-end", // the round had ended on the turn before
  UNFINISHED: "unfinished", // the round has not ended after the last turn
});

/** @typedef {typeof End[keyof typeof End]} EndCode */
/** @typedef {typeof Reason[keyof typeof Reason]} ReasonCode */

/** @typedef {{reason: ReasonCode, turn: number}} Refusal The first rule that a run breaks, and on which turn. */
/** @typedef {{open: number, played: number, end: EndCode | null, refusal: Refusal | null}} Replay `open`: a mask. */

/**
 * Play the turns on the whole table of a round. Any turns are taken; the tiles of a turn may be in any order.
 * @type {(rules: Rules, table: RollTable, turns: readonly Turn[]) => Replay}
 */
export function replay(rules, table, turns) {
  let open = rules.opening;
  let played = 0;
  /** @type {EndCode | null} */
  let end = null;
  /** @type {(reason: ReasonCode) => Replay} */
  const refused = (reason) => ({ open, played, end, refusal: { reason, turn: played } });
  for (const { dice, shut } of turns) {
    if (end) return refused(Reason.TURN_AFTER_END);
    if (!rules.diceAllowed[open].includes(dice)) return refused(Reason.DICE_NOT_ALLOWED);
    const mask = judgeShut(rules, open, table.matches[played][dice], shut);
    if (typeof mask === "string") return refused(mask);
    open ^= mask;
    played += 1;
    if (!mask) end = End.LOCKED;
    else if (!open) end = End.SHUT;
  }
  return end ? { open, played, end, refusal: null } : refused(Reason.UNFINISHED);
}

/**
 * Return the mask of a legal shut on this roll (0 if nothing can be shut and nothing is), or why it is refused.
 * @type {(rules: Rules, board: number, match: number, shut: readonly number[]) => number | ReasonCode}
 */
export function judgeShut(rules, board, match, shut) {
  const legal = rules.legalSets(board, match);
  if (!legal.length) return shut.length ? Reason.NO_LEGAL_SHUT : 0;
  if (new Set(shut).size < shut.length) return Reason.REPEATED_TILE;
  if (!shut.length) return Reason.SHUT_REQUIRED;
  const open = tilesOf(board);
  if (!shut.every((tile) => open.includes(tile))) return Reason.TILE_NOT_OPEN;
  const mask = maskOf(shut);
  return legal.includes(mask) ? mask : Reason.WRONG_TILES;
}
