// Proofs that a leaf is in the log, as C2SP tlog-proof, and the receipt of a run (protocol.md, "Receipt").

import { utf8 } from "../game/encoding.js";
import { Fault, Refused } from "./faults.js";
import { LeafType, decode } from "./leaves.js";
import { leafHash, verifyInclusion } from "./merkle.js";
import { verifyCheckpoint } from "./note.js";
import { Reader, decimal, fromBase64, hashFromBase64, textFrom } from "./reading.js";
import { openCommitment } from "./runs.js";

/** @import { Bytes } from "../game/encoding.js" */
/** @import { RunLeaf } from "./leaves.js" */
/** @import { Checkpoint, VerifierKey } from "./note.js" */
/** @import { Run } from "./runs.js" */

/**
 * The parts of a tlog-proof: a path from leaf `index` to a checkpoint, kept as the note's bytes.
 * @typedef {{index: bigint, path: Bytes[], checkpoint: Bytes, extra: Bytes | null}} LogProof
 */

/**
 * What a verified receipt says: this run is leaf `index` of the log whose checkpoint was signed.
 * @typedef {{index: bigint, leaf: RunLeaf, salt: Bytes, run: Run, checkpoint: Checkpoint}} Receipt
 */

const HEADER = "c2sp.org/tlog-proof@v1";
const SALT_LENGTH = 32;
const LONGEST_PATH = 63;

/** @type {(content: Bytes) => LogProof} Return the parts of a tlog-proof; nothing of it is believed yet. */
export function parseProof(content) {
  const text = textFrom(content);
  const blank = text.indexOf("\n\n");
  const [header, ...lines] = text.slice(0, Math.max(blank, 0)).split("\n");
  if (header !== HEADER) throw new Refused(Fault.BAD_LINE, `a proof begins with ${HEADER}`);
  const extra = lines[0]?.startsWith("extra ") ? fromBase64(/** @type {string} */ (lines.shift()).slice(6)) : null;
  const indexLine = lines.shift();
  if (!indexLine?.startsWith("index ")) throw new Refused(Fault.BAD_LINE, "a proof has an index");
  const index = decimal(indexLine.slice(6));
  if (lines.length > LONGEST_PATH) throw new Refused(Fault.WRONG_PROOF_LENGTH, `${lines.length} hashes`);
  return { index, path: lines.map(hashFromBase64), checkpoint: utf8(text.slice(blank + 2)), extra };
}

/**
 * Return (a promise of) what a receipt says. Refused names the first thing that is wrong with it.
 * @type {(content: Bytes, key: VerifierKey) => Promise<Receipt>}
 */
export async function verifyReceipt(content, key) {
  const proof = parseProof(content);
  if (!proof.extra) throw new Refused(Fault.BAD_LINE, "a receipt has extra data");
  const fields = new Reader(proof.extra, "extra");
  const [leafContent, salt, runContent] = [fields.lp(), fields.take(SALT_LENGTH), fields.lp()];
  fields.end();
  const leaf = decode(leafContent);
  if (leaf.type !== LeafType.RUN) throw new Refused(Fault.NOT_A_RUN);
  const run = await openCommitment(leaf, salt, runContent);
  const checkpoint = await verifyCheckpoint(proof.checkpoint, key);
  await verifyInclusion(await leafHash(leafContent), proof.index, checkpoint.size, proof.path, checkpoint.root);
  return { index: proof.index, leaf, salt, run, checkpoint };
}
