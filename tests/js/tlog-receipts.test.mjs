// A receipt says what the log says, or is refused by name; nothing but the file and the key is needed.

import assert from "node:assert/strict";
import { test } from "node:test";

import { runBytes, runCommitment } from "../../client/shutbox_web/static/js/game/runs.js";
import { Fault } from "../../client/shutbox_web/static/js/tlog/faults.js";
import { LeafType } from "../../client/shutbox_web/static/js/tlog/leaves.js";
import { parseProof, verifyReceipt } from "../../client/shutbox_web/static/js/tlog/proof.js";
import { parseRun, turnsOf } from "../../client/shutbox_web/static/js/tlog/runs.js";
import {
  CHECKPOINT,
  CONTENTS,
  DAY,
  KEY,
  LEAVES,
  LOG,
  OPEN_DAY,
  RECEIPT,
  ROOTS,
  Reference,
  base64,
  bytes,
  encode,
  faultOf,
  filled,
  flipped,
  fromHex,
  lp,
  proofOf,
  receiptOf,
  sign,
  signed,
  textOf,
} from "./small-log.mjs";

const INDEX = 6;
const LEAF = LEAVES[INDEX];
const [SALT, RUN] = ["salt", "run"].map((name) => fromHex(LOG.rounds[DAY].runs[0][name]));
const PLAYED = parseRun(RUN);
const PROOF = parseProof(RECEIPT);
const EXTRA_LINE = `extra ${base64(PROOF.extra)}\n`;

const replaced = (one, other) => bytes(LOG.receipt.replace(one, other));
const altered = (changes) => proofOf({ ...PROOF, ...changes });
const extraOf = (leaf, salt = SALT, run = RUN) => bytes(lp(leaf), salt, lp(run));
const checking = (content) => faultOf(() => verifyReceipt(content, KEY));

/** Return the receipt of a run that the vectors do not hold, in a log of its own. */
async function receiptOfLeaf(leaf, salt, run) {
  const content = encode(leaf);
  return receiptOf([content], await signed(1, new Reference([content]).root()), 0, salt, run);
}

test("the receipt of the vectors says what its log says", async () => {
  const { index, leaf, salt, run, checkpoint } = await verifyReceipt(RECEIPT, KEY);
  assert.deepEqual([index, leaf, salt, run], [6n, LEAF, SALT, PLAYED]);
  assert.deepEqual(checkpoint, { origin: LOG.origin, size: 40n, root: ROOTS[40] });
  assert.deepEqual(receiptOf(CONTENTS, CHECKPOINT, INDEX, SALT, RUN), RECEIPT);
});

test("every flipped bit of a receipt is refused", async () => {
  for (const wrong of flipped(RECEIPT)) await checking(wrong);
});

test("every logged run has a receipt", async () => {
  for (const round_id of Object.keys(LOG.rounds)) {
    for (const { leaf_index, salt, run } of LOG.rounds[round_id].runs) {
      const receipt = receiptOf(CONTENTS, CHECKPOINT, leaf_index, fromHex(salt), fromHex(run));
      const read = await verifyReceipt(receipt, KEY);
      assert.deepEqual([read.index, read.leaf, read.run.roundId], [BigInt(leaf_index), LEAVES[leaf_index], round_id]);
    }
  }
});

test("the only leaf of a log has an empty path", async () => {
  assert.equal((await verifyReceipt(await receiptOfLeaf(LEAF, SALT, RUN), KEY)).index, 0n);
});

