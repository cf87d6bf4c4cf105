// A whole log, from a map of files as a browser would fetch them: what is right passes, the first fault is named.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ahead } from "../../client/shutbox_web/static/js/tlog/ahead.js";
import { LogAudit, auditLog, checkSuccessor, consistencyOf } from "../../client/shutbox_web/static/js/tlog/audit.js";
import { Fault } from "../../client/shutbox_web/static/js/tlog/faults.js";
import { LeafType, decode } from "../../client/shutbox_web/static/js/tlog/leaves.js";
import { verifyCheckpoint } from "../../client/shutbox_web/static/js/tlog/note.js";
import {
  CHALLENGE,
  CONTENTS,
  DAY,
  KEY,
  LEAVES,
  LOG,
  OPEN_DAY,
  ROOTS,
  Reference,
  SUCCEED,
  bytes,
  changed,
  encode,
  faultOf,
  filesOf,
  filled,
  lp,
  signed,
  sourceOf,
  tilesOf,
  unsigned,
} from "./small-log.mjs";

const SMALL = await filesOf(CONTENTS);
const [ENTRIES, TILE] = ["tile/entries/000.p/40", "tile/0/000.p/40"];

/** Leaves that differ and are valid one after the other: a RULESET may be repeated. */
const rulesets = (count) =>
  Array.from({ length: count }, (_, t) => encode({ type: LeafType.RULESET, t, document: LEAVES[1].document }));
const MANY = rulesets(600);
const MANY_TREE = new Reference(MANY);
const MANY_FILES = tilesOf(MANY, MANY_TREE).set("checkpoint", await signed(600, MANY_TREE.root()));

const checkpointOf = async (content) => verifyCheckpoint(content, KEY);
const known = (size, root) => ({ origin: LOG.origin, size: BigInt(size), root });
const auditing = (files, options = {}) => auditLog({ source: sourceOf(files), key: KEY, ...options });
const faultIn = (files, options) => faultOf(() => auditing(files, options));
const edited = (files, edits) => new Map([...files, ...Object.entries(edits)]);
const flippedIn = (files, path, bit = 0) =>
  edited(files, { [path]: files.get(path).with(bit >> 3, files.get(path)[bit >> 3] ^ (1 << (bit & 7))) });

/** Return the fault and where it was met. */
async function told(files, options) {
  try {
    await auditing(files, options);
  } catch ({ fault, detail }) {
    return [fault, detail];
  }
  return null;
}

test("the log of the vectors is valid, and every earlier checkpoint of it is known", async () => {
  const audit = await auditing(SMALL, { known: ROOTS.map((root, size) => known(size, root)) });
  assert.equal(audit.size, 40);
  assert.deepEqual(audit.checkpoint, await checkpointOf(bytes(LOG.checkpoint)));
  assert.deepEqual(SMALL.get("checkpoint"), bytes(LOG.checkpoint));
});

for (const size of [0, 1, 2, 255, 256, 257, 511, 512, 513, 600]) {
  test(`a log of ${size} leaves is valid, with what was known of it at any size`, async () => {
    const files = await filesOf(MANY.slice(0, size));
    const sizes = [0, 1, 2, 128, 254, 255, 256, 257, 300, 511, 512, 513, 599, 600].filter((old) => old <= size);
    const audit = await auditing(files, { known: sizes.map((old) => known(old, MANY_TREE.root(0, old))) });
    assert.equal(audit.size, size);
  });
}

test("a log with a tile of level 2 is valid, and each of its higher tiles counts", async () => {
  const run = (number) => encode({ ...LEAVES[6], runId: unsigned(number, 16) });
  const leaves = [...CONTENTS.slice(0, 6), ...Array.from({ length: 65_536 }, (_, number) => run(number))];
  const reference = new Reference(leaves);
  const files = tilesOf(leaves, reference);
  const audit = new LogAudit(known(leaves.length, reference.root()), [known(65_537, reference.root(0, 65_537))]);
  for (let index = 0; index <= 256; index++) {
    const place = `${String(index).padStart(3, "0")}${index < 256 ? "" : ".p/6"}`;
    await audit.add(files.get(`tile/entries/${place}`), files.get(`tile/0/${place}`));
  }
  for (const [path, level, width] of [["tile/1/000", 1, 256], ["tile/2/000.p/1", 2, 1]]) {
    const [tile, content] = [{ path, level, index: 0n, width }, files.get(path)];
    audit.checkTile(tile, content);
    const wrong = content.with(-1, 255 ^ content.at(-1));
    assert.equal(await faultOf(() => audit.checkTile(tile, wrong)), Fault.TILE_MISMATCH);
    assert.equal(await faultOf(() => audit.checkTile(tile, content.slice(1))), Fault.BAD_LENGTH);
  }
  await audit.finish();
});

