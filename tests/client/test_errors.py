"""Each exception of the tree, raised by the real app where it can."""

from typing import Any

import httpx
import pytest
import shutbox_client
from flask import Flask
from shutbox.web.problems import PROBLEMS
from shutbox_client import (
    AttemptEnded,
    Client,
    Conflict,
    IllegalMove,
    IllegalRun,
    Invalid,
    InvalidRequest,
    MoveAhead,
    MoveDecided,
    NameTaken,
    NotAllowed,
    NotFound,
    Problem,
    RoundClosed,
    RoundNotOpen,
    ShutboxError,
    Turn,
    Unauthorized,
    Unavailable,
    Unreachable,
    WrongMode,
    errors,
    problems,
)
from shutbox_client.problems import problem_from

from tests.client.conftest import OPEN, SEALED, SEED, Connect, Line, joined, turns_on
from tests.client.test_calls import finish, submit
from tests.conftest import MovableClock
from tests.contract import DOCUMENT


def test_a_request_of_the_wrong_shape_says_where(client: Client) -> None:
    with pytest.raises(Invalid) as raised:
        client.leaderboard(OPEN, limit=0)
    problem = raised.value
    assert type(problem) is InvalidRequest
    assert (problem.status, problem.code) == (422, "invalid_request")
    assert [mistake.pointer for mistake in problem.errors] == ["/limit"]
    assert problem.request_id
    assert problem.title
    assert str(problem) == f"invalid_request: {problem.detail}"


def test_an_illegal_run_has_its_reason_and_turn(client: Client) -> None:
    round = client.issue_round("classic", "open", seed=SEED)
    one, *_ = turns_on(SEED)
    with pytest.raises(IllegalRun) as raised:
        client.submit_run(round.round_id, [one, Turn(2, (1, 1))])
    assert (raised.value.reason, raised.value.turn) == ("repeated-tile", 1)


def test_an_illegal_move_has_its_reason(client: Client) -> None:
    begun = client.start_attempt(SEALED)
    with pytest.raises(IllegalMove) as raised:
        client.make_move(begun.attempt_id, 0, dice=1)
    assert raised.value.reason == "tiles-expected"
    assert client.attempt(begun.attempt_id) == begun


@pytest.mark.parametrize(("token", "code"), [(None, "player_required"), ("shutbox_x", "invalid_token")])
def test_who_does_not_say_who_asks_is_unauthorized(connect: Connect, token: str | None, code: str) -> None:
    with pytest.raises(Unauthorized) as raised:
        connect(token).me()
    assert raised.value.code == code


def test_what_belongs_to_another_is_not_allowed(client: Client, connect: Connect) -> None:
    attempt_id = client.start_attempt(SEALED).attempt_id
    with pytest.raises(NotAllowed) as raised:
        joined(connect()).attempt(attempt_id)
    assert raised.value.code == "not_yours"


def test_what_is_not_there_is_not_found(client: Client) -> None:
    with pytest.raises(NotFound) as raised:
        client.round("2026-11-30-chess")
    assert raised.value.code == "round_not_found"


def test_the_last_token_is_a_conflict(client: Client) -> None:
    with pytest.raises(Conflict) as raised:
        client.revoke_token(client.tokens()[0].token_id)
    assert raised.value.code == "last_token"


def test_a_round_that_has_ended_is_closed(client: Client, clock: MovableClock) -> None:
    clock.set("2026-12-01T00:00:00")
    with pytest.raises(RoundClosed):
        client.start_attempt(SEALED)
    with pytest.raises(RoundClosed):
        submit(client)


def test_a_coming_round_is_not_open(client: Client) -> None:
    with pytest.raises(RoundNotOpen):
        client.start_attempt("2026-12-01-classic")


def test_an_open_round_has_no_attempt_and_a_sealed_one_takes_no_run(client: Client) -> None:
    with pytest.raises(WrongMode):
        client.start_attempt(OPEN)
    with pytest.raises(WrongMode):
        client.submit_run(SEALED, [])


def test_a_decided_move_comes_with_the_present_state(client: Client) -> None:
    begun = client.start_attempt(SEALED)
    moved = client.make_move(begun.attempt_id, 0, shut=begun.legal[0])
    with pytest.raises(MoveDecided) as raised:
        client.make_move(begun.attempt_id, 0, shut=begun.legal[1])
    assert raised.value.state == moved


def test_a_move_ahead_comes_with_the_present_state(client: Client) -> None:
    begun = client.start_attempt(SEALED)
    with pytest.raises(MoveAhead) as raised:
        client.make_move(begun.attempt_id, 1, shut=begun.legal[0])
    assert raised.value.state == begun


def test_an_ended_attempt_takes_no_further_move(client: Client) -> None:
    ended = finish(client, client.start_attempt(SEALED))
    with pytest.raises(AttemptEnded) as raised:
        client.make_move(ended.attempt_id, ended.move, shut=(1,))
    assert raised.value.state == ended


