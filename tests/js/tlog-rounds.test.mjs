// Bundles of the closed rounds of the vectors: what is right passes, and each change is refused by name.

import assert from "node:assert/strict";
import { test } from "node:test";

import { hexOf } from "../../client/shutbox_web/static/js/game/encoding.js";
import { runBytes, runCommitment } from "../../client/shutbox_web/static/js/game/runs.js";
import { auditLog } from "../../client/shutbox_web/static/js/tlog/audit.js";
import { Fault } from "../../client/shutbox_web/static/js/tlog/faults.js";
import { LeafType } from "../../client/shutbox_web/static/js/tlog/leaves.js";
import { checkRound } from "../../client/shutbox_web/static/js/tlog/rounds.js";
import { parseRun, turnsOf } from "../../client/shutbox_web/static/js/tlog/runs.js";
import { rankingHash } from "../../client/shutbox_web/static/js/tlog/standings.js";
import {
  CHALLENGE,
  DAY,
  KEY,
  LEAVES,
  LOG,
  NEXT_DAY,
  OPEN_DAY,
  bundleOf,
  bytes,
  changed,
  encode,
  faultOf,
  filesOf,
  filled,
  fromHex,
  sha256,
  sourceOf,
  streamOf,
} from "./small-log.mjs";

const CLOSED = [DAY, OPEN_DAY, CHALLENGE];
const [ROUND, CLOSE] = [2, 36]; // of DAY
const BUNDLE = bundleOf(DAY);
const RUNS = LOG.rounds[DAY].runs;

/** Return what an audited log of these leaves says of a round. */
async function historyOf(roundId, leaves = LEAVES) {
  const source = sourceOf(await filesOf(leaves.map(encode)));
  return (await auditLog({ source, key: KEY, follows: () => true })).historyOf(roundId);
}

const headerText = `${JSON.stringify(BUNDLE[0])}\n`;
const HISTORY = await historyOf(DAY);

/** Return the fault, and where it is, for which a bundle is refused; null if it is not. */
async function told(lines, history = HISTORY) {
  try {
    await checkRound(history, streamOf(lines));
  } catch ({ fault, detail }) {
    return [fault, detail];
  }
  return null;
}

const faultIn = (lines, history = HISTORY) => faultOf(() => checkRound(history, streamOf(lines)));

/** Return the history of a log, and its bundle, in which a run of DAY is another one with a commitment of its own. */
async function relogged(place, run, changes = {}) {
  const vector = RUNS[place];
  const commitment = await runCommitment(fromHex(vector.salt), run);
  const history = await historyOf(DAY, changed(LEAVES, vector.leaf_index, { commitment }));
  return [changed(BUNDLE, place + 1, { run: hexOf(run), ...changes }), history];
}

for (const roundId of CLOSED) {
  test(`the ranking of ${roundId} is that of the vectors`, async () => {
    const steps = [];
    const history = await historyOf(roundId);
    const ranked = await checkRound(history, streamOf(bundleOf(roundId)), (...step) => steps.push(step));
    const { runs, ranked: places, ranking_hash } = LOG.rounds[roundId];
    assert.deepEqual(
      Object.fromEntries(ranked.map(({ rank, run }) => [run.runId, rank])),
      Object.fromEntries(runs.filter((run) => run.rank).map((run) => [run.run_id, run.rank])),
    );
    assert.deepEqual([ranked.length, hexOf(await rankingHash(ranked))], [places, ranking_hash]);
    assert.deepEqual(steps, runs.map((_, place) => [place + 1, runs.length]));
  });
}

// The round

test("a running round, and one with an unknown ruleset, decide nothing, whatever the bundle is", async () => {
  assert.equal(await faultIn([], await historyOf(NEXT_DAY)), Fault.NOT_CLOSED);
  const document = filled(12, 1);
  const rulesetHash = sha256("\0\x11shutbox/1/ruleset", document);
  const seed = filled(32, 2);
  const commitment = sha256("\0\x14shutbox/1/commitment", rulesetHash, seed);
  const leaves = [
    { type: LeafType.RULESET, t: 0n, document },
    { ...LEAVES[30], rulesetHash, commitment },
    { ...LEAVES[35], seed },
  ];
  assert.equal(await faultIn([], await historyOf(CHALLENGE, leaves)), Fault.UNKNOWN_RULESET);
  assert.equal(await faultIn([], await historyOf(CHALLENGE, leaves.slice(0, 2))), Fault.NOT_CLOSED);
});

test("a round without runs has an empty ranking", async () => {
  const nothing = { ranked: 0, rankingHash: await rankingHash([]) };
  const leaves = changed(LEAVES, CLOSE, nothing).toSpliced(38).filter((leaf) => leaf.type !== LeafType.RUN);
  const history = await historyOf(DAY, leaves.filter((leaf) => leaf.type !== LeafType.WITHDRAW));
  const header = { ...BUNDLE[0], ranked: 0, ranking_hash: hexOf(nothing.rankingHash) };
  assert.deepEqual(await checkRound(history, streamOf([header])), []);
  assert.equal(await faultIn([header, BUNDLE[1]], history), Fault.RUN_NOT_LOGGED);
});

