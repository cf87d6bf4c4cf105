// The eight leaves of the log, read from their bytes (protocol.md, "The log"). Ids and hashes are bytes, days yyyymmdd.

import { dayNumber } from "./dates.js";
import { Fault, Refused } from "./faults.js";
import { Reader } from "./reading.js";

/** @import { Bytes } from "../game/encoding.js" */

const VERSION = 1;
const LONGEST_LEAF = 0xffff; // an entry bundle writes the length of a leaf as a u16

/** The second byte of a leaf. */
export const LeafType = Object.freeze({
  CHAIN: 1, // a chain of day secrets begins: N links, the first for its first day, and c_0
  ROUND: 2, // a round is committed to
  RUN: 3, // a run was accepted; what it was is hidden in a salted commitment until the close
  CLOSE: 4, // a round has closed: its seed, its day secret, and what was ranked
  WITHDRAW: 5, // a run is no longer ranked
  RULESET: 6, // the rules of rounds that come later
  REINSTATE: 7, // a withdrawn run is ranked again
  SUCCEED: 8, // this log goes on where another ended
});

/** What a logged round is. */
export const Kind = Object.freeze({ DAILY: 1, CHALLENGE: 2 });

/** Whether the seed is kept until the close (sealed) or issued up front (open). */
export const Mode = Object.freeze({ SEALED: 1, OPEN: 2 });

const REASONS = 4;

/** The words for both in bundles; that of the mode stands in day seeds too. */
export const KIND_WORDS = Object.freeze({ [Kind.DAILY]: "daily", [Kind.CHALLENGE]: "challenge" });
export const MODE_WORDS = Object.freeze({ [Mode.SEALED]: "sealed", [Mode.OPEN]: "open" });

/** @typedef {{type: 1, t: bigint, chainId: Bytes, links: number, firstDay: number, anchor: Bytes}} ChainLeaf */
/**
 * A challenge has zero in chainId, link (i) and day; `opens` and `closes` are unix ms.
 * @typedef {object} RoundLeaf
 * @property {2} type
 * @property {bigint} t
 * @property {typeof Kind[keyof typeof Kind]} kind
 * @property {typeof Mode[keyof typeof Mode]} mode
 * @property {string} roundId
 * @property {Bytes} rulesetHash
 * @property {Bytes} commitment
 * @property {Bytes} chainId
 * @property {number} link
 * @property {number} day
 * @property {bigint} opens
 * @property {bigint} closes
 */
/** @typedef {{type: 3, t: bigint, roundId: string, runId: Bytes, commitment: Bytes}} RunLeaf */
/**
 * `daySecret` is c_i, of a challenge zero.
 * @typedef {object} CloseLeaf
 * @property {4} type
 * @property {bigint} t
 * @property {string} roundId
 * @property {Bytes} seed
 * @property {Bytes} daySecret
 * @property {number} ranked
 * @property {Bytes} rankingHash
 */
/** @typedef {{type: 5, t: bigint, roundId: string, runId: Bytes, reason: number}} WithdrawLeaf */
/** @typedef {{type: 6, t: bigint, document: Bytes}} RulesetLeaf */
/** @typedef {{type: 7, t: bigint, roundId: string, runId: Bytes}} ReinstateLeaf */
/** @typedef {{type: 8, t: bigint, origin: string, size: bigint, root: Bytes}} SucceedLeaf */
/**
 * @typedef {ChainLeaf | RoundLeaf | RunLeaf | CloseLeaf | WithdrawLeaf | RulesetLeaf | ReinstateLeaf
 *   | SucceedLeaf} Leaf
 */

/** @type {(content: Bytes) => Leaf} Return the leaf that the bytes are; no two have the same bytes. */
export function decode(content) {
  if (content.length > LONGEST_LEAF) throw new Refused(Fault.TOO_LONG, "leaf");
  const fields = new Reader(content, "leaf");
  const [version, type] = [fields.number(1), fields.number(1)];
  if (version !== VERSION) throw new Refused(Fault.UNKNOWN_VERSION, `leaf version ${version}`);
  if (!(type in READERS)) throw new Refused(Fault.UNKNOWN_TYPE, `leaf type ${type}`);
  const leaf = READERS[type](fields.u64(), fields);
  fields.end();
  return leaf;
}

/** @type {{[type: number]: (t: bigint, fields: Reader) => Leaf}} Literals are evaluated in order: that of the bytes. */
const READERS = {
  [LeafType.CHAIN]: readChain,
  [LeafType.ROUND]: readRound,
  [LeafType.RUN]: (t, fields) => ({
    type: LeafType.RUN, t, roundId: fields.roundId(), runId: fields.take(16), commitment: fields.take(32),
  }),
  [LeafType.CLOSE]: (t, fields) => ({
    type: LeafType.CLOSE,
    t,
    roundId: fields.roundId(),
    seed: fields.take(32),
    daySecret: fields.take(32),
    ranked: fields.number(4),
    rankingHash: fields.take(32),
  }),
  [LeafType.WITHDRAW]: readWithdraw,
  [LeafType.RULESET]: (t, fields) => ({ type: LeafType.RULESET, t, document: fields.take(12) }),
  [LeafType.REINSTATE]: (t, fields) => ({
    type: LeafType.REINSTATE, t, roundId: fields.roundId(), runId: fields.take(16),
  }),
  [LeafType.SUCCEED]: (t, fields) => ({
    type: LeafType.SUCCEED, t, origin: fields.origin(), size: fields.u64(), root: fields.take(32),
  }),
};

/** @type {(t: bigint, fields: Reader) => ChainLeaf} */
function readChain(t, fields) {
  const [chainId, links, firstDay, anchor] = [fields.take(16), fields.number(4), fields.number(4), fields.take(32)];
  dayNumber(firstDay);
  return { type: LeafType.CHAIN, t, chainId, links, firstDay, anchor };
}

/** @type {(t: bigint, fields: Reader) => RoundLeaf} */
function readRound(t, fields) {
  const [kind, mode] = [fields.number(1), fields.number(1)];
  if (kind !== Kind.DAILY && kind !== Kind.CHALLENGE) throw new Refused(Fault.UNKNOWN_KIND, String(kind));
  if (mode !== Mode.SEALED && mode !== Mode.OPEN) throw new Refused(Fault.UNKNOWN_MODE, String(mode));
  const named = { roundId: fields.roundId(), rulesetHash: fields.take(32), commitment: fields.take(32) };
  const place = { chainId: fields.take(16), link: fields.number(4), day: fields.number(4) };
  const times = { opens: fields.u64(), closes: fields.u64() };
  if (kind === Kind.DAILY) dayNumber(place.day);
  else if (place.chainId.some(Boolean) || place.link || place.day) {
    throw new Refused(Fault.NOT_ZERO, "chain_id, i or day of a challenge");
  }
  return { type: LeafType.ROUND, t, kind, mode, ...named, ...place, ...times };
}

/** @type {(t: bigint, fields: Reader) => WithdrawLeaf} */
function readWithdraw(t, fields) {
  const [roundId, runId, reason] = [fields.roundId(), fields.take(16), fields.number(1)];
  if (!(reason >= 1 && reason <= REASONS)) throw new Refused(Fault.UNKNOWN_REASON, String(reason));
  return { type: LeafType.WITHDRAW, t, roundId, runId, reason };
}
