// The analysis of a line as a table, the same that the page of a run has (web/analysis_table.py, analysis.html).

import { diceWord, join, turnText } from "./choice.js";
import { Grade, grade } from "./game/analysis.js";
import { maskOf, tilesOf } from "./game/encoding.js";
import { lineText } from "./line.js";
import { make } from "./parts.js";
import { identity, identityWords, lostPoints, luckText, points, rounded, sums } from "./points.js";

/** @import { Analysis, DiceDecision, ShutDecision, Step } from "./game/analysis.js" */
/** @import { Turn } from "./game/replay.js" */
/** @import { RollTable, Rules } from "./game/rules.js" */

/** @typedef {{yours: string, best: string, least: bigint, lost: bigint, forced: boolean, ways: Way[]}} Shown */
/** @typedef {{text: string, value: bigint, yours: boolean}} Way */

const HEADS = ["Step", "Board before", "Roll", "Luck of the roll", "Your way", "Best way", "Left after the best"];
const MORE_HEADS = ["Lost", "Grade", "All ways"];
const NUMBERS = ["Left after the best", "Lost"];

/**
 * Return what is told of a finished line: how its result came about, its steps, and what foresight could have done.
 * @type {(rules: Rules, dice: RollTable, analysis: Analysis, bestLine: readonly Turn[]) => HTMLElement[]}
 */
export function analysisParts(rules, dice, analysis, bestLine) {
  const { givenAway, luck } = sums(analysis);
  const after = bestLine.reduce((open, { shut }) => open ^ maskOf(shut), rules.opening);
  const turns = bestLine.map(({ dice: number, shut }, roll) =>
    make("li", {}, turnText(dice.rolls[roll].slice(0, number), shut)),
  );
  return [
    make("p", { class: "lead" }, `Given away ${points(BigInt(givenAway), 1000n)} · luck ${luckText(luck)}`),
    make("p", { class: "identity" }, make("b", {}, identity(analysis))),
    make("p", {}, identityWords(analysis)),
    analysisTable(rules, analysis),
    make("p", { class: "fine" }, gradesText(rules)),
    make("h3", {}, "Best possible"),
    make(
      "p",
      {},
      make("b", {}, `${rules.penalties[after].toLocaleString("en")} left`),
      ", knowing all dice. That is foresight: skill alone cannot aim at it, since nobody knows the dice to come.",
    ),
    make("ol", { class: "turns foresight" }, ...turns),
  ];
}

/** @type {(rules: Rules) => string} */
function gradesText({ openingPenalty }) {
  const [fine, slip] = [180n, 45n].map((parts) => points(BigInt(openingPenalty), parts));
  return (
    "“Left” is what the best play leaves on the average from there. A decision is graded by what it lost: best " +
    `nothing, fine under ${fine}, a slip under ${slip}, a blunder more.`
  );
}

/** @type {(rules: Rules, analysis: Analysis) => HTMLElement} */
function analysisTable(rules, analysis) {
  const heads = [...HEADS, ...MORE_HEADS].map((text) =>
    make("th", { scope: "col", role: "columnheader", ...(NUMBERS.includes(text) ? { class: "number" } : {}) }, text),
  );
  return make(
    "table",
    { class: "board analysis", role: "table" },
    make("caption", {}, "Step by step"),
    make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, ...heads)),
    ...analysis.steps.map((step, place) => stepRows(rules, analysis, place)),
  );
}

/** @type {(rules: Rules, analysis: Analysis, place: number) => HTMLElement} */
function stepRows(rules, analysis, place) {
  const step = analysis.steps[place];
  const number = place + 1;
  const rows = [];
  const name = (/** @type {string} */ what) =>
    make("th", { scope: "row", role: "rowheader" }, `Step ${number}`, make("span", { class: "hidden" }, what));
  if (step.dice) {
    const shown = ofDice(step.dice);
    const start = [name(", choice of dice"), before(rules, step), cell("choose dice", { class: "roll" }), luck("–")];
    rows.push(row("choice", ...start, ...decisionCells(rules, analysis, shown), cell(ways(analysis, shown), MORE)));
  }
  const shown = step.shut && ofTiles(step.shut);
  const again = cell(make("span", { class: "hidden" }, "the same"), { class: "before" });
  rows.push(
    row(
      "",
      name(step.dice ? ", roll" : ""),
      step.dice ? again : before(rules, step),
      cell(step.faces.join(" + "), { class: "roll" }),
      luck(luckText(Number(rounded(1000n * step.luck, analysis.denominator)))),
      ...(shown ? decisionCells(rules, analysis, shown) : noMove(analysis)),
      cell(shown ? ways(analysis, shown) : "", MORE, fromHere(analysis.steps.slice(0, place))),
    ),
  );
  return make("tbody", { role: "rowgroup" }, ...rows);
}

