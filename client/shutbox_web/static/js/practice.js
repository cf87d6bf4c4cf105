// Practice: any ruleset on dice that are dealt here, with exact values on request. Nothing is sent.

import { diceWord, progressText, scoreText } from "./choice.js";
import { bytesOf, hexOf, tilesOf } from "./game/encoding.js";
import { deal } from "./game/dice.js";
import { legalWays } from "./game/play.js";
import { rulesOf } from "./game/rules.js";
import { CATALOGUE } from "./game/rulesets.js";
import { Line, NO_CRYPTOGRAPHY, listen } from "./line.js";
import { say, speak, warn } from "./live.js";
import { make, part, write } from "./parts.js";
import { Table } from "./table.js";

/** @import { Answer } from "./analyst.js" */
/** @import { RoundRules } from "./choice.js" */
/** @import { Position } from "./game/play.js" */

/**
 * @typedef {object} Facts
 * @property {string} ruleset
 * @property {RoundRules} rules
 * @property {string | null} round_id the closed round whose dice these are
 * @property {string | null} seed
 * @property {boolean} wrong whether the address has a seed that is none
 */

const SEED_BYTES = 32;
const WRONG_SEED = "A seed must have 64 digits, each 0 to 9 or a to f.";

/** @type {Facts} */
const facts = JSON.parse(part("main").dataset.facts ?? "");
const table = new Table(facts.rules, (decision) => line?.take(decision));
const field = /** @type {HTMLInputElement} */ (part("seed"));
const values = /** @type {HTMLInputElement} */ (part("values"));
/** @type {Line | undefined} */
let line;
/** @type {Position | undefined} what is shown now: an answer about another position comes too late */
let current;

// The dice

/** Take up what the address says: its dice, and the line so far. Without dice it gets fresh ones. */
async function begin() {
  const asked = new URLSearchParams(location.search);
  const round = asked.get("round");
  const here = round ? round === facts.round_id : (asked.get("ruleset") ?? facts.ruleset) === facts.ruleset;
  const seed = round ? facts.seed : seedIn(asked.get("seed") ?? "");
  if (here && seed) await dealFrom(seed);
  else await moveTo(freshSeed(), "replaceState");
  if (!here) say("What this address asks for cannot be had without a connection. These are fresh dice."); // a kept page
}

const freshSeed = () => hexOf(crypto.getRandomValues(new Uint8Array(SEED_BYTES)));

/** @type {(text: string) => string | null} Return the seed that a text is, or null. */
function seedIn(text) {
  const seed = text.trim().toLowerCase();
  return /^[0-9a-f]{64}$/.test(seed) ? seed : null;
}

/**
 * Play other dice; Back leads to those before.
 * @type {(seed: string, how?: "pushState" | "replaceState") => Promise<void>}
 */
async function moveTo(seed, how = "pushState") {
  history[how](null, "", `/practice?ruleset=${facts.ruleset}&seed=${seed}`);
  await dealFrom(seed);
}

/** @type {(seed: string) => Promise<void>} */
async function dealFrom(seed) {
  const ruleset = CATALOGUE.get(facts.ruleset);
  if (!ruleset) throw new Error(`no ruleset ${facts.ruleset}`);
  const rules = rulesOf(ruleset);
  line = new Line(table, rules, await deal(rules, bytesOf(seed)), { thrown: true, changed: show });
  field.value = seed;
  tellSeed(true);
  part("of-round").hidden = seed !== facts.seed || !facts.round_id;
  line.takeUp();
}

/** @type {(right: boolean) => void} */
function tellSeed(right) {
  if (right) field.removeAttribute("aria-invalid");
  else field.setAttribute("aria-invalid", "true");
  const text = right ? "Whoever has the seed can play the same dice." : `${WRONG_SEED} ${whyWrong(field.value.trim())}`;
  write(part("seed-note"), text);
}

/** @type {(text: string) => string} */
function whyWrong(text) {
  const other = /[^0-9a-f]/i.exec(text);
  return other ? `“${other[0]}” is none of them.` : `This has ${text.length}.`;
}

/** Say at the table why there are no dice of what the address has as a seed, and offer others. */
function refuseSeed() {
  tellSeed(false);
  const hint = part("seed-note").textContent ?? "";
  const { opening, dice } = facts.rules;
  table.show({ state: "ready", open: opening, roll: 0, faces: null, legal: [], dice_allowed: [dice] });
  table.offer({ label: "New dice", act: newDice, hint });
  speak(hint);
}

