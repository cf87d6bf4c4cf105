// The lines of a bundle, which publishes a closed round (protocol.md, "Bundle").

import { bytesOf, concat } from "../game/encoding.js";
import { Fault, Refused } from "./faults.js";
import { utf8From } from "./reading.js";

/** @import { Bytes } from "../game/encoding.js" */

/** @typedef {string | number | null} Value */
/** @typedef {(value: Value) => boolean} Form */

/** @typedef {{runId: string, leafIndex: number, salt: Bytes, run: Bytes, rank: number | null}} DisclosedRun */

const LONGEST_LINE = 1 << 18;
const LONGEST_RUN = 0xffff; // a commitment writes the length of a run as a u16
const NEWLINE = 10;

/** @type {(...words: string[]) => Form} */
const oneOf = (...words) => (value) => typeof value === "string" && words.includes(value);

/** @type {(length: number) => Form} Bytes of that length in lower-case hex. */
const hex = (length) => (value) => typeof value === "string" && value.length === 2 * length && HEX.test(value);
const HEX = /^([0-9a-f]{2})*$/;

/** @type {Form} */
const text = (value) => typeof value === "string";
/** @type {Form} */
const number = (value) => Number.isSafeInteger(value);

/** @type {{[member: string]: Form}} */
const HEADER = {
  round_id: text,
  kind: oneOf("daily", "challenge"),
  mode: oneOf("sealed", "open"),
  ruleset_document: hex(12),
  ruleset_hash: hex(32),
  commitment: hex(32),
  chain_id: hex(16),
  i: number,
  day: number,
  opens: number,
  closes: number,
  seed: hex(32),
  day_secret: hex(32),
  ranked: number,
  ranking_hash: hex(32),
};

/** @type {{[member: string]: Form}} */
const RUN = {
  run_id: hex(16),
  leaf_index: number,
  salt: hex(32),
  run: (value) => typeof value === "string" && value.length <= 2 * LONGEST_RUN && HEX.test(value),
  rank: (value) => value === null || number(value),
};

const SPACE = "[ \\t\\r]*";
const STRING = '"[^"\\\\\\0-\\x1f]*(?:\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\\\\0-\\x1f]*)*"';
const MEMBER = new RegExp(`${SPACE}(${STRING})${SPACE}:${SPACE}(${STRING}|0|[1-9][0-9]*|null)${SPACE}([,}])`, "y");

/** The members of a bundle's first line, in the order in which they are compared with the log. */
export const HEADER_MEMBERS = Object.keys(HEADER);

/** @type {(line: Bytes) => Map<string, Value>} Return the members of a bundle's first line. */
export const parseHeader = (line) => membersOf(line, HEADER, 1);

/** @type {(line: Bytes, number: number) => DisclosedRun} Return the run of a further line; refusals say which. */
export function parseRunLine(line, number) {
  const members = membersOf(line, RUN, number);
  const value = (/** @type {string} */ name) => /** @type {any} */ (members.get(name));
  return {
    runId: value("run_id"),
    leafIndex: value("leaf_index"),
    salt: bytesOf(value("salt")),
    run: bytesOf(value("run")),
    rank: value("rank"),
  };
}

/**
 * Return the members of a line: those of the form, none twice, and nothing else. Not JSON.parse, which shows neither a
 * member that stands twice nor how a number was written.
 * @type {(line: Bytes, form: {[member: string]: Form}, number: number) => Map<string, Value>}
 */
function membersOf(line, form, number) {
  const content = decoded(line);
  /** @type {Map<string, Value>} */
  const members = new Map();
  MEMBER.lastIndex = 1;
  let behind = content.startsWith("{") ? "," : "";
  while (behind === ",") {
    const found = MEMBER.exec(content) ?? [];
    const [name, value] = [found[1] && JSON.parse(found[1]), found[2] && JSON.parse(found[2])];
    if (members.has(name) || !Object.hasOwn(form, name) || !form[name](value)) break;
    members.set(name, value);
    behind = found[3];
  }
  const ended = behind === "}" && content.slice(MEMBER.lastIndex) === "\n";
  if (!ended || members.size < Object.keys(form).length) {
    throw new Refused(Fault.BAD_LINE, `line ${number}, behind ${[...members.keys()].at(-1) ?? "its begin"}`);
  }
  return members;
}

/** @type {(line: Bytes) => string} Return the text of a line; none, which is no object, if it has none. */
function decoded(line) {
  try {
    return line.length > LONGEST_LINE ? "" : utf8From(line);
  } catch {
    return "";
  }
}

/**
 * Yield the lines of a stream, each with its newline; what follows the last newline is a line too.
 * @type {(stream: ReadableStream<Uint8Array>) => AsyncGenerator<Bytes, void>}
 */
export async function* linesOf(stream) {
  const reader = stream.getReader();
  try {
    /** @type {Uint8Array[]} */
    let begun = [];
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      let rest = /** @type {Uint8Array} */ (value);
      for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
        yield concat(...begun, rest.subarray(0, end + 1));
        begun = [];
        rest = rest.subarray(end + 1);
      }
      if (rest.length) begun.push(rest);
    }
    if (begun.length) yield concat(...begun);
  } finally {
    void reader.cancel().catch(() => {});
  }
}
