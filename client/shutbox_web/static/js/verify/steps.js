// The steps of a check as the page shows them, and how it ended: words beside every mark, and nothing takes the focus.

import { say, warn } from "../live.js";
import { make, part, write } from "../parts.js";
import { Fault } from "../tlog/faults.js";
import { meaning } from "./words.js";

/** @import { FaultCode } from "../tlog/faults.js" */
/** @import { End, StepName, Told } from "./checks.js" */
/** @import { Memory } from "./memory.js" */

/** @typedef {{[name: string]: string | null}} Evidence Signed checkpoints, by what they are called. */

const NOT_CHECKED = "Not checked";

/** @typedef {"waiting" | "checking" | "right" | "skipped" | "wrong" | "undecided"} State */

/** A list of steps that the server has written: `step-NAME`, each with its state and progress. */
export class Steps {
  #list;

  /** @param {HTMLElement} list */
  constructor(list) {
    this.#list = list;
  }

  /** Show that nothing is checked. */
  reset() {
    for (const step of this.#all()) this.#show(step, "waiting", NOT_CHECKED);
  }

  /** @type {(told: Told) => void} Show what was told of a step. */
  tell({ step: name, state, text = "", done, of }) {
    const step = part(`step-${name}`);
    if (state === "checking") {
      this.#show(step, state, of === undefined ? "Checking" : `Checking ${numbered(done)} of ${numbered(of)}`);
      this.#progress(step, done, of);
    } else {
      this.#show(step, state, state === "right" ? `Right: ${text}` : text);
      say(`${titleOf(step)}: ${state}.`);
    }
  }

  /** @type {(end: End) => void} Show how the check ended, at the step at which it did. */
  end(end) {
    for (const step of this.#all()) {
      if (step.dataset.state === "checking") this.#show(step, "waiting", "Not finished");
    }
    if (end.end === "wrong") this.#show(part(`step-${end.step}`), "wrong", `Wrong: ${end.fault}`);
    if (end.end === "undecided") this.#show(part(`step-${end.step}`), "undecided", `Cannot be decided: ${end.why}`);
  }

  #all() {
    return /** @type {NodeListOf<HTMLElement>} */ (this.#list.querySelectorAll("[data-state]"));
  }

  /** @type {(step: HTMLElement, state: State, text: string) => void} */
  #show(step, state, text) {
    step.dataset.state = state;
    write(within(step, ".state"), text);
    within(step, "progress").hidden = state !== "checking";
  }

  /** @type {(step: HTMLElement, done: number | undefined, of: number | undefined) => void} */
  #progress(step, done, of) {
    const bar = /** @type {HTMLProgressElement} */ (within(step, "progress"));
    bar.max = Math.max(1, of ?? 1);
    if (done === undefined) bar.removeAttribute("value");
    else bar.value = done;
  }
}

/** @type {(step: HTMLElement, selector: string) => HTMLElement} */
const within = (step, selector) => /** @type {HTMLElement} */ (step.querySelector(selector));

/** @param {HTMLElement} step */
const titleOf = (step) => within(step, ".step-title").textContent;

/** @param {number | undefined} number */
const numbered = (number) => (number ?? 0).toLocaleString("en");

/**
 * Show and say how a check ended; `right` is what to say of what was found right: its verdict, and a sentence.
 * @type {(host: HTMLElement, end: End, right: [string, string], memory: Memory, evidence: Evidence) => void}
 */
export function showEnd(host, end, right, memory, evidence) {
  host.dataset.end = end.end;
  if (end.end === "right") host.replaceChildren(sentence(...right));
  else if (end.end === "undecided") host.replaceChildren(sentence("Cannot be decided:", `${end.why}.`));
  else {
    const title = titleOf(part(`step-${end.step}`));
    const own = end.step === "receipt";
    const before = memory.state === "known" ? memory.checkpoint : null;
    host.replaceChildren(
      own
        ? sentence("It is not right.", "This file proves nothing.")
        : sentence("It does not match.", `The first step that is wrong: “${title}”.`),
      make("p", {}, make("code", {}, end.fault), end.detail ? ` (${end.detail})` : "", ". ", meaning(end)),
      ...whatToDo(own ? AGAIN.receipt : AGAIN.log, { "checkpoint from before": before, ...evidence }),
    );
  }
  const words = /** @type {HTMLElement} */ (host.firstElementChild).textContent ?? "";
  if (end.end === "wrong") warn(`${words} ${end.fault}`);
  else say(words);
  const otherKey = end.end === "wrong" && memory.state === "known" && isOfOtherLog(end);
  if (otherKey || memory.state === "damaged") {
    const link = make("a", { href: "/verify#memory" }, "what this browser remembers of the log");
    host.append(make("p", {}, "If you know why, say by an announcement of the operator, you can forget ", link, "."));
  }
}

/** @type {(end: {step: StepName, fault: FaultCode}) => boolean} Tell whether what is shown is of another log. */
const isOfOtherLog = ({ step, fault }) =>
  fault === Fault.NOT_SIGNED || (step === "memory" && fault === Fault.ORIGIN_MISMATCH);

/** @type {(strong: string, more: string) => HTMLElement} */
const sentence = (strong, more) => make("p", {}, make("strong", {}, strong), ` ${more}`);

const AGAIN = {
  log: "A file can be damaged on the way, so verify once more. If it stays wrong:",
  receipt: "A file can be damaged: take the receipt from the page of its run once more. If that one is wrong, too:",
};

/** @type {(again: string, evidence: Evidence) => HTMLElement[]} */
function whatToDo(again, evidence) {
  const kept = Object.entries(evidence).flatMap(([name, note]) => (note ? [saved(name, note)] : []));
  const keep = make("li", {}, "Keep your receipts");
  kept.forEach((link, place) => keep.append(place ? ", " : " and what was signed: ", link));
  keep.append(".");
  return [
    make("p", {}, again),
    make(
      "ul",
      { class: "rules" },
      keep,
      make("li", {}, "Tell others, and let them verify the same: what they are shown may differ."),
      make("li", {}, "Ask the operator, with the name of what is wrong."),
    ),
  ];
}

/** @type {(name: string, note: string) => HTMLElement} Return a link that saves a checkpoint. */
function saved(name, note) {
  const href = URL.createObjectURL(new Blob([note], { type: "text/plain" }));
  return make("a", { href, download: `${name.replaceAll(" ", "-")}.txt` }, name);
}
