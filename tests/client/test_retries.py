"""Sending again: the same bytes, a bounded number of times, after a bounded wait; and nothing happens twice."""

from collections.abc import Callable
from random import Random

import httpx
import pytest
from flask import Flask
from shutbox_client import Client, DatabaseUnavailable, NotFound, Problem, Retries, Retry, Unavailable, Unreachable

from tests.client.conftest import OPEN, SEALED, Connect, Line, joined, turns_on

Slept = list[float]


def busy(status: int = 503, **headers: str) -> httpx.Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    document = {"code": "database_unavailable", "status": status}
    return httpx.Response(status, json=document, headers={"Content-Type": "application/problem+json"} | names)


def busy_router(**headers: str) -> httpx.Response:
    """A bad time, told by something between that knows nothing of problem documents."""
    kept = {name: value for name, value in busy(503, **headers).headers.items() if name in ("retry-after", "date")}
    return httpx.Response(503, html="<h1>Busy</h1>", headers=kept)


@pytest.fixture
def slept() -> Slept:
    return []


@pytest.fixture
def over(app: Flask, connect: Connect, slept: Slept) -> Callable[..., tuple[Client, Line]]:
    """Makes a client of one player over a line with troubles."""
    token = joined(connect()).token

    def over(*troubles: BaseException | httpx.Response | str, retries: Retries | None = None) -> tuple[Client, Line]:
        line = Line(app, *troubles)
        return connect(token, line, sleep=slept.append, retries=retries), line

    return over


Over = Callable[..., tuple[Client, Line]]

TROUBLES = [
    httpx.ConnectError("refused"),
    httpx.ConnectTimeout("slow"),
    httpx.ReadTimeout("slow"),
    httpx.ReadError("reset"),
    httpx.RemoteProtocolError("cut off"),
    "lost",
]


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_request_is_sent_again_after_any_trouble_on_the_way(over: Over, slept: Slept, trouble: Exception) -> None:
    client, line = over(trouble, trouble, trouble)
    assert client.round(SEALED).round_id == SEALED
    assert len(line.sent) == 4
    assert len(set(line.sent)) == 1
    assert len(slept) == 3


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_request_is_sent_again_when_it_comes_at_a_bad_time(over: Over, status: int) -> None:
    client, line = over(busy(status), httpx.Response(status, html="<h1>Busy</h1>"))
    assert client.me().guest
    assert len(line.sent) == 3


@pytest.mark.parametrize("status", [400, 401, 404, 409, 422, 500, 501])
def test_another_refusal_is_final(over: Over, status: int) -> None:
    client, line = over(busy(status))
    with pytest.raises(Problem):
        client.me()
    assert len(line.sent) == 1


def test_the_same_bytes_are_sent_and_the_move_counts_once(over: Over) -> None:
    client, line = over()
    begun = client.start_attempt(SEALED)
    line.troubles = ["lost", httpx.ReadTimeout("slow"), "lost"]
    moved = client.make_move(begun.attempt_id, 0, shut=begun.legal[0])
    assert (moved.move, client.attempt(begun.attempt_id)) == (1, moved)
    moves = [sent for sent in line.sent if sent[1].endswith("/moves")]
    assert len(moves) == 4
    assert len(set(moves)) == 1


def test_a_submission_whose_answer_is_lost_counts_once(over: Over) -> None:
    client, line = over()
    seed = client.round(OPEN).seed
    assert seed is not None
    line.troubles = ["lost", "lost"]
    run = client.submit_run(OPEN, turns_on(seed))
    assert [row.run_id for row in client.iter_leaderboard(OPEN)] == [run.run_id]


def test_the_idempotency_key_stays_the_same_so_one_round_is_issued(over: Over) -> None:
    client, line = over("lost", "lost")
    client.issue_round("classic", "open")
    client.issue_round("classic", "open")
    keys = [key for *_, key in line.sent]
    assert len(keys) == 4
    assert len(set(keys[:3])) == 1
    assert keys[3] != keys[0]
    assert len(keys[0] or "") == 32


def test_a_key_that_is_given_is_the_one_that_is_sent(over: Over) -> None:
    client, line = over("lost")
    client.issue_round("classic", "open", idempotency_key="mine")
    assert [key for *_, key in line.sent] == ["mine", "mine"]


