// Each rule of "A log is valid when", broken once; the small log of the vectors is what is tampered with.

import assert from "node:assert/strict";
import { test } from "node:test";

import { bytesOf, hexOf } from "../../client/shutbox_web/static/js/game/encoding.js";
import { CATALOGUE, rulesetHash } from "../../client/shutbox_web/static/js/game/rulesets.js";
import { commitment } from "../../client/shutbox_web/static/js/game/seeds.js";
import { midnight } from "../../client/shutbox_web/static/js/tlog/dates.js";
import { daySeed, earlierLink } from "../../client/shutbox_web/static/js/tlog/disclosure.js";
import { Fault, Refused } from "../../client/shutbox_web/static/js/tlog/faults.js";
import { Kind, LeafType, Mode, decode } from "../../client/shutbox_web/static/js/tlog/leaves.js";
import { LogState } from "../../client/shutbox_web/static/js/tlog/validity.js";
import { CHALLENGE, LEAVES, NEXT_DAY, OPEN_DAY, SUCCEED, changed, faultOf, filled, sha256 } from "./small-log.mjs";
import { vectors } from "./vectors.mjs";

const [CHAIN, RULESET, ROUND, RUN, CHALLENGE_ROUND, WITHDRAW] = [0, 1, 2, 6, 30, 34];
const [CHALLENGE_CLOSE, CLOSE, OPEN_CLOSE] = [35, 36, 37];
const DAY_MS = 86_400_000n;

/** Return where a log breaks a rule, and which; null if it does not. */
async function told(leaves) {
  const state = new LogState();
  for (const [index, leaf] of leaves.entries()) {
    try {
      await state.add(leaf);
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      return [index, refused.fault];
    }
  }
  return null;
}

const toldOf = (place, changes) => told(changed(LEAVES, place, changes));
const toldAfter = (leaf) => told([...LEAVES, leaf]);
const without = (place) => LEAVES.toSpliced(place, 1);

test("the log of the vectors is valid, and so is an empty one and a successor", async () => {
  assert.equal(await told(LEAVES), null);
  assert.equal(await told([]), null);
  assert.equal(await told([decode(SUCCEED), ...LEAVES]), null);
});

test("a round follows its ruleset, and a daily its chain", async () => {
  assert.deepEqual(await told(without(RULESET)), [1, Fault.RULESET_NOT_LOGGED]);
  assert.deepEqual(await told(without(CHAIN)), [1, Fault.CHAIN_NOT_LOGGED]);
  assert.deepEqual(await told([...LEAVES.slice(1, 6), LEAVES[0]]), [1, Fault.CHAIN_NOT_LOGGED]);
  assert.deepEqual(await toldOf(CHAIN, { chainId: filled(16) }), [2, Fault.CHAIN_NOT_LOGGED]);
  assert.equal(await told([LEAVES[RULESET], LEAVES[CHALLENGE_ROUND]]), null);
});

for (const [changes, fault] of [
  [{ link: 0 }, Fault.LINK_OUT_OF_RANGE],
  [{ link: 6 }, Fault.LINK_OUT_OF_RANGE],
  [{ link: 2 }, Fault.DAY_MISMATCH],
  [{ day: 20261202 }, Fault.DAY_MISMATCH],
  [{ roundId: "2026-12-02-classic" }, Fault.ROUND_ID_MISMATCH],
  [{ roundId: "2026-12-01-digits" }, Fault.ROUND_ID_MISMATCH],
  [{ roundId: "2026-12-01-classic-open" }, Fault.ROUND_ID_MISMATCH],
  [{ mode: Mode.OPEN }, Fault.ROUND_ID_MISMATCH],
  [{ rulesetHash: filled(32) }, Fault.RULESET_NOT_LOGGED],
  [{ opens: 20_788n * DAY_MS + 1n }, Fault.OPENS_MISMATCH],
  [{ opens: 2n ** 64n - 1n }, Fault.OPENS_MISMATCH],
]) {
  test(`a daily agrees with its link, day, ruleset and mode: ${Object.keys(changes)} → ${fault}`, async () => {
    assert.deepEqual(await toldOf(ROUND, changes), [ROUND, fault]);
  });
}

