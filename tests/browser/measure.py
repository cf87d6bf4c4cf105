"""Prints what the first visit to Play costs and how quickly a tile answers, beside the goals.

python -m tests.browser.measure
"""

import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from shutbox.seeds import Chain, Secrets
from shutbox.store.database import prepare_engine
from shutbox.store.migrate import migrate
from shutbox.tlog.note import SigningKey
from sqlalchemy import create_engine

from tests.browser.conftest import ARGUMENTS, chromium_binary
from tests.browser.hosting import PUZZLE, SEALED, Host
from tests.browser.people import Mouse, state_of
from tests.servers import redis_server

PRESSES = 60

TIME_PRESSES = """async (presses) => {
  const took = [];
  const tiles = [...document.querySelectorAll("#tiles button:not(:disabled)")];
  for (let press = 0; press < presses; press++) {
    const begun = performance.now();
    tiles[press % tiles.length].click();
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    took.push(performance.now() - begun);
  }
  return took;
}"""


@contextmanager
def service() -> Iterator[Host]:
    with tempfile.TemporaryDirectory(prefix="sb-") as name:
        folder = Path(name)
        migrated = folder / "migrated.sqlite3"
        engine = create_engine(f"sqlite:///{migrated}")
        prepare_engine(engine)
        migrate(engine)
        engine.dispose()
        secrets = Secrets(
            (Chain(bytes(16), date(2026, 11, 23), 60, 60, b"c" * 32),),
            b"k" * 32,
            SigningKey("localhost/shutbox/log", b"s" * 32),
        )
        with redis_server(folder / "r") as (url, _):
            (folder / "data").mkdir()
            host = Host(url, secrets, migrated, 1)
            host.begin(folder / "data")
            yield host
            host.end()


def visit(browser: Any, host: Host, path: str, again: bool = False) -> tuple[int, int]:
    """Return requests and bytes over the wire of a visit with an empty cache, or of the visit after it."""
    context = browser.new_context(base_url=host.address, viewport={"width": 375, "height": 740})
    page = context.new_page()
    if again:
        page.goto(path)
        page.wait_for_load_state("networkidle")
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    sizes: list[int] = []
    network.on("Network.loadingFinished", lambda event: sizes.append(int(event["encodedDataLength"])))
    page.goto(path)
    page.wait_for_load_state("networkidle")
    context.close()
    return len(sizes), sum(sizes)


def press_to_paint(browser: Any, host: Host) -> float:
    """Return the 95th percentile of milliseconds from a press on a tile to the frame that shows it, at 4× throttle."""
    context = browser.new_context(base_url=host.address, viewport={"width": 375, "height": 740})
    page = context.new_page()
    someone = Mouse(page)
    someone.open()
    someone.play(1)
    state_of(page)
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
    took: list[float] = page.evaluate(TIME_PRESSES, PRESSES)
    context.close()
    return statistics.quantiles(took, n=20)[-1]


def main() -> None:
    with service() as host, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium_binary(), args=list(ARGUMENTS))
        for name, path in (("sealed round", f"/play/{SEALED}"), ("puzzle", f"/play/{PUZZLE}"), ("Today", "/")):
            requests, size = visit(browser, host, path)
            print(f"first visit, {name:14} {requests:3} requests (goal 15)  {size / 1000:6.1f} kB (goal 60)")
            requests, size = visit(browser, host, path, again=True)
            print(f"next visit,  {name:14} {requests:3} requests            {size / 1000:6.1f} kB (goal 5)")
        print(f"tile press to paint, 4x throttle, p95 {press_to_paint(browser, host):6.1f} ms (goal 50)")
        browser.close()


if __name__ == "__main__":
    main()
