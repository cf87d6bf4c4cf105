// On every page: the server's time, the countdown, local times, the new day, dialogs, and what is kept offline.

import { make, optional, part, write } from "./parts.js";

const { now, day, next, known, kept } = document.body.dataset;
const CHECK_MS = 30_000;
const started = performance.now();

/** Return the server's time in unix milliseconds; the clock of this device has no say. */
export const serverNow = () => Number(now) + (performance.now() - started);

/** @type {(ms: number) => string} Return a moment as hours and minutes where the reader is. */
const localTime = (ms) => new Date(ms).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });

/** @type {(ms: number) => string} Return a moment as hours and minutes of UTC. */
export const utcTime = (ms) => `${new Date(ms).toISOString().slice(11, 16)} UTC`;

/** @type {(ms: number) => string} Return hours, minutes and seconds. */
export function duration(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (/** @type {number} */ number) => String(number % 60).padStart(2, "0");
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60))}:${two(seconds)}`;
}

/** @type {(ms: number) => string} Return a moment where the reader is, if that is not UTC. */
const here = (ms) => (utcTime(ms).startsWith(localTime(ms)) ? "" : ` (${localTime(ms)} here)`);

function countDown() {
  const host = document.getElementById("countdown");
  if (host) write(host, `Next round in ${duration(Number(next) - serverNow())}${here(Number(next))}`);
}

/** Show that a new day has begun; nothing on the page is thrown away. */
async function lookForNewDay() {
  if (!part("new-day").hidden) return;
  const answer = await fetch("/api/v1/days/today").catch(() => null);
  if (!answer?.ok || (await answer.json()).date === day) return;
  part("new-day").hidden = false;
  part("new-day").append(make("p", {}, "A new round has begun. ", make("a", { href: "/" }, "See today’s rounds")));
}

let checked = started;

/** @type {(patience: number) => void} */
function checkDay(patience) {
  const due = serverNow() >= Number(next) || performance.now() - checked > patience;
  if (!due || document.hidden) return;
  checked = performance.now();
  lookForNewDay();
}

function showLocalTimes() {
  for (const time of document.querySelectorAll("time[data-ms]")) {
    time.after(here(Number(/** @type {HTMLElement} */ (time).dataset.ms)));
  }
}

/** Say of a page that the service worker has kept of which day it is, and ask for it again with the connection. */
function tellThatItIsKept() {
  if (!kept) return;
  const notice = make("p", { class: "notice" }, `You are offline. This page is as it was on ${kept}.`);
  part("new-day").after(notice);
  optional(import("./service.js").then(({ whenItAnswers }) => whenItAnswers(() => location.reload())));
}

/**
 * Ask for the page again if Back has brought it out of the browser's own cache: it is as it was then, and may be
 * another player's.
 */
function askAgain() {
  const [visit] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  const isOld = visit?.type === "back_forward" && !visit.transferSize && !visit.workerStart;
  if (isOld && navigator.onLine) location.reload();
}

function openKeys() {
  const keys = /** @type {HTMLDialogElement | null} */ (document.getElementById("keys"));
  if (keys && !keys.open) keys.showModal();
}

document.getElementById("show-keys")?.addEventListener("click", openKeys);
document.addEventListener("keydown", (event) => {
  if (event.key === "?" && document.documentElement.dataset.shortcuts !== "off") openKeys();
});
document.addEventListener("visibilitychange", () => checkDay(60_000));
if (document.documentElement.dataset.storage === "denied") part("not-kept").hidden = false;
setInterval(countDown, 1000);
setInterval(checkDay, CHECK_MS, 10 * 60_000);
addEventListener("pageshow", ({ persisted }) => {
  if (persisted && navigator.onLine) location.reload();
});
askAgain();
showLocalTimes();
countDown();
tellThatItIsKept();
if (known === "yes") addEventListener("load", () => optional(import("./offline.js")));
