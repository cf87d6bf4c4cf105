// The notation of the protocol: bytes, hashes, tags, and boards as masks (protocol.md, "Notation").

/** @typedef {Uint8Array<ArrayBuffer>} Bytes */

/** @type {(width: number) => (number: number) => Bytes} */
const unsigned = (width) => (number) => {
  if (number !== Math.abs(Math.trunc(number)) || number >= 256 ** width) {
    throw new RangeError(`${number} is not a u${8 * width}`);
  }
  return Uint8Array.from({ length: width }, (_, place) => number / 256 ** (width - 1 - place));
};

/** The number as bytes, most significant first; a RangeError if it does not fit. */
export const u8 = unsigned(1);
export const u16 = unsigned(2);
export const u32 = unsigned(4);

/** @type {(name: string) => Bytes} Return `TAG(name)`, with which everything that is hashed starts. */
export const tag = (name) => lp(utf8(`shutbox/1/${name}`));

/** @type {(content: Uint8Array) => Bytes} Return the content behind its length as a u16. */
export const lp = (content) => concat(u16(content.length), content);

/** @type {(...parts: Uint8Array[]) => Bytes} Return the bytes one after the other. */
export function concat(...parts) {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let end = 0;
  for (const part of parts) {
    joined.set(part, end);
    end += part.length;
  }
  return joined;
}

/** @type {(text: string) => Bytes} */
export const utf8 = (text) => new TextEncoder().encode(text);

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** @type {(bytes: Uint8Array) => string} Return bytes as lower-case hex. */
export const hexOf = (bytes) => Array.from(bytes, (byte) => HEX[byte]).join("");

/** @type {(hex: string) => Bytes} Return the bytes of lower-case hex; anything else is a RangeError. */
export function bytesOf(hex) {
  if (!/^([0-9a-f]{2})*$/.test(hex)) throw new RangeError("not lower-case hex");
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
}

/** @type {(content: Bytes) => Promise<Bytes>} Return `H(content)`, 32 bytes. */
export const sha256 = async (content) => new Uint8Array(await globalThis.crypto.subtle.digest("SHA-256", content));

/**
 * Return the mask in which bit t-1 stands for tile t; a RangeError for a tile outside 1…16, which would wrap around.
 * @type {(tiles: readonly number[]) => number}
 */
export function maskOf(tiles) {
  let mask = 0;
  for (const tile of tiles) {
    if (!(tile >= 1 && tile <= 16)) throw new RangeError(`no mask holds tile ${tile}`);
    mask |= 1 << (tile - 1);
  }
  return mask;
}

/** @type {(mask: number) => number[]} Return the tiles of a mask, ascending. */
export function tilesOf(mask) {
  const tiles = [];
  for (let tile = 1; mask; tile++, mask >>= 1) if (mask & 1) tiles.push(tile);
  return tiles;
}
