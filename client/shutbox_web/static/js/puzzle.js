// Playing a puzzle: all dice lie on the table, a line is found here and submitted as a sequence.

import { join, left, progressText } from "./choice.js";
import { bytesOf, tilesOf } from "./game/encoding.js";
import { deal } from "./game/dice.js";
import { rulesOf } from "./game/rules.js";
import { CATALOGUE } from "./game/rulesets.js";
import { Line, NO_CRYPTOGRAPHY, listen } from "./line.js";
import { calm, speak, warn } from "./live.js";
import { make, optional, part, write } from "./parts.js";
import { diceAtRest } from "./pictures.js";
import { Table } from "./table.js";

/** @import { RoundRules } from "./choice.js" */
/** @import { Position } from "./game/play.js" */
/** @import { Answer, Request } from "./api.js" */

/**
 * @typedef {object} Facts
 * @property {string} round_id
 * @property {string} ruleset
 * @property {string} label
 * @property {string} state
 * @property {string | null} seed
 * @property {boolean} known whether the browser has a player already
 * @property {number | null} best the player's best score on this round
 * @property {RoundRules} rules
 */

/** @type {Facts} */
const facts = JSON.parse(part("main").dataset.facts ?? "");
const table = new Table(facts.rules, (decision) => line?.take(decision));
/** @type {Line | undefined} */
let line;

// What is shown

/** @type {(at: Position) => void} */
function show(at) {
  drawRolls(at);
  drawWhere(at);
  if (at.turns.length) sender();
  if (at.state !== "locked" && at.state !== "shut") return;
  if (facts.state === "open") table.offer({ label: `Submit: score ${scoreOf(at)}`, act: submit });
  else table.busy("Closed for submissions");
}

/** @type {(at: Position) => void} */
function drawWhere(at) {
  const best = facts.best === null ? "" : ` · best so far ${facts.best}`;
  write(part("where"), `${facts.label} · ${progressText(facts.rules, { ...at, open: tilesOf(at.open) })}${best}`);
}

/** @type {(at: Position) => number} */
const scoreOf = (at) => facts.rules.opening_penalty - left(facts.rules, tilesOf(at.open));

/** @type {(at: Position) => void} */
function drawRolls(at) {
  const { rolls } = /** @type {Line} */ (line).dice;
  part("rolls").replaceChildren(
    ...rolls.map((faces, roll) => {
      const item = make("li", roll === at.roll ? { "aria-current": "step" } : roll < at.roll ? { class: "done" } : {});
      item.append(diceAtRest(faces, `Roll ${roll + 1}: ${join(faces)}`));
      return item;
    }),
  );
}

// What is sent

/** Return what sends: it is fetched while the line is found, not at the first visit. Null if it cannot be had now. */
const sender = () => import("./api.js").catch(() => null);

/** @type {(tryAgain: () => void) => void} */
const offerAgain = (tryAgain) =>
  table.offer({ label: "Try again now", act: tryAgain, hint: "Not recorded yet." });

/** @type {(api: typeof import("./api.js"), request: Request) => Promise<Answer>} */
const send = ({ persist, tryNow }, request) =>
  persist(request, {
    slow: () => speak("Sending."),
    lost: (tries) => {
      if (!tries) warn("Connection lost. Your line is kept; trying again.");
      offerAgain(tryNow);
    },
    back: () => {
      calm();
      table.busy("Sending…");
    },
  });

async function submit() {
  if (!line || line.still) return;
  const { position } = line;
  line.still = true;
  table.busy("Sending…");
  const api = await sender();
  if (!api) {
    line.still = false;
    warn("Connection lost. Your line is kept.");
    offerAgain(submit);
    return;
  }
  calm();
  if (!facts.known) await send(api, { method: "POST", path: "/api/v1/players" });
  facts.known = true;
  const turns = position.turns.map(({ dice, shut }) => ({ dice, shut: [...shut] }));
  const answer = await send(api, { method: "POST", path: `/api/v1/rounds/${facts.round_id}/runs`, body: { turns } });
  line.still = false;
  if (answer.status === 401) {
    facts.known = false;
    await submit();
  } else if (answer.status < 300) {
    facts.best = Math.max(facts.best ?? 0, answer.body.score);
    drawWhere(position);
    showVerdict(answer);
  } else {
    warn(`${answer.body.title}. ${answer.body.detail}.`);
    table.busy("Not taken");
  }
}

/** @type {(answer: Answer) => void} */
function showVerdict({ status, body: run }) {
  const result = `Score ${run.score} · ${run.penalty} left.`;
  const known = status === 200 ? " You had submitted this line before." : "";
  const place = run.rank ? ` Rank ${run.rank} of ${run.total}.` : " A better line of yours counts.";
  const verdict = `Verified. ${result}${place}${known}`;
  speak(verdict);
  const link = make("a", { href: `/run/${run.run_id}` }, "The run");
  part("verdict").replaceChildren(make("p", { class: "notice" }, `${verdict} `, link));
  table.offer({ label: "See the result", act: () => location.assign(`/run/${run.run_id}#result`) });
  optional(import("./name.js"));
  optional(import("./offline.js"));
}

async function open() {
  if (!facts.seed) {
    table.busy("Not open yet");
    return;
  }
  if (!globalThis.crypto?.subtle) {
    table.busy("Not here");
    warn(NO_CRYPTOGRAPHY);
    return;
  }
  const ruleset = CATALOGUE.get(facts.ruleset);
  if (!ruleset) throw new Error(`no ruleset ${facts.ruleset}`);
  const rules = rulesOf(ruleset);
  line = new Line(table, rules, await deal(rules, bytesOf(facts.seed)), { thrown: false, changed: show });
  line.takeUp();
  if (facts.known) optional(import("./name.js"));
}

listen(() => line);
open();
