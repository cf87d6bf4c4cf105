// Playing a sealed round: the server holds the state, this page shows it and sends one decision at a time.

import { persist, tryNow } from "./api.js";
import { endText, join, scoreText, shutText, sum } from "./choice.js";
import { calm, say, speak, warn } from "./live.js";
import { serverNow, utcTime } from "./page.js";
import { optional, part, write } from "./parts.js";
import { Table } from "./table.js";
import { takeUp } from "./tabs.js";

/** @import { Position, RoundRules } from "./choice.js" */
/** @import { Answer, Request, Told } from "./api.js" */
/** @import { Decision } from "./table.js" */

/** @typedef {Position & {attempt_id: string, move: number, run_id: string | null}} Attempt */
/** @typedef {{faces: number[], shut: number[]}} ShownTurn */

/**
 * What the page was served with.
 * @typedef {object} Facts
 * @property {string} round_id
 * @property {string} label
 * @property {number | null} number of the day; a challenge has none
 * @property {string} state
 * @property {number} entries_until
 * @property {number} closes_at
 * @property {RoundRules} rules
 * @property {boolean} known whether the browser has a player already
 * @property {string | null} player who that was when the page was made
 * @property {Attempt | null} attempt
 * @property {ShownTurn[]} turns
 */

/** @type {(page: Document) => Facts} */
const factsOf = (page) => JSON.parse(page.getElementById("main")?.dataset.facts ?? "null");

let facts = factsOf(document);
const { rules } = facts;
const table = new Table(rules, decide);
const claim = takeUp(facts.round_id, park);
let parked = false;
let sending = false;
let resent = false;

// What is shown

/** @type {(arrived?: boolean) => Promise<void>} */
async function show(arrived = false) {
  const { attempt } = facts;
  if (!(await table.show(attempt ?? unplayed(), arrived))) return;
  table.showTurns(facts.turns);
  drawWhere();
  if (!attempt) {
    if (facts.state === "open") table.offer({ label: `Roll ${rules.dice} dice`, act: start });
    else table.busy({ upcoming: "Not open yet", full: "Full" }[facts.state] ?? "Closed for new players");
  } else if (attempt.run_id) {
    table.offer({ label: "See the result", act: () => location.assign(`/run/${attempt.run_id}#result`) });
    write(part("counts"), "You have finished: the standings are on the leaderboard.");
    if (arrived) optional(import("./offline.js")); // not before: it would take time from the table
    else say(`You have played this round. ${scoreText(rules, attempt.open)}.`);
  } else if (attempt.state === "abandoned") table.busy("Closed");
  sayClosing();
}

/** @type {() => Position} The table before the first roll. */
const unplayed = () => ({
  state: facts.state === "open" ? "ready" : facts.state,
  open: rules.opening,
  roll: 0,
  faces: null,
  legal: [],
  dice_allowed: [rules.dice],
});

function drawWhere() {
  const { attempt } = facts;
  const abandoned = attempt?.state === "abandoned";
  const ended = attempt?.run_id || abandoned;
  const result = attempt && !abandoned ? scoreText(rules, attempt.open) : "not finished";
  const progress = !attempt ? "not started" : ended ? result : `roll ${attempt.roll + 1}`;
  const open = attempt?.open ?? rules.opening;
  write(part("where"), `${facts.label} · ${progress}${ended ? "" : ` · ${sum(open)} open`}`);
}

function sayClosing() {
  const { attempt, closes_at: closes, entries_until: until } = facts;
  if (!attempt || attempt.run_id || attempt.state === "abandoned") return;
  if (facts.state === "open" && serverNow() < until) return;
  if (!part("closing").hidden) return;
  const begun = facts.number === null ? "Nobody else can join now." : "A new round has begun.";
  const text = `${begun} Finish this one until ${utcTime(closes)}.`;
  part("closing").hidden = false;
  write(part("closing"), text);
  speak(text);
}

// What is sent

/** @type {Told} What is said while a request waits. */
const told = {
  slow: () => speak("Sending."),
  lost: (tries) => {
    if (!tries) warn("Connection lost. Your move is kept; trying again.");
    table.offer({ label: "Try again now", act: tryNow, hint: "Not recorded yet." });
  },
  back: () => {
    calm();
    table.busy("Sending…");
    resent = true;
  },
};

/** @type {(request: Request) => Promise<Answer>} */
async function send(request) {
  sending = true;
  resent = false;
  table.busy("Sending…");
  try {
    return await persist(request, told);
  } finally {
    sending = false;
  }
}

