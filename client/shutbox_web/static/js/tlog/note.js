// Signed checkpoints: C2SP signed-note and tlog-checkpoint with one Ed25519 key (protocol.md, "Bytes").

import { concat, hexOf, sha256, utf8 } from "../game/encoding.js";
import { Fault, Refused, Undecided } from "./faults.js";
import { EMPTY_ROOT } from "./merkle.js";
import { checkedLength, checkedOrigin, decimal, fromBase64, hashFromBase64, same, textFrom } from "./reading.js";

/** @import { Bytes } from "../game/encoding.js" */

/** @typedef {{origin: string, size: bigint, root: Bytes}} Checkpoint A log at one size. */
/** @typedef {{name: string, keyId: string, signature: Bytes}} Signature One signature line of a note. */
/** @typedef {{text: string, signatures: Signature[]}} Note Its text ends in a newline; nothing is believed yet. */

const ED25519 = 1;
const MOST_SIGNATURES = 64;
const LONGEST_NOTE = 1 << 14;
const KEY_ID_LENGTH = 4;
const PRIME = (1n << 255n) - 19n; // of the field of Ed25519 (RFC 8032)
const Y_OF_ORDER_8 = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;

/** y of the points of small order: with such a key one signature fits every text, so that it would prove nothing. */
const SMALL_ORDER = new Set([0n, 1n, PRIME - 1n, Y_OF_ORDER_8, PRIME - Y_OF_ORDER_8]);

/** The public key of a log; its name is the origin. `keyId` is hex. */
export class VerifierKey {
  /**
   * @param {string} name
   * @param {string} keyId
   * @param {CryptoKey} key
   */
  constructor(name, keyId, key) {
    this.name = name;
    this.keyId = keyId;
    this.key = key;
  }

  /**
   * Return (a promise of) the key of the text as which people pass it on, name+id+base64(type || key).
   * @param {string} text
   */
  static async parse(text) {
    if (!globalThis.crypto?.subtle) throw new Undecided("Web Crypto, which this browser has on HTTPS only");
    const [name, keyId = "", ...encoded] = text.split("+");
    const content = readKey(name, encoded.join("+"));
    const digest = await sha256(concat(utf8(`${name}\n`), content));
    if (hexOf(digest.slice(0, KEY_ID_LENGTH)) !== keyId) {
      throw new Refused(Fault.BAD_KEY, "its id is not that of its name and key");
    }
    return new VerifierKey(name, keyId, await imported(content.slice(1)));
  }

  /** @type {(signature: Bytes, text: string) => Promise<boolean>} Tell whether this key signed the text. */
  verifies(signature, text) {
    return globalThis.crypto.subtle.verify("Ed25519", this.key, signature, utf8(text));
  }
}

/** @type {(name: string, encoded: string) => Bytes} Return type || key. */
function readKey(name, encoded) {
  try {
    const content = fromBase64(encoded);
    if (content[0] !== ED25519) throw new Refused(Fault.BAD_KEY, "its type is not Ed25519");
    checkedOrigin(name);
    checkedLength(content, 33, "type and key");
    if (SMALL_ORDER.has(yOf(content.slice(1)))) throw new Refused(Fault.BAD_KEY, "anyone can sign for it");
    return content;
  } catch (refused) {
    throw refused instanceof Refused ? new Refused(Fault.BAD_KEY, refused.detail) : refused;
  }
}

/** @type {(publicKey: Bytes) => bigint} */
const yOf = (publicKey) => (BigInt(`0x${hexOf(publicKey.slice().reverse())}`) & ((1n << 255n) - 1n)) % PRIME;

/** @type {(publicKey: Bytes) => Promise<CryptoKey>} */
async function imported(publicKey) {
  try {
    return await globalThis.crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotSupportedError") {
      throw new Undecided("Ed25519, which this browser does not have");
    }
    throw error;
  }
}

/** @type {(content: Bytes) => Note} Return the parts: the text reaches to the last blank line, below are signatures. */
export function parseNote(content) {
  // else a server could choose which checkpoints cannot be remembered
  if (content.length > LONGEST_NOTE) throw new Refused(Fault.TOO_LONG, "a note");
  const text = textFrom(content);
  const blank = text.lastIndexOf("\n\n");
  const below = text.slice(blank + 2);
  if (blank < 1 || !below.endsWith("\n")) {
    throw new Refused(Fault.BAD_LINE, "a note is text, a blank line and signature lines");
  }
  const lines = below.slice(0, -1).split("\n");
  if (lines.length > MOST_SIGNATURES) throw new Refused(Fault.TOO_LONG, `more than ${MOST_SIGNATURES} signatures`);
  return { text: text.slice(0, blank + 1), signatures: lines.map(parseSignature) };
}

/** @type {(line: string) => Signature} */
function parseSignature(line) {
  const [dash, name, encoded, ...more] = line.split(" ");
  if (dash !== "—" || !name || encoded === undefined || more.length || /[+\p{White_Space}]/u.test(name)) {
    throw new Refused(Fault.BAD_LINE, "a signature line");
  }
  const content = fromBase64(encoded);
  if (content.length <= KEY_ID_LENGTH) throw new Refused(Fault.BAD_LENGTH, "a signature");
  return { name, keyId: hexOf(content.slice(0, KEY_ID_LENGTH)), signature: content.slice(KEY_ID_LENGTH) };
}

/**
 * Return the text of a note that the key signed. Signatures by other keys are passed over, whatever they are.
 * @type {(content: Bytes, key: VerifierKey) => Promise<string>}
 */
export async function verifyNote(content, key) {
  const { text, signatures } = parseNote(content);
  const byKey = signatures.filter(({ name, keyId }) => name === key.name && keyId === key.keyId);
  if (!byKey.length) throw new Refused(Fault.NOT_SIGNED, `no signature by ${key.name}`);
  const right = await Promise.all(byKey.map(({ signature }) => key.verifies(signature, text)));
  if (!right.every(Boolean)) throw new Refused(Fault.BAD_SIGNATURE, `signature by ${key.name}`);
  return text;
}

/** @type {(text: string) => Checkpoint} Return the checkpoint of the text of a note. */
function parseCheckpoint(text) {
  const lines = text.split("\n");
  if (lines.length !== 4 || lines[3]) {
    throw new Refused(Fault.BAD_LINE, "a checkpoint has three lines, then one blank line");
  }
  const checkpoint = { origin: checkedOrigin(lines[0]), size: decimal(lines[1]), root: hashFromBase64(lines[2]) };
  if (!checkpoint.size && !same(checkpoint.root, EMPTY_ROOT)) {
    throw new Refused(Fault.PATH_MISMATCH, "the root of no leaves");
  }
  return checkpoint;
}

/** @type {(content: Bytes, key: VerifierKey) => Promise<Checkpoint>} Return the checkpoint that the key signed. */
export async function verifyCheckpoint(content, key) {
  const checkpoint = parseCheckpoint(await verifyNote(content, key));
  if (checkpoint.origin !== key.name) throw new Refused(Fault.ORIGIN_MISMATCH, checkpoint.origin);
  return checkpoint;
}
