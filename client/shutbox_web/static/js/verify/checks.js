// What is verified in a browser, step by step: a closed round of the log, and a receipt (protocol.md, "Checking").

import { hexOf, utf8 } from "../game/encoding.js";
import { auditLog, checkSuccessor, consistencyOf } from "../tlog/audit.js";
import { Fault, Refused, Undecided } from "../tlog/faults.js";
import { VerifierKey, verifyCheckpoint } from "../tlog/note.js";
import { verifyReceipt } from "../tlog/proof.js";
import { checkRound } from "../tlog/rounds.js";
import { turnsOf } from "../tlog/runs.js";
import { Missing } from "./files.js";

/** @import { Bytes } from "../game/encoding.js" */
/** @import { Turn } from "../game/replay.js" */
/** @import { LogAudit } from "../tlog/audit.js" */
/** @import { FaultCode } from "../tlog/faults.js" */
/** @import { Checkpoint } from "../tlog/note.js" */
/** @import { Receipt } from "../tlog/proof.js" */
/** @import { RankedRun, RoundHistory } from "../tlog/standings.js" */
/** @import { Files } from "./files.js" */
/** @import { Memory, Remembered } from "./memory.js" */

/** @typedef {"signature" | "memory" | "log" | "dice" | "runs" | "ranking" | "receipt" | "holds"} StepName */
/** @typedef {"checking" | "right" | "skipped"} Going */
/** @typedef {{step: StepName, state: Going, text?: string, done?: number, of?: number}} Told How a step stands. */
/** @typedef {(told: Told) => void} Tell Called as checking goes on. */

/**
 * How checking ended: with the first fault where something is wrong, with the reason where nothing can be told.
 * @typedef {{end: "right"} | {end: "wrong", step: StepName, fault: FaultCode, detail: string}
 *   | {end: "undecided", step: StepName, why: string}} End
 */

/** @typedef {{rank: number, runId: string, score: number, givenAwayMilli: number}} Place Of a ranking; ids are hex. */
/** @typedef {{runId: string, reason: number, since: boolean, reinstated: boolean}} Withdrawn `since` the close. */
/** @typedef {{runs: number, ranked: number, places: Place[], withdrawn: Withdrawn[]}} RoundFound */
/** @typedef {(right: Remembered) => void} Keep Called with the key and the note of a log that was found right. */
/** @typedef {{roundId: string, runId: string, index: bigint, size: bigint, turns: Turn[]}} ReceiptFound */

const SHOWN_PLACES = 10;

/** @type {{[fault: string]: StepName}} Faults of the log that are shown at another step than the one in work. */
const STEP_OF = {
  [Fault.ROLLED_BACK]: "memory",
  [Fault.SPLIT_VIEW]: "memory",
  [Fault.OLD_ROOT_MISMATCH]: "memory",
  [Fault.LINK_MISMATCH]: "dice",
  [Fault.SEED_MISMATCH]: "dice",
  [Fault.SEED_NOT_DERIVED]: "dice",
  [Fault.REPEATED_PLAYER]: "ranking",
  [Fault.RANKED_MISMATCH]: "ranking",
  [Fault.RANKING_MISMATCH]: "ranking",
  [Fault.RANK_MISMATCH]: "ranking",
};

/** One check: what it reads, what it knows from before, and the step that it has reached. */
class Check {
  /** @type {StepName} */
  step = "signature";
  /** @type {string | null} the signed checkpoint as it was read */
  note = null;

  /**
   * @param {string} keyText the key that the page shows: it counts where no other of this log is remembered
   * @param {Memory} memory
   * @param {Files} files
   * @param {Tell} tell
   */
  constructor(keyText, memory, files, tell) {
    this.succeeds = memory.state === "known" && nameOf(memory.key) !== nameOf(keyText);
    this.keyText = memory.state === "known" && !this.succeeds ? memory.key : keyText;
    this.memory = memory;
    this.files = files;
    files.keyId = this.keyText.split("+")[1];
    this.tell = tell;
  }

  /** @type {(step: StepName) => void} */
  begin(step) {
    this.step = step;
    this.tell({ step, state: "checking" });
  }

  /** @type {(done: number | bigint, of: number | bigint) => void} */
  progress(done, of) {
    this.files.heard();
    this.tell({ step: this.step, state: "checking", done: Number(done), of: Number(of) });
  }

  /** @type {(text: string, step?: StepName) => void} */
  right(text, step = this.step) {
    this.tell({ step, state: "right", text });
  }

  /** Return the key, the verified checkpoints of the log from before, and of the log before it: one or none each. */
  async known() {
    const { memory } = this;
    if (memory.state === "damaged") throw new Missing(DAMAGED);
    const key = await VerifierKey.parse(this.keyText);
    if (memory.state !== "known") return { key, known: [], ended: [] };
    const newest = await verifiedMemory(memory);
    if (this.succeeds) return { key, known: [], ended: [newest] };
    return { key, known: [newest], ended: await Promise.all(memory.earlier.slice(-1).map(verifiedMemory)) };
  }

