// vectors/log.json, decoded once, and what tests need to make logs of their own; nothing of tlog/ computes in here.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";

import { hexOf } from "../../client/shutbox_web/static/js/game/encoding.js";
import { Refused } from "../../client/shutbox_web/static/js/tlog/faults.js";
import { Kind, LeafType, Mode, decode } from "../../client/shutbox_web/static/js/tlog/leaves.js";
import { VerifierKey } from "../../client/shutbox_web/static/js/tlog/note.js";
import { vectors } from "./vectors.mjs";

/** Return bytes one after the other, texts in UTF-8 and hex alike where it is marked as hex. */
export const bytes = (...parts) => Uint8Array.from(Buffer.concat(parts.map((part) => Buffer.from(part))));
export const fromHex = (hex) => bytes(Buffer.from(hex, "hex"));
export const base64 = (content) => Buffer.from(content).toString("base64");
export const textOf = (content) => Buffer.from(content).toString("utf8");
export const sha256 = (...parts) => bytes(createHash("sha256").update(bytes(...parts)).digest());
export const filled = (length, byte = 0) => new Uint8Array(length).fill(byte);

/** Return a number as so many bytes. */
export function unsigned(number, width) {
  const hex = BigInt(number).toString(16).padStart(2 * width, "0");
  assert.equal(hex.length, 2 * width);
  return fromHex(hex);
}

export const lp = (content) => bytes(unsigned(Buffer.from(content).length, 2), content);

export const LOG = vectors("log");
export const CONTENTS = LOG.leaves.map(fromHex);
export const LEAVES = CONTENTS.map(decode);
export const ROOTS = LOG.roots.map(fromHex);
export const CHECKPOINT = bytes(LOG.checkpoint);
export const RECEIPT = bytes(LOG.receipt);
export const SUCCEED = fromHex(LOG.successor.leaf);
export const KEY = await VerifierKey.parse(LOG.vkey);
export const [DAY, OPEN_DAY, NEXT_DAY, NEXT_OPEN_DAY, CHALLENGE] = Object.keys(LOG.rounds);

/** Return the bytes of a leaf. */
export function encode(leaf) {
  const id = () => lp(leaf.roundId);
  const body = {
    [LeafType.CHAIN]: () => [leaf.chainId, unsigned(leaf.links, 4), unsigned(leaf.firstDay, 4), leaf.anchor],
    [LeafType.ROUND]: () => [
      [leaf.kind, leaf.mode], id(), leaf.rulesetHash, leaf.commitment, leaf.chainId,
      unsigned(leaf.link, 4), unsigned(leaf.day, 4), unsigned(leaf.opens, 8), unsigned(leaf.closes, 8),
    ],
    [LeafType.RUN]: () => [id(), leaf.runId, leaf.commitment],
    [LeafType.CLOSE]: () => [id(), leaf.seed, leaf.daySecret, unsigned(leaf.ranked, 4), leaf.rankingHash],
    [LeafType.WITHDRAW]: () => [id(), leaf.runId, [leaf.reason]],
    [LeafType.RULESET]: () => [leaf.document],
    [LeafType.REINSTATE]: () => [id(), leaf.runId],
    [LeafType.SUCCEED]: () => [lp(leaf.origin), unsigned(leaf.size, 8), leaf.root],
  }[leaf.type]();
  return bytes([1, leaf.type], unsigned(leaf.t, 8), ...body);
}

const PKCS8 = "302e020100300506032b657004220420";

/** Return the note of a text that ends in a newline, signed by a key of 32 secret bytes. */
export async function sign(text, secret = fromHex(LOG.key_secret), name = LOG.origin) {
  const { subtle } = globalThis.crypto;
  const content = bytes(fromHex(PKCS8), secret);
  const key = await subtle.importKey("pkcs8", content, "Ed25519", true, ["sign"]);
  const signature = await subtle.sign("Ed25519", key, bytes(text));
  return bytes(`${text}\n— ${name} ${base64(bytes(keyId(name, await publicKey(key)), new Uint8Array(signature)))}\n`);
}

const publicKey = async (key) => Buffer.from((await globalThis.crypto.subtle.exportKey("jwk", key)).x, "base64url");
const keyId = (name, content) => sha256(`${name}\n`, [1], content).slice(0, 4);

/** Return the text of the verifier key of a public key. */
export const keyText = (name, content) =>
  `${name}+${hexOf(keyId(name, content))}+${base64(bytes([1], content))}`;

/** Return the signed checkpoint of a log at a size with a root. */
export const signed = (size, root) => sign(`${LOG.origin}\n${size}\n${base64(root)}\n`);

/** The tree of RFC 6962 as its text defines it, by recursion over all leaves. */
export class Reference {
  #roots = new Map();

  constructor(contents) {
    this.contents = contents;
  }

  /** Return MTH(D[start:end]). */
  root(start = 0, end = this.contents.length) {
    if (start === end) return sha256("");
    const place = start * 2 ** 26 + end;
    if (!this.#roots.has(place)) this.#roots.set(place, this.#root(start, end));
    return this.#roots.get(place);
  }

  #root(start, end) {
    if (end - start === 1) return sha256([0], this.contents[start]);
    const middle = start + largestPowerBelow(end - start);
    return sha256([1], this.root(start, middle), this.root(middle, end));
  }

