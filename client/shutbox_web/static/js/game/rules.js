// The rules of a ruleset as tables: which dice may be rolled, which tiles a roll may shut, what a board costs.

import { tilesOf } from "./encoding.js";
import { Match, OneDie, Scoring, perRuleset } from "./rulesets.js";

/** @import { Ruleset } from "./rulesets.js" */

/** @typedef {readonly number[]} Roll The faces of one roll, in the order in which they fell. */

/**
 * The dice of a round: every roll, and what it can match when d dice of it are rolled, `matches[roll][d]`.
 * @typedef {{readonly rolls: readonly Roll[], readonly matches: readonly number[][]}} RollTable
 */

/** The tables of one ruleset. A *match* numbers what a roll can match: all rolls with one match are alike. */
export class Rules {
  /** @type {number[]} by board */
  penalties = [];
  /** @type {number[][]} by board: [1], [all] or [1, all] */
  diceAllowed = [];
  /** @type {Map<number, number>[]} by number of dice, 1 or all: in how many of the 6^dice rolls each match comes */
  weights = [];
  /** @type {Map<string, number>} by faces */
  #match = new Map();
  /** @type {number[][]} by match: the sets of opening tiles that fit it, fewest tiles first, then by number */
  #sets = [];

  /** @param {Ruleset} ruleset */
  constructor(ruleset) {
    this.ruleset = ruleset;
    this.opening = ruleset.opening;
    this.boards = subsets(this.opening);
    for (const board of this.boards) {
      this.penalties[board] = penalty(ruleset, tilesOf(board));
      this.diceAllowed[board] = diceAllowed(ruleset, board);
    }
    this.openingPenalty = this.penalties[this.opening];
    this.#numberMatches();
  }

  #numberMatches() {
    const sets = this.boards.map((mask) => ({ mask, tiles: tilesOf(mask), answers: answersOf(this.ruleset, mask) }));
    sets.sort((a, b) => a.tiles.length - b.tiles.length || byNumber(a.mask, b.mask));
    /** @type {Map<string, number>} */
    const numbers = new Map();
    for (const dice of new Set([1, this.ruleset.dice])) {
      this.weights[dice] = new Map();
      for (const faces of rollsOf(dice)) {
        const targets = targetsOf(this.ruleset, faces);
        const key = [...targets].sort().join();
        const match = numbers.get(key) ?? numbers.size;
        if (match === numbers.size) {
          numbers.set(key, match);
          const fitting = sets.filter(({ answers }) => answers.some((number) => targets.has(number)));
          this.#sets.push(fitting.map(({ mask }) => mask));
        }
        this.#match.set(faces.join(), match);
        this.weights[dice].set(match, (this.weights[dice].get(match) ?? 0) + 1);
      }
    }
  }

  /** @type {(rolls: readonly Roll[]) => RollTable} Return the table of rolls that have all the dice of the ruleset. */
  table(rolls) {
    const matches = rolls.map((roll) =>
      [0, ...roll].map((_, dice) => this.#match.get(roll.slice(0, dice).join()) ?? -1),
    );
    return { rolls, matches };
  }

  /**
   * Return the masks that may be shut, fewest tiles first. The opening board is the first roll's.
   * @type {(board: number, match: number) => number[]}
   */
  legalSets(board, match) {
    const first = this.ruleset.firstRollMustShut;
    const required = first && board === this.opening ? 1 << (first - 1) : 0;
    return this.#sets[match].filter((tiles) => !(tiles & ~board) && (tiles & required) === required);
  }
}

/** Return the tables of a ruleset, built once. */
export const rulesOf = perRuleset((ruleset) => new Rules(ruleset));

/** @type {(mask: number) => number[]} Return every subset, ascending: a board stands behind all that can follow it. */
const subsets = (mask) =>
  tilesOf(mask).reduce((found, tile) => found.concat(found.map((board) => board | (1 << (tile - 1)))), [0]);

/** @type {(a: number, b: number) => number} Of sets of one size, that with the lowest tile of its own comes first. */
const byNumber = (a, b) => (a & (a ^ b) & -(a ^ b) ? -1 : 1);

/** @type {(dice: number) => number[][]} */
const rollsOf = (dice) =>
  dice ? rollsOf(dice - 1).flatMap((roll) => [1, 2, 3, 4, 5, 6].map((face) => [...roll, face])) : [[]];

/** @type {(numbers: Roll) => number} */
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** @type {(numbers: Roll) => number} */
const product = (numbers) => numbers.reduce((total, number) => total * number, 1);

/** @type {(ruleset: Ruleset, tiles: number[]) => number} */
function penalty({ scoring }, tiles) {
  if (scoring === Scoring.SUM) return sum(tiles);
  return scoring === Scoring.COUNT ? tiles.length : Number(tiles.join(""));
}

/** @type {(ruleset: Ruleset, board: number) => number[]} */
function diceAllowed({ dice, oneDie, oneDieTilesShut, oneDieOpenSumBelow }, board) {
  const holds = oneDieTilesShut ? !(board & oneDieTilesShut) : sum(tilesOf(board)) < oneDieOpenSumBelow;
  if (oneDie === OneDie.NEVER || board === 0 || !holds) return [dice];
  return oneDie === OneDie.FORCED ? [1] : [1, dice];
}

/** @type {(ruleset: Ruleset, faces: Roll) => Set<number>} The numbers that a roll asks for. */
function targetsOf({ match }, faces) {
  if (match === Match.ONE_TILE) return new Set([...faces, sum(faces)]);
  return new Set(match === Match.SUM ? [sum(faces)] : [sum(faces), product(faces)]);
}

/** @type {(ruleset: Ruleset, board: number) => number[]} The numbers that a set of tiles answers. */
function answersOf({ match }, board) {
  const tiles = tilesOf(board);
  if (!board || (match === Match.ONE_TILE && tiles.length > 1)) return [];
  return match === Match.SUM_OR_PRODUCT ? [sum(tiles), product(tiles)] : [sum(tiles)];
}
