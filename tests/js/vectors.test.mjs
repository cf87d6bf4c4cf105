// Every value of the vectors that the game computes, as tests/game/test_vectors.py has them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { bestPossiblePenalty, givenAwayMilli } from "../../client/shutbox_web/static/js/game/analysis.js";
import { deal, rolls } from "../../client/shutbox_web/static/js/game/dice.js";
import { bytesOf, hexOf, tilesOf } from "../../client/shutbox_web/static/js/game/encoding.js";
import { End, Reason, replay } from "../../client/shutbox_web/static/js/game/replay.js";
import { rulesOf } from "../../client/shutbox_web/static/js/game/rules.js";
import {
  CATALOGUE,
  Match,
  OneDie,
  Scoring,
  byHash,
  rulesetHash,
} from "../../client/shutbox_web/static/js/game/rulesets.js";
import { runBytes } from "../../client/shutbox_web/static/js/game/runs.js";
import { commitment } from "../../client/shutbox_web/static/js/game/seeds.js";
import {
  fraction,
  greatestChanceToShut,
  leastExpectedPenalty,
} from "../../client/shutbox_web/static/js/game/solver.js";
import { vectors } from "./vectors.mjs";

const RULESETS = vectors("rulesets");
const PLAYER_TAG = Uint8Array.from({ length: 16 }, (_, number) => number);

/** Return the lower-case name of a value of an enumeration. */
const nameOf = (enumeration, value) =>
  Object.keys(enumeration)
    .find((name) => enumeration[name] === value)
    .toLowerCase();

/** Return the matches that the numbers of dice of a board can bring. */
const matchesOf = (rules, board) =>
  new Set(rules.diceAllowed[board].flatMap((dice) => [...rules.weights[dice].keys()]));

/** Assert that a fraction is the exact one, and the decimal one when it is rounded to as many places. */
function assertFraction([numerator, denominator], exact, decimal) {
  assert.equal(`${numerator}/${denominator}`, exact);
  const places = decimal.split(".")[1].length;
  const scaled = (2n * numerator * 10n ** BigInt(places) + denominator) / (2n * denominator); // rounded half up
  assert.equal(scaled, BigInt(decimal.replace(".", "")));
}

test("the vectors are all there", () => {
  const lengths = ["rulesets", "dice", "runs-valid", "runs-invalid", "examples"].map((name) => vectors(name).length);
  assert.deepEqual([...lengths, vectors("chain").day_seeds.length], [17, 69, 153, 547, 10, 12]);
});

test("the catalogue is the seventeen rulesets in their order, and each is found by its hash", async () => {
  assert.deepEqual([...CATALOGUE.keys()], RULESETS.map((vector) => vector.id));
  assert.equal(CATALOGUE.size, 17);
  assert.deepEqual([...(await byHash()).keys()], RULESETS.map((vector) => vector.hash));
  for (const [hash, ruleset] of await byHash()) {
    assert.equal(RULESETS.find((vector) => vector.hash === hash).id, ruleset.id);
  }
});

for (const vector of RULESETS) {
  const ruleset = CATALOGUE.get(vector.id);

  test(`${vector.id}: parameters, document and hash are those of the vector`, async () => {
    const parameters = {
      id: ruleset.id,
      box: tilesOf(ruleset.box),
      start_shut: tilesOf(ruleset.startShut),
      dice: ruleset.dice,
      one_die: {
        mode: nameOf(OneDie, ruleset.oneDie),
        tiles_shut: ruleset.oneDieTilesShut ? tilesOf(ruleset.oneDieTilesShut) : null,
        open_sum_below: ruleset.oneDieOpenSumBelow || null,
      },
      match: nameOf(Match, ruleset.match),
      first_roll_must_shut: ruleset.firstRollMustShut || null,
      scoring: nameOf(Scoring, ruleset.scoring),
      document: hexOf(ruleset.document),
      hash: hexOf(await rulesetHash(ruleset)),
    };
    for (const [name, value] of Object.entries(parameters)) assert.deepEqual(value, vector[name], name);
  });

  test(`${vector.id}: every position and every legal shut is counted`, () => {
    const rules = rulesOf(ruleset);
    let [positions, shuts] = [0, 0];
    for (const board of rules.boards) {
      for (const match of matchesOf(rules, board)) {
        const legal = rules.legalSets(board, match);
        positions += legal.length > 0;
        shuts += legal.length;
      }
    }
    assert.deepEqual([positions, shuts], [vector.positions_with_a_shut, vector.legal_shuts]);
  });

  test(`${vector.id}: the solver finds the exact fractions`, () => {
    const penalty = fraction(leastExpectedPenalty(ruleset), ruleset.opening);
    assertFraction(penalty, vector.min_expected_penalty, vector.min_expected_penalty_decimal);
    const chance = fraction(greatestChanceToShut(ruleset), ruleset.opening);
    assertFraction(chance, vector.max_shut_probability, vector.max_shut_probability_decimal);
  });

  test(`${vector.id}: the ends that a round can reach are those of the vector`, () => {
    const rules = rulesOf(ruleset);
    const rollsBefore = new Map([[rules.opening, 0]]);
    const penalties = new Set();
    let longest = 0;
    for (const board of [...rules.boards].reverse()) { // descending: what leads to a board is seen before it
      if (!rollsBefore.has(board)) continue;
      if (board === 0) {
        penalties.add(rules.penalties[board]);
        longest = Math.max(longest, rollsBefore.get(board));
        continue;
      }
      const rollsAfter = rollsBefore.get(board) + 1;
      for (const match of matchesOf(rules, board)) {
        const legal = rules.legalSets(board, match);
        for (const tiles of legal) {
          rollsBefore.set(board ^ tiles, Math.max(rollsBefore.get(board ^ tiles) ?? 0, rollsAfter));
        }
        if (!legal.length) penalties.add(rules.penalties[board]);
      }
      longest = Math.max(longest, rollsAfter);
    }
    assert.deepEqual(
      [longest, penalties.size, Math.max(...penalties), rules.openingPenalty],
      [vector.max_rolls, vector.distinct_penalties, vector.worst_penalty, vector.opening_penalty],
    );
    assert.ok(longest <= ruleset.tableRolls);
  });
}

