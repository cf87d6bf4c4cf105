"""The Verify pages: what is right matches, each change is named as by Python, what cannot be told says so."""

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect
from shutbox.tlog.faults import Refused
from shutbox.tlog.leaves import ReinstateLeaf, WithdrawLeaf, WithdrawReason, encode
from shutbox.tlog.proof import verify_receipt
from shutbox.tlog.standings import RankedRun, ranking_hash

from tests.browser.conftest import Opener
from tests.browser.hosting import PUZZLE, SEALED, VARIANT, Host
from tests.browser.people import Keyboard
from tests.browser.published import OTHER_SIGNER, Published, close_round, receipt_of
from tests.browser.test_state import hear
from tests.conftest import LOG_KEY
from tests.journals import fill

STEPS = ("signature", "memory", "log", "dice", "runs", "ranking")
Tamper = Callable[[Published], None]


def ended(page: Any) -> str:
    """Return how the check on the page has ended."""
    page.locator("#verdict[data-end]").wait_for()
    return str(page.locator("#verdict").get_attribute("data-end"))


def verified(page: Any, round_id: str = SEALED) -> str:
    page.goto(f"/verify/{round_id}")
    return ended(page)


def states(page: Any) -> dict[str, str]:
    """Return the state of each step."""
    steps = page.eval_on_selector_all(".step", "steps => steps.map(step => [step.id, step.dataset.state])")
    return {name.removeprefix("step-"): state for name, state in steps}


def verdict(page: Any) -> str:
    return str(page.locator("#verdict").inner_text())


def remembered(page: Any) -> Any:
    return json.loads(page.evaluate("localStorage.getItem('log')") or "null")


def give(page: Any, receipt: bytes) -> str:
    """Have a receipt checked; return how that ended."""
    page.set_input_files(
        "#receipt-file", {"name": "run.tlog-proof", "mimeType": "application/octet-stream", "buffer": receipt}
    )
    return ended(page)


def ask_for(page: Any) -> list[tuple[str, str, bool]]:
    """Return a list that grows with everything that is asked for: method, path, and whether something is sent along."""
    asked: list[tuple[str, str, bool]] = []
    page.context.on(
        "request",
        lambda request: asked.append((request.method, urlsplit(request.url).path, request.post_data is not None)),
    )
    return asked


# Match


def test_a_closed_round_matches_and_its_ranking_is_shown(published: Published, page: Any) -> None:
    assert verified(page) == "right"
    assert states(page) == dict.fromkeys(STEPS, "right") | {"memory": "skipped"}
    expect(page.locator("#verdict")).to_contain_text("all 3 runs and the ranking of this round are what the signed log")
    cells = page.eval_on_selector_all(
        "#places tr", "rows => rows.map(row => [row.cells[0].textContent, row.querySelector('a').pathname])"
    )
    rows = [(re.sub(r"\D", "", rank), path) for rank, path in cells]
    found = [(str(place.rank), place.run.run_id.hex()) for place in published.verify()]
    assert [(rank, path.removeprefix("/run/").replace("-", "")) for rank, path in rows] == found
    page.locator("#places a").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Score")
    expect(page.get_by_role("main")).to_contain_text("1 of 3")


def test_of_a_large_ranking_the_first_ten_are_shown(host: Host, page: Any) -> None:
    with host.app.app_context():  # type: ignore[union-attr]
        fill(host.site, 300, PUZZLE)
    host.work()
    host.go_to("2026-12-01T02:00:01")
    assert verified(page, PUZZLE) == "right"
    expect(page.locator("#places tr")).to_have_count(10)
    expect(page.locator("#places-caption")).to_have_text("Ranking found, the first 10 of 300")
    expect(page.get_by_role("columnheader")).to_have_text(["Rank", "Run", "Score"])


def test_a_round_that_nobody_finished_matches(published: Published, page: Any) -> None:
    assert verified(page, f"2026-11-30-{VARIANT}-open") == "right"
    expect(page.locator("#verdict")).to_contain_text("Nobody finished it.")
    expect(page.locator("#ranking")).to_be_hidden()


def test_the_key_and_the_checkpoint_are_remembered_and_held_against_the_log(
    host: Host, published: Published, page: Any
) -> None:
    assert verified(page) == "right"
    assert remembered(page) == {"key": LOG_KEY.verifier.text, "checkpoint": published.note}
    host.finish_sealed(["Cyd"], "2026-12-01-classic")
    host.work()
    assert verified(page) == "right"
    expect(page.locator("#step-memory .state")).to_have_text(
        f"Right: the first {len(published.leaves)} leaves are the same as then"
    )
    assert remembered(page)["checkpoint"].split("\n")[1] == str(len(published.leaves) + 1)


