// The bytes of a run, which the log commits to (protocol.md, "Runs").

import { concat, lp, maskOf, sha256, tag, u16, u8, utf8 } from "./encoding.js";

/** @import { Bytes } from "./encoding.js" */
/** @import { Turn } from "./replay.js" */

/**
 * Return the bytes of a legal run; the tag has 16 bytes, the hash 32.
 * @type {(roundId: string, playerTag: Uint8Array, rulesetHash: Uint8Array, turns: readonly Turn[]) => Uint8Array}
 */
export function runBytes(roundId, playerTag, rulesetHash, turns) {
  const played = turns.map(({ dice, shut }) => concat(u8(dice), u16(maskOf(shut))));
  return concat(u8(1), lp(utf8(roundId)), playerTag, rulesetHash, u8(turns.length), ...played);
}

/**
 * Return (a promise of) what the log holds of a run until its round has closed; the salt has 32 bytes.
 * @type {(salt: Uint8Array, run: Uint8Array) => Promise<Bytes>}
 */
export const runCommitment = (salt, run) => sha256(concat(tag("run"), salt, lp(run)));
