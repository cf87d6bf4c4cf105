"""Says plainly why the browser tests do not run, where they do not."""

import pytest

from tests.browser.conftest import HAS_PLAYWRIGHT, NO_CHROMIUM, NO_PLAYWRIGHT, chromium_binary


def test_the_browser_tests_can_run() -> None:
    if not HAS_PLAYWRIGHT:
        pytest.skip(NO_PLAYWRIGHT)
    if chromium_binary() is None:
        pytest.skip(NO_CHROMIUM)
