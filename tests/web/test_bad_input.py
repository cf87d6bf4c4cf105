"""Whatever is sent: a precise problem, never a 500, and nothing is changed."""

import json
from typing import Any

import pytest
from shutbox.site import Site
from shutbox.store.rows import Base
from shutbox.web.problems import MalformedRequest
from shutbox.web.schemas import _no_duplicates
from sqlalchemy import func, select

from tests.players import Api

PUZZLE = "/rounds/2026-11-30-classic-open/runs"
TURN = {"dice": 2, "shut": [3]}


def rows(site: Site) -> dict[str, int | None]:
    site.session.rollback()
    return {
        table.name: site.session.scalar(select(func.count()).select_from(table))
        for table in Base.metadata.sorted_tables
    }


def refused(answer: Any, status: int, code: str, *words: str) -> None:
    problem = answer.get_json()
    assert (answer.status_code, problem["code"], problem["status"]) == (status, code, status), problem
    for word in words:
        assert word in problem["detail"], problem["detail"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "line 1"),
        (b"{", "line 1, column 2"),
        (b"turns=1", "column 1"),
        (b'{"turns": [], "turns": []}', "'turns' is given twice"),
        (b'{"turns": [{"dice": 2, "dice": 2, "shut": []}]}', "'dice' is given twice"),
        (b'{"turns": NaN}', "NaN"),
        (b'{"turns": -Infinity}', "-Infinity"),
        (b'{"turns": "\xff"}', "UTF-8"),
        (b"\xff\xfe{\x00}\x00", "UTF-8"),
        (b"[" * 60_000, "nested too deeply"),
        (b'{"turns": ' + b"1" * 5_000 + b"}", "too long"),
        (b'{"\\ud800": 1}', "not Unicode"),
        (b'{"turns": [{"\\udc00": 1}]}', "not Unicode"),
    ],
)
def test_what_is_not_json(mara: Api, content: bytes, words: str) -> None:
    answer = mara.post(PUZZLE, data=content, content_type="application/json")
    refused(answer, 400, "invalid_json", words)


class Counted(str):
    """A key that counts how often it is compared with others."""

    __slots__ = ()
    __hash__ = str.__hash__
    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return super().__eq__(other)


def test_a_key_given_twice_is_found_in_one_pass() -> None:
    """Else a body of 64 KiB takes as long as a hundred requests."""
    names = [Counted(number) for number in range(3_000)]
    with pytest.raises(MalformedRequest, match="'2999' is given twice"):
        _no_duplicates([(name, 0) for name in [*names, Counted(2_999)]])
    assert Counted.compared < 30_000


@pytest.mark.parametrize("content_type", [None, "text/plain", "application/x-www-form-urlencoded", "text/json"])
def test_another_content_type(mara: Api, content_type: str | None) -> None:
    answer = mara.post(PUZZLE, data=b'{"turns": []}', content_type=content_type)
    refused(answer, 415, "unsupported_media_type", "application/json")


def test_json_with_a_charset_is_json(mara: Api) -> None:
    answer = mara.post(PUZZLE, data=b'{"turns": []}', content_type="application/json; charset=utf-8")
    refused(answer, 422, "illegal_run")