def test_nothing_is_asked_for_but_static_files_the_log_and_the_bundle(published: Published, page: Any) -> None:
    asked = ask_for(page)
    assert verified(page) == "right"
    assert ("GET", "/log/checkpoint", False) in asked  # what the worker asks for is seen
    ours = re.compile(rf"/static/|/log/(checkpoint\Z|tile/)|/api/v1/rounds/{SEALED}/bundle\Z|/verify/{SEALED}\Z")
    assert [one for one in asked if one[0] != "GET" or one[2] or not ours.match(one[1])] == []


@pytest.mark.parametrize("width", [375, 1280])
def test_nothing_shifts_while_a_round_is_verified(published: Published, open_page: Opener, width: int) -> None:
    page = open_page(width)
    page.add_init_script(
        """window.shifted = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) window.shifted += entry.value;
        }).observe({type: "layout-shift", buffered: true});"""
    )
    assert verified(page) == "right"
    expect(page.locator("#status")).to_contain_text("It matches.")
    assert page.evaluate("window.shifted") <= 0.02


# Mismatch


def flip_in_tile(files: Published) -> None:
    files.flip(files.path("0"), 900)


def flip_in_entry(files: Published) -> None:
    files.flip(files.path("entries"), 900)


def flip_in_note(files: Published) -> None:
    files.flip("checkpoint", 8 * (files.files["checkpoint"].index(b"\n") + 1))


def forge_signature(files: Published) -> None:
    files.sign(OTHER_SIGNER)


def remove_run(files: Published) -> None:
    del files.lines[2]


def add_run(files: Published) -> None:
    files.lines.append(files.lines[1])


def alter_run(files: Published) -> None:
    files.edit_line(1, lambda line: {"run": line["run"][:-1] + "0123456789abcdef"[int(line["run"][-1], 16) ^ 1]})


def swap_runs(files: Published) -> None:
    files.lines[1:3] = reversed(files.lines[1:3])


def damage_line(files: Published) -> None:
    files.lines[1] = files.lines[1][:-3]


def raise_rank(files: Published) -> None:
    files.edit_line(2, lambda line: {"rank": line["rank"] + 1})


def move_run(files: Published) -> None:
    files.edit_line(1, lambda line: {"leaf_index": line["leaf_index"] + 1})


def other_secret_in_bundle(files: Published) -> None:
    files.edit_line(0, lambda _: {"day_secret": "0" * 64})


def other_secret(files: Published) -> None:
    files.edit_close(day_secret=bytes(32))


def other_seed(files: Published) -> None:
    files.edit_close(seed=bytes(32))


def cheat(files: Published) -> None:
    turns = 1 + len(files.round_id) + 2 + 16 + 32 + 1
    files.edit_run(1, lambda run: run[: turns + 1] + b"\x01\xff" + run[turns + 3 :])


def play_twice(files: Published) -> None:
    tag = 1 + 2 + len(files.round_id)
    first = bytes.fromhex(json.loads(files.lines[1])["run"])
    files.edit_run(2, lambda run: run[:tag] + first[tag : tag + 16] + run[tag + 16 :])


def rank_otherwise(files: Published) -> None:
    files.edit_close(ranking_hash=bytes(32))
    files.edit_line(0, lambda _: {"ranking_hash": "0" * 64})


def rank_fewer(files: Published) -> None:
    files.edit_close(ranked=2)
    files.edit_line(0, lambda _: {"ranked": 2})


def repeat_close(files: Published) -> None:
    files.leaves.append(files.leaves[-1])
    files.sign()


