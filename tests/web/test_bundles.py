"""The bundle of a closed round over HTTP: nothing before the close, everything after it, and the same for ever."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from flask import Flask
from shutbox.game.rulesets import CATALOGUE
from shutbox.site import Site
from shutbox.tlog.audit import check_bundle
from shutbox.tlog.leaves import decode
from sqlalchemy import Engine, event

from tests.conftest import Closer, MovableClock
from tests.journals import OPENED, SEALED, contents, fill, log_all
from tests.players import Api
from tests.tlog.whole_logs import history_of


def lines_of(api: Api, round_id: str) -> list[bytes]:
    answer = api.get(f"/rounds/{round_id}/bundle")
    assert (answer.status_code, answer.mimetype) == (200, "application/x-ndjson")
    return bytes(answer.data).splitlines(keepends=True)


def refusal(api: Api, round_id: str) -> tuple[int, str]:
    answer = api.get(f"/rounds/{round_id}/bundle")
    return answer.status_code, answer.get_json()["code"]


def close(clock: MovableClock, close_days: Closer) -> None:
    clock.set("2026-12-01T02:00:00")
    close_days()


@pytest.mark.parametrize("round_id", [SEALED, OPENED])
def test_nothing_of_a_running_round_is_published(
    nobody: Api, mara: Api, site: Site, clock: MovableClock, round_id: str
) -> None:
    fill(site, 3, round_id)
    log_all(site)
    for moment in ("2026-11-30T12:00:00", "2026-12-01T00:00:00", "2026-12-01T01:59:59"):
        clock.set(moment)
        assert refusal(nobody, round_id) == refusal(mara, round_id) == (409, "round_not_closed")


def test_a_bundle_waits_until_the_close_is_logged(
    nobody: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    close(clock, close_days)
    answer = nobody.get(f"/rounds/{SEALED}/bundle")
    assert (answer.status_code, answer.get_json()["code"]) == (503, "bundle_pending")
    assert answer.headers["Retry-After"] == "1"
    log_all(site)
    assert len(lines_of(nobody, SEALED)) == 1


def test_practice_and_unknown_rounds_have_no_bundle(nobody: Api, mara: Api) -> None:
    practice = mara.post("/rounds", json={"ruleset": "classic", "mode": "open"}).get_json()["round_id"]
    assert refusal(mara, practice) == (404, "not_logged")
    assert refusal(nobody, "2026-11-30-checkers") == (404, "round_not_found")


@pytest.mark.parametrize("count", [0, 1, 1001])
def test_a_bundle_holds_every_logged_run_in_the_order_of_the_log(
    nobody: Api, site: Site, clock: MovableClock, close_days: Closer, count: int
) -> None:
    fill(site, count, OPENED)
    log_all(site)
    close(clock, close_days)
    log_all(site)
    lines = lines_of(nobody, OPENED)
    history = history_of(OPENED, map(decode, contents(site)))
    ranking = check_bundle(history, CATALOGUE["classic"].document, lines)
    assert len(ranking) == len(history.runs) == len(lines) - 1 == count
    header = json.loads(lines[0])
    assert (header["round_id"], header["kind"], header["mode"], header["day"]) == (OPENED, "daily", "open", 20261130)


def test_a_bundle_is_the_same_for_everyone_and_for_ever(
    nobody: Api, mara: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    fill(site, 3, SEALED)
    log_all(site)
    close(clock, close_days)
    log_all(site)
    first = nobody.get(f"/rounds/{SEALED}/bundle")
    assert first.headers["Cache-Control"] == "public, no-cache"
    assert first.headers["Content-Disposition"] == f'attachment; filename="{SEALED}.ndjson"'
    fill(site, 3, "2026-12-01-classic")
    log_all(site)
    assert mara.get(f"/rounds/{SEALED}/bundle").data == first.data
    again = nobody.get(f"/rounds/{SEALED}/bundle", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


@pytest.mark.parametrize("asked", ["HEAD", "304"])
def test_no_line_is_made_for_an_answer_without_body(
    nobody: Api, app: Flask, site: Site, clock: MovableClock, close_days: Closer, asked: str
) -> None:
    fill(site, 3, SEALED)
    log_all(site)
    close(clock, close_days)
    log_all(site)
    etag = nobody.get(f"/rounds/{SEALED}/bundle").headers["ETag"]
    with counted_statements() as seen:
        if asked == "HEAD":
            answer = app.test_client().head(f"/api/v1/rounds/{SEALED}/bundle")
        else:
            answer = nobody.get(f"/rounds/{SEALED}/bundle", headers={"If-None-Match": etag})
    assert (answer.status_code, answer.data) == (200 if asked == "HEAD" else 304, b"")
    assert not [statement for statement in seen if "FROM runs" in statement]


def test_a_bundle_is_sent_while_it_is_read(
    app: Flask, nobody: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    fill(site, 2001, OPENED)
    log_all(site)
    close(clock, close_days)
    log_all(site)
    with counted_statements() as seen:
        answer = app.test_client().get(f"/api/v1/rounds/{OPENED}/bundle")
        lines = answer.iter_encoded()
        assert b'"ranking_hash"' in next(lines)
        assert len([statement for statement in seen if "runs.salt" in statement]) == 0
        assert sum(1 for _ in lines) == 2001
    pages = [statement for statement in seen if "runs.salt" in statement]
    assert len(pages) == 4, "of 1,000 runs, the last of none"


@contextmanager
def counted_statements() -> Iterator[list[str]]:
    """Note every statement that any database is sent."""
    seen: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        seen.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)