test("progress is told bundle by bundle", async () => {
  const steps = [];
  await auditing(MANY_FILES, { progress: (checked, size) => steps.push([checked, size]) });
  assert.deepEqual(steps, [[256, 600n], [512, 600n], [600, 600n]]);
});

test("a few requests are in flight at a time, and each file is asked for once", async () => {
  let [now, most] = [0, 0];
  const asked = [];
  const files = await filesOf(rulesets(256 * 20 + 1));
  const source = async (path) => {
    asked.push(path);
    most = Math.max(most, ++now);
    await new Promise(setImmediate);
    now -= 1;
    return files.get(path);
  };
  await auditLog({ source, key: KEY });
  assert.ok(most > 2 && most <= 8, `${most} at a time`);
  assert.deepEqual(asked.toSorted(), [...files.keys()].sort());
});

test("rounds that are followed are gathered, with the places of their runs and what was withdrawn", async () => {
  const audit = await auditing(SMALL, { follows: (round) => round.day === 20261201 || round.roundId === CHALLENGE });
  const runs = (roundId) => audit.historyOf(roundId).runs.map(({ index }) => index);
  for (const roundId of [DAY, OPEN_DAY, CHALLENGE]) {
    assert.deepEqual(runs(roundId), LOG.rounds[roundId].runs.map((run) => run.leaf_index));
  }
  const { withdrawn, withdrawnAtClose, document, close } = audit.historyOf(DAY);
  assert.deepEqual([...withdrawn], [[LOG.rounds[DAY].runs[0].run_id, 2]]);
  assert.equal(withdrawnAtClose.size, 0);
  assert.deepEqual([document, close], [LEAVES[1].document, LEAVES[36]]);
  const open = audit.historyOf(OPEN_DAY);
  assert.deepEqual([open.withdrawn.size, open.withdrawnAtClose.size], [0, 1]);
});

test("a round that is not in the log is a fault, and one that was not followed a mistake", async () => {
  const audit = await auditing(SMALL);
  assert.equal(await faultOf(() => audit.historyOf("2026-12-03-classic")), Fault.ROUND_NOT_LOGGED);
  assert.throws(() => audit.historyOf(DAY), /was not followed/);
});

test("a checkpoint that does not pass is named before anything is fetched", async () => {
  assert.equal(await faultIn(new Map([["checkpoint", bytes(LOG.checkpoint, "x")]])), Fault.BAD_LINE);
});

test("what was known shows a log that was rolled back, split or rewritten", async () => {
  const other = filled(32);
  assert.equal(await faultIn(SMALL, { known: [known(41, other)] }), Fault.ROLLED_BACK);
  assert.equal(await faultIn(SMALL, { known: [known(40, other)] }), Fault.SPLIT_VIEW);
  assert.equal(await faultIn(SMALL, { known: [known(40, other), known(41, other)] }), Fault.SPLIT_VIEW);
  for (const size of [1, 7, 39]) {
    assert.deepEqual(await told(SMALL, { known: [known(size, ROOTS[size]), known(size, other)] }), [
      Fault.OLD_ROOT_MISMATCH,
      `${size} of 40 leaves`,
    ]);
  }
  for (const size of [255, 256, 257, 512, 599]) {
    assert.equal(await faultIn(MANY_FILES, { known: [known(size, other)] }), Fault.OLD_ROOT_MISMATCH);
  }
});

for (const [what, edits, fault] of [
  ["a tile too short", { [TILE]: SMALL.get(TILE).slice(1) }, Fault.BAD_LENGTH],
  ["a tile too long", { [TILE]: bytes(SMALL.get(TILE), [0]) }, Fault.BAD_LENGTH],
  ["a bundle too short", { [ENTRIES]: SMALL.get(ENTRIES).slice(0, -1) }, Fault.TOO_SHORT],
  ["a bundle too long", { [ENTRIES]: bytes(SMALL.get(ENTRIES), [0]) }, Fault.TRAILING_BYTES],
  ["an empty bundle", { [ENTRIES]: bytes() }, Fault.TOO_SHORT],
  ["both too short", { [ENTRIES]: bytes(), [TILE]: bytes() }, Fault.BAD_LENGTH],
]) {
  test(`files of another length are refused: ${what}`, async () => {
    assert.equal(await faultIn(edited(SMALL, edits)), fault);
  });
}

test("an entry and its hash in the tile fit each other", async () => {
  for (let leaf = 0; leaf < 40; leaf++) {
    const place = bytes(...CONTENTS.slice(0, leaf).map(lp)).length + 2;
    for (const files of [flippedIn(SMALL, TILE, 8 * 32 * leaf + 7), flippedIn(SMALL, ENTRIES, 8 * place + 77)]) {
      assert.deepEqual(await told(files), [Fault.TILE_MISMATCH, `leaf ${leaf}`]);
    }
  }
});