CHANGES: dict[Tamper, tuple[str, str]] = {
    flip_in_tile: ("log", "tile-mismatch"),
    flip_in_entry: ("log", "tile-mismatch"),
    flip_in_note: ("signature", "bad-signature"),
    forge_signature: ("signature", "not-signed"),
    repeat_close: ("log", "repeated-close"),
    other_secret: ("dice", "link-mismatch"),
    other_seed: ("dice", "seed-not-derived"),
    other_secret_in_bundle: ("runs", "header-mismatch"),
    remove_run: ("runs", "run-missing"),
    add_run: ("runs", "repeated-run"),
    alter_run: ("runs", "commitment-mismatch"),
    swap_runs: ("runs", "run-out-of-order"),
    move_run: ("runs", "leaf-index-mismatch"),
    damage_line: ("runs", "bad-line"),
    cheat: ("runs", "illegal-run"),
    play_twice: ("ranking", "repeated-player"),
    rank_fewer: ("ranking", "ranked-mismatch"),
    rank_otherwise: ("ranking", "ranking-mismatch"),
    raise_rank: ("ranking", "rank-mismatch"),
}


def test_a_change_is_named_as_python_names_it(host: Host, page: Any, subtests: pytest.Subtests) -> None:
    close_round(host)
    for tamper, (step, fault) in CHANGES.items():
        with subtests.test(tamper.__name__):
            published = Published(host)
            tamper(published)
            refused = published.refusal()
            assert refused is not None
            assert refused.fault == fault
            published.serve(page)
            assert verified(page) == "wrong"
            expect(page.locator("#verdict code")).to_have_text(fault)
            expect(page.locator(f"#step-{step} .state")).to_have_text(f"Wrong: {fault}")
            found = states(page)
            assert [name for name in STEPS if found[name] == "wrong"] == [step]
            assert {found[name] for name in STEPS[STEPS.index(step) + 1 :]} <= {"waiting"}
            log = {"key": LOG_KEY.verifier.text, "checkpoint": published.note}
            assert remembered(page) == (log if step in {"runs", "ranking"} else None)
            page.evaluate("localStorage.clear()")


def test_withdrawn_runs_are_shown_with_their_reasons(published: Published, page: Any) -> None:
    first, second, third = (place.run for place in published.verify())
    hash = ranking_hash([RankedRun(1, first), RankedRun(2, second)])
    published.edit_close(ranked=2, ranking_hash=hash)
    published.edit_line(0, lambda _: {"ranked": 2, "ranking_hash": hash.hex()})
    lines = [json.loads(line).get("run_id") for line in published.lines]
    published.edit_line(lines.index(third.run_id.hex()), lambda _: {"rank": None})
    published.leaves.insert(
        published.leaves.index(encode(published.close)),
        encode(WithdrawLeaf(0, SEALED, third.run_id, WithdrawReason.UNFAIR_PLAY)),
    )
    published.leaves += [
        encode(WithdrawLeaf(0, SEALED, first.run_id, WithdrawReason.PLAYER_ASKED)),
        encode(ReinstateLeaf(0, SEALED, third.run_id)),
    ]
    published.sign()
    published.serve(page)
    assert published.refusal() is None
    assert verified(page) == "right"
    expect(page.locator("#step-ranking .state")).to_have_text(
        "Right: 2 players ranked, with the logged hash; 1 run withdrawn before the close, 1 since"
    )
    expect(page.locator("#withdrawn li")).to_have_text(
        [
            f"…{third.run_id.hex()[-8:]} before the close: unfair play; reinstated since",
            f"…{first.run_id.hex()[-8:]} since the close: the player asked",
        ]
    )
    remove_run(published)
    published.serve(page)
    assert verified(page) == "wrong"
    expect(page.locator("#withdrawn")).to_be_hidden()


# Not to be decided


def test_a_network_that_is_gone_in_mid_check_decides_nothing(published: Published, page: Any) -> None:
    page.context.route("**/bundle", lambda route: (page.context.set_offline(True), route.abort()))
    assert verified(page) == "undecided"
    expect(page.locator("#verdict")).to_have_text(
        "Cannot be decided: the bundle of the round cannot be read: the network or the service is gone."
    )
    assert states(page)["runs"] == "undecided"
    assert remembered(page)["checkpoint"] == published.note
    page.context.unroute_all()
    page.context.set_offline(False)
    page.get_by_role("button", name="Verify again").click()
    expect(page.locator("#verdict")).to_have_attribute("data-end", "right")


@pytest.mark.parametrize(
    ("path", "told"),
    [("**/log/checkpoint", "/log/checkpoint was answered with 404"), ("**/log/tile/entries/**", "/log/tile/entries/")],
)
def test_a_file_that_is_not_there_decides_nothing(published: Published, page: Any, path: str, told: str) -> None:
    page.context.route(path, lambda route: route.fulfill(status=404))
    assert verified(page) == "undecided"
    assert told in verdict(page)