@pytest.mark.parametrize(
    ("body", "pointer", "message"),
    [
        ([], "", "must be an object"),
        (None, "", "must be an object"),
        ({}, "/turns", "Missing data for required field"),
        ({"turns": []} | {"score": 45}, "/score", "unknown field"),
        ({"turns": {}}, "/turns", "must be a list of turns"),
        ({"turns": "x"}, "/turns", "must be a list of turns"),
        ({"turns": [TURN] * 33}, "/turns", "at most 32 turns, not 33"),
        ({"turns": [TURN, 3]}, "/turns/1", "must be an object with dice and shut"),
        ({"turns": [{"dice": 2}]}, "/turns/0/shut", "required"),
        ({"turns": [{"shut": []}]}, "/turns/0/dice", "required"),
        ({"turns": [TURN | {"roll": 1}]}, "/turns/0/roll", "unknown field"),
        ({"turns": [TURN | {"a/b~c": 1}]}, "/turns/0/a~1b~0c", "unknown field"),
        ({"turns": [TURN | {"dice": 2.0}]}, "/turns/0/dice", "must be a whole number from 0 to 99"),
        ({"turns": [TURN | {"dice": "2"}]}, "/turns/0/dice", "must be a whole number from 0 to 99"),
        ({"turns": [TURN | {"dice": True}]}, "/turns/0/dice", "must be a whole number from 0 to 99"),
        ({"turns": [TURN | {"dice": None}]}, "/turns/0/dice", "must be a whole number from 0 to 99"),
        ({"turns": [TURN | {"dice": 100}]}, "/turns/0/dice", "must be from 0 to 99, not 100"),
        ({"turns": [TURN | {"dice": 10**30}]}, "/turns/0/dice", "must be from 0 to 99, not that"),
        ({"turns": [TURN | {"shut": 3}]}, "/turns/0/shut", "must be a list of tiles"),
        ({"turns": [TURN | {"shut": [0]}]}, "/turns/0/shut/0", "must be from 1 to 99, not 0"),
        ({"turns": [TURN | {"shut": [3, 100]}]}, "/turns/0/shut/1", "must be from 1 to 99, not 100"),
        ({"turns": [TURN | {"shut": [3, 4.0]}]}, "/turns/0/shut/1", "must be a whole number from 1 to 99"),
        ({"turns": [TURN | {"shut": ["3"]}]}, "/turns/0/shut/0", "must be a whole number from 1 to 99"),
        ({"turns": [TURN | {"shut": [1] * 33}]}, "/turns/0/shut", "at most 32 tiles, not 33"),
    ],
)
def test_a_body_of_another_shape_says_where_and_what(mara: Api, body: Any, pointer: str, message: str) -> None:
    answer = mara.post(PUZZLE, data=json.dumps(body), content_type="application/json")
    refused(answer, 422, "invalid_request", message)
    assert answer.get_json()["errors"] == [{"pointer": pointer, "message": message}]


def test_ten_thousand_turns(mara: Api) -> None:
    refused(mara.post(PUZZLE, {"turns": [{}] * 10_000}), 422, "invalid_request", "at most 32 turns, not 10000")


@pytest.mark.parametrize("length", [64 * 1024 + 1, 1024 * 1024])
def test_a_large_body(mara: Api, length: int) -> None:
    """Report 39."""
    refused(mara.post(PUZZLE, data=b" " * length, content_type="application/json"), 413, "body_too_large", "65536")


@pytest.mark.parametrize("path", ["/rounds/2026-11-30-classic/attempt", "/players", "/players/me/tokens"])
def test_a_large_body_where_none_is_needed(mara: Api, path: str) -> None:
    refused(mara.post(path, data=b" " * (64 * 1024 + 1)), 413, "body_too_large")


def test_a_body_without_a_length(mara: Api) -> None:
    """In chunks it could be longer than anyone reads, so that what is cut off goes unseen."""
    answer = mara.post(PUZZLE, headers={"Transfer-Encoding": "chunked"}, content_type="application/json")
    refused(answer, 411, "length_required", "Content-Length")


