// The dice of a round from its seed (protocol.md, "Dice"): the only part of a round that is asynchronous.

import { concat, tag, u32 } from "./encoding.js";

/** @import { Bytes } from "./encoding.js" */
/** @import { RollTable, Rules } from "./rules.js" */

/** @type {(stream: Uint8Array) => number[]} Return a face for each byte that is kept: 42 · 6 of them, 0…251. */
export const fairFaces = (stream) => Array.from(stream.filter((byte) => byte <= 251), (byte) => 1 + (byte % 6));

/**
 * Return rolls 0 … number-1 of a seed of 32 bytes, each of all its dice; rolling one die shows the first of them.
 * @type {(seed: Bytes, dice: number, number: number) => Promise<number[][]>}
 */
export async function rolls(seed, dice, number) {
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey("raw", seed, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  /** @type {number[]} */
  const faces = [];
  for (let block = 0; faces.length < dice * number; block++) {
    const stream = await subtle.sign("HMAC", key, concat(tag("dice"), u32(block)));
    faces.push(...fairFaces(new Uint8Array(stream)));
  }
  return Array.from({ length: number }, (_, roll) => faces.slice(roll * dice, (roll + 1) * dice));
}

/**
 * Return the whole roll table of a round: as many rolls as tiles are open at the start.
 * @type {(rules: Rules, seed: Bytes) => Promise<RollTable>}
 */
export const deal = async (rules, seed) =>
  rules.table(await rolls(seed, rules.ruleset.dice, rules.ruleset.tableRolls));