test("the last link of a chain is a day and none after it", async () => {
  const opens = 20_792n * DAY_MS;
  const last = { ...LEAVES[ROUND], link: 5, day: 20261205, opens, roundId: "2026-12-05-classic" };
  assert.equal(await toldAfter(last), null);
  const after = { ...last, link: 6, day: 20261206, opens: opens + DAY_MS, roundId: "2026-12-06-classic" };
  assert.deepEqual(await toldAfter(after), [40, Fault.LINK_OUT_OF_RANGE]);
});

test("the later of two chains rules from its first day on, for rounds that are logged after it", async () => {
  const other = { ...LEAVES[CHAIN], chainId: filled(16, 9), firstDay: 20261204 };
  const opens = 20_790n * DAY_MS;
  const third = { ...LEAVES[ROUND], link: 3, day: 20261203, opens, roundId: "2026-12-03-classic" };
  const fourth = { ...third, link: 4, day: 20261204, opens: opens + DAY_MS, roundId: "2026-12-04-classic" };
  const ruled = { ...fourth, chainId: other.chainId, link: 1 };
  assert.equal(await told([...LEAVES, fourth, other, third]), null);
  assert.equal(await told([...LEAVES, other, third, ruled]), null);
  assert.deepEqual(await told([...LEAVES, other, third, fourth]), [42, Fault.CHAIN_NOT_RULING]);
  const earlier = { ...other, chainId: filled(16, 8), firstDay: 20261130 };
  assert.deepEqual(await told([...LEAVES, other, earlier, ruled]), [42, Fault.CHAIN_NOT_RULING]);
  assert.deepEqual(await told([...LEAVES, earlier, third]), [41, Fault.CHAIN_NOT_RULING]);
  assert.equal(await told([...LEAVES, earlier, other, ruled]), null);
  const short = { ...other, links: 1 };
  const fifth = { ...fourth, link: 5, day: 20261205, opens: opens + 2n * DAY_MS, roundId: "2026-12-05-classic" };
  assert.deepEqual(await told([...LEAVES, short, ruled, fifth]), [42, Fault.CHAIN_NOT_RULING]);
});

test("which chain rules is asked after its link and day, and before the id and the time", async () => {
  const other = { ...LEAVES[CHAIN], chainId: filled(16, 9) };
  const wrong = [
    [{ link: 0 }, Fault.LINK_OUT_OF_RANGE],
    [{ day: 20261203 }, Fault.DAY_MISMATCH],
    [{ roundId: "x", opens: 0n }, Fault.CHAIN_NOT_RULING],
  ];
  for (const [place, [, fault]] of wrong.entries()) {
    const changes = Object.assign({}, ...wrong.slice(place).map(([change]) => change));
    const leaves = [...LEAVES.slice(0, 2), other, { ...LEAVES[ROUND], ...changes }];
    assert.deepEqual(await told(leaves), [3, fault]);
  }
});

test("a challenge is named by a UUID", async () => {
  const wrong = [`${CHALLENGE}0`, CHALLENGE.toUpperCase(), `${CHALLENGE.slice(0, -1)}G`];
  for (const roundId of ["challenge-1", "2026-12-03-classic", ...wrong]) {
    assert.deepEqual(await toldOf(CHALLENGE_ROUND, { roundId }), [CHALLENGE_ROUND, Fault.ROUND_ID_MISMATCH]);
  }
});

test("the id of a round with an unknown ruleset is checked as far as it can be", async () => {
  const document = filled(12);
  const unknown = { type: LeafType.RULESET, t: 0n, document };
  const tag = Buffer.from("\0\x11shutbox/1/ruleset");
  const leaf = { ...LEAVES[ROUND], rulesetHash: sha256(tag, document), roundId: "2026-12-01-new" };
  const toldOfRound = (changes) => told([LEAVES[CHAIN], unknown, { ...leaf, ...changes }]);
  assert.equal(await toldOfRound({}), null);
  assert.equal(await toldOfRound({ mode: Mode.OPEN, roundId: "2026-12-01-new-open" }), null);
  assert.deepEqual(await toldOfRound({ mode: Mode.OPEN }), [2, Fault.ROUND_ID_MISMATCH]);
  assert.deepEqual(await toldOfRound({ roundId: "2026-12-02-new" }), [2, Fault.ROUND_ID_MISMATCH]);
});

