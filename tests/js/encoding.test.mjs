// The bytes: what a browser must refuse instead of wrapping it around, and the faces that bytes become.

import assert from "node:assert/strict";
import { test } from "node:test";

import { fairFaces } from "../../client/shutbox_web/static/js/game/dice.js";
import {
  bytesOf,
  hexOf,
  lp,
  maskOf,
  tag,
  tilesOf,
  u16,
  u32,
  u8,
} from "../../client/shutbox_web/static/js/game/encoding.js";
import { runBytes } from "../../client/shutbox_web/static/js/game/runs.js";

test("numbers are written most significant byte first", () => {
  assert.deepEqual([255, 65_279, 4_278_255_873].map((number, place) => hexOf([u8, u16, u32][place](number))), [
    "ff",
    "feff",
    "ff010101",
  ]);
});

test("a number that does not fit is refused", () => {
  for (const [write, number] of [[u8, 256], [u16, 65_536], [u32, 2 ** 32], [u8, -1], [u8, 1.5], [u8, NaN]]) {
    assert.throws(() => write(number), RangeError);
  }
});

test("a tag names the version and is length-prefixed", () => {
  assert.equal(hexOf(tag("dice")), `000e${Buffer.from("shutbox/1/dice").toString("hex")}`);
});

test("content of 65,536 bytes has no length prefix", () => {
  assert.throws(() => lp(new Uint8Array(65_536)), RangeError);
});

test("hex is read back as it was written, and only lower case and whole bytes are read", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  assert.deepEqual(bytesOf(hexOf(bytes)), bytes);
  assert.deepEqual(bytesOf(""), new Uint8Array());
  for (const hex of ["0", "0G", "AB", " 00", "00\n", "0x00"]) assert.throws(() => bytesOf(hex), RangeError);
});

test("a mask has a bit for each tile, and none for a tile that it cannot hold", () => {
  assert.equal(maskOf([1, 3, 16]), 0x8005);
  for (let mask = 0; mask < 65_536; mask += 97) assert.equal(maskOf(tilesOf(mask)), mask);
  for (const tile of [0, -1, 17, 33]) assert.throws(() => maskOf([tile]), RangeError);
});

test("a tile that no mask holds is not written into a run", () => {
  const turns = [{ dice: 2, shut: [40] }];
  assert.throws(() => runBytes("round", new Uint8Array(16), new Uint8Array(32), turns), RangeError);
});

test("every face comes from 42 bytes and four bytes give none", () => {
  const faces = fairFaces(Uint8Array.from({ length: 256 }, (_, byte) => byte));
  assert.equal(faces.length, 252);
  for (const face of [1, 2, 3, 4, 5, 6]) assert.equal(faces.filter((other) => other === face).length, 42);
  assert.deepEqual(fairFaces(Uint8Array.of(252, 253, 254, 255)), []);
});
