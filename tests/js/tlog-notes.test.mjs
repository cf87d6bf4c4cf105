// Keys, notes and checkpoints have one spelling, and only what the key signed passes, as tests/tlog/test_notes.py.

import assert from "node:assert/strict";
import { test } from "node:test";

import { hexOf } from "../../client/shutbox_web/static/js/game/encoding.js";
import { Fault, Undecided } from "../../client/shutbox_web/static/js/tlog/faults.js";
import { VerifierKey, parseNote, verifyCheckpoint, verifyNote } from "../../client/shutbox_web/static/js/tlog/note.js";
import {
  CHECKPOINT,
  KEY,
  LOG,
  ROOTS,
  base64,
  bytes,
  faultOf,
  filled,
  flipped,
  fromHex,
  keyText,
  sha256,
  sign,
  textOf,
} from "./small-log.mjs";

const [TEXT, SIGNATURE_LINE] = LOG.checkpoint.split("\n\n");
const [ORIGIN, , ROOT] = TEXT.split("\n");
const PUBLIC_KEY = bytes(Buffer.from(LOG.vkey.split("+").slice(2).join("+"), "base64").subarray(1));

/** Return the signature line of a note of the checkpoint's text, or of another, by another key. */
const lineBy = async (secret, name, text = `${TEXT}\n`) => textOf(await sign(text, secret, name)).split("\n\n")[1];
const OTHER_LINE = await lineBy(filled(32), "witness.example/w");

const parsing = (text) => faultOf(() => VerifierKey.parse(text));
const checking = (content, key = KEY) => faultOf(() => verifyCheckpoint(bytes(content), key));

test("the verifier key of the vectors is read", () => {
  assert.deepEqual([KEY.name, KEY.keyId], [LOG.origin, "1d1b6d8e"]);
  assert.equal(keyText(KEY.name, PUBLIC_KEY), LOG.vkey);
});

test("the checkpoint of the vectors is read", async () => {
  assert.deepEqual(await verifyCheckpoint(CHECKPOINT, KEY), { origin: LOG.origin, size: 40n, root: ROOTS[40] });
  assert.deepEqual(await sign(`${TEXT}\n`), CHECKPOINT);
});

test("every flipped bit of a checkpoint is refused", async () => {
  for (const wrong of flipped(CHECKPOINT)) await checking(wrong);
});

test("every flipped bit of a verifier key is refused", async () => {
  for (const wrong of flipped(bytes(LOG.vkey))) {
    assert.equal(await parsing(Buffer.from(wrong).toString("latin1")), Fault.BAD_KEY);
  }
});

for (const [what, text] of Object.entries({
  nothing: "",
  "a name": "name",
  "no key": "name+00000000",
  "a newline behind it": `${LOG.vkey}\n`,
  "a blank before it": ` ${LOG.vkey}`,
  "an id in capitals": LOG.vkey.replace("1d1b6d8e", "1D1B6D8E"),
  "an id too short": LOG.vkey.replace("+1d1b6d8e", "+1d1b6d8"),
  "another name": LOG.vkey.replace(ORIGIN, "other.example/log"),
  "another type": LOG.vkey.replace("+AY", "+BI"),
  "a name of two words, with its own id": keyText("two words", PUBLIC_KEY),
  "a key too short, with its own id": keyText(ORIGIN, PUBLIC_KEY.slice(1)),
  "a key too long, with its own id": keyText(ORIGIN, bytes(PUBLIC_KEY, [0])),
})) {
  test(`a verifier key has one spelling: ${what}`, async () => assert.equal(await parsing(text), Fault.BAD_KEY));
}

for (const key of [
  "00".repeat(32),
  `${"00".repeat(31)}80`,
  `01${"00".repeat(31)}`,
  `ec${"ff".repeat(30)}7f`,
  `ed${"ff".repeat(30)}7f`,
  `ee${"ff".repeat(31)}`,
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
]) {
  test(`a key for which anyone can sign is none: ${key}`, async () => {
    assert.equal(await parsing(keyText(ORIGIN, Buffer.from(key, "hex"))), Fault.BAD_KEY);
  });
}

test("a base64 key with a plus in it is read", async () => {
  const texts = Array.from({ length: 40 }, (_, number) => keyText("log.example", sha256([number])));
  assert.ok(texts.some((text) => text.split("+").length > 3));
  for (const text of texts) {
    const { name, keyId } = await VerifierKey.parse(text);
    assert.equal(`${name}+${keyId}`, text.slice(0, 20));
  }
});