for (const vector of vectors("dice")) {
  const seed = `seed ${vector.seed.slice(0, 4)}${vector.note ? ` (${vector.note})` : ""}`;

  test(`${vector.ruleset}, ${seed}: rolls and commitment are those of the vector`, async () => {
    const [ruleset, seed] = [CATALOGUE.get(vector.ruleset), bytesOf(vector.seed)];
    assert.deepEqual(await rolls(seed, ruleset.dice, vector.rolls.length), vector.rolls);
    assert.deepEqual((await deal(rulesOf(ruleset), seed)).rolls, vector.rolls.slice(0, ruleset.tableRolls));
    assert.equal(hexOf(await commitment(await rulesetHash(ruleset), seed)), vector.commitment);
  });
}

for (const vector of vectors("chain").day_seeds) {
  test(`${vector.ruleset}, ${vector.mode}, ${vector.day}: the commitment is that of the chain's vector`, async () => {
    const hash = await rulesetHash(CATALOGUE.get(vector.ruleset));
    assert.equal(hexOf(await commitment(hash, bytesOf(vector.seed))), vector.commitment);
  });
}

for (const [number, vector] of vectors("runs-valid").entries()) {
  test(`valid run ${number}, ${vector.ruleset}: its end, values and bytes are those of the vector`, async () => {
    const rules = rulesOf(CATALOGUE.get(vector.ruleset));
    const table = await deal(rules, bytesOf(vector.seed));
    const { open, played, end, refusal } = replay(rules, table, vector.turns);
    const penalty = rules.penalties[open];
    assert.equal(refusal, null);
    assert.equal(played, vector.turns.length);
    assert.deepEqual(tilesOf(open), vector.open);
    assert.deepEqual([penalty, rules.openingPenalty - penalty], [vector.penalty, vector.score]);
    assert.equal(end, vector.shut_the_box ? End.SHUT : End.LOCKED);
    const lost = rules.ruleset.firstRollMustShut > 0 && played === 1 && penalty === rules.openingPenalty;
    assert.equal(lost, vector.lost);
    assert.equal(givenAwayMilli(rules, table, vector.turns), vector.given_away_milli);
    assert.equal(bestPossiblePenalty(rules, table), vector.best_possible_penalty);
    const run = runBytes("example-round", PLAYER_TAG, await rulesetHash(rules.ruleset), vector.turns);
    assert.equal(hexOf(run), vector.run_hex);
  });
}

for (const [number, vector] of vectors("runs-invalid").entries()) {
  test(`faulty run ${number}, ${vector.ruleset}: refused as ${vector.reason} on turn ${vector.turn}`, async () => {
    const rules = rulesOf(CATALOGUE.get(vector.ruleset));
    const { refusal } = replay(rules, await deal(rules, bytesOf(vector.seed)), vector.turns);
    assert.deepEqual(refusal, { reason: vector.reason, turn: vector.turn });
  });
}

test("every reason is among the faulty runs", () => {
  const reasons = new Set(vectors("runs-invalid").map((vector) => vector.reason));
  assert.deepEqual([...reasons].sort(), Object.values(Reason).sort());
});

for (const vector of vectors("examples")) {
  test(`worked example: ${vector.what}`, () => {
    const rules = rulesOf(CATALOGUE.get(vector.ruleset));
    const table = rules.table(vector.rolls);
    const { open, end, refusal } = replay(rules, table, vector.turns);
    if ("reason" in vector) {
      assert.deepEqual(refusal, { reason: vector.reason, turn: vector.turn });
      return;
    }
    assert.equal(refusal, null);
    assert.deepEqual(tilesOf(open), vector.open);
    const penalty = rules.penalties[open];
    assert.deepEqual([penalty, rules.openingPenalty - penalty], [vector.penalty, vector.score]);
    assert.equal(end, vector.shut_the_box ? End.SHUT : End.LOCKED);
    assert.equal(givenAwayMilli(rules, table, vector.turns), vector.given_away_milli);
  });
}
