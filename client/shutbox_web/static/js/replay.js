// The replay of a run: step by step by buttons and keys, or played by itself; the step is in the address.

import { copy } from "./clipboard.js";
import { speak } from "./live.js";
import { part, write } from "./parts.js";
import { Dice } from "./pictures.js";

/**
 * A step as the page tells it: the board before it, the roll, what was shut, and all of it in words.
 * @typedef {{open: number[], faces: number[], shut: number[], said: string}} Step
 */

const root = part("replay");
/** @type {Step[]} */
const steps = JSON.parse(root.dataset.steps ?? "[]");
const dice = new Dice(part("dice"));
/** @type {HTMLElement[]} */
const tiles = [...part("replay-tiles").querySelectorAll("li")];
const speed = /** @type {HTMLSelectElement} */ (part("replay-speed"));
const link = /** @type {HTMLInputElement} */ (part("link"));
let at = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** @type {(thrown: boolean) => void} */
function draw(thrown) {
  const { open, faces, shut, said } = steps[at];
  dice.show(faces, thrown);
  for (const tile of tiles) {
    const number = Number(tile.dataset.tile);
    const isShut = !open.includes(number);
    const picked = shut.includes(number);
    tile.classList.toggle("shut", isShut);
    tile.classList.toggle("picked", picked);
    write(/** @type {HTMLElement} */ (tile.querySelector(".state")), isShut ? ", shut" : picked ? ", shut now" : "");
  }
  write(part("replay-said"), said);
  link.value = new URL(`#step-${at + 1}`, location.href).href;
  button("first").setAttribute("aria-disabled", String(at === 0));
  button("back").setAttribute("aria-disabled", String(at === 0));
  button("next").setAttribute("aria-disabled", String(at === steps.length - 1));
  button("last").setAttribute("aria-disabled", String(at === steps.length - 1));
  for (const row of document.querySelectorAll(".analysis tbody")) {
    row.toggleAttribute("data-current", row.id === `step-${at + 1}`);
  }
}

/** @type {(act: string) => HTMLElement} */
const button = (act) => /** @type {HTMLElement} */ (root.querySelector(`[data-act=${act}]`));

/** @type {(step: number, thrown?: boolean) => void} Show a step, if there is one, and say it. */
function go(step, thrown = false) {
  if (step < 0 || step >= steps.length || step === at) return;
  at = step;
  draw(thrown);
  history.replaceState(null, "", `#step-${at + 1}`);
  speak(steps[at].said);
}

/** @type {(playing: boolean) => void} */
function showPlaying(playing) {
  write(button("play"), playing ? "Pause" : "Play");
}

function pause() {
  clearTimeout(timer);
  timer = undefined;
  showPlaying(false);
}

/** Show the next step when this one has stood long enough; at the last one playing ends. */
function wait() {
  if (at === steps.length - 1) {
    pause();
    return;
  }
  timer = setTimeout(() => {
    go(at + 1, true);
    wait();
  }, Number(speed.value));
}

function play() {
  showPlaying(true);
  if (at === steps.length - 1) go(0, true);
  wait();
}

/** @type {Record<string, () => void>} */
const ACTS = {
  first: () => go(0),
  back: () => go(at - 1),
  next: () => go(at + 1, true),
  last: () => go(steps.length - 1),
};

/** @type {(act: string) => void} */
function act(act) {
  const playing = timer !== undefined;
  pause();
  if (act !== "play") ACTS[act]();
  else if (!playing) play();
}

/** @type {Record<string, string>} */
const KEYS = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" };

root.addEventListener("click", ({ target }) => {
  const pressed = /** @type {HTMLElement} */ (target).closest("[data-act]");
  if (pressed instanceof HTMLElement && pressed.dataset.act) act(pressed.dataset.act);
});
root.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target === speed || event.target === link) return;
  const single = document.documentElement.dataset.shortcuts !== "off" && event.key.toLowerCase() === "p";
  const meant = single && !event.repeat ? "play" : KEYS[event.key];
  if (!meant) return;
  event.preventDefault();
  act(meant);
});
part("copy-link").addEventListener("click", () =>
  copy(part("copy-link"), link, "Link copied.", () => part("link-box").removeAttribute("hidden")),
);

/** Show the step that the address names, and bring the replay into view. */
function takeUp() {
  const [, named] = /^#step-(\d+)$/.exec(location.hash) ?? [];
  const step = Number(named) - 1;
  if (!named || !steps[step]) return;
  pause();
  if (step !== at) {
    at = step;
    draw(false);
    speak(steps[at].said);
  }
  root.scrollIntoView({ block: "nearest" });
  root.focus({ preventScroll: true });
}

addEventListener("hashchange", takeUp);
part("analysis").addEventListener("click", (event) => {
  const step = /** @type {HTMLElement} */ (event.target).closest("a");
  if (!step || step.getAttribute("href") !== location.hash) return;
  event.preventDefault(); // the address is there already, so nothing else tells of it
  takeUp();
});
draw(false);
takeUp();