for (const [what, content, fault] of [
  ["CR everywhere", replaced(/\n/g, "\r\n"), Fault.BAD_TEXT],
  ["no UTF-8", bytes(RECEIPT, [0xff]), Fault.BAD_TEXT],
  ["a letter behind it", bytes(RECEIPT, "x"), Fault.BAD_LINE],
  ["a blank line behind it", bytes(RECEIPT, "\n"), Fault.BAD_LINE],
  ["a blank line before it", bytes("\n", RECEIPT), Fault.BAD_LINE],
  ["a BOM", bytes([0xef, 0xbb, 0xbf], RECEIPT), Fault.BAD_LINE],
  ["another version", replaced("@v1", "@v2"), Fault.BAD_LINE],
  ["a blank behind the header", replaced("@v1\n", "@v1 \n"), Fault.BAD_LINE],
  ["no extra data", replaced(EXTRA_LINE, ""), Fault.BAD_LINE],
  ["extra data twice", replaced(EXTRA_LINE, EXTRA_LINE + EXTRA_LINE), Fault.BAD_LINE],
  ["two blanks before the extra data", replaced("extra ", "extra  "), Fault.BAD_BASE64],
  ["a capital", replaced("extra ", "Extra "), Fault.BAD_LINE],
  ["bits behind the base64", replaced("AA==\nindex", "AB==\nindex"), Fault.BAD_BASE64],
  ["no padding", replaced("AA==\nindex", "AA\nindex"), Fault.BAD_BASE64],
  ["no index", replaced("index 6\n", ""), Fault.BAD_LINE],
  ["a zero before the index", replaced("index 6\n", "index 06\n"), Fault.BAD_NUMBER],
  ["a blank behind the index", replaced("index 6\n", "index 6 \n"), Fault.BAD_NUMBER],
  ["a sign before the index", replaced("index 6\n", "index +6\n"), Fault.BAD_NUMBER],
  ["a negative index", replaced("index 6\n", "index -6\n"), Fault.BAD_NUMBER],
  ["another index", replaced("index 6\n", "index 7\n"), Fault.PATH_MISMATCH],
  ["an index with a shorter path", replaced("index 6\n", "index 39\n"), Fault.WRONG_PROOF_LENGTH],
  ["an index behind the tree", replaced("index 6\n", "index 40\n"), Fault.OUT_OF_RANGE],
  ["the largest index", replaced("index 6\n", "index 9223372036854775807\n"), Fault.OUT_OF_RANGE],
  ["an index that is too large", replaced("index 6\n", "index 9223372036854775808\n"), Fault.BAD_NUMBER],
  ["bits behind a hash", replaced("xr8=\n", "xr9=\n"), Fault.BAD_BASE64],
  ["a blank line in the path", replaced("\n6p+Q", "\n\n6p+Q"), Fault.BAD_SIGNATURE],
  ["a second blank line", replaced("\n\nexample", "\n\n\nexample"), Fault.BAD_SIGNATURE],
  ["no blank line", replaced("\n\nexample", "\nexample"), Fault.BAD_BASE64],
  ["a hash less", altered({ path: PROOF.path.slice(0, -1) }), Fault.WRONG_PROOF_LENGTH],
  ["a hash more", altered({ path: [...PROOF.path, PROOF.path[0]] }), Fault.WRONG_PROOF_LENGTH],
  ["64 hashes", altered({ path: Array(64).fill(PROOF.path[0]) }), Fault.WRONG_PROOF_LENGTH],
  ["64 hashes, all short", altered({ path: Array(64).fill(filled(31)) }), Fault.WRONG_PROOF_LENGTH],
  ["a short hash", altered({ path: [...PROOF.path.slice(0, -1), filled(31)] }), Fault.BAD_LENGTH],
  ["the path upside down", altered({ path: PROOF.path.toReversed() }), Fault.PATH_MISMATCH],
  ["a byte behind the run", altered({ extra: bytes(PROOF.extra, [0]) }), Fault.TRAILING_BYTES],
  ["a byte less", altered({ extra: PROOF.extra.slice(0, -1) }), Fault.TOO_SHORT],
  ["empty extra data", altered({ extra: bytes() }), Fault.TOO_SHORT],
  ["another leaf", altered({ extra: extraOf(CONTENTS[0]) }), Fault.NOT_A_RUN],
  ["a leaf with a byte behind it", altered({ extra: extraOf(bytes(CONTENTS[INDEX], [0])) }), Fault.TRAILING_BYTES],
  ["another salt", altered({ extra: extraOf(CONTENTS[INDEX], filled(32)) }), Fault.COMMITMENT_MISMATCH],
  ["another size", altered({ checkpoint: LOG.checkpoint.replace("\n40\n", "\n41\n") }), Fault.BAD_SIGNATURE],
  ["nothing", bytes(), Fault.BAD_LINE],
]) {
  test(`a faulty receipt is refused by name: ${what}`, async () => {
    assert.notDeepEqual(content, RECEIPT);
    assert.equal(await checking(content), fault);
  });
}