def test_a_tile_named_twice_is_for_the_rules_to_refuse(mara: Api) -> None:
    answer = mara.post(PUZZLE, {"turns": [{"dice": 2, "shut": [2, 2]}]})
    assert answer.get_json()["code"] == "illegal_run"
    assert answer.get_json()["reason"] in ("repeated-tile", "no-legal-shut")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"move": 0}, ""),
        ({"move": 0, "dice": 1, "shut": [1]}, ""),
        ({"shut": [1]}, "/move"),
        ({"move": -1, "shut": [1]}, "/move"),
        ({"move": 0.0, "shut": [1]}, "/move"),
        ({"move": 1000, "shut": [1]}, "/move"),
        ({"move": 0, "shut": [0]}, "/shut/0"),
        ({"move": 0, "dice": "two"}, "/dice"),
    ],
)
def test_a_move_of_another_shape(mara: Api, body: Any, pointer: str) -> None:
    attempt = mara.post("/rounds/2026-11-30-classic/attempt").get_json()
    answer = mara.post(f"/attempts/{attempt['attempt_id']}/moves", body)
    refused(answer, 422, "invalid_request")
    assert answer.get_json()["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"ruleset": "chess", "mode": "open"}, 404, "ruleset_not_found"),
        ({"ruleset": "classic", "mode": "secret"}, 422, "invalid_request"),
        ({"ruleset": "classic"}, 422, "invalid_request"),
        ({"ruleset": 1, "mode": "open"}, 422, "invalid_request"),
        ({"ruleset": "classic", "mode": "open", "seed": "AB" * 32}, 422, "invalid_request"),
        ({"ruleset": "classic", "mode": "open", "seed": "ab" * 31}, 422, "invalid_request"),
        ({"ruleset": "classic", "mode": "open", "seed": "ab" * 32 + "\n"}, 422, "invalid_request"),
        ({"ruleset": "classic", "mode": "open", "seed": None}, 422, "invalid_request"),
        ({"ruleset": "\x00", "mode": "open"}, 422, "invalid_request"),
    ],
)
def test_a_practice_round_that_cannot_be(mara: Api, body: Any, status: int, code: str) -> None:
    refused(mara.post("/rounds", body), status, code)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "1 to 32 characters"),
        ("x" * 33, "this one has 33"),
        ("x" * 1000, "this one has 1000"),
        ("x\ty", "U+0009"),
        ("x\x01y", "U+0001"),
        ("x\u202ey", "U+202E"),
        ("x\u200dy", "U+200D"),
        ("x\u2028y", "U+2028"),
        ("a/b", "slash"),
        (".", "not . or .."),
        ("..", "not . or .."),
        ("me", "not allowed here"),
        ("ME", "not allowed here"),
    ],
)
def test_a_name_that_cannot_be(nobody: Api, name: str, words: str) -> None:
    refused(nobody.post("/players", {"name": name}), 422, "invalid_name", words)


@pytest.mark.parametrize(
    "body", [{"name": 3}, {"name": None}, {"bot": 1}, {"bot": "true"}, {"name": "\ud800"}, {"name": "x\0y"}, []]
)
def test_a_player_of_another_shape(nobody: Api, body: Any) -> None:
    answer = nobody.post("/players", data=json.dumps(body), content_type="application/json")
    refused(answer, 422, "invalid_request")


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("limit=0", "/limit"),
        ("limit=201", "/limit"),
        ("limit=-1", "/limit"),
        ("limit=1.5", "/limit"),
        ("limit=%D9%A3", "/limit"),
        ("limit=5&limit=6", "/limit"),
        ("bots=maybe", "/bots"),
        ("around=you", "/around"),
        ("around=me&after=x", ""),
        ("before=x&after=x", ""),
        ("page=2", "/page"),
        ("after=" + "x" * 65, "/after"),
    ],
)
def test_a_query_of_another_shape(mara: Api, query: str, pointer: str) -> None:
    answer = mara.get(f"/rounds/2026-11-30-classic-open/leaderboard?{query}")
    refused(answer, 422, "invalid_request")
    assert answer.get_json()["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize("key", ["", "x" * 256, "a b", "ä"])
def test_an_idempotency_key_that_cannot_be(mara: Api, key: str) -> None:
    answer = mara.post("/rounds", {"ruleset": "classic", "mode": "open"}, headers={"Idempotency-Key": key})
    refused(answer, 422, "invalid_request", "Idempotency-Key")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/rounds/nothing", "round_not_found"),
        ("/rounds/%00", "round_not_found"),
        ("/rounds/" + "x" * 2000, "round_not_found"),
        ("/rounds/nothing/leaderboard", "round_not_found"),
        ("/days/2026-02-30", "day_not_found"),
        ("/days/20261130", "day_not_found"),
        ("/days/2026-12-08", "day_not_found"),
        ("/days/9999-12-31", "day_not_found"),
        ("/days/yesterday", "day_not_found"),
        ("/rulesets/chess", "ruleset_not_found"),
        ("/runs/01900000-0000-7000-8000-000000000000", "run_not_found"),
        ("/runs/nothing", "not_found"),
        ("/nothing", "not_found"),
        ("/players/me/x", "not_found"),
    ],
)
def test_what_is_not_there(mara: Api, path: str, code: str) -> None:
    """Report 39."""
    refused(mara.get(path), 404, code)


