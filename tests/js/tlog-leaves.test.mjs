// Leaves, runs and days have one spelling in bytes; everything else is refused by name, as tests/tlog/test_leaves.py.

import assert from "node:assert/strict";
import { test } from "node:test";

import { runBytes, runCommitment } from "../../client/shutbox_web/static/js/game/runs.js";
import { dayNumber, iso, midnight } from "../../client/shutbox_web/static/js/tlog/dates.js";
import { Fault, Refused } from "../../client/shutbox_web/static/js/tlog/faults.js";
import { LeafType, decode } from "../../client/shutbox_web/static/js/tlog/leaves.js";
import { Reader } from "../../client/shutbox_web/static/js/tlog/reading.js";
import { parseRun, turnsOf } from "../../client/shutbox_web/static/js/tlog/runs.js";
import {
  CONTENTS,
  LEAVES,
  LOG,
  SUCCEED,
  bytes,
  encode,
  faultOf,
  filled,
  flipped,
  fromHex,
  lp,
  unsigned,
} from "./small-log.mjs";

const ONE_OF_EACH = [...new Map([...CONTENTS, SUCCEED].map((content) => [content[1], content])).values()];
const RUNS = Object.values(LOG.rounds).flatMap(({ runs }) => runs);
const RUN = fromHex(RUNS[0].run);
const ofType = (type) => LEAVES.find((leaf) => leaf.type === type);
const withByte = (content, place, byte) => content.with(place, byte);

test("there is a leaf of each type", () => {
  assert.deepEqual(ONE_OF_EACH.map((content) => content[1]).sort(), Object.values(LeafType));
});

test("every leaf of the vectors is decoded, and encoded to the same bytes", () => {
  for (const content of [...CONTENTS, SUCCEED]) assert.deepEqual(encode(decode(content)), content);
  const { origin, size, root } = decode(SUCCEED);
  assert.deepEqual([origin, size, root], [LOG.origin, 40n, fromHex(LOG.roots[40])]);
});

test("a leaf cut short or followed by anything is refused", async () => {
  for (const content of ONE_OF_EACH) {
    for (let length = 0; length < content.length; length++) {
      assert.equal(await faultOf(() => decode(content.slice(0, length))), Fault.TOO_SHORT);
    }
    assert.equal(await faultOf(() => decode(bytes(content, [0]))), Fault.TRAILING_BYTES);
  }
});

test("every flipped bit of a leaf gives another leaf or a refusal", () => {
  for (const content of ONE_OF_EACH) {
    for (const wrong of flipped(content)) {
      let leaf;
      try {
        leaf = decode(wrong);
      } catch (refused) {
        assert.ok(refused instanceof Refused, refused);
        continue;
      }
      assert.deepEqual(encode(leaf), wrong);
    }
  }
});

test("unknown versions, types, kinds, modes and reasons are refused", async () => {
  const [round, withdraw] = [LeafType.ROUND, LeafType.WITHDRAW].map((type) => encode(ofType(type)));
  for (let number = 0; number < 256; number++) {
    const fault = (content, place) => faultOf(() => decode(withByte(content, place, number)));
    if (number !== 1) assert.equal(await fault(CONTENTS[0], 0), Fault.UNKNOWN_VERSION);
    if (number < 1 || number > 8) assert.equal(await fault(CONTENTS[0], 1), Fault.UNKNOWN_TYPE);
    if (number < 1 || number > 2) {
      assert.equal(await fault(round, 10), Fault.UNKNOWN_KIND);
      assert.equal(await fault(round, 11), Fault.UNKNOWN_MODE);
    }
    if (number < 1 || number > 4) assert.equal(await fault(withdraw, withdraw.length - 1), Fault.UNKNOWN_REASON);
  }
});

for (const text of ["", "2026-12-01-clássic", "a b", "a\n", "a\0", "a\x7f", "\ufeffa"]) {
  test(`a round id is visible ASCII, not ${JSON.stringify(text)}`, async () => {
    const reinstate = bytes([1, 7], filled(8), lp(text), filled(16));
    assert.equal(await faultOf(() => decode(reinstate)), Fault.BAD_ROUND_ID);
    assert.equal(await faultOf(() => parseRun(bytes([1], lp(text), filled(49)))), Fault.BAD_ROUND_ID);
  });
}