const MORE = { class: "more" };

/** @type {(steps: Step[]) => HTMLElement} */
function fromHere(steps) {
  const decisions = steps.flatMap(({ dice, shut }) => [
    ...(dice ? [{ dice: dice.chosen }] : []),
    ...(shut ? [{ shut: shut.chosen }] : []),
  ]);
  return make("a", { class: "from-here", href: `#${lineText(decisions)}` }, "Practise from here");
}

/** @type {(kind: string, ...cells: HTMLElement[]) => HTMLElement} */
const row = (kind, ...cells) => make("tr", { role: "row", ...(kind ? { class: kind } : {}) }, ...cells);

/** @type {(content: Node | string, attributes: Record<string, string>, ...more: Node[]) => HTMLElement} */
const cell = (content, attributes, ...more) => make("td", { role: "cell", ...attributes }, content, ...more);

/** @type {(text: string) => HTMLElement} */
const luck = (text) => cell(text, { "data-label": "Luck" });

/** @type {(rules: Rules, step: Step) => HTMLElement} The board before a step, the tiles that it shut marked. */
function before({ ruleset: { box } }, { board, shut }) {
  const made = make("td", { role: "cell", class: "before" });
  for (const tile of tilesOf(box)) {
    const open = tilesOf(board).includes(tile);
    const picked = shut?.chosen.includes(tile) ? " picked" : "";
    made.append(open ? make("span", { class: `mini${picked}` }, String(tile)) : shutTile(), " ");
  }
  return made;
}

const shutTile = () => make("span", { class: "mini shut", "aria-hidden": "true" });

/** @type {(decision: DiceDecision) => Shown} */
function ofDice({ chosen, ways, best, lost }) {
  const found = ways.map(({ dice, value }) => way(diceWord(dice), value, dice === chosen));
  return shownOf(lost, diceWord(lost ? best : chosen), found);
}

/** @type {(decision: ShutDecision) => Shown} */
function ofTiles({ chosen, ways, best, lost }) {
  const yours = join(chosen);
  const found = ways.map(({ shut, value }) => way(join(shut), value, join(shut) === yours));
  return shownOf(lost, lost ? join(best) : yours, found); // of equally good ways, the player's own
}

/** @type {(text: string, value: bigint, yours: boolean) => Way} */
const way = (text, value, yours) => ({ text, value, yours });

/** @type {(lost: bigint, best: string, ways: Way[]) => Shown} */
function shownOf(lost, best, ways) {
  const least = ways.reduce((one, { value }) => (value < one ? value : one), ways[0].value);
  const yours = ways.find((one) => one.yours)?.text ?? "";
  return { yours, best, least, lost, forced: ways.length === 1, ways };
}

/** @type {(rules: Rules, analysis: Analysis, shown: Shown) => HTMLElement[]} */
function decisionCells(rules, { denominator }, { yours, best, least, lost, forced }) {
  const left = points(least, denominator);
  if (forced) return cells(yours, best, "Left after best", left, "–", "");
  const name = grade(rules, lost, denominator);
  return cells(yours, best, "Left after best", left, lostPoints(lost, denominator), name);
}

/** @type {(analysis: Analysis) => HTMLElement[]} */
const noMove = (analysis) => cells("no move", "none", "Left", sums(analysis).penalty.toLocaleString("en"), "–", "");

/** @type {(yours: string, best: string, label: string, left: string, lost: string, name: string) => HTMLElement[]} */
const cells = (yours, best, label, left, lost, name) => [
  cell(yours, { "data-label": "Your way" }),
  cell(best, { "data-label": "Best way" }),
  cell(left, { "data-label": label, class: "number" }),
  cell(lost, { "data-label": "Lost", class: "number" }),
  cell(make("span", { class: `grade grade-${name || "only"}` }, name || "only way"), { class: "graded" }),
];

/** @type {(analysis: Analysis, shown: Shown) => Node | string} */
function ways({ denominator }, { forced, least, ways }) {
  if (forced) return "";
  const items = ways.map(({ text, value, yours }) => {
    const marks = [value === least ? Grade.BEST : "", yours ? "yours" : ""].filter(Boolean).join(" · ");
    const mark = marks ? [" ", make("span", { class: "muted" }, `(${marks})`)] : [];
    return make("li", {}, make("b", {}, text), `: ${points(value, denominator)} left`, ...mark);
  });
  return make("details", {}, make("summary", {}, `${ways.length} ways`), make("ul", { class: "plain" }, ...items));
}