async function newDice() {
  await moveTo(freshSeed());
  say("New dice.");
  part("primary").focus();
  part("table").scrollIntoView({ block: "nearest" });
}

// What is shown

/** @type {(at: Position) => void} */
function show(at) {
  current = at;
  write(part("where"), progressText(facts.rules, { ...at, open: tilesOf(at.open) }));
  const ended = isEnd(at);
  part("end").hidden = !ended;
  part("running").hidden = true;
  if (ended) showEnd(at);
  else showValues(at);
}

/** @type {(at: Position) => boolean} */
const isEnd = ({ state }) => state === "locked" || state === "shut";

/**
 * Ask for exact values, and load what shows them: not before somebody wants to know. Null if they come too late, or
 * not at all.
 * @template T
 * @param {Position} at
 * @param {() => Promise<T>} load
 * @returns {Promise<{answer: Answer, shows: T} | null>}
 */
async function valuesOf(at, load) {
  const { rules, dice } = /** @type {Line} */ (line);
  try {
    const [{ ask }, shows] = await Promise.all([import("./analyst.js"), load()]);
    const ways = legalWays(rules, dice, at);
    const answer = await ask({ ruleset: facts.ruleset, rolls: dice.rolls, turns: at.turns, open: at.open, ways });
    return at === current ? { answer, shows } : null;
  } catch {
    warn("The exact values cannot be computed in this browser.");
    return null;
  }
}

/** @type {(at: Position) => Promise<void>} Show what each choice is worth, if that is wished. */
async function showValues(at) {
  table.showWorth([]);
  part("running").hidden = true;
  if (!values.checked) return;
  const found = await valuesOf(at, () => import("./points.js"));
  if (!found || !values.checked) return;
  const { analysis, ofWays, ofDice } = found.answer;
  const { points } = found.shows;
  const worth = (/** @type {bigint[]} */ all) => {
    const least = all.reduce((one, other) => (other < one ? other : one), all[0]);
    return all.map((value) => `${points(value, analysis.denominator)} left${value === least ? ", best" : ""}`);
  };
  table.showWorth(worth(ofWays));
  const { rules } = /** @type {Line} */ (line);
  if (at.state === "choose_dice") {
    const texts = worth(ofDice).map((text, place) => `${diceWord(rules.diceAllowed[at.open][place])}: ${text}`);
    say(`On the average, ${texts.join("; ")}.`);
  }
  part("running").hidden = false;
  write(part("running"), `Given away so far: ${points(analysis.givenAway, analysis.denominator)}.`);
}

/** @type {(at: Position) => Promise<void>} */
async function showEnd(at) {
  table.offer({ label: "See the analysis", act: () => part("score").focus() });
  write(part("score"), `${at.open ? "" : "Box shut! "}${scoreText(facts.rules, tilesOf(at.open))}`);
  part("analysis").replaceChildren(make("p", { class: "muted" }, "Computing the analysis…"));
  const found = await valuesOf(at, () => import("./analysis-table.js"));
  if (!found) return;
  const { rules, dice } = /** @type {Line} */ (line);
  const { analysis, bestLine } = found.answer;
  part("analysis").replaceChildren(...found.shows.analysisParts(rules, dice, analysis, bestLine));
}

// What is pressed

for (const id of ["new", "others"]) part(id).addEventListener("click", newDice);
part("again").addEventListener("click", () => {
  line?.restart();
  part("primary").focus();
});
values.addEventListener("change", () => {
  if (current && !isEnd(current)) showValues(current);
});
part("dice-of").addEventListener("submit", (event) => {
  event.preventDefault();
  const seed = seedIn(field.value);
  tellSeed(Boolean(seed));
  if (seed) moveTo(seed);
  else {
    speak(part("seed-note").textContent ?? "");
    field.focus();
  }
});
listen(() => line);

if (!globalThis.crypto?.subtle) {
  table.busy("Not here");
  warn(NO_CRYPTOGRAPHY);
} else {
  addEventListener("popstate", async () => {
    await begin();
    part("primary").focus();
  });
  if (facts.wrong) refuseSeed();
  else begin();
}
