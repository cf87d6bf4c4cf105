// The lines of a bundle: their form, and how they come out of a stream.

import assert from "node:assert/strict";
import { test } from "node:test";

import { auditLog } from "../../client/shutbox_web/static/js/tlog/audit.js";
import { linesOf, parseRunLine } from "../../client/shutbox_web/static/js/tlog/bundle.js";
import { Fault } from "../../client/shutbox_web/static/js/tlog/faults.js";
import { checkRound } from "../../client/shutbox_web/static/js/tlog/rounds.js";
import {
  CONTENTS,
  DAY,
  KEY,
  OPEN_DAY,
  bundleOf,
  bytes,
  changed,
  faultOf,
  filesOf,
  sourceOf,
  streamOf,
} from "./small-log.mjs";

const BUNDLE = bundleOf(DAY);
const AUDIT = await auditLog({ source: sourceOf(await filesOf(CONTENTS)), key: KEY, follows: () => true });
const HISTORY = AUDIT.historyOf(DAY);

const text = (line) => `${JSON.stringify(line)}\n`;
const headerText = text(BUNDLE[0]);
const runText = text(BUNDLE[1]);

/** Return the fault, and where it is, for which a bundle is refused; null if it is not. */
async function told(lines) {
  try {
    await checkRound(HISTORY, streamOf(lines));
  } catch ({ fault, detail }) {
    return [fault, detail];
  }
  return null;
}

const faultIn = (lines) => faultOf(() => checkRound(HISTORY, streamOf(lines)));

