// Requests to the service: one that is lost is sent again, the same, until it is answered.

/** @typedef {{method: string, path: string, body?: object, key?: string}} Request `key`: its Idempotency-Key */
/** @typedef {{status: number, body: any}} Answer */
/** @typedef {{slow?: () => void, lost?: (tries: number) => void, back?: () => void}} Told Called as sending goes on. */

const SLOW_MS = 1000;
const PATIENCE_MS = 15_000;
const LONGEST_PAUSE_MS = 8000;
const LONGEST_WAIT_S = 60; // for which it is worth trying again what was done too often

/** The request got no answer, or one that asks for another try. */
class Lost extends Error {
  /** @param {number} pause milliseconds to wait at least */
  constructor(pause) {
    super("no answer");
    this.pause = pause;
  }
}

let wake = () => {};

/** Return a new Idempotency-Key, by which a request is known when it is sent again. */
export const newKey = () => [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("-");

/** Send what waits for its next try at once. */
export const tryNow = () => wake();
addEventListener("online", tryNow);

/**
 * Send a request until it is answered; every try is the same request, and all that we send this way may be repeated.
 * @type {(request: Request, told?: Told) => Promise<Answer>}
 */
export async function persist(request, told = {}) {
  const slow = setTimeout(() => told.slow?.(), SLOW_MS);
  try {
    for (let tries = 0; ; tries++) {
      try {
        const answer = await send(request);
        if (tries) told.back?.();
        return answer;
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
        clearTimeout(slow);
        told.lost?.(tries);
        await pause(Math.max(error.pause, Math.min(LONGEST_PAUSE_MS, 500 * 2 ** tries)));
      }
    }
  } finally {
    clearTimeout(slow);
  }
}

/** @type {(request: Request) => Promise<Answer>} */
async function send({ method, path, body, key }) {
  const response = await fetch(path, {
    method,
    headers: { ...(body && { "Content-Type": "application/json" }), ...(key && { "Idempotency-Key": key }) },
    body: body ? JSON.stringify(body) : null,
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch(() => {
    throw new Lost(0);
  });
  const wait = Number(response.headers.get("Retry-After") ?? 0);
  if (response.status >= 500 || (response.status === 429 && wait <= LONGEST_WAIT_S)) throw new Lost(1000 * wait);
  if (response.status === 204) return { status: 204, body: null };
  const content = await response.json().catch(() => {
    throw new Lost(0);
  });
  return { status: response.status, body: content };
}

/** @type {(ms: number) => Promise<void>} */
function pause(ms) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}
