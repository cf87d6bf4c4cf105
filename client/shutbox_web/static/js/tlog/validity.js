// Is a log valid? A fold over its leaves with every rule that needs no bundle (protocol.md, "A log is valid when").

import { concat, hexOf, sha256, tag } from "../game/encoding.js";
import { byHash } from "../game/rulesets.js";
import { commitment } from "../game/seeds.js";
import { dayNumber, iso, midnight } from "./dates.js";
import { daySeed, earlierLink } from "./disclosure.js";
import { Fault, Refused } from "./faults.js";
import { Kind, LeafType, MODE_WORDS, Mode } from "./leaves.js";
import { same } from "./reading.js";

/** @import { Bytes } from "../game/encoding.js" */
/** @import { ChainLeaf, CloseLeaf, Leaf, RoundLeaf, RunLeaf, SucceedLeaf } from "./leaves.js" */

/** @typedef {{leaf: RoundLeaf, runIds: Set<string>, closed: boolean}} RoundState */

const CHALLENGE_ID = /^challenge-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What the leaves so far say; `add` refuses the next one if a rule forbids it, and is then unchanged. Keys are hex. */
export class LogState {
  size = 0;
  /** @type {SucceedLeaf | null} the first leaf, where the log goes on after another one */
  succeeds = null;
  /** @type {Map<string, RoundState>} */
  rounds = new Map();
  #lastClosedDay = 0;
  /** @type {Map<number, number>} by day: how many dailies have not closed; no day has none */
  #openDailies = new Map();
  /** @type {Map<string, Bytes>} documents by hash */
  #rulesets = new Map();
  /** @type {Map<string, ChainLeaf>} in the order of their leaves */
  #chains = new Map();
  /** @type {Map<string, {number: number, link: Bytes}>} by chain: the latest link that was found right */
  #disclosed = new Map();

  /**
   * Take the next leaf of the log, or refuse it. Wait for what is returned before the next one.
   * @type {(leaf: Leaf) => Promise<void>}
   */
  async add(leaf) {
    if (leaf.type === LeafType.RUN) this.#addRun(leaf);
    else if (leaf.type === LeafType.ROUND) await this.#addRound(leaf);
    else if (leaf.type === LeafType.CLOSE) await this.#addClose(leaf);
    else if (leaf.type === LeafType.RULESET) {
      this.#rulesets.set(hexOf(await sha256(concat(tag("ruleset"), leaf.document))), leaf.document);
    } else if (leaf.type === LeafType.CHAIN) this.#addChain(leaf);
    else if (leaf.type === LeafType.SUCCEED) {
      if (this.size) throw new Refused(Fault.SUCCEED_NOT_FIRST);
      this.succeeds = leaf;
    } else if (!this.#round(leaf.roundId).runIds.has(hexOf(leaf.runId))) {
      throw new Refused(Fault.RUN_NOT_LOGGED, hexOf(leaf.runId));
    }
    this.size += 1;
  }

  /** @type {(round: RoundLeaf) => Bytes} Return the document of the ruleset that a logged round names. */
  documentOf({ rulesetHash }) {
    return /** @type {Bytes} */ (this.#rulesets.get(hexOf(rulesetHash)));
  }

  /** @param {string} roundId */
  #round(roundId) {
    const round = this.rounds.get(roundId);
    if (!round) throw new Refused(Fault.ROUND_NOT_LOGGED, roundId);
    return round;
  }

  /** @param {ChainLeaf} leaf */
  #addChain(leaf) {
    const id = hexOf(leaf.chainId);
    if (this.#chains.has(id)) throw new Refused(Fault.REPEATED_CHAIN, id); // else it could name two anchors
    this.#chains.set(id, leaf);
    this.#disclosed.set(id, { number: 0, link: leaf.anchor });
  }

  /** @param {RoundLeaf} leaf */
  async #addRound(leaf) {
    if (this.rounds.has(leaf.roundId)) throw new Refused(Fault.REPEATED_ROUND, leaf.roundId);
    if (!this.#rulesets.has(hexOf(leaf.rulesetHash))) throw new Refused(Fault.RULESET_NOT_LOGGED, leaf.roundId);
    if (leaf.kind === Kind.DAILY) await this.#checkDaily(leaf);
    else if (!CHALLENGE_ID.test(leaf.roundId)) throw new Refused(Fault.ROUND_ID_MISMATCH, leaf.roundId);
    if (leaf.kind === Kind.DAILY) this.#count(leaf.day, 1);
    this.rounds.set(leaf.roundId, { leaf, runIds: new Set(), closed: false });
  }

