// Every case of vectors/small-log.json (vectors/README.md, "Cases of small-log.json"): what is changed, what is found.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { hexOf } from "../../client/shutbox_web/static/js/game/encoding.js";
import { auditLog, consistencyOf } from "../../client/shutbox_web/static/js/tlog/audit.js";
import { Fault, Refused } from "../../client/shutbox_web/static/js/tlog/faults.js";
import { VerifierKey, verifyCheckpoint } from "../../client/shutbox_web/static/js/tlog/note.js";
import { verifyReceipt } from "../../client/shutbox_web/static/js/tlog/proof.js";
import { checkRound } from "../../client/shutbox_web/static/js/tlog/rounds.js";
import { Reference, base64, bytes, fromHex, sign, sourceOf, tilesOf } from "./small-log.mjs";
import { vectors } from "./vectors.mjs";

const VECTORS = vectors("small-log");
const fromBase64 = (text) => bytes(Buffer.from(text, "base64"));
const FILES = new Map(Object.entries(VECTORS.files).map(([path, content]) => [path, fromBase64(content)]));

/** Return the lines of a bundle, each with its newline. */
const linesOf = (text) => (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => bytes(line));

/** Return a list after one edit. */
function editedList(items, [op, place, more], read) {
  if (op === "delete") return items.toSpliced(place, 1);
  if (op === "set") return items.with(place, read(more));
  if (op === "insert") return items.toSpliced(place, 0, read(more));
  if (op === "swap") return items.with(place, items[more]).with(more, items[place]);
  if (op === "keep") return items.slice(0, place);
  return assert.fail(op);
}

/** Return bytes after one edit. */
function editedBytes(content, [op, one, two, times]) {
  if (op === "flip") return content.with(one >> 3, content[one >> 3] ^ (1 << (one & 7)));
  if (op === "append") return bytes(content, fromBase64(one));
  if (op === "delete-last-byte") return content.slice(0, -1);
  const at = Buffer.from(content).indexOf(one);
  assert.ok(at >= 0);
  const behind = at + Buffer.byteLength(one);
  if (op === "replace") return bytes(content.slice(0, at), two, content.slice(behind));
  if (op === "insert-text") return bytes(content.slice(0, behind), two.repeat(times), content.slice(behind));
  return assert.fail(op);
}

/** Return the files of a log; after an edit of its leaves they are made and signed anew. */
async function filesOf({ leaf_edits: leafEdits, file_edits: fileEdits = [] }) {
  let files = new Map(FILES);
  if (leafEdits) {
    const leaves = leafEdits.reduce((all, edit) => editedList(all, edit, fromHex), VECTORS.leaves.map(fromHex));
    const reference = new Reference(leaves);
    const text = `${VECTORS.origin}\n${leaves.length}\n${base64(reference.root())}\n`;
    const note = await sign(text, fromHex(VECTORS.key_secret), VECTORS.origin);
    files = tilesOf(leaves, reference).set("checkpoint", note);
  }
  for (const [op, path, ...more] of fileEdits) {
    files.set(path, op === "restore" ? FILES.get(path) : editedBytes(files.get(path), [op, ...more]));
  }
  return files;
}

/** Return the bundle of the round of a case. */
function bundleOf({ round, bundle_edits: edits = [] }) {
  return edits.reduce((lines, [op, place, ...more]) => {
    if (op === "append-text") return [...lines, bytes(place)];
    const inLine = ["flip", "replace", "insert-text"].includes(op);
    if (inLine) return lines.with(place, editedBytes(lines[place], [op, ...more]));
    return editedList(lines, [op, place, ...more], (text) => bytes(text));
  }, linesOf(VECTORS.bundles[round] ?? ""));
}

/** Make the changes of a case and check what it names. */
async function run(made) {
  const key = await VerifierKey.parse(made.key ?? VECTORS.key);
  if (made.check === "receipt") {
    const text = made.receipt_text ?? VECTORS.receipts[made.receipt].text;
    return verifyReceipt((made.receipt_edits ?? []).reduce(editedBytes, bytes(text)), key);
  }
  const known = await Promise.all((made.known ?? []).map((note) => verifyCheckpoint(bytes(note), key)));
  const follows = ({ roundId }) => roundId === made.round;
  const audit = await auditLog({ source: sourceOf(await filesOf(made)), key, known, follows });
  return made.check === "round" && checkRound(audit.historyOf(made.round), new Blob(bundleOf(made)).stream());
}

for (const made of VECTORS.cases) {
  test(`${made.check}: ${made.name}`, async () => {
    let found = null;
    try {
      await run(made);
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      found = refused;
    }
    assert.equal(found?.fault ?? null, made.fault, found?.detail);
    if (made.where) assert.ok(found.detail.includes(made.where), `${found.detail} instead of ${made.where}`);
  });
}

test("the files that are made from the leaves are those of the vectors", async () => {
  assert.deepEqual(await filesOf({ leaf_edits: [] }), FILES);
});

test("the rankings are those of the vectors", async () => {
  assert.deepEqual(Object.keys(VECTORS.rankings), Object.keys(VECTORS.bundles));
  for (const [round, ranking] of Object.entries(VECTORS.rankings)) {
    const ranked = await run({ check: "round", round });
    assert.deepEqual(ranked.map(({ rank, run }) => [rank, run.runId]), ranking);
  }
});

test("the receipts are of the runs that they say", async () => {
  for (const [receipt, { run_id }] of VECTORS.receipts.entries()) {
    assert.equal(hexOf((await run({ check: "receipt", receipt })).leaf.runId), run_id);
  }
});

test("the log is shown to begin with each earlier checkpoint of the vectors, from its tiles", async () => {
  const key = await VerifierKey.parse(VECTORS.key);
  const newest = await verifyCheckpoint(FILES.get("checkpoint"), key);
  for (const note of VECTORS.earlier_checkpoints) {
    const earlier = await verifyCheckpoint(bytes(note), key);
    if (earlier.size) await consistencyOf(sourceOf(FILES), earlier, newest);
  }
});

test("every fault has a case but those of consistency proofs, which no client is sent", () => {
  const found = new Set(VECTORS.cases.map((made) => made.fault));
  const without = Object.values(Fault).filter((fault) => !found.has(fault));
  assert.deepEqual(without, [Fault.EMPTY_OLD_TREE, Fault.NEW_ROOT_MISMATCH]);
});

test("every fault that Python names is named here, but those of paths of tiles and of earlier logs, not read here", () => {
  const python = readFileSync(new URL("../../service/shutbox/tlog/faults.py", import.meta.url), "utf8");
  const names = Array.from(python.matchAll(/^ {4}[A-Z0-9_]+ = "(.+?)"/gm), ([, name]) => name);
  assert.ok(names.length > 50);
  assert.deepEqual(names.filter((name) => !Object.values(Fault).includes(name)), ["bad-tile-path", "leaf-lost"]);
});
