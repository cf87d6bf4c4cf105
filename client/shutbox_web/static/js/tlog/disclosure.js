// What a disclosed day secret proves (protocol.md, "Secrets, seeds, commitments").

import { concat, lp, sha256, tag, u32, utf8 } from "../game/encoding.js";

/** @import { Bytes } from "../game/encoding.js" */

/**
 * Return (a promise of) c_earlier from c_number by hashing back.
 * @type {(chainId: Bytes, number: number, link: Bytes, earlier: number) => Promise<Bytes>}
 */
export async function earlierLink(chainId, number, link, earlier) {
  let found = link;
  for (let i = number; i > earlier; i--) found = await sha256(concat(tag("chain"), chainId, u32(i), found));
  return found;
}

/**
 * Return (a promise of) the seed of a daily round; the day is yyyymmdd, the mode `sealed` or `open`.
 * @type {(link: Bytes, day: number, mode: string, rulesetHash: Bytes) => Promise<Bytes>}
 */
export async function daySeed(link, day, mode, rulesetHash) {
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey("raw", link, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const content = concat(tag("day-seed"), u32(day), lp(utf8(mode)), rulesetHash);
  return new Uint8Array(await subtle.sign("HMAC", key, content));
}
