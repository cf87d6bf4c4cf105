// The files of the log as C2SP tlog-tiles says (protocol.md, "Bytes"): their paths, relative to /log/, and content.

import { Fault, Refused } from "./faults.js";
import { HASH_LENGTH, rootOf } from "./merkle.js";
import { Reader, checkedLength } from "./reading.js";

/** @import { Bytes } from "../game/encoding.js" */
/** @import { Node } from "./merkle.js" */

/** @typedef {{level: number, index: bigint, width: number, path: string}} HashTile As wide as it is full. */
/** @typedef {{index: bigint, width: number, path: string}} EntryBundle From leaf 256 · index on, `width` of them. */

export const WIDTH = 256;
const HEIGHT = 8;

/** @type {(level: number, index: bigint, width: number) => HashTile} */
export const hashTile = (level, index, width) => ({
  level,
  index,
  width,
  path: `tile/${level}/${place(index, width)}`,
});

/** @type {(index: bigint, width: number) => EntryBundle} */
const entryBundle = (index, width) => ({ index, width, path: `tile/entries/${place(index, width)}` });

/** @type {(index: bigint, width: number) => string} */
function place(index, width) {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, "0").match(/.../g) ?? [];
  return `x${groups.join("/x")}`.replace(/x(...)$/, "$1") + (width === WIDTH ? "" : `.p/${width}`);
}

/**
 * Yield the width of each tile of a level, by place; the last may be partial.
 * @type {(level: number, size: bigint) => Generator<[bigint, number], void>}
 */
function* places(level, size) {
  const hashes = size >> BigInt(HEIGHT * level);
  for (let index = 0n; index * 256n < hashes; index++) yield [index, widthAt(level, index, size)];
}

/** @type {(level: number, index: bigint, size: bigint) => number} Return how many hashes a tile has in such a log. */
export const widthAt = (level, index, size) =>
  Math.min(WIDTH, Math.max(0, Number((size >> BigInt(HEIGHT * level)) - index * 256n)));

/**
 * Yield the hash tiles of a log of that size, by level, from the lowest that is wanted, and then by place.
 * @type {(size: bigint, lowest?: number) => Generator<HashTile, void>}
 */
export function* hashTiles(size, lowest = 0) {
  for (let level = lowest; size >> BigInt(HEIGHT * level); level++) {
    for (const [index, width] of places(level, size)) yield hashTile(level, index, width);
  }
}

/** @type {(size: bigint) => Generator<EntryBundle, void>} Yield all entry bundles of a log of that size. */
export function* entryBundles(size) {
  for (const [index, width] of places(0, size)) yield entryBundle(index, width);
}

/** @type {(tile: HashTile, content: Bytes) => Bytes[]} Return the hashes of a tile's content. */
export function parseHashTile(tile, content) {
  checkedLength(content, tile.width * HASH_LENGTH, tile.path);
  return Array.from({ length: tile.width }, (_, number) =>
    content.slice(number * HASH_LENGTH, (number + 1) * HASH_LENGTH),
  );
}

/** @type {(bundle: EntryBundle, content: Bytes) => Bytes[]} Return as many leaves as the bundle is wide. */
export function parseEntryBundle(bundle, content) {
  const fields = new Reader(content, bundle.path);
  const entries = Array.from({ length: bundle.width }, () => fields.lp());
  fields.end();
  return entries;
}

/** @type {(node: Node, size: bigint) => HashTile} Return the tile from which the hash of a node can be had. */
export function tileOf({ level, index }, size) {
  if (level < 0 || index < 0n || (index + 1n) << BigInt(level) > size) {
    throw new Refused(Fault.OUT_OF_RANGE, `node ${level}, ${index} of ${size} leaves`);
  }
  const tileLevel = Math.floor(level / HEIGHT);
  const tileIndex = (index << BigInt(level % HEIGHT)) / 256n;
  return hashTile(tileLevel, tileIndex, widthAt(tileLevel, tileIndex, size));
}

/**
 * Return (a promise of) the hash of a node from the hashes of its tile.
 * @type {(node: Node, tile: HashTile, hashes: readonly Bytes[]) => Promise<Bytes>}
 */
export function hashInTile(node, tile, hashes) {
  const count = 1 << node.level % HEIGHT;
  const start = Number(node.index * BigInt(count) - tile.index * 256n);
  return rootOf(hashes.slice(start, start + count));
}
