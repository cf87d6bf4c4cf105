// The files that are verified, read from the service: those of the log, and the bundle of a round; nothing is sent.

/** @import { Bytes } from "../game/encoding.js" */

/** Something that checking needs cannot be had, so nothing can be decided; the text says what, for people. */
export class Missing extends Error {}

const SILENCE_MS = 30_000;
const NOT_READY = 503;

/** Reads files until nothing has come for a while. */
export class Files {
  /** The id of the log's key. A successor of the log has other tiles at the same paths, and browsers keep tiles. */
  keyId = "";
  #abort = new AbortController();
  #silence = 0;

  constructor() {
    this.heard();
  }

  /** Start the time of silence anew: something has come, or there was something else to do. */
  heard() {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#abort.abort(), SILENCE_MS);
  }

  /** Read no more. */
  close() {
    clearTimeout(this.#silence);
    this.#abort.abort();
  }

  /** @type {(path: string) => Promise<Bytes>} Return the content of a file; its path is relative to /log/. */
  async log(path) {
    const kept = path.startsWith("tile/") ? `?key=${this.keyId}` : "";
    const response = await this.#get(`/log/${path}${kept}`, `/log/${path}`);
    const content = await response.arrayBuffer().catch(() => {
      throw gone(`/log/${path}`);
    });
    this.heard();
    return new Uint8Array(content);
  }

  /** @type {(roundId: string) => Promise<ReadableStream<Uint8Array>>} Return the bundle of a round as it comes. */
  async bundle(roundId) {
    const what = "the bundle of the round";
    const { body } = await this.#get(`/api/v1/rounds/${encodeURIComponent(roundId)}/bundle`, what);
    const reader = /** @type {ReadableStream<Uint8Array>} */ (body).getReader();
    return new ReadableStream({
      pull: async (controller) => {
        const { done, value } = await reader.read().catch(() => {
          throw gone(what);
        });
        this.heard();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => reader.cancel(),
    });
  }

  /** @type {(path: string, what?: string) => Promise<Response>} */
  async #get(path, what = path) {
    const response = await fetch(path, { signal: this.#abort.signal }).catch(() => {
      throw gone(what);
    });
    if (response.ok) return response;
    const why = response.status === NOT_READY ? "is not ready yet" : `was answered with ${response.status}`;
    throw new Missing(`${what} ${why}`);
  }
}

/** @param {string} what */
const gone = (what) => new Missing(`${what} cannot be read: the network or the service is gone`);
