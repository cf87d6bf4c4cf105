// Are the log's files one valid log? (protocol.md, "Checking", "A log"): the first thing that is wrong is named.

import { ahead } from "./ahead.js";
import { Fault, Refused } from "./faults.js";
import { LeafType, decode } from "./leaves.js";
import { consistencySteps, leafHash, prove, rootOf, verifyConsistency } from "./merkle.js";
import { verifyCheckpoint } from "./note.js";
import { same } from "./reading.js";
import { RoundHistory } from "./standings.js";
import {
  WIDTH,
  entryBundles,
  hashInTile,
  hashTile,
  hashTiles,
  parseEntryBundle,
  parseHashTile,
  tileOf,
} from "./tiles.js";
import { LogState } from "./validity.js";

/** @import { Bytes } from "../game/encoding.js" */
/** @import { RoundLeaf, SucceedLeaf } from "./leaves.js" */
/** @import { Checkpoint, VerifierKey } from "./note.js" */
/** @import { HashTile } from "./tiles.js" */

/** @typedef {(path: string) => Promise<Bytes>} Source Where files come from; paths are relative to /log/. */

/**
 * `known`: verified checkpoints of the log from before; `follows`: the rounds whose bundles will be checked, else none;
 * `progress`: told after each bundle how many leaves of how many were found right.
 * @typedef {object} AuditOptions
 * @property {Source} source
 * @property {VerifierKey} key
 * @property {readonly Checkpoint[]} [known]
 * @property {(round: RoundLeaf) => boolean} [follows]
 * @property {(checked: number, size: bigint) => void} [progress]
 */

const BUNDLES_AHEAD = 4;

/**
 * Return (a promise of) the audit of a whole log. Refused names the first fault; what the source throws is thrown on.
 * @param {AuditOptions} options
 */
export async function auditLog({ source, key, known, follows, progress }) {
  const checkpoint = await verifyCheckpoint(await source("checkpoint"), key);
  const audit = new LogAudit(checkpoint, known, follows);
  const bundles = ahead(entryBundles(checkpoint.size), BUNDLES_AHEAD, ({ index, width, path }) =>
    Promise.all([source(path), source(hashTile(0, index, width).path)]),
  );
  for await (const [entries, hashes] of bundles) {
    await audit.add(entries, hashes);
    progress?.(audit.size, checkpoint.size);
  }
  const tiles = ahead(hashTiles(checkpoint.size, 1), BUNDLES_AHEAD, async (tile) => ({
    tile,
    content: await source(tile.path),
  }));
  for await (const { tile, content } of tiles) audit.checkTile(tile, content);
  await audit.finish();
  return audit;
}

/**
 * An audit of the files of one log, taken one after the other: entry bundles with their tiles, the other tiles, the
 * root. It keeps one hash for each 256 leaves, the ids of the runs, and all that is said of the rounds that it follows.
 */
export class LogAudit {
  #state = new LogState();
  /** @type {Map<string, RoundHistory>} */
  #followed = new Map();
  #known;
  #follows;
  #bundles;
  /** @type {Bytes[][]} by level, from 1: the hashes of the complete subtrees of 256^level leaves */
  #subtrees = [];
  /** @type {Bytes[]} the leaf hashes of a last bundle that is not full */
  #rest = [];

  /**
   * @param {Checkpoint} checkpoint
   * @param {readonly Checkpoint[]} known
   * @param {(round: RoundLeaf) => boolean} follows
   */
  constructor(checkpoint, known = [], follows = () => false) {
    for (const earlier of known) checkKnown(earlier, checkpoint);
    this.checkpoint = checkpoint;
    this.#known = known;
    this.#follows = follows;
    this.#bundles = entryBundles(checkpoint.size);
  }

  /** How many leaves were found right. */
  get size() {
    return this.#state.size;
  }

  /** @returns {SucceedLeaf | null} the first leaf, where the log goes on after another one */
  get succeeds() {
    return this.#state.succeeds;
  }

