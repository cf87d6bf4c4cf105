// The words of play, and what a choice of tiles is worth: pure functions of what is on the table.

/**
 * What the page needs of a ruleset. Playing a sealed round the server judges; this is only to explain.
 * @typedef {object} RoundRules
 * @property {"sum" | "one_tile" | "sum_or_product"} match
 * @property {"sum" | "digits" | "count"} scoring
 * @property {number} dice
 * @property {number} first_roll_must_shut
 * @property {number[]} one_die_tiles
 * @property {number[]} opening
 * @property {number} opening_penalty
 */

/**
 * What is on the table, as the service tells it of an attempt.
 * @typedef {object} Position
 * @property {string} state ready, choose_dice, choose_tiles, locked, shut or abandoned
 * @property {number[]} open
 * @property {number} roll
 * @property {number[] | null} faces
 * @property {number[][]} legal
 * @property {number[]} dice_allowed
 */

/** @typedef {{ready: boolean, over: boolean, text: string}} Verdict */

/** @type {(numbers: readonly number[]) => number} */
export const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** @type {(items: readonly (number | string)[], word?: string) => string} Return "1, 2 and 5". */
export const join = (items, word = "and") =>
  items.length < 2 ? items.join() : `${items.slice(0, -1).join(", ")} ${word} ${items[items.length - 1]}`;

/** @type {(a: readonly number[], b: readonly number[]) => boolean} */
export const same = (a, b) => a.length === b.length && a.every((tile, place) => tile === b[place]);

/** @type {(number: number, one: string, more?: string) => string} */
export const counted = (number, one, more = `${one}s`) => `${number} ${number === 1 ? one : more}`;

/** @type {(rules: RoundRules, open: readonly number[]) => number} Return the penalty of a board. */
export function left({ scoring }, open) {
  if (scoring === "count") return open.length;
  return scoring === "digits" ? Number(open.join("")) : sum(open);
}

/** @type {(rules: RoundRules, faces: readonly number[]) => number[]} Return the numbers that a roll can make. */
export function targets({ match }, faces) {
  const product = faces.reduce((total, face) => total * face, 1);
  const all = match === "sum" ? [sum(faces)] : match === "one_tile" ? [...faces, sum(faces)] : [sum(faces), product];
  return [...new Set(all)];
}

/** @type {(rules: RoundRules, faces: readonly number[]) => string} Return "8", or "5, 3 or 8". */
export const makes = (rules, faces) => join(targets(rules, faces), "or");

/** @type {(faces: readonly number[]) => string} The name of the dice. */
export const diceName = (faces) =>
  faces.length > 1 ? `Rolled ${join(faces)}, total ${sum(faces)}` : `Rolled ${faces[0]}`;

/** @type {(rules: RoundRules, faces: readonly number[]) => string} */
const rolled = (rules, faces) =>
  faces.length > 1 ? `Rolled ${join(faces)}: ${makes(rules, faces)}.` : `Rolled ${faces[0]}.`;

/** @type {(rules: RoundRules, faces: readonly number[], ways: number) => string} */
export const rollText = (rules, faces, ways) => `${rolled(rules, faces)} ${counted(ways, "way")}.`;

/** @type {(faces: readonly number[], tiles: readonly number[]) => string} A turn as the list of turns has it. */
export const turnText = (faces, tiles) => `${faces.join(" + ")}, ${tiles.length ? `shut ${join(tiles)}` : "no move"}`;

/** @type {(tiles: readonly number[], open: readonly number[]) => string} */
export const shutText = (tiles, open) => `Shut ${join(tiles)}. Open: ${open.join(", ")}. Sum ${sum(open)}.`;

/** @type {(rules: RoundRules, position: Position) => string} What is said of a round that has ended. */
export function endText(rules, { state, open, faces }) {
  if (state === "shut") return "Box shut. 0 left.";
  const over = `Round over, ${left(rules, open)} left: ${open.length > 1 ? "tiles" : "tile"} ${join(open)}.`;
  return faces ? `${rolled(rules, faces)} No open tiles make ${makes(rules, faces)}. ${over}` : over;
}

/** @type {(rules: RoundRules, open: readonly number[]) => string} */
export const scoreText = (rules, open) =>
  `Score ${rules.opening_penalty - left(rules, open)} · ${left(rules, open)} left`;

/** @type {(rules: RoundRules, position: {state: string, open: number[], roll: number}) => string} How far a line is. */
export const progressText = (rules, { state, open, roll }) =>
  state === "locked" || state === "shut" ? scoreText(rules, open) : `roll ${roll + 1} · ${sum(open)} open`;

/** @type {(rules: RoundRules) => string} What is said when one die may be rolled. */
export const diceChoiceText = ({ one_die_tiles: tiles, dice }) =>
  `${tiles.length ? `${join(tiles)} are shut.` : "Little is open."} Choose one die or ${numberWord(dice)}.`;

/** @type {(number: number) => string} */
const numberWord = (number) => ["no", "one", "two", "three"][number] ?? String(number);

/** @type {(dice: number) => string} */
export const diceWord = (dice) => (dice === 1 ? "1 die" : `${dice} dice`);

/**
 * Return whether the chosen tiles may be shut, and in words how far they go.
 * @type {(rules: RoundRules, position: Position, chosen: readonly number[]) => Verdict}
 */
export function judge(rules, { open, legal, faces }, chosen) {
  const goal = makes(rules, faces ?? []);
  const ready = legal.some((way) => same(way, chosen));
  if (!chosen.length) return { ready, over: false, text: `Choose tiles that make ${goal}.` };
  const extends_ = legal.some((way) => chosen.every((tile) => way.includes(tile)));
  if (rules.match !== "sum") {
    const fit = ready ? "Match this roll." : extends_ ? "More tiles are needed." : "Do not match this roll.";
    return { ready, over: !extends_, text: `Chosen ${join(chosen)}. ${fit}` };
  }
  const total = sum(chosen);
  const target = sum(faces ?? []);
  if (total > target) return { ready, over: true, text: `${total} is more than ${target}.` };
  const progress = `Chosen ${total} of ${target}.`;
  if (ready || (extends_ && total < target)) return { ready, over: false, text: progress };
  const first = same(open, rules.opening) ? rules.first_roll_must_shut : 0;
  const why = first ? `The first roll must shut tile ${first}.` : "The open tiles cannot make up the rest.";
  return { ready, over: false, text: `${progress} ${why}` };
}

/** @type {(rules: RoundRules, position: Position, chosen: readonly number[], tile: number) => string} */
export function toggleText(rules, position, chosen, tile) {
  const verdict = judge(rules, position, chosen);
  if (verdict.over) return verdict.text;
  const done = chosen.includes(tile) ? `Tile ${tile} chosen` : `Tile ${tile} raised again`;
  return rules.match === "sum" ? `${done}, ${sum(chosen)} of ${sum(position.faces ?? [])}.` : `${done}.`;
}