for (const text of ["", "exämple.org", "a b", "a+b", "a\n"]) {
  test(`an origin is visible ASCII without plus, not ${JSON.stringify(text)}`, async () => {
    assert.equal(await faultOf(() => decode(encode({ ...decode(SUCCEED), origin: text }))), Fault.BAD_ORIGIN);
  });
}

for (const day of [
  0, 1, 20260229, 20260431, 20260100, 20260132, 20261301, 20260001, 21000229, 19691231, 100000101, 2 ** 32 - 1,
]) {
  test(`${day} is no day of the calendar`, async () => {
    assert.equal(await faultOf(() => decode(encode({ ...ofType(LeafType.CHAIN), firstDay: day }))), Fault.BAD_DAY);
    assert.equal(await faultOf(() => decode(encode({ ...ofType(LeafType.ROUND), day }))), Fault.BAD_DAY);
  });
}

test("days are counted as the calendar counts them", () => {
  const date = new Date(0);
  for (let number = 0; number < 200_000; number++) {
    const text = date.toISOString().slice(0, 10);
    const day = Number(text.replaceAll("-", ""));
    assert.equal(dayNumber(day), number);
    assert.equal(iso(day), text);
    date.setUTCDate(date.getUTCDate() + 1);
  }
  assert.equal(midnight(20261201), BigInt(Date.UTC(2026, 11, 1)));
  assert.equal(dayNumber(99991231) * 86_400_000, Date.UTC(9999, 11, 31));
});

test("a challenge has no chain", async () => {
  const challenge = LEAVES.find((leaf) => leaf.kind === 2);
  for (const changes of [{ chainId: filled(16, 1) }, { link: 1 }, { day: 20261201 }]) {
    assert.equal(await faultOf(() => decode(encode({ ...challenge, ...changes }))), Fault.NOT_ZERO);
  }
});

test("a number of eight bytes is exact", () => {
  for (const number of [0n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n]) {
    assert.equal(decode(encode({ ...ofType(LeafType.RULESET), t: number })).t, number);
    assert.equal(decode(encode({ ...ofType(LeafType.ROUND), opens: number, closes: number })).closes, number);
    assert.equal(decode(encode({ ...decode(SUCCEED), size: number })).size, number);
  }
  assert.equal(new Reader(unsigned(2 ** 32 - 1, 4), "").number(4), 2 ** 32 - 1);
});

test("a leaf too long for an entry bundle is refused", async () => {
  const longest = encode({ ...ofType(LeafType.RUN), roundId: "r".repeat(0xffff - 60) });
  assert.equal(longest.length, 0xffff);
  assert.deepEqual(encode(decode(longest)), longest);
  assert.equal(await faultOf(() => decode(bytes(longest, [0]))), Fault.TOO_LONG);
});

test("every run of the vectors is read as it was written, and has its commitment", async () => {
  for (const vector of RUNS) {
    const run = parseRun(fromHex(vector.run));
    assert.deepEqual(runBytes(run.roundId, run.playerTag, run.rulesetHash, turnsOf(run)), fromHex(vector.run));
    assert.deepEqual(await runCommitment(fromHex(vector.salt), fromHex(vector.run)), fromHex(vector.commitment));
  }
});

test("a run cut short, followed by anything or of another version is refused", async () => {
  for (let length = 0; length < RUN.length; length++) {
    assert.equal(await faultOf(() => parseRun(RUN.slice(0, length))), Fault.TOO_SHORT);
  }
  assert.equal(await faultOf(() => parseRun(bytes(RUN, [0]))), Fault.TRAILING_BYTES);
  assert.equal(await faultOf(() => parseRun(bytes(RUN, RUN.slice(-3)))), Fault.TRAILING_BYTES);
  assert.equal(await faultOf(() => parseRun(withByte(RUN, 0, 2))), Fault.UNKNOWN_VERSION);
});

test("every flipped bit of a run gives another run or a refusal", () => {
  for (const wrong of flipped(RUN)) {
    let run;
    try {
      run = parseRun(wrong);
    } catch (refused) {
      assert.ok(refused instanceof Refused, refused);
      continue;
    }
    assert.deepEqual(runBytes(run.roundId, run.playerTag, run.rulesetHash, turnsOf(run)), wrong);
  }
});