  /** @type {(roundId: string) => RoundHistory} Return what the log says of a round that is followed. */
  historyOf(roundId) {
    if (!this.#state.rounds.has(roundId)) throw new Refused(Fault.ROUND_NOT_LOGGED, roundId);
    const history = this.#followed.get(roundId);
    if (!history) throw new Error(`${roundId} was not followed`);
    return history;
  }

  /**
   * Take the next entry bundle and the level 0 tile of the same place and width.
   * @type {(entries: Bytes, tile: Bytes) => Promise<void>}
   */
  async add(entries, tile) {
    const bundle = this.#bundles.next().value;
    if (!bundle) throw new Error("all bundles were taken");
    const stored = parseHashTile(hashTile(0, bundle.index, bundle.width), tile);
    const leaves = parseEntryBundle(bundle, entries);
    const hashes = await Promise.all(leaves.map(leafHash));
    const wrong = hashes.findIndex((hash, place) => !same(hash, stored[place]));
    if (wrong >= 0) throw new Refused(Fault.TILE_MISMATCH, `leaf ${this.size + wrong}`);
    for (const [place, content] of leaves.entries()) {
      await this.#take(content);
      for (const { size, root } of this.#known) {
        if (size === BigInt(this.size) && !same(await this.#root(hashes.slice(0, place + 1)), root)) {
          throw new Refused(Fault.OLD_ROOT_MISMATCH, `${size} of ${this.checkpoint.size} leaves`);
        }
      }
    }
    if (bundle.width === WIDTH) await this.#complete(1, await rootOf(hashes));
    else this.#rest = hashes;
  }

  /** @type {(tile: HashTile, content: Bytes) => void} Check a tile of level 1 and up, after all bundles. */
  checkTile(tile, content) {
    const start = Number(tile.index) * WIDTH;
    const hashes = this.#subtrees[tile.level].slice(start, start + tile.width);
    const wrong = parseHashTile(tile, content).findIndex((hash, place) => !same(hash, hashes[place]));
    if (wrong >= 0) throw new Refused(Fault.TILE_MISMATCH, `${tile.path}, hash ${wrong}`);
  }

  /** Compare the root over all leaves, after all bundles and tiles. */
  async finish() {
    if (!same(await this.#root(this.#rest), this.checkpoint.root)) {
      throw new Refused(Fault.ROOT_MISMATCH, `${this.size} leaves`);
    }
  }

  /** @param {Bytes} content */
  async #take(content) {
    const index = this.size;
    try {
      const leaf = decode(content);
      await this.#state.add(leaf);
      if (leaf.type === LeafType.ROUND) {
        if (this.#follows(leaf)) this.#followed.set(leaf.roundId, new RoundHistory(leaf, this.#state.documentOf(leaf)));
      } else if ("roundId" in leaf) this.#followed.get(leaf.roundId)?.add(leaf, index);
    } catch (error) {
      throw error instanceof Refused ? error.within(`leaf ${index}`) : error;
    }
  }

  /** @type {(level: number, hash: Bytes) => Promise<void>} Keep the hash of a subtree of 256^level leaves. */
  async #complete(level, hash) {
    const row = (this.#subtrees[level] ??= []);
    row.push(hash);
    if (row.length % WIDTH === 0) await this.#complete(level + 1, await rootOf(row.slice(-WIDTH)));
  }

  /** @type {(rest: Bytes[]) => Promise<Bytes>} Return the root of the complete subtrees and the leaves behind them. */
  async #root(rest) {
    return rootOf([...(this.#subtrees[1] ?? []), ...(rest.length ? [await rootOf(rest)] : [])]);
  }
}

/**
 * Refuse a log that does not go on where an earlier one, known by a checkpoint of it, ended.
 * @type {(audit: {succeeds: SucceedLeaf | null}, earlier: Checkpoint) => void}
 */
export function checkSuccessor({ succeeds }, earlier) {
  if (succeeds?.origin !== earlier.origin) {
    throw new Refused(Fault.ORIGIN_MISMATCH, `it does not say that it goes on after ${earlier.origin}`);
  }
  checkKnown(earlier, succeeds);
}

/**
 * Refuse a checkpoint that one known from before shows to be wrong, as far as that is seen without the leaves.
 * @type {(earlier: Checkpoint, now: {size: bigint, root: Bytes}) => void}
 */
function checkKnown(earlier, now) {
  if (earlier.size > now.size) throw new Refused(Fault.ROLLED_BACK, `from ${earlier.size} leaves to ${now.size}`);
  if (earlier.size === now.size && !same(earlier.root, now.root)) {
    throw new Refused(Fault.SPLIT_VIEW, `two roots for ${now.size} leaves`);
  }
}

/**
 * Refuse unless the log begins with the older checkpoint: the proof is made from the tiles of the newer one, and tiles
 * that are false lead to another root.
 * @type {(source: Source, older: Checkpoint, newer: Checkpoint) => Promise<void>}
 */
export async function consistencyOf(source, older, newer) {
  /** @type {Map<string, Promise<Bytes[]>>} */
  const tiles = new Map();
  /** @type {(tile: HashTile) => Promise<Bytes[]>} */
  const hashesOf = (tile) => {
    const hashes = tiles.get(tile.path) ?? source(tile.path).then((content) => parseHashTile(tile, content));
    tiles.set(tile.path, hashes);
    return hashes;
  };
  const proof = await prove(consistencySteps(older.size, newer.size), async (node) => {
    const tile = tileOf(node, newer.size);
    return hashInTile(node, tile, await hashesOf(tile));
  });
  await verifyConsistency(older.size, older.root, newer.size, newer.root, proof);
}