  /** Return PATH(m, D[start:end]), m counted from start. */
  path(m, start, end) {
    if (end - start === 1) return [];
    const k = largestPowerBelow(end - start);
    if (m < k) return [...this.path(m, start, start + k), this.root(start + k, end)];
    return [...this.path(m - k, start + k, end), this.root(start, start + k)];
  }

  /** Return SUBPROOF(m, D[start:end], known). */
  subproof(m, start, end, known = true) {
    if (m === end - start) return known ? [] : [this.root(start, end)];
    const k = largestPowerBelow(end - start);
    if (m <= k) return [...this.subproof(m, start, start + k, known), this.root(start + k, end)];
    return [...this.subproof(m - k, start + k, end, false), this.root(start, start + k)];
  }
}

function largestPowerBelow(n) {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/** Return the files of a log of fewer than 256,000 leaves, by path, without its checkpoint. */
export function tilesOf(contents, reference = new Reference(contents)) {
  const files = new Map();
  const numbered = (count) => Array.from({ length: count }, (_, number) => number);
  for (const [level, span] of [1, 256, 65_536].entries()) {
    const hashes = Math.floor(contents.length / span);
    for (const index of numbered(Math.ceil(hashes / 256))) {
      const here = numbered(Math.min(256, hashes - index * 256)).map((number) => index * 256 + number);
      const place = `${String(index).padStart(3, "0")}${here.length < 256 ? `.p/${here.length}` : ""}`;
      const roots = here.map((number) => reference.root(number * span, (number + 1) * span));
      files.set(`tile/${level}/${place}`, bytes(...roots));
      if (!level) files.set(`tile/entries/${place}`, bytes(...here.map((number) => lp(contents[number]))));
    }
  }
  return files;
}

/** Return the files of a log with its signed checkpoint. */
export async function filesOf(contents) {
  const reference = new Reference(contents);
  const checkpoint = await signed(contents.length, reference.root());
  return tilesOf(contents, reference).set("checkpoint", checkpoint);
}

/** Return where files come from; one that is not there cannot be had. */
export const sourceOf = (files) => async (path) => {
  if (!files.has(path)) throw new Error(`${path} cannot be had`);
  return files.get(path);
};

/** Return the receipt of a run: its RUN leaf is leaf `index` of a log. */
export function receiptOf(contents, checkpoint, index, salt, run) {
  const path = new Reference(contents).path(index, 0, contents.length);
  return proofOf({ index, path, checkpoint, extra: bytes(lp(contents[index]), salt, lp(run)) });
}

/** Return a proof as a file. */
export function proofOf({ index, path, checkpoint, extra }) {
  const lines = ["c2sp.org/tlog-proof@v1", `extra ${base64(extra)}`, `index ${index}`, ...path.map(base64)];
  return bytes(lines.join("\n"), "\n\n", checkpoint);
}

/** Return the values of the lines of a closed round's bundle, as the leaves and the vectors have them. */
export function bundleOf(roundId, leaves = LEAVES) {
  const round = leaves.find((leaf) => leaf.type === LeafType.ROUND && leaf.roundId === roundId);
  const close = leaves.find((leaf) => leaf.type === LeafType.CLOSE && leaf.roundId === roundId);
  const { document } = leaves.find((leaf) => leaf.type === LeafType.RULESET);
  const header = {
    round_id: roundId,
    kind: round.kind === Kind.DAILY ? "daily" : "challenge",
    mode: round.mode === Mode.SEALED ? "sealed" : "open",
    ruleset_document: hexOf(document),
    ruleset_hash: hexOf(round.rulesetHash),
    commitment: hexOf(round.commitment),
    chain_id: hexOf(round.chainId),
    i: round.link,
    day: round.day,
    opens: Number(round.opens),
    closes: Number(round.closes),
    seed: hexOf(close.seed),
    day_secret: hexOf(close.daySecret),
    ranked: close.ranked,
    ranking_hash: hexOf(close.rankingHash),
  };
  const runs = LOG.rounds[roundId].runs.map(({ run_id, leaf_index, salt, run, rank = null }) => ({
    run_id, leaf_index, salt, run, rank,
  }));
  return [header, ...runs];
}

/** Return a bundle as it is downloaded. */
export const streamOf = (lines) =>
  new Blob(lines.map((line) => (typeof line === "object" ? `${JSON.stringify(line)}\n` : line))).stream();

/** Return the fault for which a call is refused, now or later. */
export async function faultOf(call) {
  try {
    await call();
  } catch (refused) {
    if (!(refused instanceof Refused)) throw refused;
    return refused.fault;
  }
  return assert.fail("nothing was refused");
}

/** Yield the content with each of its bits flipped, one at a time. */
export function* flipped(content) {
  for (let bit = 0; bit < 8 * content.length; bit++) {
    const wrong = content.slice();
    wrong[bit >> 3] ^= 1 << (bit & 7);
    yield wrong;
  }
}

/** Return a list with one item changed. */
export const changed = (items, place, changes) => items.with(place, { ...items[place], ...changes });