  /** @type {(key: VerifierKey) => Promise<{content: Bytes, checkpoint: Checkpoint}>} Read the newest checkpoint. */
  async newest(key) {
    const content = await this.files.log("checkpoint");
    this.note = new TextDecoder().decode(content);
    return { content, checkpoint: await verifyCheckpoint(content, key) };
  }

  /** @type {(content: Bytes, key: VerifierKey) => Promise<{receipt: Receipt, endedLog: string | null}>} */
  async receipt(content, key) {
    try {
      return { receipt: await verifyReceipt(content, key), endedLog: null };
    } catch (error) {
      if (!(error instanceof Refused) || error.fault !== Fault.NOT_SIGNED || this.memory.state !== "known") throw error;
      const ended = this.succeeds ? [this.memory, ...this.memory.earlier] : this.memory.earlier;
      const of = ended.find((log) => noteIn(content).startsWith(`${nameOf(log.key)}\n`));
      if (!of) throw error;
      return { receipt: await verifyReceipt(content, await VerifierKey.parse(of.key)), endedLog: nameOf(of.key) };
    }
  }

  /** @type {(earlier: Checkpoint, newest: Checkpoint) => Promise<void>} Refuse a log that does not begin as it did. */
  async begins(earlier, newest) {
    if (earlier.size) await consistencyOf((path) => this.files.log(path), earlier, newest);
  }

  /** @type {(keep: Keep) => void} Have the newest checkpoint kept. */
  keep(keep) {
    if (this.note) keep({ key: this.keyText, checkpoint: this.note });
  }

  /** @type {(error: unknown) => End} */
  ended(error) {
    if (error instanceof Refused && !(error.fault in UNDECIDED)) {
      const step = this.step === "holds" || this.step === "receipt" ? this.step : STEP_OF[error.fault] ?? this.step;
      return { end: "wrong", step, fault: error.fault, detail: error.detail };
    }
    return { end: "undecided", step: this.step, why: whyUndecided(error) };
  }
}

/** @type {(key: string) => string} Return the log that a key is of. */
const nameOf = (key) => key.split("+")[0];

/** @type {(remembered: Remembered) => Promise<Checkpoint>} */
async function verifiedMemory({ key, checkpoint }) {
  try {
    return await verifyCheckpoint(utf8(checkpoint), await VerifierKey.parse(key));
  } catch (error) {
    throw error instanceof Refused ? new Missing(DAMAGED) : error;
  }
}

const DAMAGED = "what this browser remembered of the log is damaged";

/** @type {{[fault: string]: string}} Faults that are none: nothing is wrong, and nothing can be told. */
const UNDECIDED = {
  [Fault.NOT_CLOSED]: "the log does not hold the close of this round yet",
  [Fault.UNKNOWN_RULESET]: "these pages do not know its ruleset",
};

/** @type {(error: unknown) => string} */
function whyUndecided(error) {
  if (error instanceof Refused) return UNDECIDED[error.fault];
  if (error instanceof Undecided) return `this needs ${error.message}`;
  return error instanceof Missing ? error.message : `the check itself failed in this browser: ${error}`;
}

/**
 * Verify a closed round and the whole log that holds it. The log is to be kept whatever is found of the round: else one
 * who gives a wrong bundle could write the log anew, unseen.
 * @param {{roundId: string, keyText: string, memory: Memory, files: Files, tell: Tell, keep: Keep}} options
 */
export async function verifyRound({ roundId, keyText, memory, files, tell, keep }) {
  const check = new Check(keyText, memory, files, tell);
  /** @type {RoundFound | null} */
  let found = null;
  /** @type {End} */
  let end = { end: "right" };
  try {
    const audit = await checkLog(check, roundId);
    check.keep(keep);
    found = await checkDiceAndRuns(check, audit, roundId);
  } catch (error) {
    end = check.ended(error);
  }
  return { ...end, found, note: check.note };
}

/** @type {(check: Check, roundId: string) => Promise<LogAudit>} */
async function checkLog(check, roundId) {
  check.begin("signature");
  const { key, known, ended } = await check.known();
  const { content, checkpoint } = await check.newest(key);
  check.right(`${leaves(checkpoint.size)}, signed by ${key.name}`);
  if (known.length || ended.length) check.begin("memory");
  else check.tell({ step: "memory", state: "skipped", text: NOTHING_KNOWN[check.memory.state] });
  check.begin("log");
  const audit = await auditLog({
    source: async (path) => (path === "checkpoint" ? content : check.files.log(path)),
    key,
    known,
    follows: (round) => round.roundId === roundId,
    progress: (done, of) => check.progress(done, of),
  });
  check.right(`${leaves(checkpoint.size)}, together what was signed`);
  check.step = "memory";
  for (const earlier of ended) checkSuccessor(audit, earlier);
  const texts = [
    ...known.map(({ size }) => `the first ${leaves(size)} are the same as then`),
    ...ended.map(({ origin }) => `the log ${origin} has ended, and this one, ${key.name}, goes on after it`),
  ];
  if (texts.length) check.right(texts.join("; "));
  return audit;
}

