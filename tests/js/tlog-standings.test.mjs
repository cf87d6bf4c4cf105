// What runs are worth, and their order.

import assert from "node:assert/strict";
import { test } from "node:test";

import { hexOf } from "../../client/shutbox_web/static/js/game/encoding.js";
import { parseRun } from "../../client/shutbox_web/static/js/tlog/runs.js";
import { RoundHistory, judgeOf, rank } from "../../client/shutbox_web/static/js/tlog/standings.js";
import { LEAVES, LOG, OPEN_DAY, filled, fromHex } from "./small-log.mjs";

/** Return what the log of the vectors says of a round. */
function historyOf(roundId) {
  const own = [...LEAVES.entries()].filter(([, leaf]) => leaf.roundId === roundId);
  const history = new RoundHistory(own[0][1], LEAVES[1].document);
  for (const [index, leaf] of own.slice(1)) history.add(leaf, index);
  return history;
}

test("every run of the vectors is worth what it says, of running rounds too", async () => {
  for (const [roundId, { seed, runs }] of Object.entries(LOG.rounds)) {
    const { round } = historyOf(roundId);
    const worthOf = await judgeOf(round, fromHex(seed));
    for (const { run, penalty, given_away_milli } of runs) {
      const worth = { refusal: null, score: 45 - penalty, givenAwayMilli: given_away_milli ?? 0 };
      assert.deepEqual(worthOf(parseRun(fromHex(run))), worth);
    }
  }
});

test("a run that was reinstated after the close changes the ranking from then on", async () => {
  const history = historyOf(OPEN_DAY);
  const worthOf = await judgeOf(history.round, history.close.seed);
  const judged = LOG.rounds[OPEN_DAY].runs.map(({ run_id: runId, run, commitment }) => {
    const parsed = parseRun(fromHex(run));
    return { runId, commitment: fromHex(commitment), playerTag: hexOf(parsed.playerTag), ...worthOf(parsed) };
  });
  const ranked = rank(judged, history.withdrawn);
  assert.deepEqual(ranked.map(({ rank }) => rank), [1, 1, 3, 3, 3, 3]);
  assert.ok(ranked.some(({ run }) => run === judged.at(-1)));
  assert.ok(rank(judged, history.withdrawnAtClose).some(({ run }) => run === judged[3]));
});

/** Return a run as standings judge it. */
const judgedRun = (number, score, givenAwayMilli, player) => ({
  runId: hexOf(filled(16, number)),
  commitment: filled(32, number),
  playerTag: String(player),
  score,
  givenAwayMilli,
});
const placesOf = (ranked) => ranked.map(({ rank, run }) => [rank, parseInt(run.runId.slice(0, 2), 16)]);

test("the order is score, then given away, then run id, with shared ranks", () => {
  const values = [[5, 40, 7, 5], [4, 40, 7, 4], [3, 40, 3, 3], [2, 39, 0, 2], [1, 45, 9, 1]];
  const runs = values.map((run) => judgedRun(...run));
  assert.deepEqual(placesOf(rank(runs)), [[1, 1], [2, 3], [3, 4], [3, 5], [5, 2]]);
  const shared = [[1, 9], [2, 8], [3, 8], [4, 7]].map(([number, score]) => judgedRun(number, score, 0, number));
  assert.deepEqual(placesOf(rank(shared)), [[1, 1], [2, 2], [2, 3], [4, 4]]);
  assert.deepEqual(placesOf(rank([judgedRun(1, 0, 0, 1)])), [[1, 1]]);
  assert.deepEqual(rank([]), []);
});

test("a player is ranked by the best run that is not withdrawn", () => {
  const runs = [judgedRun(1, 10, 0, 1), judgedRun(2, 20, 0, 1), judgedRun(3, 20, 0, 1), judgedRun(4, 15, 0, 2)];
  const without = (...places) => placesOf(rank(runs, new Set(places.map((place) => runs[place].runId))));
  assert.deepEqual(without(), [[1, 2], [2, 4]]);
  assert.deepEqual(without(1), [[1, 3], [2, 4]]);
  assert.deepEqual(without(1, 2), [[1, 4], [2, 1]]);
  assert.deepEqual(without(0, 1, 2, 3), []);
});