test("an altered run does not fit its commitment", async () => {
  const { roundId, playerTag, rulesetHash } = PLAYED;
  for (const other of [
    runBytes(roundId, filled(16), rulesetHash, turnsOf(PLAYED)),
    runBytes(roundId, playerTag, rulesetHash, turnsOf(PLAYED).slice(0, -1)),
    runBytes(roundId, playerTag, filled(32), turnsOf(PLAYED)),
  ]) {
    const fault = await checking(altered({ extra: extraOf(CONTENTS[INDEX], SALT, other) }));
    assert.equal(fault, Fault.COMMITMENT_MISMATCH);
  }
});

test("a forged run with a commitment of its own is not in the log", async () => {
  const run = runBytes(DAY, filled(16), PLAYED.rulesetHash, turnsOf(PLAYED));
  const leaf = encode({ ...LEAF, commitment: await runCommitment(SALT, run) });
  assert.equal(await checking(altered({ extra: extraOf(leaf, SALT, run) })), Fault.PATH_MISMATCH);
});

test("a leaf moved to another round, and content that is no run, are refused", async () => {
  const moved = await receiptOfLeaf({ ...LEAF, roundId: OPEN_DAY }, SALT, RUN);
  assert.equal(await checking(moved), Fault.RUN_OF_ANOTHER_ROUND);
  for (const [run, fault] of [
    [bytes(), Fault.TOO_SHORT],
    [RUN.with(0, 2), Fault.UNKNOWN_VERSION],
    [bytes(RUN, [0]), Fault.TRAILING_BYTES],
  ]) {
    const leaf = { ...LEAF, commitment: await runCommitment(SALT, run) };
    assert.equal(await checking(await receiptOfLeaf(leaf, SALT, run)), fault);
  }
});

test("a receipt of a log with another key, or of another log, is refused", async () => {
  const [text] = LOG.checkpoint.split("\n\n");
  assert.equal(await checking(altered({ checkpoint: await sign(`${text}\n`, filled(32)) })), Fault.NOT_SIGNED);
  const other = await sign(`${text}\n`.replace(LOG.origin, "other.example/log"));
  assert.equal(await checking(altered({ checkpoint: other })), Fault.ORIGIN_MISMATCH);
});

test("the first thing that is wrong is named, in the order of the protocol", async () => {
  const leafType = CONTENTS[INDEX].with(1, LeafType.REINSTATE);
  const wrong = [
    [{ path: [filled(31)] }, Fault.BAD_LENGTH],
    [{ extra: bytes(extraOf(leafType, filled(32)), [0]) }, Fault.TRAILING_BYTES],
    [{ extra: extraOf(leafType, filled(32)) }, Fault.TRAILING_BYTES], // of the leaf
    [{ extra: extraOf(CONTENTS[0], filled(32)) }, Fault.NOT_A_RUN],
    [{ extra: extraOf(CONTENTS[INDEX], filled(32)) }, Fault.COMMITMENT_MISMATCH],
    [{ checkpoint: CHECKPOINT.slice(1) }, Fault.BAD_SIGNATURE],
    [{ index: 40 }, Fault.OUT_OF_RANGE],
  ];
  for (const [place, [, fault]] of wrong.entries()) {
    const later = wrong.slice(place).reverse().map(([changes]) => changes);
    assert.equal(await checking(altered(Object.assign({}, ...later))), fault);
  }
  assert.equal(textOf(RECEIPT), LOG.receipt);
});