/** @type {{[state: string]: string}} */
const NOTHING_KNOWN = {
  none: "Nothing to compare with yet in this browser",
  denied: "Nothing to compare with: this browser keeps nothing",
};

/** @type {(check: Check, audit: LogAudit, roundId: string) => Promise<RoundFound>} */
async function checkDiceAndRuns(check, audit, roundId) {
  check.begin("dice");
  const history = audit.historyOf(roundId);
  const { round, close, runs } = history;
  if (!close) throw new Refused(Fault.NOT_CLOSED, roundId);
  const hashed = counted(round.link, "hash", "hashes");
  check.right(
    round.link
      ? `${hashed} ${round.link === 1 ? "leads" : "lead"} to c_0; seed and commitment fit`
      : "seed and commitment fit",
  );
  check.begin("runs");
  const bundle = await check.files.bundle(roundId);
  const ranking = await checkRound(history, bundle, (done, of) => check.progress(done, of));
  check.right(`${counted(runs.length, "run")} played again`);
  check.begin("ranking");
  const withdrawn = withdrawnOf(history);
  check.right(`${counted(ranking.length, "player")} ranked, with the logged hash${withdrawnText(withdrawn)}`);
  const places = ranking.slice(0, SHOWN_PLACES).map(placeOf);
  return { runs: runs.length, ranked: ranking.length, places, withdrawn };
}

/** @type {(history: RoundHistory) => Withdrawn[]} Return the runs withdrawn at the close, then those since. */
function withdrawnOf({ withdrawn, withdrawnAtClose }) {
  const atClose = [...withdrawnAtClose].map(([runId, reason]) => ({
    runId, reason, since: false, reinstated: !withdrawn.has(runId),
  }));
  const since = [...withdrawn].filter(([runId]) => !withdrawnAtClose.has(runId));
  return [...atClose, ...since.map(([runId, reason]) => ({ runId, reason, since: true, reinstated: false }))];
}

/** @type {(withdrawn: readonly Withdrawn[]) => string} */
function withdrawnText(withdrawn) {
  if (!withdrawn.length) return "";
  const since = withdrawn.filter(({ since }) => since).length;
  const before = counted(withdrawn.length - since, "run");
  return `; ${before} withdrawn before the close, ${since.toLocaleString("en")} since`;
}

/** @type {(ranked: RankedRun) => Place} */
const placeOf = ({ rank, run: { runId, score, givenAwayMilli } }) => ({ rank, runId, score, givenAwayMilli });

/**
 * Verify a receipt by itself, and then that the log of today still holds what it stands for.
 * @param {{content: Bytes, keyText: string, memory: Memory, files: Files, tell: Tell, keep: Keep}} options
 */
export async function verifyReceiptFile({ content, keyText, memory, files, tell, keep }) {
  const check = new Check(keyText, memory, files, tell);
  /** @type {ReceiptFound | null} */
  let found = null;
  /** @type {string | null} */
  let receiptNote = null;
  /** @type {End} */
  let end = { end: "right" };
  try {
    check.begin("receipt");
    const { key, known } = await check.known();
    const { receipt, endedLog } = await check.receipt(content, key);
    const { index, leaf, run, checkpoint } = receipt;
    receiptNote = noteIn(content);
    const { roundId } = leaf;
    found = { roundId, runId: hexOf(leaf.runId), index, size: checkpoint.size, turns: turnsOf(run) };
    check.right(`leaf ${index} of the log, signed over ${leaves(checkpoint.size)}`);
    check.begin("holds");
    if (endedLog) throw new Missing(`it is of the log ${endedLog}, which these pages no longer show`);
    const newest = (await check.newest(key)).checkpoint;
    for (const earlier of known) await check.begins(earlier, newest);
    if (!check.succeeds) check.keep(keep); // whether a log goes on after another one is told by its first leaf only
    await check.begins(checkpoint, newest);
    check.right(`it has ${leaves(newest.size)} now and begins with the same ones`);
  } catch (error) {
    end = check.ended(error);
  }
  return { ...end, found, note: check.note, receiptNote };
}

/** @type {(receipt: Bytes) => string} Return the checkpoint within a receipt. */
const noteIn = (receipt) => new TextDecoder().decode(receipt).split("\n\n").slice(1).join("\n\n");

/** @type {(number: number | bigint, one: string, more?: string) => string} */
const counted = (number, one, more = `${one}s`) =>
  `${number.toLocaleString("en")} ${Number(number) === 1 ? one : more}`;

/** @type {(number: bigint) => string} */
const leaves = (number) => counted(number, "leaf", "leaves");