test("a hash of a higher tile is that of the complete subtree", async () => {
  for (const bit of [0, 511]) {
    const [fault, where] = await told(flippedIn(MANY_FILES, "tile/1/000.p/2", bit));
    assert.deepEqual([fault, where], [Fault.TILE_MISMATCH, `tile/1/000.p/2, hash ${bit >> 8}`]);
  }
  const short = MANY_FILES.get("tile/1/000.p/2").slice(0, -1);
  assert.equal(await faultIn(edited(MANY_FILES, { "tile/1/000.p/2": short })), Fault.BAD_LENGTH);
});

test("all leaves lead to the root that was signed", async () => {
  assert.deepEqual(await told(edited(SMALL, { checkpoint: await signed(40, ROOTS[39]) })), [
    Fault.ROOT_MISMATCH,
    "40 leaves",
  ]);
  const shorter = edited(await filesOf(CONTENTS.slice(0, 39)), { checkpoint: await signed(39, ROOTS[40]) });
  assert.equal(await faultIn(shorter), Fault.ROOT_MISMATCH);
});

test("a leaf that is none, and one that breaks a rule, are named with their place", async () => {
  const relogged = async (place, content) => told(await filesOf(CONTENTS.with(place, content)));
  assert.deepEqual(await relogged(5, bytes()), [Fault.TOO_SHORT, "leaf 5: leaf"]);
  assert.deepEqual(await relogged(5, bytes([1, 9])), [Fault.UNKNOWN_TYPE, "leaf 5: leaf type 9"]);
  assert.deepEqual(await relogged(36, CONTENTS[1]), null); // a round may stay open
  assert.deepEqual(await relogged(6, CONTENTS[7]), [Fault.REPEATED_RUN, `leaf 7: ${LOG.rounds[DAY].runs[1].run_id}`]);
  const succeeded = await told(await filesOf([CONTENTS[0], SUCCEED]));
  assert.deepEqual(succeeded, [Fault.SUCCEED_NOT_FIRST, "leaf 1: "]);
});

test("the first thing that is wrong is named, in the order of the protocol", async () => {
  const leaves = MANY.with(3, bytes([1, 9])).with(5, bytes());
  const files = await filesOf(leaves);
  const root = (size) => new Reference(leaves).root(0, size);
  const wrong = [
    [Fault.ROLLED_BACK, { known: known(601, root(600)) }],
    [Fault.BAD_LENGTH, { path: "tile/0/000", content: bytes() }],
    [Fault.TRAILING_BYTES, { path: "tile/entries/000", content: bytes(files.get("tile/entries/000"), [0]) }],
    [Fault.OLD_ROOT_MISMATCH, { known: known(3, filled(32)) }],
    [Fault.UNKNOWN_TYPE, { known: known(4, filled(32)) }],
  ];
  for (const [place, [fault]] of wrong.entries()) {
    const later = wrong.slice(place).reverse().map(([, change]) => change);
    const edits = later.filter(({ path }) => path).map(({ path, content }) => [path, content]);
    const olds = later.flatMap((change) => change.known ?? []);
    assert.equal(await faultIn(new Map([...files, ...edits]), { known: olds }), fault);
  }
  const last = await faultIn(edited(files, { "tile/entries/001": bytes(), "tile/1/000.p/2": bytes() }));
  assert.equal(last, Fault.UNKNOWN_TYPE);
  const later = edited(MANY_FILES, { "tile/entries/002.p/88": bytes(), "tile/1/000.p/2": bytes() });
  assert.equal(await faultIn(later), Fault.TOO_SHORT);
  const higher = edited(MANY_FILES, { "tile/1/000.p/2": bytes(), checkpoint: await signed(600, filled(32)) });
  assert.equal(await faultIn(higher), Fault.BAD_LENGTH);
});

test("a file that cannot be had decides nothing, but a fault before it is a fault", async () => {
  for (const path of MANY_FILES.keys()) {
    const files = new Map(MANY_FILES);
    files.delete(path);
    await assert.rejects(auditing(files), new RegExp(`^Error: ${path} cannot be had`));
    files.set("tile/entries/000", bytes());
    if (!["checkpoint", "tile/0/000", "tile/entries/000"].includes(path)) {
      assert.equal(await faultIn(files), Fault.TOO_SHORT);
    }
  }
});

test("no more bundles are taken than the log has", async () => {
  const audit = await auditing(SMALL);
  await assert.rejects(audit.add(SMALL.get(ENTRIES), SMALL.get(TILE)), /all bundles were taken/);
});

