// Whether the service answers again, for pages that are shown without a connection.

const TRY_MS = 10_000;
const PATIENCE_MS = 8000;

/** @type {() => Promise<boolean>} */
export async function answers() {
  const answer = await fetch("/healthz", { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => null);
  return Boolean(answer?.ok);
}

/** @type {(act: () => void) => void} Ask when the browser says that it is online, and again and again; then act. */
export function whenItAnswers(act) {
  const ask = async () => {
    if (await answers()) act();
  };
  const askUnlessHidden = () => {
    if (!document.hidden) ask();
  };
  addEventListener("online", ask);
  document.addEventListener("visibilitychange", askUnlessHidden);
  setInterval(askUnlessHidden, TRY_MS);
}
