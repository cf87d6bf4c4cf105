// Playing a puzzle: all dice lie on the table, a line is found here and submitted as a sequence.

import { persist, tryNow } from "./api.js";
import { join, left, scoreText, shutText, sum } from "./choice.js";
import { bytesOf, tilesOf } from "./game/encoding.js";
import { deal } from "./game/dice.js";
import { decide, legalWays, start } from "./game/play.js";
import { replay } from "./game/replay.js";
import { rulesOf } from "./game/rules.js";
import { CATALOGUE } from "./game/rulesets.js";
import { calm, say, warn } from "./live.js";
import { make, part, write } from "./parts.js";
import { diceAtRest } from "./pictures.js";
import { Table } from "./table.js";

/** @import { RoundRules, Position as Shown } from "./choice.js" */
/** @import { Decision, Position } from "./game/play.js" */
/** @import { RollTable, Rules } from "./game/rules.js" */
/** @import { Answer, Request } from "./api.js" */

/** @typedef {{round_id: string, ruleset: string, label: string, state: string, seed: string, known: boolean}} Facts */

/** @type {Facts & {rules: RoundRules}} */
const facts = JSON.parse(part("main").dataset.facts ?? "");
const table = new Table(facts.rules, take);
/** @type {Decision[]} */
let line = [];
let sending = false;
/** @type {Rules} */
let rules;
/** @type {RollTable} */
let dice;

// The line

/** @type {() => Position} */
const position = () =>
  line.reduce((at, decision) => /** @type {Position} */ (decide(rules, dice, at, decision)), start(rules, dice));

/** @type {(at: Position) => Shown} Return a position as the table shows it. */
const shown = (at) => ({
  state: at.state,
  open: tilesOf(at.open),
  roll: at.roll,
  faces: at.faces && [...at.faces],
  legal: legalWays(rules, dice, at),
  dice_allowed: rules.diceAllowed[at.open],
});

/** @type {(decision: import("./table.js").Decision) => void} */
function take(decision) {
  if (sending) return;
  const before = position();
  const next = decide(rules, dice, before, decision);
  if (typeof next === "string") {
    warn(`Not legal: ${next}.`);
    return;
  }
  line.push(decision);
  if ("shut" in decision && next.open) say(shutText(decision.shut, tilesOf(next.open)));
  show(true);
}

/** @type {(decisions: Decision[], text: string) => void} */
function replaceLine(decisions, text) {
  if (sending) return;
  line = decisions;
  say(text);
  show(false);
}

/** The line so far is in the address, so that a reload and the back button keep it. */
function keepInAddress() {
  const text = line.map((decision) => ("dice" in decision ? `d${decision.dice}` : decision.shut.join("."))).join("_");
  history.replaceState(null, "", text ? `#${text}` : location.pathname);
}

/** Take up the line in the address as far as it is legal. */
function readAddress() {
  let at = start(rules, dice);
  for (const text of location.hash.slice(1).split("_").filter(Boolean)) {
    const decision = text.startsWith("d") ? { dice: Number(text.slice(1)) } : { shut: text.split(".").map(Number) };
    const next = decide(rules, dice, at, decision);
    if (typeof next === "string") return;
    line.push(decision);
    at = next;
  }
}

// What is shown

/** @type {(arrived: boolean) => void} */
function show(arrived) {
  const at = position();
  const open = tilesOf(at.open);
  table.show(shown(at), arrived, false);
  drawRolls(at);
  keepInAddress();
  const ended = at.state === "locked" || at.state === "shut";
  const progress = ended ? scoreText(facts.rules, open) : `roll ${at.roll + 1} · ${sum(open)} open`;
  write(part("where"), `${facts.label} · ${progress}`);
  for (const id of ["undo", "restart"]) part(id).setAttribute("aria-disabled", String(!line.length));
  if (!ended) return;
  if (facts.state === "open") {
    const score = facts.rules.opening_penalty - left(facts.rules, open);
    table.offer({ label: `Submit: score ${score}`, act: submit });
  } else table.busy("Closed for submissions");
}

/** @type {(at: Position) => void} */
function drawRolls(at) {
  part("rolls").replaceChildren(
    ...dice.rolls.map((faces, roll) => {
      const item = make("li", roll === at.roll ? { "aria-current": "step" } : roll < at.roll ? { class: "done" } : {});
      item.append(diceAtRest(faces, `Roll ${roll + 1}: ${join(faces)}`));
      return item;
    }),
  );
  part("turns").replaceChildren(
    ...at.turns.map(({ dice: number, shut }, roll) => {
      const faces = dice.rolls[roll].slice(0, number);
      return make("li", {}, `${faces.join(" + ")}, ${shut.length ? `shut ${join(shut)}` : "no move"}`);
    }),
  );
  part("no-turns").hidden = at.turns.length > 0;
}

// What is sent

/** @type {(request: Request) => Promise<Answer>} */
const send = (request) =>
  persist(request, {
    slow: () => say("Sending."),
    lost: (tries) => {
      if (!tries) warn("Connection lost. Your line is kept; trying again.");
      table.offer({ label: "Try again now", act: tryNow, hint: "Not recorded yet." });
    },
    back: () => {
      calm();
      table.busy("Sending…");
    },
  });

async function submit() {
  const { turns } = position();
  const local = replay(rules, dice, turns);
  if (local.refusal || sending) return;
  sending = true;
  table.busy("Sending…");
  if (!facts.known) await send({ method: "POST", path: "/api/v1/players" });
  facts.known = true;
  const body = { turns: turns.map(({ dice: number, shut }) => ({ dice: number, shut: [...shut] })) };
  const answer = await send({ method: "POST", path: `/api/v1/rounds/${facts.round_id}/runs`, body });
  sending = false;
  if (answer.status === 401) {
    facts.known = false;
    await submit();
  } else if (answer.status < 300) showVerdict(answer);
  else {
    warn(`${answer.body.title}. ${answer.body.detail}.`);
    table.busy("Not taken");
  }
}

/** @type {(answer: Answer) => void} */
function showVerdict({ status, body: run }) {
  const result = `Score ${run.score} · ${run.penalty} left.`;
  const known = status === 200 ? " You had submitted this line before." : "";
  const place = run.rank ? ` Rank ${run.rank} of ${run.total}.` : " A better line of yours counts.";
  say(`Verified. ${result}${place}${known}`);
  const link = make("a", { href: `/run/${run.run_id}` }, "The run");
  part("verdict").replaceChildren(make("p", { class: "notice" }, `Verified. ${result}${place}${known} `, link));
  table.offer({ label: "See the result", act: () => location.assign(`/run/${run.run_id}#result`) });
  import("./name.js");
}

part("undo").addEventListener("click", () => {
  if (line.length) replaceLine(line.slice(0, -1), "Taken back.");
});
part("restart").addEventListener("click", () => {
  if (line.length) replaceLine([], "From the start.");
});

async function open() {
  if (!facts.seed) {
    table.busy("Not open yet");
    return;
  }
  if (!globalThis.crypto?.subtle) {
    table.busy("Not here");
    warn("The dice of a puzzle are derived in the browser, which allows that only over HTTPS or on localhost.");
    return;
  }
  const ruleset = CATALOGUE.get(facts.ruleset);
  if (!ruleset) throw new Error(`no ruleset ${facts.ruleset}`);
  rules = rulesOf(ruleset);
  dice = await deal(rules, bytesOf(facts.seed));
  readAddress();
  show(false);
  if (facts.known) import("./name.js");
}

open();