for (const [what, edit] of Object.entries({
  "nothing but a newline": () => "\n",
  "a CR": (line) => line.replace("\n", "\r\n"),
  "a blank behind it": (line) => line.replace("\n", " \n"),
  "a blank before it": (line) => ` ${line}`,
  "a BOM": (line) => `\ufeff${line}`,
  "no UTF-8": (line) => bytes(line.slice(0, 2), [0xff], line.slice(2)),
  "an array": (line) => `[${line.slice(0, -1)}]\n`,
  "null": () => "null\n",
  "no object": () => "{\n",
  "an empty object": () => "{}\n",
  "two objects": (line) => line.replace("\n", "{}\n"),
  "a comma at the end": (line) => line.replace("}", ",}"),
  "a comma at the begin": (line) => line.replace("{", "{,"),
  "no commas": (line) => line.replaceAll(",", " "),
  "a member twice": (line) => line.replace("{", `{${/"(seed|salt)":"\w+",/.exec(line)[0]}`),
  "a member more": (line) => line.replace("{", '{"more":1,'),
  "a member of every object": (line) => line.replace("{", '{"__proto__":null,'),
  "a member less": (line) => line.replace(/"(opens|leaf_index)":\d+,/, ""),
  "a member of another name": (line) => line.replace(/"(opens|leaf_index)"/, '"Opens"'),
  "capitals": (line) => line.replace(/(?<="(seed|salt)":"\w*)[a-f]/, (digit) => digit.toUpperCase()),
  "an odd number of digits": (line) => line.replace(/"(seed|salt)":"\w/, '"$1":"'),
  "a byte less": (line) => line.replace(/"(seed|salt)":"\w\w/, '"$1":"'),
  "a byte more": (line) => line.replace(/"(seed|salt)":"/, '"$1":"00'),
  "a blank in bytes": (line) => line.replace(/"(seed|salt)":"\w\w/, '"$1":"  '),
  "bytes as a number": (line) => line.replace(/"(seed|salt)":"\w+"/, '"$1":1'),
  "bytes as null": (line) => line.replace(/"(seed|salt)":"\w+"/, '"$1":null'),
  "a number as text": (line) => line.replace(/"(opens|leaf_index)":(\d+)/, '"$1":"$2"'),
  "a number as null": (line) => line.replace(/"(opens|leaf_index)":(\d+)/, '"$1":null'),
  "a number as true": (line) => line.replace(/"(opens|leaf_index)":(\d+)/, '"$1":true'),
  "a number as a list": (line) => line.replace(/"(opens|leaf_index)":(\d+)/, '"$1":[$2]'),
  "a fraction": (line) => line.replace(/"(opens|leaf_index)":(\d+)/, '"$1":$2.0'),
  "an exponent": (line) => line.replace(/"(opens|leaf_index)":(\d+)/, '"$1":$2e0'),
  "a sign": (line) => line.replace(/"(opens|leaf_index)":(\d+)/, '"$1":-$2'),
  "minus zero": (line) => line.replace(/"(opens|leaf_index)":(\d+)/, '"$1":-0'),
  "a zero in front": (line) => line.replace(/"(opens|leaf_index)":(\d+)/, '"$1":0$2'),
  "a number of 2^53": (line) => line.replace(/"(opens|leaf_index)":(\d+)/, '"$1":9007199254740992'),
  "a number of 400 digits": (line) => line.replace(/"(opens|leaf_index)":(\d+)/, `"$1":${"9".repeat(400)}`),
  "not a number": (line) => line.replace(/"(opens|leaf_index)":(\d+)/, '"$1":NaN'),
  "a control character in text": (line) => line.replace(/"(seed|salt)":"/, '"$1":"\t'),
  "an escape that is none": (line) => line.replace(/"(seed|salt)":"/, '"$1":"\\x30'),
  "too many blanks": (line) => line.replace("{", `{${" ".repeat(1 << 18)}`),
})) {
  test(`a line of another form is refused: ${what}`, async () => {
    for (const [place, line] of [headerText, runText].entries()) {
      const wrong = edit(line);
      assert.notEqual(wrong, line);
      const [fault, where] = await told(BUNDLE.with(place, wrong));
      assert.equal(fault, Fault.BAD_LINE);
      assert.match(where, new RegExp(`^line ${place + 1},`));
    }
  });
}

test("a bundle without any line, and one whose last line has no newline or two, are refused", async () => {
  assert.equal(await faultIn([]), Fault.BAD_LINE);
  const lines = BUNDLE.map(text);
  assert.equal(await faultIn([lines.join("").slice(0, -1)]), Fault.BAD_LINE);
  assert.equal(await faultIn([headerText.slice(0, -1)]), Fault.BAD_LINE);
  assert.deepEqual(await told([...lines, "\n"]), [Fault.BAD_LINE, "line 8, behind its begin"]);
});

for (const [member, value] of [["kind", "weekly"], ["mode", "Sealed"], ["day", -1]]) {
  test(`the form of the first line is looked at before what it says: ${member}`, async () => {
    assert.equal(await faultIn(changed(BUNDLE, 0, { round_id: OPEN_DAY, [member]: value })), Fault.BAD_LINE);
  });
}

test("JSON may be written in other ways", async () => {
  const spaced = BUNDLE.map((line) => `${JSON.stringify(line, null, "\t").replaceAll("\n", "\r")}\n`);
  const reordered = BUNDLE.map((line) => Object.fromEntries(Object.entries(line).reverse()));
  const escaped = BUNDLE.map((line) =>
    text(line).replace(/"(\w)/g, (_, letter) => `"\\u00${letter.charCodeAt(0).toString(16).toUpperCase()}`),
  );
  assert.notDeepEqual(escaped, BUNDLE.map(text));
  for (const lines of [spaced, reordered, escaped]) assert.equal(await told(lines), null);
});

test("a run of 65,535 bytes is a run, one more byte is none", () => {
  const line = (length) => bytes(text({ ...BUNDLE[1], run: "00".repeat(length) }));
  assert.equal(parseRunLine(line(65_535), 2).run.length, 65_535);
  assert.equal(parseRunLine(line(0), 2).run.length, 0);
  assert.throws(() => parseRunLine(line(65_536), 2), { fault: Fault.BAD_LINE });
});

test("lines are found however the stream is cut", async () => {
  const content = bytes("one\n\ntwo\r\nthree\u2028\nrest");
  for (let length = 1; length <= content.length; length++) {
    const stream = new ReadableStream({
      start(controller) {
        for (let start = 0; start < content.length; start += length) {
          controller.enqueue(content.slice(start, start + length));
        }
        controller.close();
      },
    });
    const lines = [];
    for await (const line of linesOf(stream)) lines.push(Buffer.from(line).toString());
    assert.deepEqual(lines, ["one\n", "\n", "two\r\n", "three\u2028\n", "rest"]);
  }
});

test("a stream that breaks decides nothing, unless something is wrong before that", async () => {
  const breaking = (lines) => {
    const rest = lines.map((line) => bytes(text(line)));
    return new ReadableStream({
      pull: (controller) => (rest.length ? controller.enqueue(rest.shift()) : controller.error(new Error("lost"))),
    });
  };
  await assert.rejects(checkRound(HISTORY, breaking(BUNDLE.slice(0, 4))), /^Error: lost/);
  const wrong = changed(BUNDLE, 2, { leaf_index: 1 }).slice(0, 4);
  assert.equal(await faultOf(() => checkRound(HISTORY, breaking(wrong))), Fault.INDEX_MISMATCH);
});

test("a bundle that is refused is not read on", async () => {
  let cancelled = false;
  const stream = new ReadableStream({
    pull: (controller) => controller.enqueue(bytes(text(BUNDLE[0]))),
    cancel: () => { cancelled = true; },
  });
  assert.equal(await faultOf(() => checkRound(HISTORY, stream)), Fault.BAD_LINE);
  for (let turn = 0; turn < 100 && !cancelled; turn++) await new Promise(setImmediate);
  assert.ok(cancelled);
});
