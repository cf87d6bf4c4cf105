// Strict reading of fields and lines: each value has one spelling (protocol.md, "Notation").

import { Fault, Refused } from "./faults.js";

/** @import { Bytes } from "../game/encoding.js" */

/** Decimal numbers are below this, so that every language can hold them. */
const NUMBER_LIMIT = 1n << 63n;

const DECIMAL = /^(0|[1-9][0-9]{0,18})$/;
const VISIBLE_ASCII = /^[!-~]+$/;

/** Takes the fields of a piece of bytes one after the other; `what` names the piece in refusals. */
export class Reader {
  #content;
  #position = 0;
  #what;

  /**
   * @param {Bytes} content
   * @param {string} what
   */
  constructor(content, what) {
    this.#content = content;
    this.#what = what;
  }

  /** @type {(length: number) => Bytes} Return the next bytes. */
  take(length) {
    const end = this.#position + length;
    if (end > this.#content.length) throw new Refused(Fault.TOO_SHORT, this.#what);
    const taken = this.#content.slice(this.#position, end);
    this.#position = end;
    return taken;
  }

  /** @type {(width: 1 | 2 | 4) => number} Return the next `width` bytes as a number. */
  number(width) {
    return this.take(width).reduce((number, byte) => number * 256 + byte, 0);
  }

  /** Return the next eight bytes as a number. */
  u64() {
    return (BigInt(this.number(4)) << 32n) + BigInt(this.number(4));
  }

  /** Return the next bytes that stand behind their length. */
  lp() {
    return this.take(this.number(2));
  }

  /** Return the next lp field as a round id. */
  roundId() {
    const text = latin1(this.lp());
    if (!VISIBLE_ASCII.test(text)) throw new Refused(Fault.BAD_ROUND_ID, quoted(text));
    return text;
  }

  /** Return the next lp field as the name of a log. */
  origin() {
    return checkedOrigin(latin1(this.lp()));
  }

  /** Refuse what follows the last field. */
  end() {
    if (this.#position < this.#content.length) throw new Refused(Fault.TRAILING_BYTES, this.#what);
  }
}

/** @type {(one: Uint8Array, other: Uint8Array) => boolean} */
export const same = (one, other) => one.length === other.length && one.every((byte, place) => byte === other[place]);

/** @type {(text: string) => string} Return what may have come from anywhere as refusals show it. */
const quoted = (text) => JSON.stringify(text.slice(0, 80));

/**
 * Return the name of a log: visible ASCII, and no plus, since it is the name of its key as well.
 * @param {string} text
 */
export function checkedOrigin(text) {
  if (!VISIBLE_ASCII.test(text) || text.includes("+")) throw new Refused(Fault.BAD_ORIGIN, quoted(text));
  return text;
}

/**
 * Return bytes of exactly that length.
 * @type {(content: Bytes, length: number, what: string) => Bytes}
 */
export function checkedLength(content, length, what) {
  if (content.length === length) return content;
  throw new Refused(Fault.BAD_LENGTH, `${what} has ${content.length} bytes instead of ${length}`);
}

/** @type {(text: string) => bigint} Return a number from 0 to 2^63 - 1 written without sign and leading zeros. */
export function decimal(text) {
  if (!DECIMAL.test(text) || BigInt(text) >= NUMBER_LIMIT) throw new Refused(Fault.BAD_NUMBER, quoted(text));
  return BigInt(text);
}

/** @type {(text: string) => Bytes} Return the bytes of canonical base64: encoding them again gives the same text. */
export function fromBase64(text) {
  let characters;
  try {
    characters = atob(text);
  } catch {
    throw new Refused(Fault.BAD_BASE64, quoted(text));
  }
  if (btoa(characters) !== text) throw new Refused(Fault.BAD_BASE64, quoted(text));
  return Uint8Array.from(characters, (character) => character.charCodeAt(0));
}

/** @type {(text: string) => Bytes} Return a hash of 32 bytes from canonical base64. */
export const hashFromBase64 = (text) => checkedLength(fromBase64(text), 32, "a hash");

/** @type {(content: Bytes) => string} Return UTF-8, with whatever it begins; a TypeError if it is something else. */
export const utf8From = (content) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);

/** @type {(content: Bytes) => string} Return UTF-8 without control characters but newlines. */
export function textFrom(content) {
  let text;
  try {
    text = utf8From(content);
  } catch {
    throw new Refused(Fault.BAD_TEXT, "not UTF-8");
  }
  if (/[\0-\t\v-\x1f]/.test(text)) throw new Refused(Fault.BAD_TEXT, "a control character");
  return text;
}

/** @type {(content: Bytes) => string} Return one character for each byte. */
const latin1 = (content) => Array.from(content, (byte) => String.fromCharCode(byte)).join("");
