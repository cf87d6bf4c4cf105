// Dice, drawn for this project as one picture with one name, and the way they come to rest.

import { diceName } from "./choice.js";
import { holds } from "./parts.js";

const SVG = "http://www.w3.org/2000/svg";
const EDGE = 84;
const STEP = 108;
const ROLL_MS = 620;

/** Where the pips of each face sit, in a grid of three by three numbered row by row. */
const PIPS = [[], [4], [2, 6], [2, 4, 6], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];

/** How each die of a roll is turned as it lies, in degrees. */
const REST = [-7, 6, -4];

/** @type {(name: string, attributes: Record<string, string | number>) => SVGElement} */
function draw(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/** @type {(group: SVGElement, face: number) => void} */
function drawPips(group, face) {
  group.replaceChildren(
    ...PIPS[face].map((place) =>
      draw("circle", { class: "pip", cx: 20 + 22 * (place % 3), cy: 20 + 22 * Math.floor(place / 3), r: 8 }),
    ),
  );
}

/** @type {(face: number, index: number, count: number) => {die: SVGElement, pips: SVGElement}} */
function drawDie(face, index, count) {
  const x = 160 - (count * STEP - (STEP - EDGE)) / 2 + index * STEP;
  const place = draw("g", { transform: `translate(${x} 14)` });
  const die = draw("g", { class: "die" });
  const turned = draw("g", { transform: `rotate(${REST[index]} ${EDGE / 2} ${EDGE / 2})` });
  const pips = draw("g", {});
  drawPips(pips, face);
  turned.append(
    draw("rect", { class: "die-shade", x: 3, y: 6, width: EDGE, height: EDGE, rx: 18 }),
    draw("rect", { class: "die-body", width: EDGE, height: EDGE, rx: 18 }),
    draw("rect", { class: "die-top", x: 5, y: 4, width: EDGE - 10, height: EDGE - 12, rx: 15 }),
    pips,
  );
  die.append(turned);
  place.append(die);
  return { die: place, pips };
}

/** @type {(faces: readonly number[], name?: string) => SVGElement} Return a picture of dice at rest. */
export function diceAtRest(faces, name = diceName(faces)) {
  const picture = draw("svg", { viewBox: `0 0 ${faces.length * STEP} 112`, role: "img", "aria-label": name });
  const shift = draw("g", { transform: `translate(${(faces.length * STEP) / 2 - 160} 0)` });
  shift.append(...faces.map((face, index) => drawDie(face, index, faces.length).die));
  picture.append(shift);
  return picture;
}

/** The dice on the table. */
export class Dice {
  /** @type {Animation[]} */
  #running = [];
  /** @type {ReturnType<typeof setTimeout>[]} */
  #timers = [];
  #settle = () => {};

  /** @param {Element} picture the SVG with role img */
  constructor(picture) {
    this.picture = picture;
  }

  get rolling() {
    return this.#running.length > 0;
  }

  /** @type {(count: number, name: string) => void} Show dice that are not rolled yet. */
  wait(count, name) {
    this.finish();
    const dice = Array.from({ length: count }, (_, index) => drawDie(0, index, count).die);
    for (const die of dice) die.setAttribute("class", "waiting");
    this.picture.replaceChildren(...dice);
    this.picture.setAttribute("aria-label", name);
  }

  /**
   * Show these faces; thrown, the promise resolves when they lie still or the throw is skipped.
   * @type {(faces: readonly number[], thrown: boolean) => Promise<void>}
   */
  show(faces, thrown) {
    this.finish();
    const dice = faces.map((face, index) => drawDie(face, index, faces.length));
    this.picture.replaceChildren(...dice.map(({ die }) => die));
    this.picture.setAttribute("aria-label", diceName(faces));
    if (!thrown || holds("(prefers-reduced-motion: reduce)")) return Promise.resolve();
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#running = dice.map(({ die }, index) => throwDie(/** @type {SVGElement} */ (die.firstElementChild), index));
      dice.forEach(({ pips }, index) => this.#tumble(pips, faces[index]));
      Promise.all(this.#running.map((animation) => animation.finished)).then(() => this.finish(), () => {});
    });
  }

  /** End a throw at once. */
  finish() {
    for (const timer of this.#timers) clearTimeout(timer);
    const running = this.#running;
    this.#running = [];
    this.#timers = [];
    for (const animation of running) animation.finish();
    for (const show of this.#faces.splice(0)) show();
    this.#settle();
    this.#settle = () => {};
  }

  /** @type {(() => void)[]} */
  #faces = [];

  /** @type {(pips: SVGElement, face: number) => void} Show other faces on the way, and the rolled one at the end. */
  #tumble(pips, face) {
    drawPips(pips, 1 + ((face + 2) % 6));
    this.#faces.push(() => drawPips(pips, face));
    this.#timers.push(setTimeout(drawPips, 130, pips, 1 + ((face + 4) % 6)));
    this.#timers.push(setTimeout(drawPips, 260, pips, 1 + (face % 6)));
    this.#timers.push(setTimeout(drawPips, 380, pips, face));
  }
}

/** @type {(die: SVGElement, index: number) => Animation} */
function throwDie(die, index) {
  return die.animate(
    [
      { transform: `translate(${-230 - 40 * index}px, -46px) rotate(-${430 + 60 * index}deg)`, opacity: 0 },
      { transform: `translate(-150px, -20px) rotate(-${300 + 40 * index}deg)`, opacity: 1, offset: 0.16 },
      { transform: "translate(-58px, 10px) rotate(-150deg)", offset: 0.4, easing: "ease-out" },
      { transform: "translate(-26px, -16px) rotate(-80deg)", offset: 0.56, easing: "ease-in" },
      { transform: "translate(-5px, 3px) rotate(-14deg)", offset: 0.74, easing: "ease-out" },
      { transform: "translate(2px, -5px) rotate(5deg)", offset: 0.86, easing: "ease-in" },
      { transform: "none" },
    ],
    { duration: ROLL_MS - 60 * (2 - Math.min(index, 2)), fill: "none" },
  );
}
