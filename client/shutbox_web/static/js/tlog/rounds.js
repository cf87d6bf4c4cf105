// Is a bundle the closed round of the log? (protocol.md, "Checking", "A closed round"): the first fault is named.

import { hexOf } from "../game/encoding.js";
import { ahead } from "./ahead.js";
import { HEADER_MEMBERS, linesOf, parseHeader, parseRunLine } from "./bundle.js";
import { Fault, Refused } from "./faults.js";
import { KIND_WORDS, MODE_WORDS, Mode } from "./leaves.js";
import { same } from "./reading.js";
import { openCommitment } from "./runs.js";
import { judgeOf, rank, rankingHash } from "./standings.js";

/** @import { Bytes } from "../game/encoding.js" */
/** @import { CloseLeaf } from "./leaves.js" */
/** @import { Run } from "./runs.js" */
/** @import { JudgedRun, LoggedRun, RankedRun, RoundHistory, Worth } from "./standings.js" */

/** @typedef {{given: number | null, run: JudgedRun}} Checked A line whose run is right, and the rank that it gives. */

const LINES_AHEAD = 256;

/**
 * Return (a promise of) the ranking at the close of a round of a log that was found valid, all of it computed from the
 * bundle. Refused names the first fault, or `not-closed` or `unknown-ruleset`, which decide nothing. `progress` is told
 * how many runs of how many were found right.
 * @param {RoundHistory} history
 * @param {ReadableStream<Uint8Array>} bundle
 * @param {(checked: number, runs: number) => void} [progress]
 */
export async function checkRound(history, bundle, progress) {
  const { close, round, runs } = history;
  if (!close) throw new Refused(Fault.NOT_CLOSED, round.roundId);
  const worthOf = await judgeOf(round, close.seed);
  const lines = linesOf(bundle);
  try {
    checkHeader(history, close, (await lines.next()).value ?? new Uint8Array());
    const found = ahead(lines, LINES_AHEAD, (line, place) =>
      checkLine(history, line, place, worthOf).catch((/** @type {unknown} */ error) => ({ error })),
    );
    /** @type {Checked[]} */
    const checked = [];
    let count = 0;
    /** @type {string | null} */
    let misplaced = null;
    for await (const line of found) {
      count += 1;
      if (misplaced) continue; // the lines are counted
      if ("error" in line) throw line.error;
      if (line.run) checked.push(line);
      else misplaced = misplacedRun(runs, line.runId, checked.length);
      progress?.(checked.length, runs.length);
    }
    if (misplaced && count === runs.length) throw new Refused(Fault.RUN_OUT_OF_ORDER, `run ${misplaced}`);
    if (checked.length < runs.length) throw new Refused(Fault.RUN_MISSING, `run ${hexOf(runs[checked.length].runId)}`);
    return await checkRanking(history, close, checked);
  } finally {
    void lines.return();
  }
}

/** @type {(history: RoundHistory, close: CloseLeaf, line: Bytes) => void} */
function checkHeader({ round, document }, close, line) {
  const given = parseHeader(line);
  /** @type {{[member: string]: string | number | bigint}} */
  const logged = {
    round_id: round.roundId,
    kind: KIND_WORDS[round.kind],
    mode: MODE_WORDS[round.mode],
    ruleset_document: hexOf(document),
    ruleset_hash: hexOf(round.rulesetHash),
    commitment: hexOf(round.commitment),
    chain_id: hexOf(round.chainId),
    i: round.link,
    day: round.day,
    opens: round.opens,
    closes: round.closes,
    seed: hexOf(close.seed),
    day_secret: hexOf(close.daySecret),
    ranked: close.ranked,
    ranking_hash: hexOf(close.rankingHash),
  };
  for (const member of HEADER_MEMBERS) {
    if (String(given.get(member)) !== String(logged[member])) throw new Refused(Fault.HEADER_MISMATCH, member);
  }
}

/**
 * Return the run of a line, or only its id if it is another run than the log has at this place.
 * @param {RoundHistory} history
 * @param {Bytes} line
 * @param {number} place among the runs
 * @param {(run: Run) => Worth} worthOf
 */
async function checkLine({ round, runs }, line, place, worthOf) {
  const { runId, leafIndex, salt, run: content, rank: given } = parseRunLine(line, place + 2);
  const leaf = runs[place];
  if (!leaf || hexOf(leaf.runId) !== runId) return { runId };
  if (leafIndex !== leaf.index) throw new Refused(Fault.INDEX_MISMATCH, `run ${runId}`);
  const run = await openCommitment(leaf, salt, content);
  if (!same(run.rulesetHash, round.rulesetHash)) throw new Refused(Fault.RUN_OF_ANOTHER_ROUND, `run ${runId}`);
  const { refusal, score, givenAwayMilli } = worthOf(run);
  if (refusal) throw new Refused(Fault.ILLEGAL_RUN, `run ${runId}: ${refusal.reason} on turn ${refusal.turn}`);
  const { commitment } = leaf;
  return { given, run: { runId, commitment, playerTag: hexOf(run.playerTag), score, givenAwayMilli } };
}

/**
 * Return a run that stands before its place; what is wrong then the number of lines tells. Refuse any other one.
 * @type {(runs: readonly LoggedRun[], runId: string, place: number) => string}
 */
function misplacedRun(runs, runId, place) {
  const logged = runs.findIndex((leaf) => hexOf(leaf.runId) === runId);
  if (logged < 0) throw new Refused(Fault.RUN_NOT_LOGGED, `run ${runId}`);
  if (logged < place) throw new Refused(Fault.REPEATED_RUN, `run ${runId}`);
  return runId;
}

/** @type {(history: RoundHistory, close: CloseLeaf, checked: readonly Checked[]) => Promise<RankedRun[]>} */
async function checkRanking({ round, withdrawnAtClose }, close, checked) {
  const runs = checked.map(({ run }) => run);
  if (round.mode === Mode.SEALED && new Set(runs.map(({ playerTag }) => playerTag)).size < runs.length) {
    throw new Refused(Fault.REPEATED_PLAYER, round.roundId);
  }
  const ranked = rank(runs, withdrawnAtClose);
  if (ranked.length !== close.ranked) {
    throw new Refused(Fault.RANKED_MISMATCH, `${round.roundId}: ${ranked.length} instead of ${close.ranked}`);
  }
  if (!same(await rankingHash(ranked), close.rankingHash)) throw new Refused(Fault.RANKING_MISMATCH, round.roundId);
  const ranks = new Map(ranked.map(({ rank, run }) => [run.runId, rank]));
  for (const { given, run } of checked) {
    if (given !== (ranks.get(run.runId) ?? null)) throw new Refused(Fault.RANK_MISMATCH, `run ${run.runId}`);
  }
  return ranked;
}