test("a chain id names one chain", async () => {
  assert.deepEqual(await toldAfter({ ...LEAVES[CHAIN], anchor: filled(32) }), [40, Fault.REPEATED_CHAIN]);
  assert.equal(await toldAfter({ ...LEAVES[CHAIN], chainId: filled(16) }), null);
});

test("an id has one round and at most one close, and a ruleset may be repeated", async () => {
  assert.deepEqual(await toldAfter(LEAVES[ROUND]), [40, Fault.REPEATED_ROUND]);
  assert.deepEqual(await toldAfter(LEAVES[CLOSE]), [40, Fault.REPEATED_CLOSE]);
  assert.deepEqual(await told(without(ROUND)), [5, Fault.ROUND_NOT_LOGGED]);
  assert.deepEqual(await told([LEAVES[CLOSE]]), [0, Fault.ROUND_NOT_LOGGED]);
  assert.equal(await toldAfter(LEAVES[RULESET]), null);
});

test("runs lie between round and close", async () => {
  const run = { ...LEAVES[RUN], runId: filled(16) };
  assert.deepEqual(await told([...LEAVES.slice(0, 2), run]), [2, Fault.ROUND_NOT_LOGGED]);
  assert.deepEqual(await toldAfter(run), [40, Fault.ROUND_CLOSED]);
  assert.equal(await toldAfter({ ...run, roundId: NEXT_DAY }), null);
});

test("a run is logged once for each round", async () => {
  assert.deepEqual(await told(LEAVES.toSpliced(RUN + 1, 0, LEAVES[RUN])), [RUN + 1, Fault.REPEATED_RUN]);
  assert.equal(await toldAfter({ ...LEAVES[RUN], roundId: NEXT_DAY }), null);
});

test("WITHDRAW and REINSTATE name a run before them, any number of times", async () => {
  const run = LEAVES[RUN];
  const withdraw = { ...LEAVES[WITHDRAW], roundId: run.roundId, runId: run.runId };
  const reinstate = { type: LeafType.REINSTATE, t: 0n, roundId: run.roundId, runId: run.runId };
  assert.equal(await told([...LEAVES, reinstate, reinstate, withdraw, withdraw]), null);
  for (const leaf of [
    { ...withdraw, runId: filled(16) },
    { ...withdraw, roundId: OPEN_DAY },
    { ...reinstate, runId: filled(16) },
  ]) {
    assert.deepEqual(await toldAfter(leaf), [40, Fault.RUN_NOT_LOGGED]);
  }
  assert.deepEqual(await told([LEAVES[WITHDRAW]]), [0, Fault.ROUND_NOT_LOGGED]);
  assert.deepEqual(await told([reinstate]), [0, Fault.ROUND_NOT_LOGGED]);
});

test("SUCCEED is the first leaf or none", async () => {
  const succeed = decode(SUCCEED);
  assert.deepEqual(await told([LEAVES[0], succeed]), [1, Fault.SUCCEED_NOT_FIRST]);
  assert.deepEqual(await told([succeed, succeed]), [1, Fault.SUCCEED_NOT_FIRST]);
});

test("a challenge discloses its seed and no day secret", async () => {
  assert.deepEqual(await toldOf(CHALLENGE_CLOSE, { seed: filled(32) }), [CHALLENGE_CLOSE, Fault.SEED_MISMATCH]);
  const both = { daySecret: filled(32, 1), seed: filled(32) };
  assert.deepEqual(await toldOf(CHALLENGE_CLOSE, both), [CHALLENGE_CLOSE, Fault.NOT_ZERO]);
});