// The first line

for (const [member, value] of Object.entries({
  round_id: OPEN_DAY,
  kind: "challenge",
  mode: "open",
  ruleset_document: hexOf(filled(12)),
  ruleset_hash: hexOf(filled(32)),
  commitment: hexOf(filled(32)),
  chain_id: hexOf(filled(16)),
  i: 2,
  day: 20261202,
  opens: BUNDLE[0].opens + 1,
  closes: BUNDLE[0].closes - 1,
  seed: hexOf(filled(32)),
  day_secret: hexOf(filled(32)),
  ranked: 5,
  ranking_hash: hexOf(filled(32)),
})) {
  test(`the first line says what the log says: ${member}`, async () => {
    assert.deepEqual(await told(changed(BUNDLE, 0, { [member]: value })), [Fault.HEADER_MISMATCH, member]);
  });
}

test("of several members that differ the first of the table is named", async () => {
  const members = Object.keys(BUNDLE[0]);
  const others = { ...bundleOf(CHALLENGE)[0], ruleset_document: hexOf(filled(12)), ruleset_hash: hexOf(filled(32)) };
  for (const [place, member] of members.entries()) {
    if (member === "mode") continue; // it is the same on both
    const later = members.slice(place).reverse().map((name) => [name, others[name]]);
    const header = { ...Object.fromEntries(later), ...BUNDLE[0], ...Object.fromEntries(later) };
    assert.deepEqual(await told([header, ...BUNDLE.slice(1)]), [Fault.HEADER_MISMATCH, member]);
  }
});

test("a time that no line can write is not what the log says", async () => {
  const history = await historyOf(DAY, changed(LEAVES, ROUND, { closes: 2n ** 53n }));
  const closing = (time) => [headerText.replace(/"closes":\d+/, `"closes":${time}`)];
  assert.deepEqual(await told(closing("9007199254740991"), history), [Fault.HEADER_MISMATCH, "closes"]);
  assert.equal(await faultIn(closing("9007199254740992"), history), Fault.BAD_LINE);
});

// The runs

const foreign = bundleOf(CHALLENGE)[1];
for (const [what, lines, fault, named] of [
  ["the last is gone", BUNDLE.slice(0, -1), Fault.RUN_MISSING, RUNS[5]],
  ["all are gone", BUNDLE.slice(0, 1), Fault.RUN_MISSING, RUNS[0]],
  ["the first is gone", BUNDLE.toSpliced(1, 1), Fault.RUN_MISSING, RUNS[0]],
  ["one of another round stands behind", [...BUNDLE, foreign], Fault.RUN_NOT_LOGGED, foreign],
  ["one of another round stands first", BUNDLE.with(1, foreign), Fault.RUN_NOT_LOGGED, foreign],
  ["the first stands behind once more", [...BUNDLE, BUNDLE[1]], Fault.REPEATED_RUN, RUNS[0]],
  ["the first stands twice", BUNDLE.toSpliced(1, 0, BUNDLE[1]), Fault.REPEATED_RUN, RUNS[0]],
  ["the first stands for the second", BUNDLE.with(2, BUNDLE[1]), Fault.REPEATED_RUN, RUNS[0]],
  ["two are swapped", BUNDLE.with(1, BUNDLE[2]).with(2, BUNDLE[1]), Fault.RUN_OUT_OF_ORDER, RUNS[1]],
  ["the last two are swapped", BUNDLE.with(5, BUNDLE[6]).with(6, BUNDLE[5]), Fault.RUN_OUT_OF_ORDER, RUNS[5]],
  ["the second stands for the first", BUNDLE.with(1, BUNDLE[2]), Fault.RUN_OUT_OF_ORDER, RUNS[1]],
  ["the second stands first, all behind it", BUNDLE.toSpliced(1, 0, BUNDLE[2]), Fault.RUN_MISSING, RUNS[0]],
  ["lines behind one are only counted", [...BUNDLE.toSpliced(1, 1), "{}"], Fault.RUN_OUT_OF_ORDER, RUNS[1]],
  ["empty lines are counted too", [...BUNDLE.toSpliced(1, 2), "\n", "\n"], Fault.RUN_OUT_OF_ORDER, RUNS[2]],
  ["a line before it is looked at first", BUNDLE.with(1, "{}\n").toSpliced(2, 1), Fault.BAD_LINE, null],
]) {
  test(`the runs are the logged ones in log order: ${what}`, async () => {
    const [found, where] = await told(lines);
    assert.equal(found, fault);
    if (named) assert.equal(where, `run ${named.run_id}`);
  });
}

test("the place in the log, the salt and the run are those of the leaf", async () => {
  const run = parseRun(fromHex(RUNS[0].run));
  const other = runBytes(DAY, parseRun(fromHex(RUNS[1].run)).playerTag, run.rulesetHash, turnsOf(run));
  for (const [changes, fault] of [
    [{ leaf_index: 7, salt: hexOf(filled(32)) }, Fault.INDEX_MISMATCH],
    [{ salt: hexOf(filled(32)) }, Fault.COMMITMENT_MISMATCH],
    [{ run: hexOf(other) }, Fault.COMMITMENT_MISMATCH],
    [{ run: `${RUNS[0].run}00` }, Fault.COMMITMENT_MISMATCH],
    [{ run: "" }, Fault.COMMITMENT_MISMATCH],
  ]) {
    assert.deepEqual(await told(changed(BUNDLE, 1, changes)), [fault, `run ${RUNS[0].run_id}`]);
  }
});

