// The files of a log: their paths have one spelling, and their contents give back every stored hash.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Fault } from "../../client/shutbox_web/static/js/tlog/faults.js";
import {
  entryBundles,
  hashInTile,
  hashTile,
  hashTiles,
  parseEntryBundle,
  parseHashTile,
  tileOf,
  widthAt,
} from "../../client/shutbox_web/static/js/tlog/tiles.js";
import { Reference, bytes, faultOf, filled, lp, tilesOf } from "./small-log.mjs";

const SIZE = 1000;
const LEAVES = Array.from({ length: SIZE }, (_, number) => bytes(number ? `leaf ${number}` : ""));
const REFERENCE = new Reference(LEAVES);
const FILES = tilesOf(LEAVES, REFERENCE);
const paths = (files) => Array.from(files, ({ path }) => path);

test("a log of 1,000 leaves has the files that it has", () => {
  const size = BigInt(SIZE);
  const full = ["tile/0/000", "tile/0/001", "tile/0/002"];
  assert.deepEqual(paths(hashTiles(size)), [...full, "tile/0/003.p/232", "tile/1/000.p/3"]);
  assert.deepEqual(new Set([...paths(hashTiles(size)), ...paths(entryBundles(size))]), new Set(FILES.keys()));
  assert.deepEqual(paths(hashTiles(size, 1)), ["tile/1/000.p/3"]);
});

test("the example of the specification", () => {
  assert.deepEqual(paths(hashTiles(70_000n)).slice(272), [
    "tile/0/272",
    "tile/0/273.p/112",
    "tile/1/000",
    "tile/1/001.p/17",
    "tile/2/000.p/1",
  ]);
  assert.deepEqual(paths(hashTiles(256n)), ["tile/0/000", "tile/1/000.p/1"]);
  assert.deepEqual([paths(hashTiles(0n)), paths(entryBundles(0n))], [[], []]);
});

for (const [path, ...tile] of [
  ["tile/0/000", 0, 0n, 256],
  ["tile/0/000.p/1", 0, 0n, 1],
  ["tile/63/999.p/255", 63, 999n, 255],
  ["tile/1/x001/000", 1, 1000n, 256],
  ["tile/2/x001/x234/067", 2, 1_234_067n, 256],
  ["tile/0/x009/x223/x372/x036/x854/x775/807", 0, 2n ** 63n - 1n, 256],
]) {
  test(`the path ${path} is written`, () => assert.equal(hashTile(...tile).path, path));
}

test("a tile is as wide as the log reaches", () => {
  assert.deepEqual([0n, 1n, 2n, 3n, 4n].map((index) => widthAt(0, index, 1000n)), [256, 256, 256, 232, 0]);
  assert.equal(widthAt(7, 0n, 2n ** 63n - 1n), 127);
  assert.equal(widthAt(0, 2n ** 55n - 1n, 2n ** 63n - 1n), 255);
});

test("tiles give back the hash of every complete subtree", async () => {
  for (let level = 0; 1 << level <= SIZE; level++) {
    for (let index = 0; (index + 1) << level <= SIZE; index++) {
      const node = { level, index: BigInt(index) };
      const tile = tileOf(node, BigInt(SIZE));
      const hash = await hashInTile(node, tile, parseHashTile(tile, FILES.get(tile.path)));
      assert.deepEqual(hash, REFERENCE.root(index << level, (index + 1) << level));
    }
  }
});

test("entry bundles hold the leaves", () => {
  for (const bundle of entryBundles(BigInt(SIZE))) {
    const start = Number(bundle.index) * 256;
    assert.deepEqual(parseEntryBundle(bundle, FILES.get(bundle.path)), LEAVES.slice(start, start + bundle.width));
  }
});

test("contents of another length are refused", async () => {
  const [bundle] = entryBundles(3n);
  const entries = (count) => bytes(...LEAVES.slice(0, count).map(lp));
  for (const length of [0, 64, 95, 97, 128]) {
    assert.equal(await faultOf(() => parseHashTile(hashTile(0, 0n, 3), filled(length))), Fault.BAD_LENGTH);
  }
  for (const [content, fault] of [
    [entries(2), Fault.TOO_SHORT],
    [entries(3).slice(0, -1), Fault.TOO_SHORT],
    [bytes(entries(2), [0]), Fault.TOO_SHORT],
    [entries(4), Fault.TRAILING_BYTES],
    [bytes(entries(3), [0]), Fault.TRAILING_BYTES],
  ]) {
    assert.equal(await faultOf(() => parseEntryBundle(bundle, content)), fault);
  }
});

test("nodes that are not there are refused", async () => {
  for (const [level, index] of [[0, 1000n], [3, 125n], [9, 1n], [10, 0n], [0, -1n], [-1, 0n]]) {
    assert.equal(await faultOf(() => tileOf({ level, index }, 1000n)), Fault.OUT_OF_RANGE);
  }
});
