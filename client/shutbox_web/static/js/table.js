// The table: dice, tiles, ways and the action bar. It shows a position and asks for one decision at a time.

import { diceChoiceText, diceWord, endText, join, judge, left, makes, rollText, same } from "./choice.js";
import { toggleText, turnText } from "./choice.js";
import { note, say, speak } from "./live.js";
import { make, part, write } from "./parts.js";
import { Dice } from "./pictures.js";
import { Tiles, tileOfKey } from "./tiles.js";

/** @import { Position, RoundRules } from "./choice.js" */

/** @typedef {{shut: number[]} | {dice: number}} Decision */

/** What the primary button does instead of shutting tiles, and what the hint says meanwhile. */
/** @typedef {{label: string, act: () => void, hint?: string}} Offer */

const SETTLE_MS = 250; // a second click or a held key that meant the state before must not decide in the new one

export class Table {
  /** @type {Position} */
  #position = { state: "ready", open: [], roll: 0, faces: null, legal: [], dice_allowed: [] };
  /** @type {number[]} */
  #chosen = [];
  /** @type {Offer | null} */
  #offer = null;
  #busy = "";
  #sounds = document.documentElement.dataset.sound === "on" ? import("./sound.js") : null;
  #shown = 0;
  #settling = false;

  /**
   * @param {RoundRules} rules
   * @param {(decision: Decision) => void} decide
   */
  constructor(rules, decide) {
    this.rules = rules;
    this.decide = decide;
    this.root = part("table");
    this.dice = new Dice(part("dice"));
    this.tiles = new Tiles((tile) => this.#toggle(tile));
    part("primary").addEventListener("click", () => this.#press());
    part("dice").addEventListener("click", () => this.#position.state === "ready" && part("primary").click());
    part("clear").addEventListener("click", () => this.#clear());
    part("choose").addEventListener("click", (event) => this.#chooseDice(event));
    part("ways").addEventListener("change", (event) => this.#chooseWay(event));
    document.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("pointerdown", () => this.dice.finish());
  }

  /** @type {(play: (sounds: typeof import("./sound.js")) => void) => void} Make a sound, if the reader wants any. */
  #sound(play) {
    this.#sounds?.then(play, () => {});
  }

  /**
   * Show a position; one that has just arrived is thrown and said, and takes decisions shortly after. Return, when the
   * dice lie still, whether it is what is shown: what tells of a roll elsewhere on the page waits for that.
   * @type {(position: Position, arrived?: boolean, thrown?: boolean) => Promise<boolean>}
   */
  async show(position, arrived = false, thrown = arrived) {
    const number = ++this.#shown;
    const forced = position.state === "choose_tiles" && position.legal.length === 1;
    this.#position = position;
    this.#chosen = forced ? position.legal[0] : [];
    this.#offer = null;
    this.#busy = "";
    this.#settling = arrived;
    const { faces } = position;
    if (!faces) this.dice.wait(Math.max(...position.dice_allowed, 1), "Dice not rolled yet");
    const boxShut = position.state === "shut"; // on the dice that lie there already
    if (faces && thrown && !boxShut) this.#sound((sounds) => sounds.rattle(faces.length));
    if (arrived && boxShut) this.#sound((sounds) => sounds.chord());
    const settled = new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const still = faces && this.dice.show(faces, thrown && !boxShut);
    this.#drawAll();
    if (!arrived) return true;
    await still;
    if (number !== this.#shown) return false;
    this.#drawAll();
    settled.then(() => number === this.#shown && this.#settle(forced));
    return true;
  }

  /** @type {(forced: boolean) => void} */
  #settle(forced) {
    this.#settling = false;
    this.#draw();
    this.#sayArrived(forced);
    if (this.#position.state === "choose_dice") part("choose").focus();
  }

  /** @type {(offer: Offer) => void} Make the primary button do something else. */
  offer(offer) {
    this.#offer = offer;
    this.#busy = "";
    this.#draw();
  }

  /** @type {(label: string) => void} Take no decision until the next position is shown. */
  busy(label) {
    this.#busy = label;
    this.#offer = null;
    this.#draw();
  }

  /** @type {(turns: readonly {faces: readonly number[], shut: readonly number[]}[]) => void} Show the turns so far. */
  showTurns(turns) {
    part("turns").replaceChildren(...turns.map(({ faces, shut }) => make("li", {}, turnText(faces, shut))));
    part("no-turns").hidden = turns.length > 0;
  }

  /** @type {(worth: string[]) => void} Write beside each way in the list what it is worth; none takes that away. */
  showWorth(worth) {
    const ways = /** @type {HTMLDetailsElement} */ (part("ways"));
    for (const [place, way] of [...part("ways-list").children].entries()) {
      way.querySelector(".worth")?.remove();
      if (worth.length) way.append(make("span", { class: "worth" }, worth[place]));
    }
    if (worth.length) ways.open = true;
  }

  get #selectable() {
    return this.#position.state === "choose_tiles" && !this.#busy && !this.#offer;
  }

  /** @type {(forced: boolean) => void} */
  #sayArrived(forced) {
    const { state, faces, legal, open } = this.#position;
    if (state === "choose_tiles" && faces) speak(rollText(this.rules, faces, legal.length));
    if (forced) say(`Only one way: ${join(legal[0])}. Chosen.`);
    if (state === "choose_dice" || state === "locked" || state === "shut") speak(this.#hint());
    if (state === "abandoned") say(`This round closed with ${left(this.rules, open)} left. It is not ranked.`);
  }

  #drawAll() {
    this.#drawWays();
    this.#draw();
  }

  #draw() {
    const { state, open, faces } = this.#position;
    const { rolling } = this.dice; // nothing tells of a roll before the dice do
    this.root.dataset.state = this.#busy ? "sending" : state;
    this.root.dataset.busy = String(Boolean(this.#busy) || this.#settling);
    this.tiles.show(open, rolling ? [] : this.#chosen, this.#selectable);
    const told = faces && state !== "choose_dice" && !rolling;
    write(part("makes"), told ? `makes ${makes(this.rules, faces)}` : "\u00a0");
    write(part("hint"), rolling ? "\u00a0" : this.#hint());
    part("clear").toggleAttribute("hidden", state !== "choose_tiles");
    this.#drawPrimary();
    this.#drawChoose();
    for (const radio of part("ways").querySelectorAll("input")) {
      radio.checked = same(tilesFrom(radio.value), this.#chosen);
      radio.disabled = !this.#selectable;
    }
  }

  #hint() {
    if (this.#offer?.hint) return this.#offer.hint;
    const { state } = this.#position;
    if (state === "choose_tiles") return judge(this.rules, this.#position, this.#chosen).text;
    if (state === "choose_dice") return diceChoiceText(this.rules);
    if (state === "ready") return "The dice are ready.";
    if (state === "upcoming") return "This round has not opened yet.";
    if (state === "full") return "All places of this challenge are taken.";
    if (state === "closing" || state === "closed") return "This round takes no new players.";
    return state === "abandoned" ? "This round has closed." : endText(this.rules, this.#position);
  }

  #drawPrimary() {
    const primary = part("primary");
    const { state } = this.#position;
    const shutting = this.#chosen.length && !this.dice.rolling ? `Shut ${join(this.#chosen)}` : "Choose tiles";
    write(primary, this.#busy || this.#offer?.label || shutting);
    const ready = this.#offer ? !this.#settling : this.#selectable && this.#ready && !this.#settling;
    primary.setAttribute("aria-disabled", String(!ready));
    primary.toggleAttribute("hidden", state === "choose_dice" && !this.#busy && !this.#offer);
  }

  get #ready() {
    return judge(this.rules, this.#position, this.#chosen).ready;
  }

  #drawChoose() {
    const choose = part("choose");
    const { state, dice_allowed: allowed } = this.#position;
    const hidden = state !== "choose_dice" || Boolean(this.#busy || this.#offer);
    choose.toggleAttribute("hidden", hidden);
    if (hidden) return;
    const numbers = [...allowed].reverse();
    if (choose.dataset.dice !== numbers.join()) {
      choose.dataset.dice = numbers.join();
      choose.replaceChildren(
        ...numbers.map((dice) => {
          const attributes = { type: "button", class: "button primary", "data-dice": String(dice) };
          return make("button", attributes, `Roll ${diceWord(dice)}`);
        }),
      );
    }
    for (const button of choose.children) button.setAttribute("aria-disabled", String(this.#settling));
  }

  #drawWays() {
    const { state, faces, legal } = this.#position;
    const ways = part("ways");
    const shown = state === "choose_tiles" && faces && !this.dice.rolling;
    ways.classList.toggle("away", !shown);
    if (!shown) {
      /** @type {HTMLDetailsElement} */ (ways).open = false;
      part("ways-list").replaceChildren();
      return;
    }
    write(part("ways-title"), `Ways to make ${makes(this.rules, faces)} (${legal.length})`);
    part("ways-list").replaceChildren(
      ...legal.map((way) =>
        make("label", { class: "way" }, make("input", { type: "radio", name: "way", value: way.join() }), join(way)),
      ),
    );
  }

  /** @type {(tile: number) => void} */
  #toggle(tile) {
    this.dice.finish();
    if (!this.#position.open.includes(tile)) return;
    if (!this.#selectable) {
      say(this.#busy || (this.#position.state === "choose_tiles" ? "Not now." : "Roll the dice first."));
      return;
    }
    const chosen = this.#chosen.includes(tile)
      ? this.#chosen.filter((other) => other !== tile)
      : [...this.#chosen, tile].sort((a, b) => a - b);
    this.#choose(chosen);
    speak(toggleText(this.rules, this.#position, chosen, tile));
  }

  /** @type {(chosen: number[]) => void} */
  #choose(chosen) {
    note("");
    this.#chosen = chosen;
    this.#draw();
  }

  #clear() {
    if (!this.#selectable || !this.#chosen.length) return;
    this.#choose([]);
    speak("Nothing chosen.");
  }

  /** @type {(event: Event) => void} */
  #chooseWay({ target }) {
    const way = tilesFrom(/** @type {HTMLInputElement} */ (target).value);
    if (this.#selectable) this.#choose(way);
    speak(`${join(way)} chosen.`);
  }

  #press() {
    if (this.#offer && !this.#settling) this.#offer.act();
    else if (this.#busy) speak(this.#busy);
    else if (this.#settling) this.dice.finish();
    else if (this.#ready) this.#shut();
    else speak(this.#hint());
  }

  #shut() {
    const { length } = this.#chosen;
    this.#sound((sounds) => sounds.clack(length));
    this.#decide({ shut: this.#chosen });
  }

  /** @type {(event: Event) => void} */
  #chooseDice(event) {
    const pressed = /** @type {Element} */ (event.target).closest("button");
    if (!pressed || this.#settling || this.#busy) return;
    part("primary").hidden = false;
    part("primary").focus();
    this.#decide({ dice: Number(pressed.dataset.dice) });
  }

  /** @type {(decision: Decision) => void} What was told of the position before goes with it. */
  #decide(decision) {
    note("");
    this.decide(decision);
  }

  /** @type {(event: KeyboardEvent) => void} */
  #key(event) {
    const within = this.root.contains(document.activeElement);
    if (event.key === "Enter" && event.repeat && within) event.preventDefault();
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    this.dice.finish();
    if (event.repeat || document.querySelector("dialog[open]") || isText(event.target)) return;
    if (!within && document.activeElement !== document.body) return;
    if (event.key === "Escape") this.#clear();
    else if (document.documentElement.dataset.shortcuts !== "off" && this.#shortcut(event)) event.preventDefault();
  }

  /** @type {(event: KeyboardEvent) => boolean} Do what a single key stands for; tell whether it is one. */
  #shortcut(event) {
    const tile = tileOfKey(event);
    if (tile && !event.shiftKey) this.#toggle(tile);
    else if (event.key === "Backspace") this.#clear();
    else if (event.key === "n") this.#nextWay(1);
    else if (event.key === "N") this.#nextWay(-1);
    else if (event.key === "s" || event.key === "S") this.#sayState();
    else return false;
    return true;
  }

  /** @type {(step: number) => void} */
  #nextWay(step) {
    const { legal } = this.#position;
    if (!this.#selectable || !legal.length) return;
    const at = legal.findIndex((way) => same(way, this.#chosen));
    const way = legal[at < 0 ? (step > 0 ? 0 : legal.length - 1) : (at + step + legal.length) % legal.length];
    this.#choose(way);
    speak(`${join(way)} chosen.`);
  }

  #sayState() {
    const { open, faces, legal, state } = this.#position;
    const dice = state === "choose_tiles" && faces ? `${rollText(this.rules, faces, legal.length)} ` : "";
    speak(`${dice}Open: ${open.join(", ") || "none"}. ${this.#hint()}`);
  }
}

/** @type {(text: string) => number[]} */
const tilesFrom = (text) => text.split(",").map(Number);

/** @type {(target: EventTarget | null) => boolean} */
const isText = (target) =>
  target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== "radio");