async function start() {
  if (!facts.known) await send({ method: "POST", path: "/api/v1/players" });
  facts.known = true;
  const answer = await send({ method: "POST", path: `/api/v1/rounds/${facts.round_id}/attempt` });
  if (answer.status === 401) {
    facts.known = false;
    await start();
  } else if (answer.status < 300) {
    const fresh = answer.status === 201;
    /** @type {Attempt} */
    const attempt = answer.body;
    facts.attempt = attempt;
    if (attempt.state === "locked") facts.turns = [{ faces: attempt.faces ?? [], shut: [] }];
    const tiles = consecutive(rules.opening) ? `1 to ${rules.opening.length}` : join(rules.opening);
    if (fresh) speak(`${facts.number === null ? "Challenge" : `Day ${facts.number}`}. Tiles ${tiles} open.`);
    if (fresh) await show(true);
    else await catchUp("This round was begun already. Caught up.");
    optional(import("./name.js"));
  } else await refused(answer);
}

/** @type {(tiles: number[]) => boolean} */
const consecutive = (tiles) => tiles.every((tile, place) => tile === place + 1);

/** @type {(decision: Decision) => Promise<void>} */
async function decide(decision) {
  const { attempt } = facts;
  if (!attempt || sending || parked) return;
  const path = `/api/v1/attempts/${attempt.attempt_id}/moves`;
  const answer = await send({ method: "POST", path, body: { move: attempt.move, ...decision } });
  if (answer.status !== 200) {
    await refused(answer);
    return;
  }
  /** @type {Attempt} */
  const next = answer.body;
  facts.attempt = next;
  if (resent) say(next.run_id ? "Sent. Your round is recorded." : "Sent. Round goes on.");
  if ("shut" in decision) {
    facts.turns.push({ faces: attempt.faces ?? [], shut: decision.shut });
    if (next.open.length) speak(shutText(decision.shut, next.open));
  }
  if (next.state === "locked") facts.turns.push({ faces: next.faces ?? [], shut: [] });
  await show(true);
}

/** @type {(answer: Answer) => Promise<void>} */
async function refused({ status, body }) {
  if (["round_closed", "round_not_open", "challenge_full"].includes(body.code)) warn(`${body.title}. ${body.detail}.`);
  const elsewhere = status === 401 || body.code === "not_yours";
  if (elsewhere) warn("This browser is no longer signed in as the player of this round.");
  else if (status === 403) warn(`${body.title}: ${body.detail}.`);
  if (status === 422) warn(`Not taken: ${body.detail}.`);
  await catchUp(status === 409 && body.state ? "This round went on elsewhere. Caught up." : "");
}

/** @type {(text: string) => Promise<void>} Show the server's state of the round, whatever this page held. */
async function catchUp(text) {
  const page = await fetch(location.pathname).then((answer) => answer.text()).catch(() => null);
  if (page === null) {
    warn("Connection lost. Your round is kept; trying again.");
    setTimeout(catchUp, 2000, text);
    return;
  }
  const fresh = factsOf(new DOMParser().parseFromString(page, "text/html"));
  if (!fresh || (facts.player && fresh.player !== facts.player)) { // this browser plays as somebody else now
    location.reload();
    return;
  }
  const before = facts.attempt;
  facts = fresh;
  if (text) say(text);
  const moved = before?.move !== facts.attempt?.move;
  await show(false);
  if (!moved) return;
  const { attempt } = facts;
  if (attempt?.run_id) speak(endText(rules, attempt));
  else if (attempt) speak(`Open: ${attempt.open.join(", ")}. Sum ${sum(attempt.open)}.`);
}

// Other tabs, other times

function park() {
  if (parked || facts.attempt?.run_id) return;
  parked = true;
  table.root.inert = true;
  part("parked").hidden = false;
  warn("This round is open in another tab. Continue here?");
}

part("continue").addEventListener("click", async () => {
  parked = false;
  table.root.inert = false;
  part("parked").hidden = true;
  calm();
  claim();
  await catchUp("Continued here.");
  part("primary").focus();
});

/** @type {(ms: number) => void} Catch up when the round's state changes by the server's clock. */
function watch(ms) {
  const wait = ms - serverNow();
  if (wait <= 0 || wait > 2 ** 31) return;
  setTimeout(() => {
    if (!sending) catchUp("");
  }, wait + 500);
}

watch(facts.entries_until);
watch(facts.closes_at);
show();
if (facts.known) optional(import("./name.js"));
