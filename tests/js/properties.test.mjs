// Properties that hold for any dice, any turns and any player.

import assert from "node:assert/strict";
import { test } from "node:test";

import { bestPossiblePenalty, givenAwayMilli } from "../../client/shutbox_web/static/js/game/analysis.js";
import { deal } from "../../client/shutbox_web/static/js/game/dice.js";
import { maskOf } from "../../client/shutbox_web/static/js/game/encoding.js";
import { End, Reason, replay } from "../../client/shutbox_web/static/js/game/replay.js";
import {
  Awaits,
  WrongDecision,
  decide,
  legalWays,
  positionAfter,
  start,
} from "../../client/shutbox_web/static/js/game/play.js";
import { rulesOf } from "../../client/shutbox_web/static/js/game/rules.js";
import { CATALOGUE } from "../../client/shutbox_web/static/js/game/rulesets.js";
import { randomBelow, seedFrom } from "./vectors.mjs";

const ROUNDS = 200;

/** Play a round by random legal decisions; each position also refuses what is not owed. */
function playAtRandom(rules, table, random) {
  const decisions = [];
  let position = start(rules, table);
  while (position.state === Awaits.CHOOSE_DICE || position.state === Awaits.CHOOSE_TILES) {
    const ways = legalWays(rules, table, position);
    const dice = rules.diceAllowed[position.open];
    if (position.state === Awaits.CHOOSE_DICE) {
      assert.deepEqual([ways, position.dice, position.faces], [[], null, null]);
      assert.equal(decide(rules, table, position, { shut: [1] }), WrongDecision.DICE_EXPECTED);
      assert.equal(decide(rules, table, position, { dice: 4 }), Reason.DICE_NOT_ALLOWED);
      decisions.push({ dice: dice[random(dice.length)] });
    } else {
      assert.deepEqual(position.faces, table.rolls[position.roll].slice(0, position.dice));
      assert.equal(decide(rules, table, position, { dice: dice[0] }), WrongDecision.TILES_EXPECTED);
      assert.equal(decide(rules, table, position, { shut: [] }), Reason.SHUT_REQUIRED);
      assert.equal(decide(rules, table, position, { shut: [99] }), Reason.TILE_NOT_OPEN);
      const shut = ways[random(ways.length)];
      decisions.push({ shut: random(2) ? shut : shut.toReversed() });
    }
    position = decide(rules, table, position, decisions.at(-1));
    assert.equal(typeof position, "object");
  }
  let board = rules.opening;
  let choices = 0; // the boards that leave a choice of dice: the player was asked on these and on no others
  for (const { shut } of position.turns) {
    choices += rules.diceAllowed[board].length > 1;
    board ^= maskOf(shut);
  }
  assert.equal(decisions.filter((decision) => "dice" in decision).length, choices);
  return { position, decisions };
}

for (const [number, ruleset] of [...CATALOGUE.values()].entries()) {
  test(`${ruleset.id}: ${ROUNDS} rounds played by decisions replay to the same end`, async () => {
    const rules = rulesOf(ruleset);
    const random = randomBelow(1 + number);
    for (let round = 0; round < ROUNDS; round++) {
      const table = await deal(rules, seedFrom(random));
      const { position, decisions } = playAtRandom(rules, table, random);
      const { open, turns, state } = position;
      const replayed = replay(rules, table, turns);
      assert.deepEqual(replayed, { open, played: turns.length, end: state, refusal: null });
      assert.equal(state, open ? End.LOCKED : End.SHUT);
      assert.deepEqual(positionAfter(rules, table, decisions), position);
      assert.equal(decide(rules, table, position, { shut: [] }), state);
      assert.deepEqual(legalWays(rules, table, position), []);
      for (let length = 0; length < turns.length; length++) {
        const { refusal } = replay(rules, table, turns.slice(0, length));
        assert.deepEqual(refusal, { reason: Reason.UNFINISHED, turn: length });
      }
      const { refusal } = replay(rules, table, [...turns, { dice: 2, shut: [] }]);
      assert.deepEqual(refusal, { reason: Reason.TURN_AFTER_END, turn: turns.length });
      const best = bestPossiblePenalty(rules, table);
      assert.ok(best >= 0 && best <= rules.penalties[open] && rules.penalties[open] <= rules.openingPenalty);
      assert.ok(givenAwayMilli(rules, table, turns) >= 0);
    }
  });

  test(`${ruleset.id}: replay takes any whole numbers and never throws`, async () => {
    const rules = rulesOf(ruleset);
    const random = randomBelow(1000 + number);
    const odd = [0, -1, -31, 16, 17, 32, 33, 64, 99, 2 ** 31, -(2 ** 31), 2 ** 32 + 1, Number.MAX_SAFE_INTEGER];
    const tile = () => (random(4) ? 1 + random(12) : odd[random(odd.length)]);
    const anyTurns = () =>
      Array.from({ length: random(8) }, () => ({
        dice: random(8) ? rules.ruleset.dice : odd[random(odd.length)],
        shut: Array.from({ length: random(4) }, tile),
      }));
    for (let round = 0; round < ROUNDS; round++) {
      const table = await deal(rules, seedFrom(random));
      const { position } = playAtRandom(rules, table, random);
      const legal = position.turns.slice(0, random(position.turns.length + 1));
      const turns = [...legal, ...anyTurns()];
      const { open, played, end, refusal } = replay(rules, table, turns);
      assert.equal(open & ~rules.opening, 0);
      assert.ok(played >= legal.length && played <= turns.length);
      assert.ok(refusal ? refusal.turn === played : end !== null && played === turns.length);
    }
  });
}

test("decisions that were changed after they were accepted are an error that names the first of them", async () => {
  const rules = rulesOf(CATALOGUE.get("classic"));
  const random = randomBelow(7);
  const table = await deal(rules, seedFrom(random));
  const { decisions } = playAtRandom(rules, table, random);
  const changed = decisions.with(1, { shut: [99] });
  assert.throws(() => positionAfter(rules, table, changed), /stored decision 1 is not legal: tile-not-open/);
});
