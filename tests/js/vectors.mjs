// The protocol's vectors as plain data, and what the tests need beside them.

import { readFileSync } from "node:fs";

/** Return the content of one vector file. */
export function vectors(name) {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), "utf8"));
}

/** Return an endless source of whole numbers below a bound, the same for the same seed (xorshift32). */
export function randomBelow(seed) {
  let state = seed | 0 || 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

/** Return 32 bytes drawn from such a source. */
export function seedFrom(random) {
  return Uint8Array.from({ length: 32 }, () => random(256));
}