test("a run that was logged but is none, or belongs elsewhere, or is illegal, is refused", async () => {
  const [content, run] = [fromHex(RUNS[0].run), parseRun(fromHex(RUNS[0].run))];
  const turns = turnsOf(run);
  const written = (roundId, hash, played) => runBytes(roundId, run.playerTag, hash, played);
  for (const [logged, fault] of [
    [bytes(), Fault.TOO_SHORT],
    [content.with(0, 2), Fault.UNKNOWN_VERSION],
    [bytes(content, [0]), Fault.TRAILING_BYTES],
    [written("", run.rulesetHash, turns), Fault.BAD_ROUND_ID],
    [written(OPEN_DAY, run.rulesetHash, turns), Fault.RUN_OF_ANOTHER_ROUND],
    [written(DAY, filled(32), turns), Fault.RUN_OF_ANOTHER_ROUND],
    [written(DAY, run.rulesetHash, turns.slice(0, -1)), Fault.ILLEGAL_RUN],
    [written(DAY, run.rulesetHash, []), Fault.ILLEGAL_RUN],
    [written(DAY, run.rulesetHash, Array(255).fill({ dice: 2, shut: [] })), Fault.ILLEGAL_RUN],
    [written(DAY, run.rulesetHash, [{ dice: 255, shut: [16] }]), Fault.ILLEGAL_RUN],
  ]) {
    assert.equal(await faultIn(...(await relogged(0, logged))), fault);
  }
  const [, where] = await told(...(await relogged(0, written(DAY, run.rulesetHash, turns.slice(0, -1)))));
  assert.equal(where, `run ${RUNS[0].run_id}: unfinished on turn ${turns.length - 1}`);
});

test("of two lines that are wrong the first is named", async () => {
  const wrong = changed(changed(BUNDLE, 3, { salt: hexOf(filled(32)) }), 4, { leaf_index: 0 });
  assert.deepEqual(await told(wrong), [Fault.COMMITMENT_MISMATCH, `run ${RUNS[2].run_id}`]);
  assert.equal(await faultIn(wrong.with(5, "\n")), Fault.COMMITMENT_MISMATCH);
});

test("one player has one run on a sealed round, and any number on an open one", async () => {
  const [one, two] = RUNS.map(({ run }) => parseRun(fromHex(run)));
  const moved = runBytes(DAY, two.playerTag, one.rulesetHash, turnsOf(one));
  const [lines, history] = await relogged(0, moved, { rank: null });
  assert.equal(await faultIn(lines, history), Fault.REPEATED_PLAYER);
  const tags = LOG.rounds[OPEN_DAY].runs.map(({ run }) => hexOf(parseRun(fromHex(run)).playerTag));
  assert.ok(new Set(tags).size < tags.length);
});

// The ranking

test("another number or order of ranked runs than the CLOSE says is refused", async () => {
  for (const [changes, header, fault] of [
    [{ ranked: 5 }, { ranked: 5 }, Fault.RANKED_MISMATCH],
    [{ rankingHash: filled(32) }, { ranking_hash: hexOf(filled(32)) }, Fault.RANKING_MISMATCH],
  ]) {
    const history = await historyOf(DAY, changed(LEAVES, CLOSE, changes));
    const wrongRank = changed(changed(BUNDLE, 0, header), 1, { rank: null });
    assert.equal(await faultIn(wrongRank, history), fault);
  }
});

test("a run withdrawn before the close is not ranked", async () => {
  const withdraw = { type: LeafType.WITHDRAW, t: 0n, roundId: DAY, runId: fromHex(RUNS[0].run_id), reason: 1 };
  const history = await historyOf(DAY, LEAVES.toSpliced(30, 0, withdraw));
  assert.deepEqual([...history.withdrawnAtClose.keys()], [RUNS[0].run_id]);
  assert.equal(await faultIn(BUNDLE, history), Fault.RANKED_MISMATCH);
  const reinstate = { ...withdraw, type: LeafType.REINSTATE };
  assert.equal(await told(BUNDLE, await historyOf(DAY, LEAVES.toSpliced(30, 0, withdraw, reinstate))), null);
});

test("each run has its rank in the bundle, or null", async () => {
  const runs = LOG.rounds[OPEN_DAY].runs;
  const unranked = runs.findIndex((run) => !("rank" in run));
  const open = bundleOf(OPEN_DAY);
  const history = await historyOf(OPEN_DAY);
  for (const [place, rank] of [[unranked, 1], [unranked, 0], [0, null], [0, 2], [6, 99]]) {
    const lines = changed(open, place + 1, { rank });
    assert.deepEqual(await told(lines, history), [Fault.RANK_MISMATCH, `run ${runs[place].run_id}`]);
  }
});