for (const [what, content, fault] of [
  ["CR everywhere", LOG.checkpoint.replaceAll("\n", "\r\n"), Fault.BAD_TEXT],
  ["a CR", LOG.checkpoint.replace("log\n40", "log\r\n40"), Fault.BAD_TEXT],
  ["a CR at the end", `${LOG.checkpoint.slice(0, -1)}\r\n`, Fault.BAD_TEXT],
  ["a tab", LOG.checkpoint.replace("\n40", "\n\t40"), Fault.BAD_TEXT],
  ["a NUL", `${LOG.checkpoint}\0`, Fault.BAD_TEXT],
  ["no UTF-8", bytes(CHECKPOINT, [0xff]), Fault.BAD_TEXT],
  ["half a surrogate pair", bytes(CHECKPOINT, [0xed, 0xa0, 0x80]), Fault.BAD_TEXT],
  ["a BOM", bytes([0xef, 0xbb, 0xbf], CHECKPOINT), Fault.BAD_SIGNATURE],
  ["a blank line behind it", `${LOG.checkpoint}\n`, Fault.BAD_LINE],
  ["a letter behind it", `${LOG.checkpoint}x`, Fault.BAD_LINE],
  ["no newline at the end", LOG.checkpoint.slice(0, -1), Fault.BAD_LINE],
  ["no signature", `${TEXT}\n`, Fault.BAD_LINE],
  ["nothing below the blank line", `${TEXT}\n\n`, Fault.BAD_LINE],
  ["no text", `\n\n${SIGNATURE_LINE}`, Fault.BAD_LINE],
  ["nothing", "", Fault.BAD_LINE],
  ["two blanks behind the dash", LOG.checkpoint.replace("— ", "—  "), Fault.BAD_LINE],
  ["a hyphen", LOG.checkpoint.replace("— ", "- "), Fault.BAD_LINE],
  ["an en dash", LOG.checkpoint.replace("— ", "– "), Fault.BAD_LINE],
  ["two blanks behind the name", LOG.checkpoint.replace("log HRtt", "log  HRtt"), Fault.BAD_LINE],
  ["a blank at the end", `${LOG.checkpoint.slice(0, -1)} \n`, Fault.BAD_LINE],
  ["a plus in the name", LOG.checkpoint.replace("/log HRtt", "/lo+g HRtt"), Fault.BAD_LINE],
  ["a no-break space in the name", LOG.checkpoint.replace("/log HRtt", "/lo\u00a0g HRtt"), Fault.BAD_LINE],
  ["a next line in the name", LOG.checkpoint.replace("/log HRtt", "/lo\u0085g HRtt"), Fault.BAD_LINE],
  ["a BOM in the name, which is no space", LOG.checkpoint.replace("/log HRtt", "/lo\ufeffg HRtt"), Fault.NOT_SIGNED],
  ["bits behind the base64", LOG.checkpoint.replace("/owM=", "/owN="), Fault.BAD_BASE64],
  ["no padding", `${LOG.checkpoint.slice(0, -2)}\n`, Fault.BAD_BASE64],
  ["too much padding", `${LOG.checkpoint.slice(0, -1)}=\n`, Fault.BAD_BASE64],
  ["base64 of URLs", LOG.checkpoint.replace("/owM=", "_owM="), Fault.BAD_BASE64],
  ["a signature of three bytes", `${LOG.checkpoint}— x AAAA\n`, Fault.BAD_LENGTH],
  ["a signature of four bytes", `${LOG.checkpoint}— x AAAAAA==\n`, Fault.BAD_LENGTH],
  ["65 signatures", LOG.checkpoint + SIGNATURE_LINE.repeat(64), Fault.TOO_LONG],
  ["another size", LOG.checkpoint.replace("\n40\n", "\n41\n"), Fault.BAD_SIGNATURE],
  ["a signature too short", LOG.checkpoint.replace(/HRtt.*/, base64(fromHex("1d1b6d8e00"))), Fault.BAD_SIGNATURE],
  ["another key id", LOG.checkpoint.replace("log HRtt", "log HRtu"), Fault.NOT_SIGNED],
  ["another name", LOG.checkpoint.replace("log HRtt", "log-2 HRtt"), Fault.NOT_SIGNED],
]) {
  test(`a faulty note is refused by name: ${what}`, async () => {
    assert.notEqual(content, LOG.checkpoint);
    assert.equal(await checking(content), fault);
  });
}

for (const [text, fault] of [
  ...["040", "+40", "-40", "40 ", " 40", "4_0", "4.0", "4e1", "0x28", "٤٠", "", "9223372036854775808"].map((size) => [
    `${ORIGIN}\n${size}\n${ROOT}\n`,
    Fault.BAD_NUMBER,
  ]),
  [`${ORIGIN}\n40\n${ROOT.slice(0, -1)}\n`, Fault.BAD_BASE64],
  [`${ORIGIN}\n40\n ${ROOT}\n`, Fault.BAD_BASE64],
  [`${ORIGIN}\n40\n${ROOT.slice(0, -2)}V=\n`, Fault.BAD_BASE64],
  [`${ORIGIN}\n40\n${base64(filled(31))}\n`, Fault.BAD_LENGTH],
  [`${ORIGIN}\n40\n${ROOT}\nextension\n`, Fault.BAD_LINE],
  [`${ORIGIN}\n40\n${ROOT}\n\n`, Fault.BAD_LINE],
  [`${ORIGIN}\n40\n`, Fault.BAD_LINE],
  [`${ORIGIN}\n0\n${ROOT}\n`, Fault.PATH_MISMATCH],
  [`other.example/log\n40\n${ROOT}\n`, Fault.ORIGIN_MISMATCH],
  [`two words\n40\n${ROOT}\n`, Fault.BAD_ORIGIN],
  [`\ufeff${ORIGIN}\n40\n${ROOT}\n`, Fault.BAD_ORIGIN],
]) {
  test(`a faulty checkpoint is refused even if it is signed: ${JSON.stringify(text)}`, async () => {
    const content = await sign(text);
    assert.equal(await verifyNote(content, KEY), text);
    assert.equal(await checking(content), fault);
  });
}