test("a day secret hashes back and yields the seed", async () => {
  assert.deepEqual(await toldOf(CLOSE, { daySecret: filled(32) }), [CLOSE, Fault.LINK_MISMATCH]);
  assert.deepEqual(await toldOf(CLOSE, { seed: filled(32) }), [CLOSE, Fault.SEED_NOT_DERIVED]);
  assert.deepEqual(await toldOf(OPEN_CLOSE, { seed: LEAVES[CLOSE].seed }), [OPEN_CLOSE, Fault.SEED_NOT_DERIVED]);
  assert.deepEqual(await toldOf(CHAIN, { anchor: filled(32) }), [CLOSE, Fault.LINK_MISMATCH]);
  assert.deepEqual(await toldOf(OPEN_CLOSE, { daySecret: filled(32) }), [OPEN_CLOSE, Fault.LINK_MISMATCH]);
});

test("a day secret replaced together with its commitment does not hash back", async () => {
  const [round, daySecret] = [LEAVES[ROUND], filled(32, 7)];
  const seed = await daySeed(daySecret, round.day, "sealed", round.rulesetHash);
  const leaves = changed(LEAVES, ROUND, { commitment: await commitment(round.rulesetHash, seed) });
  assert.deepEqual(await told(changed(leaves, CLOSE, { daySecret, seed })), [CLOSE, Fault.LINK_MISMATCH]);
});

test("a commitment replaced alone does not fit the seed", async () => {
  assert.deepEqual(await toldOf(ROUND, { commitment: filled(32) }), [CLOSE, Fault.SEED_MISMATCH]);
});

/** Return a log with a chain and one round for each of five days, and their closes in order. */
async function madeLog() {
  const [chainId, classic] = [filled(16, 3), CATALOGUE.get("classic")];
  const days = [20280227, 20280228, 20280229, 20280301, 20280302];
  const hash = await rulesetHash(classic);
  const links = [];
  for (let i = 0; i <= days.length; i++) links.push(await earlierLink(chainId, days.length, filled(32, 5), i));
  const leaves = [
    { type: LeafType.CHAIN, t: 0n, chainId, links: days.length, firstDay: days[0], anchor: links[0] },
    { type: LeafType.RULESET, t: 0n, document: classic.document },
  ];
  const closes = [];
  for (const [place, day] of days.entries()) {
    const link = place + 1;
    const seed = await daySeed(links[link], day, "sealed", hash);
    const roundId = `${day}-classic`.replace(/(....)(..)(..)/, "$1-$2-$3");
    const committed = { rulesetHash: hash, commitment: await commitment(hash, seed) };
    const when = { chainId, link, day, opens: midnight(day), closes: midnight(day) + 93_600_000n };
    leaves.push({ type: LeafType.ROUND, t: 0n, kind: Kind.DAILY, mode: Mode.SEALED, roundId, ...committed, ...when });
    const nothing = { ranked: 0, rankingHash: filled(32) };
    closes.push({ type: LeafType.CLOSE, t: 0n, roundId, seed, daySecret: links[link], ...nothing });
  }
  return { leaves, closes };
}

test("days close in order over a leap day, and none is passed over", async () => {
  const { leaves, closes } = await madeLog();
  assert.equal(await told([...leaves, ...closes]), null);
  assert.deepEqual(await told([...leaves, closes[1], closes[0]]), [7, Fault.DAYS_OUT_OF_ORDER]);
  assert.deepEqual(await told([...leaves, closes[0], closes[4]]), [8, Fault.DAYS_OUT_OF_ORDER]);
  const wrong = { ...closes[2], daySecret: filled(32) };
  assert.deepEqual(await told([...leaves, closes[0], closes[1], wrong]), [9, Fault.LINK_MISMATCH]);
});

test("a day without a round may be passed over", async () => {
  const { leaves, closes } = await madeLog();
  const logged = [...leaves.slice(0, 3), leaves[6], closes[0]];
  assert.equal(await told([...logged, closes[4]]), null);
  assert.deepEqual(await told([...logged, { ...closes[4], daySecret: filled(32) }]), [5, Fault.LINK_MISMATCH]);
});

/** Return the open round of the first day of a made log, and its close. */
async function openRound({ leaves, closes }) {
  const [sealed, { daySecret }] = [leaves[2], closes[0]];
  const seed = await daySeed(daySecret, sealed.day, "open", sealed.rulesetHash);
  const roundId = `${sealed.roundId}-open`;
  const committed = await commitment(sealed.rulesetHash, seed);
  return [{ ...sealed, mode: Mode.OPEN, roundId, commitment: committed }, { ...closes[0], roundId, seed }];
}

