// The page of a closed round: a worker verifies it, the page shows each step, how it ended, and the ranking found.

import { calm, say } from "../live.js";
import { make, part, write } from "../parts.js";
import { recall, remember } from "./memory.js";
import { Steps, showEnd } from "./steps.js";
import { reasonText, uuidOf } from "./words.js";

/** @import { End, Place, RoundFound, StepName, Withdrawn } from "./checks.js" */
/** @import { Kept } from "./memory.js" */

/** @typedef {End & {found: RoundFound | null, note: string | null}} RoundEnd */

const SHOWN_WITHDRAWN = 50;

const facts = JSON.parse(/** @type {string} */ (part("check").dataset.facts));
const steps = new Steps(part("steps"));
const button = part("verify");

/** @type {Worker | null} */
let worker = null;
/** @type {StepName} */
let reached = "signature";

function start() {
  stop();
  calm();
  const memory = recall();
  reached = "signature";
  steps.reset();
  part("ranking").hidden = true;
  part("withdrawn").hidden = true;
  part("kept").hidden = true;
  delete part("verdict").dataset.end;
  part("verdict").replaceChildren(make("p", {}, "Verifying in this browser."));
  write(button, "Stop");
  say("Verifying.");
  const started = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker = started;
  worker.onmessage = ({ data }) => {
    if (worker !== started) return; // it was stopped
    if ("keep" in data) return showMemory(remember(data.keep, memory.state === "known" ? memory.key : ""));
    if ("end" in data) return ended(data);
    reached = data.step;
    steps.tell(data);
  };
  worker.onerror = () => {
    const why = "this browser cannot check beside the page";
    ended({ end: "undecided", step: reached, why, found: null, note: null });
  };
  worker.postMessage({ roundId: facts.round_id, keyText: facts.key, memory });

  /** @param {RoundEnd} end */
  function ended(end) {
    stop();
    steps.end(end);
    const right = end.found ? rightText(end.found) : "";
    showEnd(part("verdict"), end, ["It matches.", right], memory, { "checkpoint of now": end.note });
    if (end.end === "right" && end.found) {
      showRanking(end.found);
      showWithdrawn(end.found);
    }
  }
}

function stop() {
  worker?.terminate();
  worker = null;
  write(button, "Verify again");
}

/** @type {(found: RoundFound) => string} */
function rightText({ runs }) {
  if (!runs) return "The dice of this round are what the signed log says. Nobody finished it.";
  const all = runs === 1 ? "the one run" : `all ${runs.toLocaleString("en")} runs`;
  return `The dice, ${all} and the ranking of this round are what the signed log says.`;
}

const KEPT = {
  kept: "This browser remembers the log as it is now: if something is taken back, your next visit finds it.",
  larger: "This browser remembers a longer log already, from another tab: verify again to hold this one against it.",
  other: "This browser remembers another log already, from another tab: verify again to hold this one against it.",
  denied: "This browser keeps nothing for this site, so your next visit cannot tell whether something was taken back.",
};

/** @type {(kept: Kept) => void} */
function showMemory(kept) {
  write(part("kept"), KEPT[kept]);
  part("kept").hidden = false;
}

/** @param {RoundFound} found */
function showRanking({ places, ranked }) {
  part("ranking").hidden = !places.length;
  const ranks = places.map(({ rank }) => rank);
  const shared = (/** @type {number} */ rank) => ranks.indexOf(rank) !== ranks.lastIndexOf(rank);
  part("places").replaceChildren(...places.map((place) => row(place, shared(place.rank))));
  const more = ranked > places.length ? `, the first ${places.length} of ${ranked.toLocaleString("en")}` : "";
  write(part("places-caption"), `Ranking found${more}`);
}

/** @param {RoundFound} found */
function showWithdrawn({ withdrawn }) {
  part("withdrawn").hidden = !withdrawn.length;
  const shown = withdrawn.slice(0, SHOWN_WITHDRAWN).map(withdrawnItem);
  const more = withdrawn.length - shown.length;
  const rest = more ? [make("li", {}, `and ${more.toLocaleString("en")} more, which the command below names`)] : [];
  part("withdrawn-runs").replaceChildren(...shown, ...rest);
}

/** @type {(run: Withdrawn) => HTMLElement} */
function withdrawnItem({ runId, reason, since, reinstated }) {
  const when = `${since ? "since" : "before"} the close`;
  const id = make("code", {}, `…${runId.slice(-8)}`);
  return make("li", {}, id, ` ${when}: ${reasonText(reason)}${reinstated ? "; reinstated since" : ""}`);
}

/** @type {(place: Place, shared: boolean) => HTMLElement} */
function row({ rank, runId, score, givenAwayMilli }, shared) {
  const link = make("a", { href: `/run/${uuidOf(runId)}` }, make("code", {}, `…${runId.slice(-8)}`));
  const marks = [make("span", { "aria-hidden": "true" }, "="), make("span", { class: "hidden" }, " shared")];
  const given = facts.sealed ? [make("td", { class: "number" }, (givenAwayMilli / 1000).toFixed(2))] : [];
  return make(
    "tr",
    {},
    make("td", { class: "number" }, String(rank), ...(shared ? marks : [])),
    make("th", { scope: "row" }, link),
    make("td", { class: "number" }, String(score)),
    ...given,
  );
}

button.addEventListener("click", () => {
  if (!worker) return start();
  stop();
  /** @type {End} */
  const end = { end: "undecided", step: reached, why: "you stopped it" };
  steps.end(end);
  showEnd(part("verdict"), end, ["", ""], { state: "none" }, {});
});
button.classList.remove("away");
if (facts.small) start();
else write(button, "Verify in this browser");