test("a time of 64 bits is read and ruled on", async () => {
  const leaf = { ...decode(CONTENTS[2]), closes: 2n ** 64n - 1n };
  const audit = await auditing(await filesOf(CONTENTS.with(2, encode(leaf))), { follows: () => true });
  const history = audit.historyOf(DAY);
  assert.equal(history.round.closes, 2n ** 64n - 1n);
  assert.deepEqual(unsigned(history.round.closes, 8), filled(8, 255));
  assert.equal(await told(await filesOf(changed(LEAVES, 2, { closes: 0n }).map(encode))), null);
});

test("a later checkpoint is shown to begin with an earlier one, from few tiles", async () => {
  const newer = await checkpointOf(MANY_FILES.get("checkpoint"));
  for (const size of [1, 2, 3, 88, 255, 256, 257, 511, 512, 513, 599, 600]) {
    const asked = [];
    const source = (path) => asked.push(path) && sourceOf(MANY_FILES)(path);
    await consistencyOf(source, known(size, MANY_TREE.root(0, size)), newer);
    assert.ok(asked.length <= 4 && new Set(asked).size === asked.length, asked.join());
  }
});

test("a later checkpoint that does not begin with an earlier one is refused by name", async () => {
  const newer = await checkpointOf(MANY_FILES.get("checkpoint"));
  const faultFrom = (old, { files = MANY_FILES, to = newer } = {}) =>
    faultOf(() => consistencyOf(sourceOf(files), old, to));
  const at = (size) => known(size, MANY_TREE.root(0, size));
  assert.equal(await faultFrom(known(300, filled(32))), Fault.OLD_ROOT_MISMATCH);
  assert.equal(await faultFrom(at(300), { to: known(600, filled(32)) }), Fault.NEW_ROOT_MISMATCH);
  assert.equal(await faultFrom(known(600, filled(32))), Fault.SPLIT_VIEW);
  assert.equal(await faultFrom(known(601, filled(32))), Fault.ROLLED_BACK);
  assert.equal(await faultFrom(at(0)), Fault.EMPTY_OLD_TREE);
  const short = edited(MANY_FILES, { "tile/0/001": bytes() });
  assert.equal(await faultFrom(at(300), { files: short }), Fault.BAD_LENGTH);
  const flips = [["tile/0/001", 0], ["tile/0/001", 8 * 8192 - 1], ["tile/1/000.p/2", 3], ["tile/0/002.p/88", 9]];
  for (const [path, bit] of flips) {
    const fault = await faultFrom(at(300), { files: flippedIn(MANY_FILES, path, bit) });
    assert.ok([Fault.OLD_ROOT_MISMATCH, Fault.NEW_ROOT_MISMATCH].includes(fault), fault);
  }
});

test("work is done ahead, no more than asked for, with results and errors in order", async () => {
  const working = new Set();
  let most = 0;
  const work = async (item, place) => {
    assert.equal(item, 10 * place);
    working.add(item);
    most = Math.max(most, working.size);
    for (let turn = 0; turn < 5 - (place % 5); turn++) await new Promise(setImmediate);
    working.delete(item);
    if (item >= 60) throw new Error(`item ${item}`);
    return item;
  };
  const found = [];
  const items = Array.from({ length: 9 }, (_, place) => 10 * place).values();
  await assert.rejects(async () => {
    for await (const result of ahead(items, 3, work)) found.push(result);
  }, /^Error: item 60$/);
  assert.deepEqual(found, [0, 10, 20, 30, 40, 50]);
  assert.equal(most, 3);
});

test("a successor goes on where the log that is known from before ended", async () => {
  const succeed = decode(SUCCEED);
  const audit = await auditing(await filesOf([SUCCEED, ...CONTENTS]));
  assert.deepEqual(audit.succeeds, succeed);
  const { origin, size, root } = succeed;
  checkSuccessor(audit, { origin, size, root });
  checkSuccessor(audit, { origin, size: size - 1n, root: filled(32) });
  for (const [changes, fault] of [
    [{ origin: `${origin}-2`, size: size + 1n }, Fault.ORIGIN_MISMATCH],
    [{ size: size + 1n }, Fault.ROLLED_BACK],
    [{ root: filled(32) }, Fault.SPLIT_VIEW],
  ]) {
    assert.equal(await faultOf(() => checkSuccessor(audit, { origin, size, root, ...changes })), fault);
  }
  const first = await auditing(SMALL);
  assert.equal(first.succeeds, null);
  assert.equal(await faultOf(() => checkSuccessor(first, { origin, size, root })), Fault.ORIGIN_MISMATCH);
});