  /** @param {RoundLeaf} leaf */
  async #checkDaily(leaf) {
    const { day, link, opens, roundId } = leaf;
    const chain = this.#chains.get(hexOf(leaf.chainId));
    if (!chain) throw new Refused(Fault.CHAIN_NOT_LOGGED, roundId);
    if (!(link >= 1 && link <= chain.links)) throw new Refused(Fault.LINK_OUT_OF_RANGE, roundId);
    if (linkOf(chain, day) !== link) throw new Refused(Fault.DAY_MISMATCH, roundId);
    if (chain !== [...this.#chains.values()].reverse().find((other) => linkOf(other, day) >= 1)) {
      throw new Refused(Fault.CHAIN_NOT_RULING, roundId);
    }
    if (!(await namesDaily(leaf))) throw new Refused(Fault.ROUND_ID_MISMATCH, roundId);
    if (opens !== midnight(day)) throw new Refused(Fault.OPENS_MISMATCH, roundId);
    this.#checkNotDisclosed(leaf);
  }

  /** @param {RunLeaf} leaf */
  #addRun(leaf) {
    const round = this.#round(leaf.roundId);
    if (round.closed) throw new Refused(Fault.ROUND_CLOSED, leaf.roundId);
    const id = hexOf(leaf.runId);
    if (round.runIds.has(id)) throw new Refused(Fault.REPEATED_RUN, id); // else a WITHDRAW would not say which
    this.#checkNotDisclosed(round.leaf);
    round.runIds.add(id);
  }

  /**
   * Refuse more of a daily whose dice follow from a day secret that is in the log: one CLOSE ends the whole day.
   * @param {RoundLeaf} round
   */
  #checkNotDisclosed({ kind, day, roundId }) {
    if (kind === Kind.DAILY && day <= this.#lastClosedDay) throw new Refused(Fault.DAYS_OUT_OF_ORDER, roundId);
  }

  /** @type {(day: number, change: 1 | -1) => void} Count a daily of the day that was logged, or one that closed. */
  #count(day, change) {
    const count = (this.#openDailies.get(day) ?? 0) + change;
    if (count) this.#openDailies.set(day, count);
    else this.#openDailies.delete(day);
  }

  /** @param {CloseLeaf} leaf */
  async #addClose(leaf) {
    const state = this.#round(leaf.roundId);
    const round = state.leaf;
    if (state.closed) throw new Refused(Fault.REPEATED_CLOSE, leaf.roundId);
    if (round.kind === Kind.DAILY) await this.#checkDaySecret(round, leaf);
    else if (leaf.daySecret.some(Boolean)) throw new Refused(Fault.NOT_ZERO, leaf.roundId);
    if (!same(await commitment(round.rulesetHash, leaf.seed), round.commitment)) {
      throw new Refused(Fault.SEED_MISMATCH, leaf.roundId);
    }
    if (round.kind === Kind.DAILY) {
      this.#lastClosedDay = round.day;
      this.#count(round.day, -1);
      this.#disclosed.set(hexOf(round.chainId), { number: round.link, link: leaf.daySecret });
    }
    state.closed = true;
  }

  /**
   * Hash back to the latest link that was found right, which has itself been hashed back to c_0.
   * @type {(round: RoundLeaf, close: CloseLeaf) => Promise<void>}
   */
  async #checkDaySecret(round, { daySecret, seed }) {
    if ([...this.#openDailies.keys()].some((day) => day < round.day)) {
      throw new Refused(Fault.DAYS_OUT_OF_ORDER, round.roundId);
    }
    const known = this.#disclosed.get(hexOf(round.chainId)); // of every chain there is one
    if (!known || !same(await earlierLink(round.chainId, round.link, daySecret, known.number), known.link)) {
      throw new Refused(Fault.LINK_MISMATCH, round.roundId);
    }
    if (!same(await daySeed(daySecret, round.day, MODE_WORDS[round.mode], round.rulesetHash), seed)) {
      throw new Refused(Fault.SEED_NOT_DERIVED, round.roundId);
    }
  }
}

/** @type {(chain: ChainLeaf, day: number) => number} Return i of a day; a chain has the links 1 … N. */
const linkOf = ({ firstDay }, day) => dayNumber(day) - dayNumber(firstDay) + 1;

/**
 * Tell whether a daily's id agrees with its day, ruleset and mode, as far as the ruleset's name is known.
 * @param {RoundLeaf} leaf
 */
async function namesDaily({ roundId, day, mode, rulesetHash }) {
  const suffix = mode === Mode.OPEN ? "-open" : "";
  const ruleset = (await byHash()).get(hexOf(rulesetHash));
  if (!ruleset) return roundId.startsWith(`${iso(day)}-`) && roundId.endsWith(suffix);
  return roundId === `${iso(day)}-${ruleset.id}${suffix}`;
}
