"""What a browser remembers of the log: what was taken back is found, and nothing that was remembered is lost."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import expect
from shutbox.game.rulesets import CATALOGUE
from shutbox.tlog.leaves import Leaf, RulesetLeaf, SucceedLeaf, encode
from shutbox.tlog.note import verify_checkpoint

from tests.browser.conftest import Opener
from tests.browser.hosting import SEALED, Host
from tests.browser.published import OTHER_SIGNER, SIGNER, Published, receipt_of
from tests.browser.test_verify import (
    ended,
    give,
    rank_fewer,
    remembered,
    remove_run,
    repeat_close,
    states,
    verdict,
    verified,
)
from tests.conftest import LOG_KEY
from tests.tlog.reference_log import Signer

DENY_STORAGE = (
    "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('', 'SecurityError'); }});"
)
SUCCESSOR = Signer("localhost/log-2", b"2" * 32)


@pytest.mark.parametrize("what", ["rolled-back", "split-view", "old-root-mismatch"])
def test_a_log_that_is_not_the_remembered_one_is_found(published: Published, page: Any, what: str) -> None:
    published.serve(page)
    assert verified(page) == "right"
    before = published.note
    stored = published.leaves
    published.leaves = {
        "rolled-back": stored[:-1],
        "split-view": [*stored[:-2], stored[-1], stored[-2]],
        "old-root-mismatch": [*stored[:-2], stored[-1], stored[-2], stored[1]],
    }[what]
    published.sign()
    refused = published.refusal(known=[before])
    assert refused is not None
    assert refused.fault == what
    assert verified(page) == "wrong"
    expect(page.locator("#step-memory .state")).to_have_text(f"Wrong: {what}")
    expect(page.locator("#verdict")).to_contain_text("The two signed checkpoints together prove it.")
    kept = []
    for name in ("checkpoint from before", "checkpoint of now"):
        with page.expect_download() as download:
            page.get_by_role("link", name=name).click()
        kept.append(download.value.path().read_text())
    assert kept == [before, published.note]
    assert remembered(page)["checkpoint"] == before


def serve_no_bundle(published: Published, page: Any) -> None:
    published.serve(page)
    page.context.route("**/bundle", lambda route: route.fulfill(status=404))


def serve_wrong_bundle(published: Published, page: Any) -> None:
    remove_run(published)
    published.serve(page)


def serve_wrong_ranking(published: Published, page: Any) -> None:
    rank_fewer(published)
    published.serve(page)


@pytest.mark.parametrize("serve", [serve_no_bundle, serve_wrong_bundle, serve_wrong_ranking])
def test_the_log_is_remembered_whatever_is_found_of_the_round(
    published: Published, page: Any, serve: Callable[[Published, Any], None]
) -> None:
    """Else one who withholds a bundle, or gives a wrong one, could write the log anew, and nobody would notice."""
    serve(published, page)
    assert verified(page) != "right"
    expect(page.locator("#kept")).to_contain_text("This browser remembers the log as it is now")
    before = published.note
    assert remembered(page) == {"key": LOG_KEY.verifier.text, "checkpoint": before}
    published.leaves = [*published.leaves[:-2], published.leaves[-1], published.leaves[-2]]
    published.sign()
    published.serve(page)
    assert verified(page) == "wrong"
    expect(page.locator("#step-memory .state")).to_have_text("Wrong: split-view")
    expect(page.locator("#kept")).to_be_hidden()
    assert remembered(page)["checkpoint"] == before


def test_a_log_that_is_wrong_is_not_remembered(published: Published, page: Any) -> None:
    repeat_close(published)
    published.serve(page)
    assert verified(page) == "wrong"
    expect(page.locator("#kept")).to_be_hidden()
    assert remembered(page) is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("none", "remembers the log as it is now"),
        ("smaller", "remembers the log as it is now"),
        ("larger", "remembers a longer log already"),
        ("other root", "remembers another log already"),
        ("other key", "remembers another log already"),
    ],
)
def test_what_another_tab_remembered_meanwhile_is_not_lost(
    published: Published, page: Any, change: str, said: str
) -> None:
    other = Published.__new__(Published)
    stored = published.leaves
    other.leaves = {
        "smaller": stored[:-1],
        "larger": [*stored, stored[1]],
        "other root": [*stored[:-2], stored[-1], stored[-2]],
    }.get(change, stored)
    other.sign(OTHER_SIGNER if change == "other key" else SIGNER)
    key = OTHER_SIGNER.key if change == "other key" else LOG_KEY.verifier.text
    kept = {"key": key, "checkpoint": other.note}
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    page.context.route("**/log/checkpoint", hold)
    with page.context.expect_event("request", lambda request: request.url.endswith("/log/checkpoint")):
        page.goto(f"/verify/{SEALED}")
    page.evaluate("kept => localStorage.setItem('log', kept)", json.dumps(kept))
    held[0].continue_()
    assert ended(page) == "right"
    expect(page.locator("#kept")).to_contain_text(said)
    now = {"key": LOG_KEY.verifier.text, "checkpoint": published.note}
    assert remembered(page) == (now if change in {"none", "smaller"} else kept)


def show_key(page: Any, key: str) -> None:
    """Have the pages show another key of the log."""
    page.context.route(
        re.compile("/verify"),
        lambda route: (
            route.fulfill(
                response=(answer := route.fetch()),
                body=answer.text()
                .replace(LOG_KEY.verifier.text.replace("+", "\\u002b"), key)
                .replace(LOG_KEY.verifier.text, key),
            )
            if route.request.resource_type == "document"
            else route.continue_()
        ),
    )


def succeed(published: Published, page: Any, first: SucceedLeaf | None) -> None:
    """Show a log with a key and an origin of its own instead, which holds the same rounds."""
    begin: Leaf = first or RulesetLeaf(0, CATALOGUE["classic"].document)
    published.leaves.insert(0, encode(begin))
    for number in range(1, len(published.lines)):
        move_run_at(published, number)
    published.sign(SUCCESSOR)
    published.serve(page)
    show_key(page, SUCCESSOR.key)


def move_run_at(published: Published, number: int) -> None:
    published.edit_line(number, lambda line: {"leaf_index": line["leaf_index"] + 1})


def test_a_log_goes_on_after_the_one_that_is_remembered(host: Host, published: Published, page: Any) -> None:
    assert verified(page) == "right"
    receipt, before = receipt_of(host), remembered(page)
    checkpoint = verify_checkpoint(published.note.encode(), LOG_KEY.verifier)
    succeed(published, page, SucceedLeaf(0, checkpoint.origin, checkpoint.size, checkpoint.root))
    told = f"Right: the log {checkpoint.origin} has ended, and this one, {SUCCESSOR.name}, goes on after it"
    now = {"key": SUCCESSOR.key, "checkpoint": published.note, "earlier": [before]}
    page.goto("/verify")
    assert give(page, receipt) == "undecided"
    assert states(page) == {"receipt": "right", "holds": "undecided"}
    assert remembered(page) == before, "a receipt alone does not tell what a log goes on after"
    assert verified(page) == "right"
    expect(page.locator("#step-memory .state")).to_have_text(told)
    assert remembered(page) == now
    assert verified(page) == "right"
    expect(page.locator("#step-memory .state")).to_contain_text(told.removeprefix("Right: "))
    expect(page.locator("#step-memory .state")).to_contain_text(
        f"the first {len(published.leaves)} leaves are the same"
    )
    assert remembered(page) == now
    page.goto("/verify")
    assert give(page, receipt) == "undecided"
    assert f"it is of the log {checkpoint.origin}" in verdict(page)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (None, "origin-mismatch"),
        ({"origin": "elsewhere/log"}, "origin-mismatch"),
        ({"size": 3}, "rolled-back"),
        ({"root": bytes(32)}, "split-view"),
    ],
)
def test_another_log_does_not_take_the_place_of_the_remembered_one(
    published: Published, page: Any, change: dict[str, Any] | None, fault: str
) -> None:
    assert verified(page) == "right"
    before = remembered(page)
    checkpoint = verify_checkpoint(published.note.encode(), LOG_KEY.verifier)
    first = SucceedLeaf(0, checkpoint.origin, checkpoint.size, checkpoint.root)
    succeed(published, page, None if change is None else replace(first, **change))
    assert verified(page) == "wrong"
    expect(page.locator("#step-memory .state")).to_have_text(f"Wrong: {fault}")
    assert remembered(page) == before


def test_another_key_is_not_believed_until_the_old_one_is_forgotten(
    published: Published, page: Any, open_page: Opener
) -> None:
    published.serve(page)
    assert verified(page) == "right"
    published.sign(OTHER_SIGNER)
    show_key(page, OTHER_SIGNER.key)
    assert verified(page) == "wrong"
    expect(page.locator("#verdict code")).to_have_text("not-signed")
    page.get_by_role("link", name="what this browser remembers of the log").click()
    expect(page.locator("#memory-text")).to_contain_text(f"another key, {LOG_KEY.verifier.text}")
    page.get_by_role("button", name="Forget it").click()
    expect(page.locator("#memory-text")).to_have_text("This browser remembers nothing of the log yet.")
    expect(page.locator("#memory-text")).to_be_focused()
    assert verified(page) == "right"
    assert remembered(page)["key"] == OTHER_SIGNER.key


def test_storage_that_throws_leaves_the_check_and_is_said(published: Published, page: Any) -> None:
    page.add_init_script(DENY_STORAGE)
    assert verified(page) == "right"
    expect(page.locator("#kept")).to_contain_text("This browser keeps nothing for this site")
    expect(page.locator("#step-memory .state")).to_contain_text("this browser keeps nothing")
    page.goto("/verify")
    expect(page.locator("#memory-text")).to_contain_text("cannot remember the log")


@pytest.mark.parametrize("damage", ["no JSON", '{"key": 1}', "note"])
def test_a_damaged_memory_is_neither_believed_nor_overwritten(published: Published, page: Any, damage: str) -> None:
    assert verified(page) == "right"
    kept = json.dumps(remembered(page)).replace("localhost", "elsewhere", 3)
    damaged = kept if damage == "note" else damage
    page.evaluate("kept => localStorage.setItem('log', kept)", damaged)
    if damage == "note":  # its key is whole, its text is not
        whole = {"key": LOG_KEY.verifier.text, "checkpoint": published.note.replace("\n", "\n1", 1)}
        damaged = json.dumps(whole)
        page.evaluate("kept => localStorage.setItem('log', kept)", damaged)
    assert verified(page) == "undecided"
    assert "what this browser remembered of the log is damaged" in verdict(page)
    assert page.evaluate("localStorage.getItem('log')") == damaged
