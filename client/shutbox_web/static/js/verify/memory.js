// What this browser remembers of the log: its key, and the newest checkpoint that was found right.

/** @typedef {{key: string, checkpoint: string}} Remembered A key, and a note that it signed. */

/**
 * `denied`: this browser keeps nothing for this site; `damaged`: what is kept is not what was remembered; `earlier`:
 * logs that have ended, the newest last.
 * @typedef {Remembered & {state: "known", earlier: Remembered[]} | {state: "none" | "denied" | "damaged"}} Memory
 */

/**
 * `kept`: the checkpoint is remembered; `larger`: a larger one is, of another tab; `other`: another log is, or another
 * root for the same size; `denied`: nothing is.
 * @typedef {"kept" | "larger" | "other" | "denied"} Kept
 */

const ITEM = "log";

/** @returns {Memory} */
export function recall() {
  let kept;
  try {
    kept = localStorage.getItem(ITEM);
  } catch {
    return { state: "denied" };
  }
  if (kept === null) return { state: "none" };
  try {
    const { key, checkpoint, earlier = [] } = JSON.parse(kept);
    const all = [{ key, checkpoint }, ...earlier];
    if (all.every(isRemembered)) return { state: "known", key, checkpoint, earlier };
  } catch {
    // it is damaged
  }
  return { state: "damaged" };
}

/** @type {(item: Remembered) => boolean} */
const isRemembered = ({ key, checkpoint }) => typeof key === "string" && typeof checkpoint === "string";

/**
 * Remember a note that was found right, unless what another tab has remembered meanwhile would be lost. `compared` is
 * the key that was remembered when it was held against what was known: a log that ended stays beside the one after it.
 * @type {(newest: Remembered, compared: string) => Kept}
 */
export function remember({ key, checkpoint }, compared) {
  const known = recall();
  if (known.state === "denied") return "denied";
  if (known.state === "damaged") return "other";
  /** @type {Remembered[]} */
  let earlier = [];
  if (known.state === "known") {
    if (known.key === key) {
      const [old, now] = [sizeOf(known.checkpoint), sizeOf(checkpoint)];
      if (old > now) return "larger";
      if (old === now) return sameTree(known.checkpoint, checkpoint) ? "kept" : "other";
      earlier = known.earlier;
    } else if (known.key === compared) {
      earlier = [...known.earlier, { key: known.key, checkpoint: known.checkpoint }];
    } else return "other";
  }
  try {
    localStorage.setItem(ITEM, JSON.stringify({ key, checkpoint, ...(earlier.length ? { earlier } : {}) }));
    return "kept";
  } catch {
    return "denied";
  }
}

/** Remember nothing any more. */
export function forget() {
  try {
    localStorage.removeItem(ITEM);
  } catch {
    // nothing was kept
  }
}

/** @type {(checkpoint: string) => bigint} Return how many leaves a note is over, as it says itself. */
export function sizeOf(checkpoint) {
  const size = checkpoint.split("\n")[1];
  return /^\d+$/.test(size) ? BigInt(size) : 0n;
}

/** @type {(one: string, other: string) => boolean} Tell whether two notes say the same of the log. */
const sameTree = (one, other) => one.split("\n\n")[0] === other.split("\n\n")[0];
