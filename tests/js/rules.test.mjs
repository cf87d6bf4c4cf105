// Faults that other engines shipped, each with its smallest position, as tests/game/test_rules.py has them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { maskOf, tilesOf } from "../../client/shutbox_web/static/js/game/encoding.js";
import { End, Reason, replay } from "../../client/shutbox_web/static/js/game/replay.js";
import { Rules, rulesOf } from "../../client/shutbox_web/static/js/game/rules.js";
import { CATALOGUE, Scoring, makeRuleset } from "../../client/shutbox_web/static/js/game/rulesets.js";
import { greatestChanceToShut, leastExpectedPenalty } from "../../client/shutbox_web/static/js/game/solver.js";

const rulesNamed = (id) => rulesOf(CATALOGUE.get(id));

/** Return the sets of tiles that may be shut on a roll of as many dice as there are faces. */
function ways(id, openTiles, faces) {
  const rules = rulesNamed(id);
  const roll = Array.from({ length: rules.ruleset.dice }, (_, die) => faces[die] ?? 1);
  return rules.legalSets(maskOf(openTiles), rules.table([roll]).matches[0][faces.length]).map(tilesOf);
}

/** Return the replay of turns, each written [dice, shut], on arranged rolls. */
function play(id, rolls, turns) {
  const rules = rulesNamed(id);
  return replay(rules, rules.table(rolls), turns.map(([dice, shut]) => ({ dice, shut })));
}

test("a set of four tiles is legal", () => {
  assert.deepEqual(ways("classic", [1, 2, 3, 4], [4, 6]), [[1, 2, 3, 4]]);
});

test("a roll of one shuts tile one", () => {
  assert.deepEqual(ways("classic", [1, 2, 3], [1]), [[1]]);
});

test("legal sets come fewest tiles first, then by number", () => {
  const found = ways("classic", [1, 2, 3, 4, 5, 6, 7, 8, 9], [3, 5]);
  assert.deepEqual(found, [[8], [1, 7], [2, 6], [3, 5], [1, 2, 5], [1, 3, 4]]);
});

test("optional one die is not forced", () => {
  assert.deepEqual(rulesNamed("classic").diceAllowed[maskOf([1, 2, 3, 4, 5, 6])], [1, 2]);
});

test("one die needs every tile from seven up to be shut", () => {
  assert.deepEqual(rulesNamed("classic").diceAllowed[maskOf([1, 7])], [2]);
  assert.deepEqual(rulesNamed("twelve").diceAllowed[maskOf([1, 12])], [2]);
});

test("below six is not up to six", () => {
  const [lowSum, forced] = [rulesNamed("low-sum"), rulesNamed("crafthouse")];
  assert.deepEqual(lowSum.diceAllowed[maskOf([1, 2, 3])], [2]);
  assert.deepEqual(lowSum.diceAllowed[maskOf([1, 4])], [1, 2]);
  assert.deepEqual(forced.diceAllowed[maskOf([1, 2, 3])], [2]);
  assert.deepEqual(forced.diceAllowed[maskOf([1, 4])], [1]);
});

test("a stuck roll ends the round on that roll", () => {
  const replayed = play("classic", [[6, 6], [5, 5], [2, 1]], [[2, [3, 9]], [2, [2, 8]], [2, []]]);
  assert.deepEqual(replayed, { open: maskOf([1, 4, 5, 6, 7]), played: 3, end: End.LOCKED, refusal: null });
});

for (const [what, turns, reason, turn] of [
  ["a tile named twice that would add up", [[2, [4, 4]]], Reason.REPEATED_TILE, 0],
  ["a tile named twice that would not", [[2, [2, 2]]], Reason.REPEATED_TILE, 0],
  ["a tile named twice that is not in the box", [[2, [10, 10]]], Reason.REPEATED_TILE, 0],
  ["no tile", [[2, []]], Reason.SHUT_REQUIRED, 0],
  ["a tile that is in no box", [[2, [99]]], Reason.TILE_NOT_OPEN, 0],
  ["tile 40, whose bit would wrap around to tile 8", [[2, [40]]], Reason.TILE_NOT_OPEN, 0],
  ["tile -24, whose bit would wrap around to tile 8", [[2, [-24]]], Reason.TILE_NOT_OPEN, 0],
  ["tile 0", [[2, [0]]], Reason.TILE_NOT_OPEN, 0],
  ["a tile that does not match", [[2, [5]]], Reason.WRONG_TILES, 0],
  ["three dice", [[3, [8]]], Reason.DICE_NOT_ALLOWED, 0],
  ["no dice", [[0, [8]]], Reason.DICE_NOT_ALLOWED, 0],
  ["one die too early", [[1, [4]]], Reason.DICE_NOT_ALLOWED, 0],
  ["a tile shut before", [[2, [8]], [2, [8]]], Reason.TILE_NOT_OPEN, 1],
  ["an early stop", [[2, [8]]], Reason.UNFINISHED, 1],
  ["no turn at all", [], Reason.UNFINISHED, 0],
]) {
  test(`the first rule broken gives the refusal: ${what}`, () => {
    assert.deepEqual(play("classic", [[4, 4], [4, 4]], turns).refusal, { reason, turn });
  });
}

