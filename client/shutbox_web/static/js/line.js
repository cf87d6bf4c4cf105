// A line: decisions over dice that are known here. It is kept in the address, so that a reload and Back keep it.

import { shutText } from "./choice.js";
import { tilesOf } from "./game/encoding.js";
import { decide, legalWays, positionAfter } from "./game/play.js";
import { note, speak, warn } from "./live.js";
import { part } from "./parts.js";

/** @import { Position as Shown } from "./choice.js" */
/** @import { Decision, Position } from "./game/play.js" */
/** @import { RollTable, Rules } from "./game/rules.js" */
/** @import { Table } from "./table.js" */

export const NO_CRYPTOGRAPHY =
  "The dice are derived in the browser here, which allows that only over HTTPS or on localhost.";

export class Line {
  /** @type {Decision[]} */
  #decisions = [];
  /** Whether the line stays as it is for now. */
  still = false;

  /**
   * @param {Table} table
   * @param {Rules} rules
   * @param {RollTable} dice
   * @param {{thrown: boolean, changed: (position: Position) => void}} how whether rolls are news, to be thrown; and
   *   what else shows the position
   */
  constructor(table, rules, dice, how) {
    this.table = table;
    this.rules = rules;
    this.dice = dice;
    this.how = how;
  }

  get position() {
    return positionAfter(this.rules, this.dice, this.#decisions);
  }

  /** @type {(decision: Decision) => void} */
  take(decision) {
    if (this.still) return;
    const next = decide(this.rules, this.dice, this.position, decision);
    if (typeof next === "string") {
      warn(`Not legal: ${next}.`);
      return;
    }
    this.#decisions.push(decision);
    if ("shut" in decision && next.open) speak(shutText(decision.shut, tilesOf(next.open)));
    this.#show(true);
  }

  undo() {
    if (this.#decisions.length) this.#replace(this.#decisions.slice(0, -1), "Taken back.");
  }

  restart() {
    if (this.#decisions.length) this.#replace([], "From the start.");
  }

  /** Take up the line in the address as far as it is legal. */
  takeUp() {
    this.#decisions = [];
    let at = this.position;
    for (const text of location.hash.slice(1).split("_").filter(Boolean)) {
      const decision = text.startsWith("d") ? { dice: Number(text.slice(1)) } : { shut: text.split(".").map(Number) };
      const next = decide(this.rules, this.dice, at, decision);
      if (typeof next === "string") break;
      this.#decisions.push(decision);
      at = next;
    }
    this.#show(false);
  }

  /** @type {(decisions: Decision[], text: string) => void} */
  #replace(decisions, text) {
    if (this.still) return;
    this.#decisions = decisions;
    note("");
    speak(text);
    this.#show(false);
  }

  /** @type {(arrived: boolean) => Promise<void>} */
  async #show(arrived) {
    const at = this.position;
    const shown = this.table.show(this.#shown(at), arrived, arrived && this.how.thrown);
    for (const id of ["undo", "restart"]) part(id).setAttribute("aria-disabled", String(!this.#decisions.length));
    const text = lineText(this.#decisions);
    history.replaceState(null, "", location.pathname + location.search + (text && `#${text}`));
    if (!(await shown)) return;
    const { rolls } = this.dice;
    this.table.showTurns(at.turns.map(({ dice, shut }, roll) => ({ faces: rolls[roll].slice(0, dice), shut })));
    this.how.changed(at);
  }

  /** @type {(at: Position) => Shown} Return a position as the table shows it. */
  #shown(at) {
    return {
      state: at.state,
      open: tilesOf(at.open),
      roll: at.roll,
      faces: at.faces && [...at.faces],
      legal: legalWays(this.rules, this.dice, at),
      dice_allowed: this.rules.diceAllowed[at.open],
    };
  }
}

/** @type {(decisions: readonly Decision[]) => string} Return decisions as an address has them: "d1_3.5". */
export const lineText = (decisions) =>
  decisions.map((decision) => ("dice" in decision ? `d${decision.dice}` : decision.shut.join("."))).join("_");

/** @type {(line: () => Line | undefined) => void} Let the buttons Undo and Restart take back what the line has. */
export function listen(line) {
  part("undo").addEventListener("click", () => line()?.undo());
  part("restart").addEventListener("click", () => line()?.restart());
}
