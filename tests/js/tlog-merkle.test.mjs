// Roots and proofs against RFC 6962 itself: what is written here by recursion, tlog/merkle.js does without.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Fault } from "../../client/shutbox_web/static/js/tlog/faults.js";
import {
  EMPTY_ROOT,
  consistencySteps,
  inclusionSteps,
  leafHash,
  rootOf,
  verifyConsistency,
  verifyInclusion,
} from "../../client/shutbox_web/static/js/tlog/merkle.js";
import {
  CONTENTS,
  LOG,
  ROOTS as LOGGED_ROOTS,
  Reference,
  bytes,
  faultOf,
  flipped,
  fromHex,
  sha256,
} from "./small-log.mjs";

const LARGEST = 300;
const LEAVES = Array.from({ length: LARGEST }, (_, number) => bytes(number ? `leaf ${number}` : ""));
const REFERENCE = new Reference(LEAVES);
const ROOTS = Array.from({ length: LARGEST + 1 }, (_, size) => REFERENCE.root(0, size));
const HASHES = LEAVES.map((leaf) => sha256([0], leaf));
const SIZES = Array.from({ length: 66 }, (_, size) => size).slice(1).concat(127, 128, 129, 255, 256, 257, 300);

const inclusion = (index, size) => REFERENCE.path(index, 0, size);
const consistency = (oldSize, size) => REFERENCE.subproof(oldSize, 0, size);
const included = (index, size, proof, { hash = HASHES[index], root = ROOTS[size] } = {}) =>
  verifyInclusion(hash, BigInt(index), BigInt(size), proof, root);
const consistent = (old, size, proof, { oldRoot = ROOTS[old], root = ROOTS[size] } = {}) =>
  verifyConsistency(BigInt(old), oldRoot, BigInt(size), root, proof);
const otherLengths = (proof) => [[...proof, ROOTS[1]], ...(proof.length ? [proof.slice(1), proof.slice(0, -1)] : [])];

/** Yield the proof with each of its bits flipped, one at a time. */
function* changed(proof) {
  for (const [place, hash] of proof.entries()) for (const wrong of flipped(hash)) yield proof.with(place, wrong);
}

/** Assert that a call is refused for each of many values, all at once. */
async function allRefused(values, call, ...faults) {
  for (const fault of await Promise.all([...values].map((value) => faultOf(() => call(value))))) {
    assert.ok(faults.includes(fault), fault);
  }
}

test("the hash of a leaf is that of the definition", async () => {
  for (const [number, leaf] of LEAVES.entries()) assert.deepEqual(await leafHash(leaf), HASHES[number]);
  assert.deepEqual(EMPTY_ROOT, ROOTS[0]);
});

test("the roots of 0 to 300 leaves are those of the definition", async () => {
  for (const [size, root] of ROOTS.entries()) assert.deepEqual(await rootOf(HASHES.slice(0, size)), root);
});

test("a root comes from subtrees of one size and a last one of fewer leaves", async () => {
  for (const span of [2, 8, 64]) {
    for (let size = 1; size <= LARGEST; size++) {
      const starts = Array.from({ length: Math.ceil(size / span) }, (_, number) => number * span);
      const hashes = starts.map((start) => REFERENCE.root(start, Math.min(size, start + span)));
      assert.deepEqual(await rootOf(hashes), ROOTS[size]);
    }
  }
});

test("all roots of the vectors come from their leaves", async () => {
  const hashes = await Promise.all(CONTENTS.map(leafHash));
  for (const [size, root] of LOGGED_ROOTS.entries()) assert.deepEqual(await rootOf(hashes.slice(0, size)), root);
  assert.equal(LOGGED_ROOTS.length, 41);
});

test("every inclusion proof of the definition is accepted", async () => {
  for (const size of SIZES) {
    for (let index = 0; index < size; index++) await included(index, size, inclusion(index, size));
  }
});

test("every consistency proof of the definition is accepted", async () => {
  for (const size of SIZES) for (let old = 1; old <= size; old++) await consistent(old, size, consistency(old, size));
});

