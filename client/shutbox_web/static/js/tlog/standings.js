// The ranking of a closed round from its leaves and its disclosed runs (protocol.md, "Order", "Bundle").

import { givenAwayMilli } from "../game/analysis.js";
import { deal } from "../game/dice.js";
import { concat, hexOf, sha256, tag, u32 } from "../game/encoding.js";
import { replay } from "../game/replay.js";
import { rulesOf } from "../game/rules.js";
import { byHash } from "../game/rulesets.js";
import { Fault, Refused } from "./faults.js";
import { LeafType, Mode } from "./leaves.js";
import { turnsOf } from "./runs.js";

/** @import { Bytes } from "../game/encoding.js" */
/** @import { Refusal } from "../game/replay.js" */
/** @import { CloseLeaf, Leaf, RoundLeaf } from "./leaves.js" */
/** @import { Run } from "./runs.js" */

/** @typedef {{index: number, roundId: string, runId: Bytes, commitment: Bytes}} LoggedRun A RUN leaf and its place. */

/** What a log says of one round: its runs in log order, and for what reason which (hex) are withdrawn. */
export class RoundHistory {
  /** @type {LoggedRun[]} */
  runs = [];
  /** @type {CloseLeaf | null} */
  close = null;
  /** @type {Map<string, number>} */
  withdrawn = new Map();
  /** @type {ReadonlyMap<string, number>} */
  withdrawnAtClose = new Map();

  /**
   * @param {RoundLeaf} round
   * @param {Bytes} document of its ruleset
   */
  constructor(round, document) {
    this.round = round;
    this.document = document;
  }

  /** @type {(leaf: Leaf, index: number) => void} Take a leaf that names the round. */
  add(leaf, index) {
    if (leaf.type === LeafType.RUN) {
      this.runs.push({ index, roundId: this.round.roundId, runId: leaf.runId, commitment: leaf.commitment });
    } else if (leaf.type === LeafType.CLOSE) {
      this.close = leaf;
      this.withdrawnAtClose = new Map(this.withdrawn);
    } else if (leaf.type === LeafType.WITHDRAW) this.withdrawn.set(hexOf(leaf.runId), leaf.reason);
    else if (leaf.type === LeafType.REINSTATE) this.withdrawn.delete(hexOf(leaf.runId));
  }
}

/** @typedef {{refusal: Refusal | null, score: number, givenAwayMilli: number}} Worth What replay says of a run. */

/**
 * A run that replay has found legal; ids and tags are hex, given away is 0 on an open round.
 * @typedef {{runId: string, commitment: Bytes, playerTag: string, score: number, givenAwayMilli: number}} JudgedRun
 */

/** @typedef {{rank: number, run: JudgedRun}} RankedRun A player's best run and its rank. */

/**
 * Return (a promise of) what tells the worth of a run of the round; the same turns are replayed once. Refuses a ruleset
 * that this program does not know: that decides nothing.
 * @type {(round: RoundLeaf, seed: Bytes) => Promise<(run: Run) => Worth>}
 */
export async function judgeOf({ rulesetHash, mode }, seed) {
  const ruleset = (await byHash()).get(hexOf(rulesetHash));
  if (!ruleset) throw new Refused(Fault.UNKNOWN_RULESET, hexOf(rulesetHash));
  const rules = rulesOf(ruleset);
  const table = await deal(rules, seed);
  /** @type {Map<string, Worth>} */
  const known = new Map();
  return (run) => {
    const key = hexOf(run.played);
    let worth = known.get(key);
    if (!worth) {
      const turns = turnsOf(run);
      const { open, refusal } = replay(rules, table, turns);
      const lost = mode === Mode.SEALED && !refusal ? givenAwayMilli(rules, table, turns) : 0;
      worth = { refusal, score: rules.openingPenalty - rules.penalties[open], givenAwayMilli: lost };
      known.set(key, worth);
    }
    return worth;
  };
}

/**
 * Return the best run of each player in order, without those withdrawn; equal results share a rank (1, 2, 2, 4).
 * @type {(runs: readonly JudgedRun[], withdrawn?: {has: (runId: string) => boolean}) => RankedRun[]}
 */
export function rank(runs, withdrawn = new Set()) {
  /** @type {Map<string, JudgedRun>} */
  const best = new Map();
  for (const run of [...runs].sort(inOrder)) {
    if (!withdrawn.has(run.runId) && !best.has(run.playerTag)) best.set(run.playerTag, run);
  }
  /** @type {RankedRun[]} */
  const ranked = [];
  for (const run of best.values()) {
    const above = ranked.at(-1);
    ranked.push({ rank: above && !byResult(above.run, run) ? above.rank : ranked.length + 1, run });
  }
  return ranked;
}

/** @type {(one: JudgedRun, other: JudgedRun) => number} Zero for runs that share a rank. */
const byResult = (one, other) => other.score - one.score || one.givenAwayMilli - other.givenAwayMilli;

/** @type {(one: JudgedRun, other: JudgedRun) => number} */
const inOrder = (one, other) => byResult(one, other) || (one.runId < other.runId ? -1 : 1);

/** @type {(ranked: readonly RankedRun[]) => Promise<Bytes>} Return the hash of a ranking. */
export function rankingHash(ranked) {
  const places = new Uint8Array(36 * ranked.length);
  for (const [place, { rank, run }] of ranked.entries()) {
    places.set(u32(rank), 36 * place);
    places.set(run.commitment, 36 * place + 4);
  }
  return sha256(concat(tag("ranking"), places));
}
