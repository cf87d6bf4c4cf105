// The exact parts of a run, as tests/game/test_analysis.py has them, and every analysis that Python made.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  Grade,
  analysis,
  bestLine,
  bestPossiblePenalty,
  givenAwayMilli,
  grade,
} from "../../client/shutbox_web/static/js/game/analysis.js";
import { deal } from "../../client/shutbox_web/static/js/game/dice.js";
import { bytesOf, maskOf, tilesOf } from "../../client/shutbox_web/static/js/game/encoding.js";
import { replay } from "../../client/shutbox_web/static/js/game/replay.js";
import { rulesOf } from "../../client/shutbox_web/static/js/game/rules.js";
import { CATALOGUE } from "../../client/shutbox_web/static/js/game/rulesets.js";
import { leastExpectedPenalty } from "../../client/shutbox_web/static/js/game/solver.js";
import { randomBelow, vectors } from "./vectors.mjs";

const RUNS = 10_000;

/** Return dice that no seed made. */
const randomTable = (rules, random) =>
  rules.table(
    Array.from({ length: rules.ruleset.tableRolls }, () =>
      Array.from({ length: rules.ruleset.dice }, () => 1 + random(6)),
    ),
  );

/** Return a run by the choices of a player: `choose(ways, valueOf)` returns one of the ways. */
function runOf(rules, table, choose) {
  const { ofBoard, ofDice } = leastExpectedPenalty(rules.ruleset);
  const turns = [];
  let board = rules.opening;
  for (const matches of table.matches) {
    const dice = choose(rules.diceAllowed[board], (number) => ofDice[number][board]);
    const legal = rules.legalSets(board, matches[dice]);
    const mask = legal.length ? choose(legal, (tiles) => ofBoard[board ^ tiles]) : 0;
    turns.push({ dice, shut: tilesOf(mask) });
    board ^= mask;
    if (!mask || !board) return turns;
  }
  throw new Error("a round ends within its table");
}

/** The player who takes any way. */
const anyOf = (random) => (ways) => ways[random(ways.length)];

/** The player who always takes the way with the least expected penalty. */
const bestOf = (ways, valueOf) => ways.reduce((one, other) => (valueOf(other) < valueOf(one) ? other : one));

const decisionsOf = ({ steps }) => steps.flatMap(({ dice, shut }) => [dice, shut]).filter((choice) => choice);

/** Return every roll of that number of dice, filled up to all dice of the ruleset. */
const rollsOf = (rules, dice) =>
  Array.from({ length: 6 ** dice }, (_, number) =>
    Array.from({ length: rules.ruleset.dice }, (_, die) => (die < dice ? 1 + (Math.floor(number / 6 ** die) % 6) : 1)),
  );

for (const [number, ruleset] of [...CATALOGUE.values()].entries()) {
  const rules = rulesOf(ruleset);

  test(`${ruleset.id}: expected, luck and given away add up to the penalty in ${RUNS} runs, exactly`, () => {
    const random = randomBelow(100 + number);
    for (let run = 0; run < RUNS; run++) {
      const table = randomTable(rules, random);
      const turns = runOf(rules, table, anyOf(random));
      const found = analysis(rules, table, turns);
      const { open, refusal } = replay(rules, table, turns);
      assert.equal(refusal, null);
      assert.equal(found.penalty, BigInt(rules.penalties[open]) * found.denominator);
      assert.equal(found.expected + found.luck + found.givenAway, found.penalty);
      assert.equal(found.steps.reduce((sum, { luck }) => sum + luck, 0n), found.luck);
      const lost = decisionsOf(found).map((choice) => choice.lost);
      assert.ok(lost.every((part) => part >= 0n));
      assert.equal(lost.reduce((sum, part) => sum + part, 0n), found.givenAway);
      assert.equal(givenAwayMilli(rules, table, turns), Number((1000n * found.givenAway) / found.denominator));
    }
  });

  test(`${ruleset.id}: the luck of a roll is nothing on the average of all rolls`, () => {
    const random = randomBelow(200 + number);
    const table = randomTable(rules, random);
    const turns = runOf(rules, table, anyOf(random));
    for (let length = 0; length < turns.length; length++) {
      const before = turns.slice(0, length);
      const board = rules.opening ^ maskOf(before.flatMap(({ shut }) => shut));
      for (const dice of rules.diceAllowed[board]) {
        let sum = 0n;
        for (const roll of rollsOf(rules, dice)) {
          const changed = rules.table([...table.rolls.slice(0, length), roll]);
          const shut = tilesOf(rules.legalSets(board, changed.matches[length][dice])[0] ?? 0);
          sum += analysis(rules, changed, [...before, { dice, shut }]).steps[length].luck;
        }
        assert.equal(sum, 0n);
      }
    }
  });

  test(`${ruleset.id}: the best play gives nothing away, and the best line reaches the best possible penalty`, () => {
    const random = randomBelow(300 + number);
    for (let run = 0; run < 100; run++) {
      const table = randomTable(rules, random);
      const found = analysis(rules, table, runOf(rules, table, bestOf));
      assert.equal(found.givenAway, 0n);
      for (const { chosen, best, lost } of decisionsOf(found)) {
        assert.deepEqual(chosen, best);
        assert.equal(grade(rules, lost, found.denominator), Grade.BEST);
      }
      const { open, refusal } = replay(rules, table, bestLine(rules, table));
      assert.equal(refusal, null);
      assert.equal(rules.penalties[open], bestPossiblePenalty(rules, table));
    }
  });
}

