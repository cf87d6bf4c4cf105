// Plain words for what is found: what a fault would mean, and ids as addresses write them.

import { Fault } from "../tlog/faults.js";

/** @import { FaultCode } from "../tlog/faults.js" */
/** @import { StepName } from "./checks.js" */

const CHANGED_FILE =
  "A file is not what was signed: it was changed, by the service or on the way, or it was damaged.";
const PROOF = "The two signed checkpoints together prove it.";
const OTHER_RANKING = "The ranking that was fixed at the close is not the one that follows from the runs.";
const LATER_DICE = "The dice of this day may have been chosen after they were promised.";
const DAMAGED_FORM = "What was read is not in the form that it should have: it was damaged or changed.";

/** @type {{[fault: string]: string}} */
const MEANINGS = {
  [Fault.BAD_KEY]: "The key of the log is damaged, so nothing that it signed can be checked.",
  [Fault.NOT_SIGNED]:
    "It is not signed by the key that is known for this log. It belongs to another log, or the key was changed.",
  [Fault.BAD_SIGNATURE]: "It was changed after it was signed, or signed by someone without the key.",
  [Fault.ORIGIN_MISMATCH]: "It belongs to another log than its key.",
  [Fault.ROLLED_BACK]:
    `The log is shorter than it was: something that was signed has been taken away. ${PROOF}`,
  [Fault.SPLIT_VIEW]: `Two different logs of one length were signed. ${PROOF}`,
  [Fault.OLD_ROOT_MISMATCH]: `The log was rewritten: it no longer begins with what was signed before. ${PROOF}`,
  [Fault.NEW_ROOT_MISMATCH]: CHANGED_FILE,
  [Fault.TILE_MISMATCH]: CHANGED_FILE,
  [Fault.ROOT_MISMATCH]: "The leaves of the log are not those that were signed.",
  [Fault.LINK_MISMATCH]: `The day’s secret is not of the chain that was published first. ${LATER_DICE}`,
  [Fault.SEED_MISMATCH]: `The seed is not the one that was committed to. ${LATER_DICE}`,
  [Fault.SEED_NOT_DERIVED]: `The seed does not follow from the day’s secret. ${LATER_DICE}`,
  [Fault.ROUND_NOT_LOGGED]: "The log does not hold this round, so nothing was promised about it.",
  [Fault.ROUND_CLOSED]: "A run was logged after its round had closed.",
  [Fault.DAYS_OUT_OF_ORDER]:
    "A day was closed before an earlier one, or something was added to a day when its dice were known already.",
  [Fault.HEADER_MISMATCH]: "What is published of the round is not what the log says of it.",
  [Fault.RUN_MISSING]: "A run that was logged is not published: it was dropped.",
  [Fault.RUN_NOT_LOGGED]: "A run is published that was never logged: it was added later.",
  [Fault.REPEATED_RUN]: "A run stands there twice.",
  [Fault.RUN_OUT_OF_ORDER]: "The published runs are in another order than the log.",
  [Fault.INDEX_MISMATCH]: "A run is said to stand at another place of the log than it does.",
  [Fault.COMMITMENT_MISMATCH]: "A run is not the one that was logged: it was changed after it was accepted.",
  [Fault.RUN_OF_ANOTHER_ROUND]: "A run belongs to another round.",
  [Fault.ILLEGAL_RUN]: "A run is not legal on these dice: its score was not reached by the rules.",
  [Fault.REPEATED_PLAYER]: "One player has two runs on a round of one attempt.",
  [Fault.RANKED_MISMATCH]: OTHER_RANKING,
  [Fault.RANKING_MISMATCH]: OTHER_RANKING,
  [Fault.RANK_MISMATCH]: "A run is published with another rank than it had.",
  [Fault.PATH_MISMATCH]:
    "The log that was signed does not hold this run at this place: the receipt is forged or damaged.",
  [Fault.OUT_OF_RANGE]: "It names a leaf that the log did not have: it is forged or damaged.",
  [Fault.WRONG_PROOF_LENGTH]: DAMAGED_FORM,
  [Fault.NOT_A_RUN]: "It proves something else than a run.",
  [Fault.TOO_LONG]: DAMAGED_FORM,
  [Fault.BAD_TEXT]: DAMAGED_FORM,
  [Fault.BAD_LINE]: DAMAGED_FORM,
  [Fault.BAD_BASE64]: DAMAGED_FORM,
  [Fault.BAD_NUMBER]: DAMAGED_FORM,
  [Fault.BAD_LENGTH]: DAMAGED_FORM,
  [Fault.TOO_SHORT]: DAMAGED_FORM,
  [Fault.TRAILING_BYTES]: DAMAGED_FORM,
};

const OTHERWISE = "The log breaks one of the rules that it has to keep, so it is not the log that was promised.";

const NO_SUCCESSOR =
  "The key that this page shows is of another log than this browser remembers, and that log does not go on after it.";

/** @type {(end: {fault: FaultCode, step: StepName}) => string} Return what a fault would mean. */
export const meaning = ({ fault, step }) =>
  step === "memory" && fault === Fault.ORIGIN_MISMATCH ? NO_SUCCESSOR : MEANINGS[fault] ?? OTHERWISE;

const REASONS = ["", "the player asked", "unfair play", "the operator’s error", "for another reason"];

/** @type {(reason: number) => string} Return in words why a run was withdrawn. */
export const reasonText = (reason) => REASONS[reason];

/** @type {(hex: string) => string} Return an id as addresses write it. */
export const uuidOf = (hex) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
