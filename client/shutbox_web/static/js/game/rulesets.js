// The rulesets: the rules of one round as data, and the 17 that have a name.

import { concat, hexOf, maskOf, sha256, tag, tilesOf, u16, u8 } from "./encoding.js";

/** Whether one die may, or must, be rolled when the condition for it holds. */
export const OneDie = { NEVER: 0, OPTIONAL: 1, FORCED: 2 };

/** What the tiles to shut must match. */
export const Match = {
  SUM: 0, // any tiles that add up to the dice
  ONE_TILE: 1, // one tile equal to a die or to the total
  SUM_OR_PRODUCT: 2, // tiles whose sum or product is the sum or product of the dice
};

/** What the open tiles cost at the end: their sum; written in ascending order and read as one number; how many. */
export const Scoring = { SUM: 0, DIGITS: 1, COUNT: 2 };

const DEFAULTS = {
  startShut: 0,
  dice: 2,
  oneDie: OneDie.NEVER,
  oneDieTilesShut: 0, // 0: not used, as in the next and in firstRollMustShut
  oneDieOpenSumBelow: 0,
  match: Match.SUM,
  firstRollMustShut: 0,
  scoring: Scoring.SUM,
};

/** @typedef {Partial<typeof DEFAULTS>} Changes */
/** @typedef {ReturnType<typeof makeRuleset>} Ruleset */

/**
 * Return the rules of one round (protocol.md, "Ruleset document"), sets of tiles as masks, and with them `opening`, the
 * tiles open at the start, `tableRolls`, how many rolls the table of a round holds (each shuts a tile or ends the
 * round), and `document`, the 12 bytes that are the ruleset.
 * @param {string} id
 * @param {string} name
 * @param {number} box
 * @param {Changes} [changes]
 */
export function makeRuleset(id, name, box, changes) {
  const fields = { id, name, box, ...DEFAULTS, ...changes };
  const opening = box & ~fields.startShut;
  const document = concat(
    ...[box, fields.startShut].map(u16),
    ...[fields.dice, fields.oneDie].map(u8),
    u16(fields.oneDieTilesShut),
    ...[fields.oneDieOpenSumBelow, fields.match, fields.firstRollMustShut, fields.scoring].map(u8),
  );
  return Object.freeze({ ...fields, opening, tableRolls: tilesOf(opening).length, document });
}

/**
 * Return `build` with its results kept, one for each ruleset.
 * @template T
 * @param {(ruleset: Ruleset) => T} build
 */
export function perRuleset(build) {
  /** @type {Map<Ruleset, T>} */
  const built = new Map();
  return (/** @type {Ruleset} */ ruleset) => {
    const found = built.get(ruleset) ?? build(ruleset);
    built.set(ruleset, found);
    return found;
  };
}

/** Return (a promise of) the 32 bytes by which a ruleset is known; its id is a name for people. */
export const rulesetHash = perRuleset(({ document }) => sha256(concat(tag("ruleset"), document)));

const SIX = maskOf([1, 2, 3, 4, 5, 6]);
const NINE = SIX | maskOf([7, 8, 9]);
const TEN = NINE | maskOf([10]);
const TWELVE = TEN | maskOf([11, 12]);
const FORCED = { oneDie: OneDie.FORCED, oneDieOpenSumBelow: 6 };

/**
 * Two dice, and one die if the player likes when every tile from 7 up is shut.
 * @type {(id: string, name: string, changes?: Changes, box?: number) => Ruleset}
 */
const traditional = (id, name, changes, box = NINE) =>
  makeRuleset(id, name, box, { oneDie: OneDie.OPTIONAL, oneDieTilesShut: box & ~SIX, ...changes });

const ALL = [
  traditional("classic", "Classic"),
  makeRuleset("two-dice", "Always two dice", NINE),
  makeRuleset("low-sum", "One die below six", NINE, { oneDie: OneDie.OPTIONAL, oneDieOpenSumBelow: 6 }),
  traditional("digits", "Digits", { scoring: Scoring.DIGITS }),
  traditional("missionary", "Missionary", { scoring: Scoring.COUNT }),
  traditional("two-to-go", "2 to go", { firstRollMustShut: 2 }),
  traditional("three-to-go", "3 to go", { firstRollMustShut: 3 }),
  traditional("three-down", "Three down", { startShut: maskOf([1, 2, 3]) }),
  traditional("odds", "Odds", { startShut: maskOf([2, 4, 6, 8]) }),
  traditional("evens", "Evens", { startShut: maskOf([1, 3, 5, 7, 9]) }),
  makeRuleset("one-tile", "One tile a roll", NINE, { match: Match.ONE_TILE }),
  traditional("ten", "Ten tiles", {}, TEN),
  traditional("twelve", "Twelve tiles", {}, TWELVE),
  makeRuleset("crafthouse", "Crafthouse", TWELVE, FORCED),
  makeRuleset("crafthouse-multiply", "Crafthouse, add or multiply", TWELVE, { ...FORCED, match: Match.SUM_OR_PRODUCT }),
  makeRuleset("ten-three-dice", "Ten tiles, three dice", TEN, { dice: 3 }),
  makeRuleset("twelve-three-dice", "Twelve tiles, three dice", TWELVE, { dice: 3 }),
];

/** @type {ReadonlyMap<string, Ruleset>} The named rulesets by id, in the order in which they are listed. */
export const CATALOGUE = new Map(ALL.map((ruleset) => [ruleset.id, ruleset]));

/** Return the same by hash, in hex: what a stored round names. */
export async function byHash() {
  const hashes = await Promise.all(ALL.map(rulesetHash));
  return new Map(ALL.map((ruleset, place) => [hexOf(hashes[place]), ruleset]));
}