test("the largest size is read exactly", async () => {
  const { size } = await verifyCheckpoint(await sign(`${ORIGIN}\n9223372036854775807\n${ROOT}\n`), KEY);
  assert.equal(size, 2n ** 63n - 1n);
});

test("a log begins empty", async () => {
  const checkpoint = await verifyCheckpoint(await sign(`${ORIGIN}\n0\n${base64(ROOTS[0])}\n`), KEY);
  assert.deepEqual(checkpoint, { origin: ORIGIN, size: 0n, root: ROOTS[0] });
});

test("signatures by other keys are passed over", async () => {
  for (const content of [LOG.checkpoint + OTHER_LINE, `${TEXT}\n\n${OTHER_LINE}${SIGNATURE_LINE}`]) {
    assert.equal((await verifyCheckpoint(bytes(content), KEY)).size, 40n);
  }
  assert.equal(await checking(`${TEXT}\n\n${OTHER_LINE}`), Fault.NOT_SIGNED);
});

test("a note has at most 64 signatures", async () => {
  assert.equal(parseNote(bytes(LOG.checkpoint + OTHER_LINE.repeat(63))).signatures.length, 64);
  assert.equal(await checking(LOG.checkpoint + OTHER_LINE.repeat(64)), Fault.TOO_LONG);
});

test("a note has at most 16,384 bytes", async () => {
  const room = 16_384 - CHECKPOINT.length - bytes("— other \n").length;
  const content = (name) => bytes(CHECKPOINT, `— ${name} ${"A".repeat(room - (room % 4))}\n`);
  const name = `other${"r".repeat(room % 4)}`;
  assert.equal(content(name).length, 16_384);
  assert.equal((await verifyCheckpoint(content(name), KEY)).size, 40n);
  assert.equal(await checking(content(`${name}r`)), Fault.TOO_LONG);
  assert.equal(await checking(filled(16_385, 255)), Fault.TOO_LONG, "this is asked first");
  assert.equal(await checking(filled(16_384, 255)), Fault.BAD_TEXT);
});

test("a key of the same name is another key", async () => {
  const line = await lineBy(filled(32), ORIGIN);
  assert.equal((await verifyCheckpoint(bytes(LOG.checkpoint + line), KEY)).size, 40n);
  const namesake = await VerifierKey.parse(keyText(ORIGIN, filled(32, 7)));
  assert.equal(await checking(CHECKPOINT, namesake), Fault.NOT_SIGNED);
});

test("one false signature by the key spoils the note", async () => {
  const line = await lineBy(fromHex(LOG.key_secret), ORIGIN, "another text\n");
  assert.equal(await checking(LOG.checkpoint + line), Fault.BAD_SIGNATURE);
});

test("a note may hold blank lines but a checkpoint may not", async () => {
  const note = await sign("one\n\ntwo\n");
  assert.equal(await verifyNote(note, KEY), "one\n\ntwo\n");
  assert.equal(await checking(note), Fault.BAD_NUMBER);
});

/** Run a test with another `crypto`: no engine here is without it, so this is all that can be seen of one. */
async function withCrypto(crypto, run) {
  const real = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  Object.defineProperty(globalThis, "crypto", { value: crypto, configurable: true });
  try {
    await run();
  } finally {
    Object.defineProperty(globalThis, "crypto", real);
  }
}

test("an engine without Ed25519, and a page without Web Crypto, decide nothing", async () => {
  const { subtle } = globalThis.crypto;
  const importKey = () => Promise.reject(new DOMException("Unrecognized name.", "NotSupportedError"));
  const engine = { subtle: { digest: subtle.digest.bind(subtle), importKey } };
  for (const crypto of [engine, {}, undefined]) {
    await withCrypto(crypto, () => assert.rejects(VerifierKey.parse(LOG.vkey), Undecided));
  }
  await withCrypto(engine, async () => assert.equal(await parsing(LOG.vkey.replace("+AY", "+BI")), Fault.BAD_KEY));
  assert.equal(hexOf(fromHex("1d1b6d8e")), (await VerifierKey.parse(LOG.vkey)).keyId);
});
