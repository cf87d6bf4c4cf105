"""Chromium and a service for the browser tests; where Chromium or Playwright is missing they are skipped, saying so."""

import importlib.util
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, Protocol

import pytest
from shutbox.seeds import Chain, Secrets
from shutbox.tlog.note import SigningKey

from tests.browser.hosting import Host
from tests.browser.published import Published, close_round

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


NO_PLAYWRIGHT = "Playwright is not installed (pip install playwright): no browser test runs"
NO_CHROMIUM = "Chromium is not installed (Debian: apt-get install chromium): no browser test runs"
HAS_PLAYWRIGHT = importlib.util.find_spec("playwright") is not None

# Without Playwright the modules cannot be imported: test_available.py is left, and says so.
collect_ignore = (
    []
    if HAS_PLAYWRIGHT
    else [path.name for path in Path(__file__).parent.glob("test_*.py") if path.name != "test_available.py"]
)


class Opener(Protocol):
    """Opens a page in a browser context of its own."""

    def __call__(self, width: int = 375, **options: Any) -> Any: ...


def chromium_binary() -> str | None:
    """Return the browser to run."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    binary = chromium_binary()
    if binary is None:
        pytest.skip(NO_CHROMIUM)
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  (it may be missing)

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=binary, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def secrets() -> Secrets:
    """Secrets of our own: the dice that these tests know."""
    return Secrets(
        (Chain(bytes(range(16)), date(2026, 11, 23), 60, 60, b"l" * 32),),
        b"k" * 32,
        SigningKey("localhost/shutbox/log", b"s" * 32),
    )


@pytest.fixture(scope="session")
def listening(redis_url: str, secrets: Secrets, migrated_sqlite: Path) -> Iterator[Host]:
    host = Host(redis_url, secrets, migrated_sqlite, 1)
    yield host
    host.end()


@pytest.fixture
def host(listening: Host, tmp_path: Path) -> Host:
    """The service, with an empty database at noon of TODAY."""
    listening.begin(tmp_path)
    return listening


@pytest.fixture
def open_page(host: Host, chromium: Any) -> Iterator[Opener]:
    """Opens pages; at the end none of them has thrown, nor broken the Content-Security-Policy."""
    contexts: list[Any] = []
    faults: list[str] = []

    def listen(page: Any) -> None:
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda line: faults.append(line.text) if _is_fault(line) else None)

    def open_page(width: int = 375, **options: Any) -> Any:
        options.setdefault("reduced_motion", "reduce")
        height = {375: 740, 320: 640}.get(width, 860)
        context = chromium.new_context(base_url=host.address, viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(8000)
        context.on("page", listen)
        contexts.append(context)
        return context.new_page()

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


def _is_fault(line: Any) -> bool:
    return line.type in ("error", "warning") and not line.text.startswith("Failed to load resource")


@pytest.fixture
def page(open_page: Opener) -> Any:
    """A page on a phone."""
    return open_page()


@pytest.fixture
def published(host: Host) -> Published:
    """What the service publishes of the closed sealed round."""
    close_round(host)
    return Published(host)