test("a day closes when every round of an earlier day has closed", async () => {
  const { leaves, closes } = await madeLog();
  const [round, close] = await openRound({ leaves, closes });
  for (const [first, second] of [[close, closes[0]], [closes[0], close]]) {
    assert.equal(await told([...leaves, round, first, second, closes[1]]), null);
    assert.deepEqual(await told([...leaves, round, first, closes[1], second]), [9, Fault.DAYS_OUT_OF_ORDER]);
  }
});

test("no run is logged after the first close of its day", async () => {
  const run = { ...LEAVES[RUN], roundId: OPEN_DAY, runId: filled(16) };
  assert.equal(await told(LEAVES.toSpliced(CLOSE, 0, run)), null);
  assert.deepEqual(await told(LEAVES.toSpliced(CLOSE + 1, 0, run)), [CLOSE + 1, Fault.DAYS_OUT_OF_ORDER]);
  const twice = [...LEAVES.slice(0, CLOSE), run, LEAVES[CLOSE], run];
  assert.deepEqual(await told(twice), [CLOSE + 2, Fault.REPEATED_RUN], "the day is asked about last");
  assert.deepEqual(await toldAfter(run), [40, Fault.ROUND_CLOSED]);
});

test("no round is logged after the first close of its day", async () => {
  const { leaves, closes } = await madeLog();
  const [round, close] = await openRound({ leaves, closes });
  assert.equal(await told([...leaves, round, closes[0], close]), null);
  assert.deepEqual(await told([...leaves, closes[0], round]), [8, Fault.DAYS_OUT_OF_ORDER]);
  assert.deepEqual(await told([...leaves, closes[0], { ...round, opens: 0n }]), [8, Fault.OPENS_MISMATCH]);
  assert.equal(await told([...leaves.slice(0, 3), closes[0], leaves[3], closes[1]]), null);
  const first = [...leaves.slice(0, 2), leaves[3], closes[1], leaves[2]];
  assert.deepEqual(await told(first), [4, Fault.DAYS_OUT_OF_ORDER]);
});

test("a challenge goes on whatever days close", async () => {
  const run = { ...LEAVES[RUN], roundId: CHALLENGE, runId: filled(16) };
  assert.equal(await told([...without(CHALLENGE_CLOSE), run, LEAVES[CHALLENGE_CLOSE]]), null);
  const roundId = "challenge-00000000-0000-0000-0000-000000000000";
  assert.equal(await told([...LEAVES, { ...LEAVES[CHALLENGE_ROUND], roundId }, { ...run, roundId }]), null);
});

test("a refused leaf leaves the state as it was", async () => {
  const { leaves, closes } = await madeLog();
  const state = new LogState();
  for (const leaf of leaves) await state.add(leaf);
  assert.equal(await faultOf(() => state.add({ ...closes[0], seed: filled(32) })), Fault.SEED_NOT_DERIVED);
  assert.equal(await faultOf(() => state.add({ ...closes[0], daySecret: filled(32) })), Fault.LINK_MISMATCH);
  assert.equal(state.size, leaves.length);
  for (const close of closes) await state.add(close);
  assert.equal(await faultOf(() => state.add(closes[1])), Fault.REPEATED_CLOSE);
});

test("links and seeds are those of the chain vectors", async () => {
  const chain = vectors("chain");
  const [chainId, links] = [bytesOf(chain.chain_id), Object.values(chain.links).map(bytesOf)];
  assert.equal(links.length, chain.length + 1);
  for (const [number, link] of links.entries()) {
    for (let earlier = 0; earlier <= number; earlier++) {
      assert.deepEqual(await earlierLink(chainId, number, link, earlier), links[earlier]);
    }
  }
  for (const { ruleset, link, day, mode, seed } of chain.day_seeds) {
    const hash = await rulesetHash(CATALOGUE.get(ruleset));
    assert.equal(hexOf(await daySeed(links[link], day, mode, hash)), seed);
  }
});
