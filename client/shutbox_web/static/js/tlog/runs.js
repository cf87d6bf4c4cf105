// Reading the bytes of a run (protocol.md, "Runs"), which game/runs.js writes, and opening its commitment.

import { hexOf, tilesOf } from "../game/encoding.js";
import { runCommitment } from "../game/runs.js";
import { Fault, Refused } from "./faults.js";
import { Reader, same } from "./reading.js";

/** @import { Bytes } from "../game/encoding.js" */
/** @import { Turn } from "../game/replay.js" */
/** @import { RunLeaf } from "./leaves.js" */

/**
 * A finished round as it was played; whether it is legal is for replay to say. `played` is the bytes of its turns.
 * @typedef {{roundId: string, playerTag: Bytes, rulesetHash: Bytes, played: Bytes}} Run
 */

const VERSION = 1;
const TURN_LENGTH = 3;

/** @type {(content: Bytes) => Run} Return the run that the bytes are; no two have the same bytes. */
export function parseRun(content) {
  const fields = new Reader(content, "run");
  const version = fields.number(1);
  if (version !== VERSION) throw new Refused(Fault.UNKNOWN_VERSION, `run version ${version}`);
  const run = {
    roundId: fields.roundId(),
    playerTag: fields.take(16),
    rulesetHash: fields.take(32),
    played: fields.take(TURN_LENGTH * fields.number(1)),
  };
  fields.end();
  return run;
}

/** @type {(run: Run) => Turn[]} Return the turns of a run. */
export const turnsOf = ({ played }) =>
  Array.from({ length: played.length / TURN_LENGTH }, (_, number) => {
    const [dice, high, low] = played.subarray(number * TURN_LENGTH, (number + 1) * TURN_LENGTH);
    return { dice, shut: tilesOf(256 * high + low) };
  });

/**
 * Return (a promise of) the run that a RUN leaf committed to.
 * @type {(leaf: Pick<RunLeaf, "roundId" | "runId" | "commitment">, salt: Bytes, content: Bytes) => Promise<Run>}
 */
export async function openCommitment(leaf, salt, content) {
  if (!same(await runCommitment(salt, content), leaf.commitment)) {
    throw new Refused(Fault.COMMITMENT_MISMATCH, `run ${hexOf(leaf.runId)}`);
  }
  const run = parseRun(content);
  if (run.roundId !== leaf.roundId) throw new Refused(Fault.RUN_OF_ANOTHER_ROUND, `run ${hexOf(leaf.runId)}`);
  return run;
}