def test_a_name_is_taken_once(client: Client, connect: Connect) -> None:
    client.change_me(name="Mara")
    with pytest.raises(NameTaken):
        connect().create_player("mara")


def test_a_service_without_todays_rounds_is_unavailable(nameless: Client, clock: MovableClock) -> None:
    clock.set("2027-11-30T00:00:00")
    with pytest.raises(Unavailable) as raised:
        nameless.ready()
    assert (raised.value.code, raised.value.retry_after) == ("not_ready", 5)


def test_no_connection_is_unreachable(app: Flask, connect: Connect) -> None:
    refused = [httpx.ConnectError("Connection refused")] * 5
    with pytest.raises(Unreachable, match=r"^no connection to http://shutbox\.test: Connection refused$") as raised:
        connect(transport=Line(app, *refused), sleep=list[float]().append).rulesets()
    assert raised.value.tries == 5


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (httpx.Response(200, html="<h1>Router</h1>"), "answered 200, but not as Shutbox does"),
        (httpx.Response(200, json=["other"]), "answered, but not as Shutbox does: it must be an object"),
        (httpx.Response(200, text="{", headers={"Content-Type": "application/json"}), "answered 200, but not as"),
        (httpx.Response(404, html="<h1>Nothing</h1>"), "answered 404, but not as Shutbox does"),
        (httpx.Response(404, json={"message": "Not Found"}), "answered 404, but not as Shutbox does"),
        (
            httpx.Response(301, headers={"Location": "https://b.test/"}),
            "but not as Shutbox does: it points to https://b",
        ),
        (httpx.Response(204), "answered, but not as Shutbox does"),
        (httpx.Response(200, content=iter([b"not gzip"]), headers={"Content-Encoding": "gzip"}), "cannot be read"),
    ],
)
def test_an_answer_that_is_not_the_services_is_unreachable(
    app: Flask, connect: Connect, answer: httpx.Response, told: str
) -> None:
    with pytest.raises(Unreachable, match=told):
        connect(transport=Line(app, answer)).day()


def test_a_list_that_is_not_the_services_is_unreachable(app: Flask, connect: Connect) -> None:
    with pytest.raises(Unreachable):
        connect(transport=Line(app, httpx.Response(200, json={"items": 5}))).rulesets()


def test_a_token_that_cannot_be_sent_is_told(connect: Connect) -> None:
    with pytest.raises((Unreachable, ValueError)):
        connect("sn\u00f6w").me()


def test_every_code_of_the_service_is_an_exception_of_its_own_below_that_of_its_status() -> None:
    classes = set()
    for code, (status, title) in PROBLEMS.items():
        problem = problem_from(status, {"code": code, "title": title})
        assert problem is not None
        parent = problem_from(status, {"code": "a_new_code"})
        assert isinstance(problem, type(parent)), code
        assert type(problem).__name__.lower() in (code.replace("_", ""), "addressnotfound"), code
        assert not type(problem).__subclasses__(), code
        classes.add(type(problem))
    assert len(classes) == len(PROBLEMS)


def test_the_exceptions_are_those_of_the_document() -> None:
    documented = DOCUMENT["components"]["schemas"]["ProblemCode"]["enum"]
    assert sorted(problems.BY_CODE) == sorted(documented)


@pytest.mark.parametrize(("status", "kind"), [(409, Conflict), (422, Invalid), (429, Unavailable), (418, Problem)])
def test_a_code_that_is_not_known_is_judged_by_its_status(status: int, kind: type[Problem]) -> None:
    assert type(problem_from(status, {"code": "a_new_code"})) is kind


def test_members_of_another_shape_are_left_out() -> None:
    odd: dict[str, Any] = {"code": "move_decided", "title": 5, "state": {"attempt_id": 1}, "errors": "x", "turn": "3"}
    problem = problem_from(409, odd)
    assert isinstance(problem, MoveDecided)
    assert (problem.title, problem.state, problem.errors, problem.turn) == ("", None, (), None)


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    def tree(kind: type[BaseException], depth: int = 0) -> list[tuple[int, str]]:
        below = [line for one in kind.__subclasses__() for line in tree(one, depth + 1)]
        return [(depth, kind.__name__), *below]

    drawn = []
    for line in (errors.__doc__ or "").splitlines()[2:]:
        stem, _, name = line.partition("── ") if "──" in line else ("", "", line)
        name = name.split(" ")[0]
        if name == "" or (not stem and name != "ShutboxError"):
            continue
        drawn.append((len(stem.rstrip("├└")) // 4 + 1 if stem else 0, name))
    assert sorted(drawn) == sorted(tree(ShutboxError))


def test_every_exception_can_be_imported_from_the_package() -> None:
    for name in vars(errors):
        found = getattr(errors, name)
        if isinstance(found, type) and issubclass(found, ShutboxError):
            assert getattr(shutbox_client, name) is found
            assert name in shutbox_client.__all__