@pytest.mark.parametrize("trouble", [*TROUBLES, busy(), busy(429)])
def test_making_a_player_or_a_token_is_never_sent_twice(over: Over, trouble: Exception) -> None:
    client, line = over(trouble, trouble)
    with pytest.raises((Unreachable, Unavailable)):
        client.create_player()
    with pytest.raises((Unreachable, Unavailable)):
        client.create_token()
    assert len(line.sent) == 2


def test_whether_the_service_is_ready_is_asked_once(over: Over) -> None:
    client, line = over(busy())
    with pytest.raises(Unavailable):
        client.ready()
    assert len(line.sent) == 1


def test_a_token_whose_revocation_was_not_answered_is_revoked(over: Over) -> None:
    client, line = over()
    made = client.create_token()
    line.troubles = ["lost"]
    client.revoke_token(made.token_id)
    assert len(client.tokens()) == 1
    with pytest.raises(NotFound):
        client.revoke_token(made.token_id)


def test_the_tries_are_bounded_and_the_last_trouble_is_told(over: Over, slept: Slept) -> None:
    client, line = over(*[httpx.ReadTimeout("slow")] * 9, retries=Retries(tries=3))
    with pytest.raises(Unreachable, match="did not answer in time") as raised:
        client.me()
    assert raised.value.tries == len(line.sent) == 3
    assert len(slept) == 2


def test_one_try_is_one_try(over: Over) -> None:
    client, line = over("lost", retries=Retries(tries=1))
    with pytest.raises(Unreachable):
        client.me()
    assert len(line.sent) == 1


def test_waits_double_with_chance_and_are_bounded(over: Over, slept: Slept) -> None:
    patience = Retries(tries=8, first_wait=1.0, longest_wait=10.0)
    client, _ = over(*[httpx.ConnectError("refused")] * 9, retries=patience)
    with pytest.raises(Unreachable):
        client.me()
    for wait, longest in zip(slept, [1, 2, 4, 8, 10, 10, 10], strict=True):
        assert longest / 2 <= wait <= longest
    assert len({wait / longest for wait, longest in zip(slept, [1, 2, 4, 8, 10, 10, 10], strict=True)}) > 1


def test_the_same_chance_gives_the_same_waits(app: Flask, connect: Connect) -> None:
    waits: list[Slept] = [[], []]
    for slept in waits:
        line = Line(app, httpx.ConnectError("refused"), httpx.ConnectError("refused"))
        connect(transport=line, sleep=slept.append, random=Random(7)).rulesets()
    assert waits[0] == waits[1]


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"Retry_After": "7"}, 7, 7),
        ({"Retry_After": "0"}, 0.1, 0.25),
        ({"Retry_After": "soon"}, 0.1, 0.25),
        ({"Retry_After": "-3"}, 0.1, 0.25),
        ({"Retry_After": "Mon, 30 Nov 2026 12:00:04 GMT", "Date": "Mon, 30 Nov 2026 12:00:00 GMT"}, 4, 4),
        ({"Retry_After": "Mon, 30 Nov 2026 11:00:00 GMT", "Date": "Mon, 30 Nov 2026 12:00:00 GMT"}, 0.1, 0.25),
        ({"Retry_After": "Mon, 30 Nov 2026 12:00:04 GMT"}, 0.1, 0.25),
    ],
)
@pytest.mark.parametrize("answer", [busy, busy_router])
def test_retry_after_is_honoured(
    over: Over, slept: Slept, answer: Callable[..., httpx.Response], headers: dict[str, str], least: float, most: float
) -> None:
    client, _ = over(answer(**headers))
    client.me()
    assert least <= slept[0] <= most


def test_a_wait_that_is_too_long_is_left_to_the_caller(over: Over, slept: Slept) -> None:
    client, line = over(busy(429, Retry_After="3600"))
    with pytest.raises(Unavailable) as raised:
        client.me()
    assert raised.value.retry_after == 3600
    assert (len(line.sent), slept) == (1, [])


def test_retries_are_announced(app: Flask, connect: Connect, slept: Slept) -> None:
    told: list[Retry] = []
    line = Line(app, httpx.ConnectError("refused"), busy())
    connect(transport=line, sleep=slept.append, on_retry=told.append).rulesets()
    assert [type(retry.error) for retry in told] == [Unreachable, DatabaseUnavailable]
    assert [retry.wait for retry in told] == slept