/** Return a decision as the vectors have it. */
const written = (rules, denominator, decision, name) =>
  decision && {
    chosen: decision.chosen,
    ways: decision.ways.map((way) => [way[name], String(way.value)]),
    best: decision.best,
    lost: String(decision.lost),
    grade: grade(rules, decision.lost, denominator),
  };

test("every ruleset has its analyses, and some of them end on the first roll", () => {
  const analyses = vectors("analyses");
  assert.deepEqual([...new Set(analyses.map(({ ruleset }) => ruleset))], [...CATALOGUE.keys()]);
  assert.ok(analyses.some(({ steps }) => steps.length === 1));
});

for (const [number, vector] of vectors("analyses").entries()) {
  test(`analysis ${number}, ${vector.ruleset}: every part is the one that Python found`, async () => {
    const rules = rulesOf(CATALOGUE.get(vector.ruleset));
    const table = await deal(rules, bytesOf(vector.seed));
    const found = analysis(rules, table, vector.turns);
    const { denominator } = found;
    const sums = [denominator, found.expected, found.luck, found.givenAway, found.penalty].map(String);
    assert.deepEqual(sums, [vector.denominator, vector.expected, vector.luck, vector.given_away, vector.penalty]);
    const steps = found.steps.map(({ board, dice, faces, luck, shut }) => ({
      board: tilesOf(board),
      dice: written(rules, denominator, dice, "dice"),
      faces,
      luck: String(luck),
      shut: written(rules, denominator, shut, "shut"),
    }));
    assert.deepEqual(steps, vector.steps);
    assert.equal(bestPossiblePenalty(rules, table), vector.best_possible_penalty);
    assert.deepEqual(bestLine(rules, table), vector.best_line);
  });
}

test("the parts of a first roll that ends the round", () => {
  const rules = rulesOf(CATALOGUE.get("two-to-go"));
  const table = rules.table([[1, 3], ...Array(8).fill([1, 1])]);
  const found = analysis(rules, table, [{ dice: 2, shut: [] }]);
  const luck = BigInt(rules.openingPenalty) * found.denominator - found.expected;
  assert.deepEqual(found.steps, [{ board: rules.opening, dice: null, faces: [1, 3], luck, shut: null }]);
  assert.deepEqual([found.luck, found.givenAway], [luck, 0n]);
});

test("the tiles of a turn may be in any order", () => {
  const rules = rulesOf(CATALOGUE.get("classic"));
  const table = rules.table([[6, 6], ...Array(8).fill([1, 1])]);
  const [one, other] = [[9, 3], [3, 9]].map((shut) => analysis(rules, table, [{ dice: 2, shut }]));
  assert.deepEqual(one, other);
});

for (const [id, lost, denominator, graded] of [
  ["classic", 0n, 1n, Grade.BEST],
  ["classic", 1n, 1_000_000_000n, Grade.FINE],
  ["classic", 249n, 1000n, Grade.FINE],
  ["classic", 1n, 4n, Grade.SLIP],
  ["classic", 999n, 1000n, Grade.SLIP],
  ["classic", 1n, 1n, Grade.BLUNDER],
  ["missionary", 1n, 21n, Grade.FINE],
  ["missionary", 1n, 5n, Grade.BLUNDER],
  ["digits", 123456789n, 181n, Grade.FINE],
  ["digits", 123456789n, 46n, Grade.SLIP],
  ["digits", 123456789n, 45n, Grade.BLUNDER],
]) {
  test(`grades follow the opening penalty: ${lost}/${denominator} lost in ${id} is ${graded}`, () => {
    assert.equal(grade(rulesOf(CATALOGUE.get(id)), lost, denominator), graded);
  });
}
