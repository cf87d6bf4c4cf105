// The tree of RFC 6962 (protocol.md, "Bytes"): roots, and proofs that a leaf or an earlier tree is in it.

import { bytesOf, concat, sha256 } from "../game/encoding.js";
import { Fault, Refused } from "./faults.js";
import { same } from "./reading.js";

/** @import { Bytes } from "../game/encoding.js" */

/** @typedef {{level: number, index: bigint}} Node A perfect subtree: the 2^level leaves from index · 2^level on. */

/**
 * One hash of a proof: the nodes it is folded from, and whether it stands left of what is known so far.
 * @typedef {{nodes: Node[], left: boolean}} Step
 */

export const HASH_LENGTH = 32;
export const EMPTY_ROOT = bytesOf("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");

const LEAF = Uint8Array.of(0);
const INNER = Uint8Array.of(1);

/** @type {(leaf: Bytes) => Promise<Bytes>} Return the hash of a leaf's bytes. */
export const leafHash = (leaf) => sha256(concat(LEAF, leaf));

/** @type {(left: Bytes, right: Bytes) => Promise<Bytes>} Return the hash of an inner node. */
const nodeHash = (left, right) => sha256(concat(INNER, left, right));

/**
 * Return the root over perfect subtrees of one size, in order; the last may be one of fewer leaves. In pairs, an odd
 * one left as it is, they meet as RFC 6962 splits them.
 * @type {(hashes: readonly Bytes[]) => Promise<Bytes>}
 */
export async function rootOf(hashes) {
  if (!hashes.length) return EMPTY_ROOT;
  let row = hashes;
  while (row.length > 1) {
    const below = row;
    const pairs = Array.from({ length: below.length >> 1 }, (_, n) => nodeHash(below[2 * n], below[2 * n + 1]));
    row = [...(await Promise.all(pairs)), ...below.slice(2 * pairs.length)];
  }
  return row[0];
}

/** @type {(index: bigint, size: bigint) => Step[]} Return the steps from a leaf up to the root (RFC 6962, 2.1.1). */
export function inclusionSteps(index, size) {
  if (index < 0n || index >= size) throw new Refused(Fault.OUT_OF_RANGE, `leaf ${index} of ${size}`);
  let [start, end] = [0n, size];
  const steps = [];
  while (end - start > 1n) {
    const middle = start + split(end - start);
    const left = index >= middle;
    steps.push({ nodes: left ? subtrees(start, middle) : subtrees(middle, end), left });
    if (left) start = middle;
    else end = middle;
  }
  return steps.reverse();
}

/**
 * Return the steps of a consistency proof (RFC 6962, 2.1.2). The walk starts at the old tree's last subtree. If that is
 * the whole old tree, its root is known and is no step; else it is the first step, whose `left` says nothing.
 * @type {(oldSize: bigint, size: bigint) => Step[]}
 */
export function consistencySteps(oldSize, size) {
  if (oldSize === 0n) throw new Refused(Fault.EMPTY_OLD_TREE);
  if (oldSize < 0n || oldSize > size) throw new Refused(Fault.ROLLED_BACK, `from ${oldSize} leaves to ${size}`);
  let [start, end] = [0n, size];
  const steps = [];
  while (end !== oldSize) {
    const middle = start + split(end - start);
    const left = oldSize > middle;
    steps.push({ nodes: left ? subtrees(start, middle) : subtrees(middle, end), left });
    if (left) start = middle;
    else end = middle;
  }
  if (start) steps.push({ nodes: subtrees(start, end), left: false });
  return steps.reverse();
}

/**
 * Return the hashes of a proof from stored ones.
 * @type {(steps: readonly Step[], hashOf: (node: Node) => Promise<Bytes>) => Promise<Bytes[]>}
 */
export const prove = (steps, hashOf) =>
  Promise.all(steps.map(async ({ nodes }) => fold(await Promise.all(nodes.map(hashOf)))));

/**
 * Refuse unless the leaf hash stands at that index in the tree with that size and root.
 * @type {(hash: Bytes, index: bigint, size: bigint, proof: readonly Bytes[], root: Bytes) => Promise<void>}
 */
export async function verifyInclusion(hash, index, size, proof, root) {
  const steps = inclusionSteps(index, size);
  checkProof(proof, steps.length);
  let folded = hash;
  for (const [place, { left }] of steps.entries()) {
    folded = await (left ? nodeHash(proof[place], folded) : nodeHash(folded, proof[place]));
  }
  if (!same(folded, root)) throw new Refused(Fault.PATH_MISMATCH, `leaf ${index} of ${size}`);
}

/**
 * Refuse unless the tree with that size and root begins with the old one. Nothing is consistent with no leaves.
 * @type {(oldSize: bigint, oldRoot: Bytes, size: bigint, root: Bytes, proof: readonly Bytes[]) => Promise<void>}
 */
export async function verifyConsistency(oldSize, oldRoot, size, root, proof) {
  const steps = consistencySteps(oldSize, size);
  checkProof(proof, steps.length);
  if (oldSize === size) {
    if (!same(oldRoot, root)) throw new Refused(Fault.SPLIT_VIEW, `two roots for ${size} leaves`);
    return;
  }
  const oneNode = (oldSize & (oldSize - 1n)) === 0n;
  let older = oneNode ? oldRoot : proof[0];
  let newer = older;
  for (let place = oneNode ? 0 : 1; place < steps.length; place++) {
    const sibling = proof[place];
    if (steps[place].left) older = await nodeHash(sibling, older);
    newer = await (steps[place].left ? nodeHash(sibling, newer) : nodeHash(newer, sibling));
  }
  if (!same(older, oldRoot)) throw new Refused(Fault.OLD_ROOT_MISMATCH, `${oldSize} of ${size} leaves`);
  if (!same(newer, root)) throw new Refused(Fault.NEW_ROOT_MISMATCH, `${oldSize} of ${size} leaves`);
}

/** @type {(proof: readonly Bytes[], length: number) => void} */
function checkProof(proof, length) {
  if (proof.length !== length) {
    throw new Refused(Fault.WRONG_PROOF_LENGTH, `${proof.length} hashes instead of ${length}`);
  }
  if (proof.some((hash) => hash.length !== HASH_LENGTH)) throw new Refused(Fault.BAD_LENGTH, "a hash of the proof");
}

/** @type {(hashes: Bytes[]) => Promise<Bytes>} Return the hash over subtrees side by side, the largest first. */
async function fold(hashes) {
  let folded = hashes[hashes.length - 1];
  for (const left of hashes.slice(0, -1).reverse()) folded = await nodeHash(left, folded);
  return folded;
}

/** @type {(width: bigint) => number} Return n for the largest 2^n that is not above the width. */
const logarithm = (width) => width.toString(2).length - 1;

/** @type {(width: bigint) => bigint} Return the largest power of two below the width, which is at least 2. */
const split = (width) => 1n << BigInt(logarithm(width - 1n));

/**
 * Return the perfect subtrees, largest first, of a range that RFC 6962 splits off (its start is aligned).
 * @param {bigint} start
 * @param {bigint} end
 */
function subtrees(start, end) {
  /** @type {Node[]} */
  const nodes = [];
  while (start < end) {
    const level = logarithm(end - start);
    nodes.push({ level, index: start >> BigInt(level) });
    start += 1n << BigInt(level);
  }
  return nodes;
}
