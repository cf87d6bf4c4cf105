// The service worker: what this browser is shown without a connection. It answers a page from what it keeps only when
// the service does not answer, and keeps no page of a day, of play or of a leaderboard: an old day is never shown as
// today. Of the API it only passes on the writes after which somebody else may play here.

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

const SHELLS = "shutbox-shell-"; // and the version: pages that hold nothing of a player, and static files
const SHELL_NOW = SHELLS + SHELL.version;
const OWN = "shutbox-own"; // results of the player of this browser, as they were when they were looked at last
const SEEN = "shutbox-seen"; // the day that the service said last, at the address of the page that tells of it
const MOST_OWN = 60;
const OFFLINE = "/offline";

/** Writes after which somebody else may play in this browser. */
const PLAYER_CHANGES = ["POST /api/v1/players", "POST /api/v1/transfers", "DELETE /api/v1/players/me"];

/** How often the player may have changed: an answer to what was asked before the last time is not kept. */
let epoch = 0;

worker.addEventListener("install", (event) => event.waitUntil(install()));
worker.addEventListener("activate", (event) => event.waitUntil(activate()));

worker.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const address = new URL(url);
  const { origin, pathname } = address;
  if (origin !== worker.location.origin) return;
  if (PLAYER_CHANGES.includes(`${method} ${pathname}`)) event.respondWith(changePlayer(event.request));
  if (method !== "GET" || pathname.startsWith("/api/v1/")) return;
  if (mode === "navigate") event.respondWith(page(event, address));
  else if (pathname.startsWith("/static/")) event.respondWith(file(event.request, pathname));
});

/** @type {(address: string) => Promise<Response | undefined>} */
const fromShell = (address) => caches.match(address, { cacheName: SHELL_NOW });

async function install() {
  await fill();
  await worker.skipWaiting();
}

/** Keep the whole shell, or nothing of it: the page without a connection comes last, and says that all is there. */
async function fill() {
  const shell = await caches.open(SHELL_NOW);
  const ofNobody = (/** @type {string} */ address) => new Request(address, { credentials: "omit", cache: "no-cache" });
  const files = SHELL.files.map((name) => new Request(SHELL.static + name));
  try {
    await Promise.all([...SHELL.pages.map(ofNobody), ...files].map((request) => add(shell, request)));
    await add(shell, ofNobody(OFFLINE));
  } catch (error) {
    await caches.delete(SHELL_NOW);
    throw error;
  }
  await see(await fromShell(OFFLINE));
}

/** @type {(shell: Cache, request: Request) => Promise<void>} */
async function add(shell, request) {
  const response = await fetch(request);
  // During an update a node of the old version may answer: then the address says more than the content holds.
  const other = request.url.includes(SHELL.static) && !response.headers.get("Cache-Control")?.includes("immutable");
  if (!response.ok || other) throw new Error(`${request.url} is not there in this version`);
  await shell.put(request, response);
}

async function activate() {
  const old = (await caches.keys()).filter((name) => name.startsWith(SHELLS) && name !== SHELL_NOW);
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** @type {() => Promise<boolean>} */
function forget() {
  epoch += 1;
  return caches.delete(OWN);
}

/**
 * Pass a write on that may change the player, and forget what the last one has left: at once, and again when it is
 * answered, since until then pages were still asked for as the last one.
 * @type {(request: Request) => Promise<Response>}
 */
async function changePlayer(request) {
  await forget();
  try {
    return await fetch(request);
  } finally {
    await forget();
  }
}

/**
 * Answer a page: from the service, also when the browser goes back to it; what is kept only if that is not reached.
 * @type {(event: FetchEvent, address: URL) => Promise<Response>}
 */
async function page(event, address) {
  const since = epoch;
  try {
    const response = await fetch(event.request, { cache: "no-cache" });
    event.waitUntil(remember(ownAs(address), response.clone(), since));
    return response;
  } catch {
    const own = await caches.match(ownAs(address), { cacheName: OWN });
    if (own) return asItWas(own);
    return (await fromShell(keptAs(address))) ?? (await fromShell(OFFLINE)) ?? Response.error();
  }
}

/** @type {(address: URL) => string} Return the address of an own page, of a run without what a link has added to it. */
const ownAs = ({ pathname, search }) => (pathname.startsWith("/run/") ? pathname : pathname + search);

/**
 * Return the address under which the shell may have a page: practice is a page for each ruleset, and the dice of a round
 * are the service's to disclose.
 * @type {(address: URL) => string}
 */
function keptAs({ pathname, searchParams }) {
  if (pathname !== "/practice") return pathname;
  return searchParams.has("round") ? OFFLINE : `/practice?ruleset=${searchParams.get("ruleset") ?? "classic"}`;
}

/**
 * Note the day, forget what another player has left, and keep a page of own results, of which the newest stay.
 * @type {(asked: string, response: Response, since: number) => Promise<void>}
 */
async function remember(asked, response, since) {
  const player = response.headers.get("X-Shutbox-Player");
  if (!player) return; // not a page of ours: a redirection, a file, what a proxy says
  await see(response);
  if (player !== "nobody" && !(await fromShell(OFFLINE))) await fill(); // the browser has emptied it
  if (since === epoch && (await ownerOfKept()) !== player) await caches.delete(OWN);
  if (!response.ok || !response.headers.has("X-Shutbox-Own")) return;
  const own = await caches.open(OWN); // what is put into it is lost with it, should the player change from here on
  if (since !== epoch) return;
  await own.delete(asked); // so that it is the newest
  await own.put(asked, response);
  const addresses = await own.keys();
  await Promise.all(addresses.slice(0, -MOST_OWN).map((address) => own.delete(address)));
}

async function ownerOfKept() {
  const [any] = (await caches.has(OWN)) ? await (await caches.open(OWN)).matchAll() : [];
  return any?.headers.get("X-Shutbox-Player");
}

/** @type {(response: Response | undefined) => Promise<void>} */
async function see(response) {
  const day = response?.headers.get("X-Shutbox-Day");
  if (day) await (await caches.open(SEEN)).put(OFFLINE, new Response(day));
}

/** @type {(kept: Response) => Promise<Response>} Return a kept page that knows of which day it is. */
async function asItWas(kept) {
  const html = await kept.text();
  const marked = html.replace("<body ", `<body data-kept="${kept.headers.get("X-Shutbox-Day")}" `);
  return new Response(marked, { headers: kept.headers });
}

/**
 * Answer a static file of this version from what is kept. One of another version is asked for; without a connection a
 * page that was kept before an update gets what there is now, as the service would give it.
 * @type {(request: Request, pathname: string) => Promise<Response>}
 */
async function file(request, pathname) {
  const kept = await fromShell(pathname);
  if (kept) return kept;
  try {
    return await fetch(request);
  } catch {
    return (await fromShell(pathname.replace(/^\/static\/[^/]+\//, SHELL.static))) ?? Response.error();
  }
}
