// One tab at a time plays a round: the one that was opened or taken up last.

/**
 * Take the round up here and call `parked` when another tab does. Return how to take it up again; where the browser
 * has no channel between tabs, the server's answer to a stale move is enough.
 * @type {(roundId: string, parked: () => void) => () => void}
 */
export function takeUp(roundId, parked) {
  if (!("BroadcastChannel" in globalThis)) return () => {};
  const own = String(Math.random());
  /** @type {BroadcastChannel | null} */
  let channel = null;
  const claim = () => channel?.postMessage({ roundId, own });
  const open = () => {
    channel = new BroadcastChannel("shutbox");
    channel.onmessage = ({ data }) => {
      if (data.roundId === roundId && data.own !== own) parked();
    };
    claim();
  };
  addEventListener("pagehide", () => channel?.close());
  addEventListener("pageshow", (event) => {
    if (event.persisted) open();
  });
  open();
  return claim;
}