def test_a_close_that_the_log_does_not_hold_yet_decides_nothing(published: Published, page: Any) -> None:
    published.leaves = published.leaves[:-4]
    published.sign()
    published.serve(page)
    assert verified(page) == "undecided"
    assert "the log does not hold the close of this round yet" in verdict(page)


def test_a_ruleset_that_these_pages_do_not_know_decides_nothing(published: Published, page: Any) -> None:
    page.context.route(
        "**/rulesets.js",
        lambda route: route.fulfill(
            response=(answer := route.fetch()), body=re.sub(r'\n +traditional\("twelve".*', "", answer.text())
        ),
    )
    assert verified(page, f"2026-11-30-{VARIANT}") == "undecided"
    assert "these pages do not know its ruleset" in verdict(page)
    assert verified(page) == "right"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("crypto.subtle.importKey = () => Promise.reject(new DOMException('', 'NotSupportedError'));", "Ed25519"),
        ("crypto.subtle.digest = () => { throw new TypeError('no'); };", "the check itself failed in this browser"),
        ("}", "this browser cannot check beside the page"),
    ],
)
def test_a_browser_that_cannot_check_says_so(
    host: Host, published: Published, chromium: Any, line: str, told: str
) -> None:
    context = chromium.new_context(base_url=host.address)  # what is missing here is an error that the tests look for
    page = context.new_page()
    page.route(
        "**/verify/worker.js",
        lambda route: route.fulfill(response=(answer := route.fetch()), body=f"{answer.text()}\n{line}\n"),
    )
    assert verified(page) == "undecided"
    assert told in verdict(page)
    context.close()


