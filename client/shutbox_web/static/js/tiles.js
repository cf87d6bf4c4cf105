// The tiles as a toolbar: one tab stop, names that never change, and the physical keys that stand for tiles.

import { holds, part } from "./parts.js";

const CODES = [..."1234567890"].map((digit) => `Digit${digit}`).concat("Minus", "Equal");
const TILE_OF_CODE = new Map(CODES.map((code, place) => [code, place + 1]));

/** @type {(event: KeyboardEvent) => number | undefined} Return the tile that a key stands for. */
export function tileOfKey({ code, key }) {
  if (code.startsWith("Numpad")) return /^[0-9]$/.test(key) ? Number(key) || 10 : undefined;
  return TILE_OF_CODE.get(code);
}

/** The toolbar. */
export class Tiles {
  /** @param {(tile: number) => void} toggled called when a tile is pressed */
  constructor(toggled) {
    this.toolbar = part("tiles");
    /** @type {HTMLButtonElement[]} */
    this.buttons = [...this.toolbar.querySelectorAll("button")];
    this.toolbar.addEventListener("click", (event) => {
      const pressed = /** @type {Element} */ (event.target).closest("button");
      if (pressed) toggled(numberOf(pressed));
    });
    this.toolbar.addEventListener("keydown", (event) => this.#move(event));
    this.toolbar.addEventListener("focusin", ({ target }) => this.#rove(/** @type {HTMLButtonElement} */ (target)));
  }

  /** @type {(open: readonly number[], chosen: readonly number[], selectable: boolean) => void} */
  show(open, chosen, selectable) {
    for (const button of this.buttons) {
      const tile = numberOf(button);
      const shut = !open.includes(tile);
      if (shut && button.hasAttribute("aria-pressed")) fall(button);
      button.disabled = shut;
      button.setAttribute("aria-label", shut ? `Tile ${tile}, shut` : `Tile ${tile}`);
      if (shut) button.removeAttribute("aria-pressed");
      else button.setAttribute("aria-pressed", String(chosen.includes(tile)));
      if (shut || selectable) button.removeAttribute("aria-disabled");
      else button.setAttribute("aria-disabled", "true");
    }
    const current = this.buttons.find((button) => button.tabIndex === 0 && !button.disabled);
    this.#rove(current ?? this.buttons.find((button) => !button.disabled));
  }

  /** @type {(button: HTMLButtonElement | undefined) => void} Make a tile the toolbar's one tab stop. */
  #rove(button) {
    for (const other of this.buttons) other.tabIndex = other === button ? 0 : -1;
  }

  /** @type {(event: KeyboardEvent) => void} */
  #move(event) {
    const open = this.buttons.filter((button) => !button.disabled);
    const at = open.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    if (at < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    const next = {
      ArrowLeft: open[at - 1],
      ArrowRight: open[at + 1],
      ArrowUp: nearest(open.slice(0, at), open[at]),
      ArrowDown: nearest(open.slice(at + 1), open[at]),
      Home: open[0],
      End: open[open.length - 1],
    }[event.key];
    if (next) next.focus();
    if (next || event.key.startsWith("Arrow")) event.preventDefault();
  }
}

/** @type {(button: HTMLButtonElement) => void} Let a tile that was open tip over before its place is empty. */
function fall(button) {
  if (holds("(prefers-reduced-motion: reduce)")) return;
  const { background } = getComputedStyle(button);
  button.animate(
    [
      { background, transform: "perspective(20rem) rotateX(0)", transformOrigin: "bottom" },
      { background, transform: "perspective(20rem) rotateX(-82deg)", transformOrigin: "bottom" },
    ],
    { duration: 170, easing: "cubic-bezier(.5,0,.9,.6)" },
  );
}

/** @type {(button: HTMLButtonElement) => number} */
const numberOf = (button) => Number(button.dataset.tile);

/** @type {(buttons: HTMLButtonElement[], from: HTMLButtonElement) => HTMLButtonElement | undefined} In another row. */
function nearest(buttons, from) {
  const column = (/** @type {HTMLButtonElement} */ button) => Math.abs(button.offsetLeft - from.offsetLeft);
  return buttons.filter((button) => button.offsetTop !== from.offsetTop).sort((a, b) => column(a) - column(b))[0];
}
