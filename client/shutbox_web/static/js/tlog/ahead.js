// Work on several things at once with the results in order, such as requests and hashes, of which each is a wait.

/**
 * Yield what `work` makes of each item, in their order; up to `width` of them are in work at any time. The first error
 * is thrown when it is its turn.
 * @template Item, Result
 * @param {AsyncIterator<Item, void> | Iterator<Item, void>} items
 * @param {number} width
 * @param {(item: Item, place: number) => Promise<Result>} work
 * @returns {AsyncGenerator<Result, void>}
 */
export async function* ahead(items, width, work) {
  let place = 0;
  const next = async () => {
    const item = await items.next();
    return item.done ? null : { result: await work(item.value, place++) };
  };
  /** @type {ReturnType<typeof next>[]} */
  const started = [];
  for (;;) {
    while (started.length < width) {
      const begun = next();
      begun.catch(() => {}); // it is thrown below, unless an earlier one is
      started.push(begun);
    }
    const ended = await started.shift();
    if (!ended) return;
    yield ended.result;
  }
}