def test_a_check_can_be_stopped(published: Published, page: Any) -> None:
    page.context.route("**/bundle", lambda route: None)
    page.goto(f"/verify/{SEALED}")
    expect(page.locator("#step-runs .state")).to_have_text("Checking")
    expect(page.get_by_role("progressbar", name="Every run is legal")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#verdict")).to_have_text("Cannot be decided: you stopped it.")
    page.context.unroute_all()
    page.get_by_role("button", name="Verify again").click()
    expect(page.locator("#verdict")).to_have_attribute("data-end", "right")


def test_a_large_log_is_not_read_unasked(published: Published, page: Any) -> None:
    page.context.route(
        f"**/verify/{SEALED}",
        lambda route: route.fulfill(
            response=(answer := route.fetch()), body=answer.text().replace('"small":true', '"small":false')
        ),
    )
    asked = ask_for(page)
    page.goto(f"/verify/{SEALED}")
    button = page.get_by_role("button", name="Verify in this browser")
    expect(button).to_be_visible()
    assert not [path for _, path, _ in asked if path.startswith("/log/")]
    button.click()
    assert ended(page) == "right"


# Words, keys and focus


def test_what_is_found_is_said_and_takes_no_focus(published: Published, page: Any) -> None:
    assert verified(page) == "right"
    expect(page.locator("#status")).to_contain_text("It matches.")
    assert page.evaluate("document.activeElement.tagName") == "BODY"
    said = hear(page)
    page.get_by_role("button", name="Verify again").click()
    expect(page.locator("#status")).to_contain_text("It matches.")
    expect(page.get_by_role("button", name="Verify again")).to_be_focused()
    assert said()[:2] == ["Verifying.", "The log is signed: right."]
    published.lines = [published.lines[0]]
    published.serve(page)
    page.get_by_role("button", name="Verify again").click()
    expect(page.locator("#alert")).to_contain_text(
        "It does not match. The first step that is wrong: “Every run is legal”."
    )


def test_everything_is_reached_by_keyboard(published: Published, page: Any, host: Host) -> None:
    assert verified(page) == "right"
    someone = Keyboard(page)
    receipt = {"name": "receipt", "mimeType": "text/plain", "buffer": receipt_of(host)}
    page.on("filechooser", lambda chooser: chooser.set_files(receipt))
    published.lines[1:3] = reversed(published.lines[1:3])
    published.serve(page)
    someone.press("#verify")
    expect(page.locator("#verdict")).to_have_attribute("data-end", "wrong")
    someone.reach("#verdict a[download]")
    page.goto("/verify")
    someone.reach("#receipt-file")
    page.keyboard.press("Enter")
    assert ended(page) == "right"
    someone.press("#forget")
    expect(page.locator("#memory-text")).to_be_focused()


# Receipts


def test_a_receipt_is_right_and_sent_nowhere(host: Host, published: Published, page: Any) -> None:
    content = receipt_of(host)
    receipt = verify_receipt(content, LOG_KEY.verifier)
    page.goto("/verify")
    asked = ask_for(page)
    assert give(page, content) == "right"
    assert states(page) == {"receipt": "right", "holds": "right"}
    facts = page.locator("#receipt-facts").inner_text()
    assert f"leaf {receipt.index}; signed over {receipt.checkpoint.size} leaves" in facts
    assert SEALED in facts
    ours = re.compile(r"/static/|/log/(checkpoint\Z|tile/)")
    assert [one for one in asked if one[0] != "GET" or one[2] or not ours.match(one[1])] == []
    assert remembered(page) == {"key": LOG_KEY.verifier.text, "checkpoint": published.note}
    page.locator("#receipt-facts a").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Score")


def test_a_receipt_from_the_page_of_a_run_is_right(host: Host, page: Any) -> None:
    """Before the close, by its owner, from the page to the file and back."""
    host.seat(page, 6)
    page.goto("/play")
    page.get_by_role("button", name="See the result").click()
    expect(page.locator("#logged")).to_contain_text("on its way into the public log")
    host.work()
    page.reload()
    with page.expect_download() as download:
        page.get_by_role("link", name="Receipt").click()
    assert re.fullmatch(r"run-[0-9a-f-]{36}\.tlog-proof", download.value.suggested_filename)
    content = download.value.path().read_bytes()
    page.goto("/verify")
    assert give(page, content) == "right"


FORGERIES: dict[str, Callable[[bytes], bytes]] = {
    "another index": lambda text: re.sub(rb"index (\d+)", lambda found: b"index %d" % (int(found[1]) - 1), text),
    "another salt": lambda text: text.replace(text[160:164], b"AAAA", 1),
    "a bit of the signature": lambda text: text[:-12] + (b"A" if text[-12:-11] != b"A" else b"B") + text[-11:],
    "an index beyond the log": lambda text: re.sub(rb"index \d+", b"index 4000", text),
    "a step of the path left out": lambda text: re.sub(rb"(index \d+\n)[^\n]+\n", rb"\1", text),
    "another log": lambda text: text.replace(b"localhost", b"elsewhere"),
    "no receipt": lambda text: b"Dear Shutbox,\n\nI won.\n",
    "no text": lambda text: b"\x89PNG\r\n\x1a\n\x00",
    "nothing": lambda text: b"",
}


def test_a_forged_receipt_is_named_as_python_names_it(host: Host, page: Any, subtests: pytest.Subtests) -> None:
    close_round(host)
    page.goto("/verify")
    for forgery, forge in FORGERIES.items():
        with subtests.test(forgery):
            content = forge(receipt_of(host))
            with pytest.raises(Refused) as refused:
                verify_receipt(content, LOG_KEY.verifier)
            assert give(page, content) == "wrong"
            expect(page.locator("#verdict code")).to_have_text(refused.value.fault)
            assert states(page) == {"receipt": "wrong", "holds": "waiting"}
            expect(page.locator("#receipt-facts")).to_be_hidden()
            assert remembered(page) is None
    assert give(page, receipt_of(host)) == "right"


@pytest.mark.parametrize("what", ["rolled-back", "split-view", "old-root-mismatch"])
def test_a_log_that_no_longer_holds_a_receipt_is_found(host: Host, published: Published, page: Any, what: str) -> None:
    stored = published.leaves
    published.leaves = {
        "rolled-back": stored[:-1],
        "split-view": [*stored[:-2], stored[-1], stored[-2]],
        "old-root-mismatch": [*stored[:-2], stored[-1], stored[-2], stored[1]],
    }[what]
    published.sign()
    published.serve(page)
    page.goto("/verify")
    assert give(page, receipt_of(host)) == "wrong"
    expect(page.locator("#step-holds .state")).to_have_text(f"Wrong: {what}")
    expect(page.get_by_role("link", name="checkpoint of the receipt")).to_be_visible()


def test_a_receipt_without_a_network_is_right_by_itself(host: Host, published: Published, page: Any) -> None:
    content = receipt_of(host)
    page.goto("/verify")
    page.context.set_offline(True)
    assert give(page, content) == "undecided"
    assert states(page) == {"receipt": "right", "holds": "undecided"}
    assert "The receipt by itself is right" in verdict(page)