def test_another_method_names_those_that_are_allowed(mara: Api) -> None:
    """Report 39."""
    answer = mara.request("DELETE", "/rounds/2026-11-30-classic")
    refused(answer, 405, "method_not_allowed")
    assert set(answer.headers["Allow"].replace(" ", "").split(",")) >= {"GET", "HEAD"}


@pytest.mark.parametrize("header", ["Bearer nonsense", "Basic eDp5", "Bearer", "", "Bearer shutbox_ä"])
def test_a_token_that_is_nobodys(nobody: Api, header: str) -> None:
    for method, path in (("GET", "/players/me"), ("POST", PUZZLE), ("GET", "/rounds/2026-11-30-classic/leaderboard")):
        answer = nobody.request(method, path, headers={"Authorization": header})
        refused(answer, 401, "invalid_token")
        assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("label", ["", "x" * 65, "x\0y", 3])
def test_a_token_label_that_cannot_be(mara: Api, label: object) -> None:
    refused(mara.post("/players/me/tokens", {"label": label}), 422, "invalid_request")


def test_nothing_of_all_this_changes_anything(mara: Api, site: Site) -> None:
    """The refusals above in one go, with every table counted before and after."""
    attempt = mara.post("/rounds/2026-11-30-classic/attempt").get_json()["attempt_id"]
    before = rows(site)
    for method, path, body in (
        ("POST", PUZZLE, {"turns": [{"dice": 2, "shut": [1]}]}),
        ("POST", PUZZLE, {"turns": [TURN] * 40}),
        ("POST", f"/attempts/{attempt}/moves", {"move": 0, "shut": [1]}),
        ("POST", f"/attempts/{attempt}/moves", {"move": 5, "shut": [1]}),
        ("POST", "/rounds", {"ruleset": "chess", "mode": "open"}),
        ("POST", "/players", {"name": "mara"}),
        ("PATCH", "/players/me", {"name": "x" * 40}),
        ("POST", "/players/me/tokens", {"label": ""}),
        ("POST", "/rounds/2026-12-01-classic/attempt", None),
        ("POST", "/rounds/2026-11-30-classic-open/attempt", None),
    ):
        assert mara.request(method, path, json=body).status_code >= 400
    assert rows(site) == before


def test_a_fault_of_ours_is_a_problem_without_its_cause(mara: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Report 39."""

    def fail(*_: object) -> None:
        raise RuntimeError("the secret is 1234")

    monkeypatch.setattr("shutbox.web.routes.rounds.get_round", fail)
    monkeypatch.setitem(mara.app.config, "PROPAGATE_EXCEPTIONS", False)
    answer = mara.app.test_client().get("/api/v1/rounds/2026-11-30-classic")
    assert (answer.status_code, answer.mimetype) == (500, "application/problem+json")
    assert "1234" not in answer.text
    assert answer.get_json()["request_id"] == answer.headers["X-Request-ID"]


@pytest.mark.parametrize("path", ["/log/tile//0/000", "//days/today", "/rounds//leaderboard", "/log//checkpoint"])
def test_an_address_with_two_slashes_leads_nowhere(nobody: Api, path: str) -> None:
    """schemathesis found it: the framework answered with a page of its own that sent the reader elsewhere."""
    refused(nobody.get(path), 404, "not_found")
