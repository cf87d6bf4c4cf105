// What binds a round to its seed before the seed is known (protocol.md, "Secrets, seeds, commitments").

import { concat, sha256, tag } from "./encoding.js";

/**
 * Return (a promise of) the commitment, 32 bytes, to a seed of 32 bytes.
 * @type {(rulesetHash: Uint8Array, seed: Uint8Array) => Promise<Uint8Array>}
 */
export const commitment = (rulesetHash, seed) => sha256(concat(tag("commitment"), rulesetHash, seed));