for (const vector of LOG.consistency) {
  test(`the consistency proof of the vectors from ${vector.old} leaves, and none with a flipped bit`, async () => {
    const roots = { oldRoot: LOGGED_ROOTS[vector.old], root: LOGGED_ROOTS[vector.new] };
    const proof = vector.proof.map(fromHex);
    const call = (tried) => consistent(vector.old, vector.new, tried, roots);
    await call(proof);
    await allRefused(changed(proof), call, Fault.OLD_ROOT_MISMATCH, Fault.NEW_ROOT_MISMATCH);
  });
}

for (const size of [1, 2, 3, 5, 7]) {
  test(`every flipped bit of a proof in a tree of ${size} leaves is refused`, async () => {
    for (let index = 0; index < size; index++) {
      const path = inclusion(index, size);
      await allRefused(changed(path), (wrong) => included(index, size, wrong), Fault.PATH_MISMATCH);
      const steps = consistency(index + 1, size);
      const call = (wrong) => consistent(index + 1, size, wrong);
      await allRefused(changed(steps), call, Fault.OLD_ROOT_MISMATCH, Fault.NEW_ROOT_MISMATCH);
    }
  });
}

test("every flipped bit of leaf and roots is refused", async () => {
  const [path, steps] = [inclusion(20, 33), consistency(20, 33)];
  await allRefused(flipped(HASHES[20]), (hash) => included(20, 33, path, { hash }), Fault.PATH_MISMATCH);
  await allRefused(flipped(ROOTS[33]), (root) => included(20, 33, path, { root }), Fault.PATH_MISMATCH);
  await allRefused(flipped(ROOTS[33]), (root) => consistent(20, 33, steps, { root }), Fault.NEW_ROOT_MISMATCH);
  await allRefused(flipped(ROOTS[20]), (oldRoot) => consistent(20, 33, steps, { oldRoot }), Fault.OLD_ROOT_MISMATCH);
});

test("a leaf stands at its own index only", async () => {
  for (let size = 2; size < 20; size++) {
    for (let index = 0; index < size; index++) {
      const others = Array.from({ length: size }, (_, other) => other).filter((other) => other !== index);
      const call = (other) => included(other, size, inclusion(index, size), { hash: HASHES[index] });
      await allRefused(others, call, Fault.PATH_MISMATCH, Fault.WRONG_PROOF_LENGTH);
    }
  }
});

test("an index out of range is refused", async () => {
  for (const [index, size] of [[0, 0], [5, 5], [6, 5], [-1, 5]]) {
    const call = () => included(index, size, [], { hash: HASHES[0], root: ROOTS[1] });
    assert.equal(await faultOf(call), Fault.OUT_OF_RANGE);
  }
});

test("proofs of another length are refused", async () => {
  for (let size = 1; size < 34; size++) {
    for (let index = 0; index < size; index++) {
      for (const [proof, call] of [
        [inclusion(index, size), (tried) => included(index, size, tried)],
        [consistency(index + 1, size), (tried) => consistent(index + 1, size, tried)],
      ]) {
        await allRefused(otherLengths(proof), call, Fault.WRONG_PROOF_LENGTH);
      }
    }
  }
});

test("a hash of another length is refused", async () => {
  assert.equal(await faultOf(() => included(0, 2, [bytes(HASHES[1], [0])])), Fault.BAD_LENGTH);
  assert.equal(await faultOf(() => consistent(1, 2, [bytes()])), Fault.BAD_LENGTH);
});

test("no leaves, fewer leaves and another root of as many leaves are not consistent", async () => {
  for (const size of [0, 1, 7]) assert.equal(await faultOf(() => consistent(0, size, [])), Fault.EMPTY_OLD_TREE);
  assert.equal(await faultOf(() => consistent(7, 6, [])), Fault.ROLLED_BACK);
  await consistent(7, 7, []);
  assert.equal(await faultOf(() => consistent(7, 7, [], { root: ROOTS[8] })), Fault.SPLIT_VIEW);
});

test("steps of trees as large as a number can be are those of their sizes", () => {
  const size = 2n ** 63n - 1n;
  assert.equal(inclusionSteps(0n, size).length, 63);
  assert.deepEqual(inclusionSteps(size - 1n, size).at(0).nodes, [{ level: 1, index: 2n ** 62n - 2n }]);
  assert.deepEqual(consistencySteps(2n ** 62n, size).map(({ left }) => left), [false]);
  assert.equal(consistencySteps(2n ** 53n + 1n, size).at(0).nodes[0].index, 2n ** 53n);
});