test("a tile named on a roll without a legal set is refused before anything else about the tiles", () => {
  const turns = [[2, [3, 9]], [2, [2, 8]], [2, [99, 99]]];
  assert.deepEqual(play("classic", [[6, 6], [5, 5], [2, 1]], turns).refusal, { reason: Reason.NO_LEGAL_SHUT, turn: 2 });
});

test("a turn after a stuck roll is refused", () => {
  const replayed = play("classic", [[6, 6], [5, 5], [2, 1]], [[2, [3, 9]], [2, [2, 8]], [2, []], [2, []]]);
  assert.deepEqual(replayed, {
    open: maskOf([1, 4, 5, 6, 7]),
    played: 3,
    end: End.LOCKED,
    refusal: { reason: Reason.TURN_AFTER_END, turn: 3 },
  });
});

test("a turn after the box is shut is refused", () => {
  const rolls = [[6, 6], [6, 6], [6, 6], [4, 5], [1, 1]];
  const shutAll = [[2, [1, 5, 6]], [2, [3, 9]], [2, [4, 8]], [2, [2, 7]]];
  assert.deepEqual(play("classic", rolls, shutAll), { open: 0, played: 4, end: End.SHUT, refusal: null });
  const { refusal } = play("classic", rolls, [...shutAll, [1, [1]]]);
  assert.deepEqual(refusal, { reason: Reason.TURN_AFTER_END, turn: 4 });
});

test("the order of the tiles in a turn does not matter", () => {
  const rolls = [[6, 6], [1, 1]];
  const replayed = play("classic", rolls, [[2, [9, 3]], [2, [2]]]);
  assert.deepEqual(replayed, play("classic", rolls, [[2, [3, 9]], [2, [2]]]));
  assert.equal(replayed.open, maskOf([1, 4, 5, 6, 7, 8]));
});

test("a box of twelve keeps its twelve tiles", () => {
  const { open } = play("twelve", [[1, 1], [6, 6]], [[2, [2]]]);
  assert.deepEqual(tilesOf(open), [1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

test("digits are written one tile after the other", () => {
  // No named ruleset has tile 10 under digits, so the rule is asked directly.
  const digits = new Rules(makeRuleset("ten-digits", "", CATALOGUE.get("ten").box, { scoring: Scoring.DIGITS }));
  assert.equal(digits.penalties[maskOf([1, 10])], 110);
  assert.equal(digits.penalties[0], 0);
});

test("first roll must shut counts on the first roll only", () => {
  assert.deepEqual(ways("two-to-go", [1, 2, 3, 4, 5, 6, 7, 8, 9], [4, 4]), [[2, 6], [1, 2, 5]]);
  assert.deepEqual(ways("two-to-go", [1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 3]), []);
  assert.deepEqual(ways("two-to-go", [1, 3, 4, 5, 6, 7, 8, 9], [1, 3]), [[4], [1, 3]]);
});

test("a product may be matched by a sum and a sum by a product", () => {
  const found = ways("crafthouse-multiply", [1, 2, 3, 4, 5, 6], [2, 3]);
  assert.deepEqual(found, [[5], [6], [1, 4], [1, 5], [1, 6], [2, 3], [2, 4], [1, 2, 3]]);
});

test("every pair of faces is alike in either order", () => {
  for (const id of ["classic", "one-tile", "crafthouse-multiply"]) {
    for (const first of [1, 2, 3, 4, 5, 6]) {
      for (const second of [1, 2, 3, 4, 5, 6]) {
        const { matches } = rulesNamed(id).table([[first, second], [second, first]]);
        assert.equal(matches[0][2], matches[1][2]);
      }
    }
  }
});

test("each number of dice has 6 to the power of it equally likely rolls", () => {
  for (const ruleset of CATALOGUE.values()) {
    for (const dice of [1, ruleset.dice]) {
      const weights = [...rulesOf(ruleset).weights[dice].values()];
      assert.equal(weights.reduce((total, weight) => total + weight, 0), 6 ** dice);
    }
  }
});

test("tables and values are built once for a ruleset", () => {
  for (const build of [rulesOf, leastExpectedPenalty, greatestChanceToShut]) {
    assert.equal(build(CATALOGUE.get("odds")), build(CATALOGUE.get("odds")));
    assert.notEqual(build(CATALOGUE.get("odds")), build(CATALOGUE.get("evens")));
  }
});
