"""Tokens: what they may do, when they were used, sessions of browsers, and the audit trail that shows all of it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask, request
from shutbox.players import find_caller
from shutbox.site import Site
from shutbox.web import auth
from sqlalchemy import event, text

from tests.conftest import MovableClock
from tests.players import Api, Json

OWN = {"Origin": "http://localhost"}
SEALED = "2026-11-30-classic"


def token(player: Api, *scopes: str) -> Api:
    made = player.post("/players/me/tokens", {"label": "t", "scopes": list(scopes)}).get_json()
    assert made["scopes"] == [scope for scope in ("play", "read", "league") if scope in scopes]
    return Api(player.app, made["token"], player.player_id)


def tokens(player: Api) -> list[Json]:
    return list(player.get("/players/me/tokens").get_json()["items"])


def acts(player: Api) -> list[tuple[str, str]]:
    return [(act["act"], act["note"]) for act in player.get("/players/me/audit").get_json()["items"]]


# Scopes


def test_a_token_that_may_only_read_reads_and_does_nothing_else(mara: Api) -> None:
    reader = token(mara, "read")
    for path in ("/players/me", "/players/me/profile", "/players/me/tokens", "/players/me/audit", "/players/me/export"):
        assert reader.get(path).status_code == 200
    refused = {
        "play": reader.post(f"/rounds/{SEALED}/attempt"),
        "league": reader.post("/leagues", {"name": "Office"}),
        "play, league": reader.patch("/players/me", {"name": "Mara L"}),
    }
    for missing, answer in refused.items():
        assert (answer.status_code, answer.get_json()["code"]) == (403, "insufficient_scope")
        assert answer.get_json()["detail"] == f"this needs a token with: {missing}"


def test_a_token_that_may_only_play_plays_and_reads_nothing(mara: Api) -> None:
    player = token(mara, "play")
    assert player.play_sealed(SEALED)["run_id"]
    for path in ("/players/me", f"/rounds/{SEALED}/leaderboard"):
        assert player.get(path).get_json()["code"] == "insufficient_scope"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "/players/me", {"bot": True}),
        ("DELETE", "/players/me", None),
        ("POST", "/players/me/tokens", {}),
        ("DELETE", "/players/me/tokens", None),
        ("DELETE", "/players/me/tokens/01a22c53-85e8-772e-b2e7-4c9938bf5986", None),
        ("POST", "/players/me/transfer-codes", None),
        ("POST", "/players/me/recovery-codes", None),
    ],
)
def test_what_changes_the_player_needs_a_token_that_may_do_everything(
    mara: Api, method: str, path: str, body: Json | None
) -> None:
    for scopes in (("play", "read"), ("play", "league"), ("read", "league")):
        answer = token(mara, *scopes).request(method, path, **({} if body is None else {"json": body}))
        assert (answer.status_code, answer.get_json()["code"]) == (403, "insufficient_scope")


@pytest.mark.parametrize("scopes", [[], ["write"], ["play", "play", "play", "play"], "play", [1]])
def test_scopes_that_cannot_be(mara: Api, scopes: object) -> None:
    assert mara.post("/players/me/tokens", {"scopes": scopes}).get_json()["code"] == "invalid_request"


def test_the_last_token_that_may_do_everything_stays(mara: Api) -> None:
    token(mara, "play", "read")
    first, lesser = sorted(tokens(mara), key=lambda one: str(one["label"]))
    assert mara.delete(f"/players/me/tokens/{first['token_id']}").get_json()["code"] == "last_token"
    assert mara.delete(f"/players/me/tokens/{lesser['token_id']}").status_code == 204


# Use


@pytest.fixture
def writes(site: Site) -> Iterator[list[str]]:
    """Statements that change tokens."""
    found: list[str] = []

    def note(_c: object, _u: object, statement: str, *_: object) -> None:
        if statement.startswith("UPDATE tokens"):
            found.append(statement)

    engine = site.session.get_bind()
    event.listen(engine, "before_cursor_execute", note)
    yield found
    event.remove(engine, "before_cursor_execute", note)


def test_the_last_use_is_a_date_that_is_written_once_a_day(mara: Api, writes: list[str], clock: MovableClock) -> None:
    for _ in range(3):
        assert tokens(mara)[0]["last_used"] == "2026-11-30"
    assert writes == []
    clock.set("2026-12-02T00:00:00")
    for _ in range(3):
        assert tokens(mara)[0]["last_used"] == "2026-12-02"
    assert len(writes) == 1
    clock.set("2026-12-01T12:00:00")
    assert tokens(mara)[0]["last_used"] == "2026-12-02"
    assert len(writes) == 1


def test_the_cookie_lasts_anew_from_the_first_page_of_a_day(app: Flask, clock: MovableClock) -> None:
    browser = app.test_client()
    browser.post("/api/v1/players", headers=OWN)
    assert "Set-Cookie" not in browser.get("/").headers
    clock.set("2026-12-01T12:00:00")
    kept = browser.get("/").headers["Set-Cookie"]
    assert "Max-Age=34560000" in kept
    assert "HttpOnly" in kept
    assert "Set-Cookie" not in browser.get("/").headers


# Sessions


def test_browsers_are_sessions_and_the_one_that_asks_is_marked(app: Flask, clock: MovableClock) -> None:
    browser = app.test_client()
    browser.post("/api/v1/players", headers=OWN)
    clock.forward(1)
    code = browser.post("/api/v1/players/me/transfer-codes", headers=OWN).get_json()["code"]
    second = app.test_client()
    second.post("/api/v1/transfers", headers=OWN, json={"code": code})
    listed = second.get("/api/v1/players/me/tokens").get_json()["items"]
    assert [(one["label"], one["browser"], one["current"]) for one in listed] == [
        ("first", True, False),
        ("transfer", True, True),
    ]
    ended = second.delete(f"/api/v1/players/me/tokens/{listed[0]['token_id']}", headers=OWN)
    assert (ended.status_code, ended.headers.get("Set-Cookie")) == (204, None)
    assert browser.get("/api/v1/players/me").status_code == 401


def test_a_browser_that_ends_its_own_session_is_nobodys(app: Flask) -> None:
    browser = app.test_client()
    browser.post("/api/v1/players", headers=OWN)
    browser.post("/api/v1/players/me/tokens", headers=OWN)
    listed = browser.get("/api/v1/players/me/tokens").get_json()["items"]
    own = next(one for one in listed if one["current"])
    ended = browser.delete(f"/api/v1/players/me/tokens/{own['token_id']}", headers=OWN)
    assert "Max-Age=0" in ended.headers["Set-Cookie"]
    assert browser.get("/api/v1/players/me").status_code == 401


def test_all_others_end_at_once(mara: Api) -> None:
    others = [token(mara, "play", "read", "league") for _ in range(3)]
    assert mara.delete("/players/me/tokens").status_code == 204
    assert [one["current"] for one in tokens(mara)] == [True]
    assert {other.get("/players/me").status_code for other in others} == {401}
    assert ("other_tokens_ended", "") in acts(mara)


def test_of_two_who_end_each_other_at_once_one_is_left(mara: Api) -> None:
    other = token(mara, "play", "read", "league")
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda api: api.delete("/players/me/tokens").status_code, (mara, other)))
    left = [api for api in (mara, other) if api.get("/players/me").status_code == 200]
    assert len(left) == 1


# The audit trail


def test_everything_that_is_done_to_a_player_is_shown_to_the_player(mara: Api, finn: Api, clock: MovableClock) -> None:
    clock.forward(1)
    mara.patch("/players/me", {"name": "Mara Lind"})
    clock.forward(1)
    made = mara.post("/players/me/tokens", {"label": "bot", "scopes": ["play"]}).get_json()
    clock.forward(1)
    mara.delete(f"/players/me/tokens/{made['token_id']}")
    clock.forward(1)
    mara.post("/players/me/recovery-codes")
    assert acts(mara) == [
        ("code_made", "recovery"),
        ("token_ended", "bot"),
        ("token_made", "bot (play)"),
        ("renamed", "Mara → Mara Lind"),
    ]
    assert acts(finn) == []


def test_the_trail_is_read_in_parts(mara: Api, clock: MovableClock) -> None:
    for number in range(5):
        clock.forward(1)
        mara.post("/players/me/tokens", {"label": str(number)})
    found, path = [], "/players/me/audit?limit=2"
    while True:
        part = mara.get(path).get_json()
        found += [act["note"][0] for act in part["items"]]
        if part["next"] is None:
            break
        path = f"/players/me/audit?limit=2&before={part['next']}"
    assert found == ["4", "3", "2", "1", "0"]
    for query in ("limit=0", "limit=201", "before=x", "after=1"):
        assert mara.get(f"/players/me/audit?{query}").status_code == 422


def test_a_stolen_transfer_code_works_once_and_is_shown(
    app: Flask, mara: Api, nobody: Api, clock: MovableClock
) -> None:
    code = mara.post("/players/me/transfer-codes").get_json()["code"]
    clock.forward(1)
    with ThreadPoolExecutor(5) as pool:
        thieves = list(pool.map(lambda _: nobody.post("/transfers", {"code": code}).status_code, range(5)))
    assert sorted(thieves) == [200, 410, 410, 410, 410]
    clock.forward(1)
    own = app.test_client().post("/api/v1/transfers", headers=OWN, json={"code": code})
    assert own.get_json()["code"] == "code_spent"
    trail = acts(mara)
    assert trail[0] == ("code_refused", "transfer, in a browser")
    assert sorted(trail[1:]) == [
        ("code_made", "transfer"),
        *[("code_refused", "transfer, by a program")] * 4,
        ("code_used", "transfer, by a program"),
    ]
    thief = next(one for one in tokens(mara) if one["label"] == "transfer")
    assert mara.delete(f"/players/me/tokens/{thief['token_id']}").status_code == 204


def test_an_answer_that_was_lost_does_not_lose_the_recovery_code(mara: Api, nobody: Api, clock: MovableClock) -> None:
    code = mara.post("/players/me/recovery-codes").get_json()["code"]

    def use(key: str | None) -> tuple[int, str | None]:
        headers = {"Idempotency-Key": key} if key else {}
        answer = nobody.post("/transfers", {"code": code}, headers=headers)
        return answer.status_code, answer.get_json().get("token")

    status, first = use("lost")
    assert status == 200
    assert [use(key)[0] for key in (None, "another", "")] == [410, 410, 410]
    clock.forward(599)
    status, second = use("lost")
    assert status == 200
    assert first != second
    assert [Api(mara.app, secret).get("/players/me").status_code for secret in (first, second)] == [401, 200]
    clock.forward(1)
    assert use("lost")[0] == 410


def test_after_deletion_the_trail_leads_to_nobody(mara: Api, site: Site) -> None:
    mara.patch("/players/me", {"name": "Mara Lind"})
    mara.post("/players/me/transfer-codes")
    mara.delete("/players/me")
    assert site.session.execute(text("SELECT * FROM audit")).all() == []


def test_the_copy_holds_the_trail_and_what_tokens_may_do(mara: Api) -> None:
    token(mara, "read")
    copy = mara.get("/players/me/export").get_json()
    assert sorted(one["scopes"] for one in copy["tokens"]) == [["play", "read", "league"], ["read"]]
    assert [act["act"] for act in copy["audit"]] == ["token_made"]


# What a lesser token, and an ended one, must not do


def test_a_lesser_token_is_no_cookie(mara: Api) -> None:
    """Pages show everything of a player, so only a token that may do everything opens them."""
    lesser = token(mara, "play", "read")
    full = token(mara, "play", "read", "league")
    for player, shown in ((lesser, False), (full, True)):
        browser = player.app.test_client()
        browser.set_cookie("shutbox", player._headers["Authorization"].removeprefix("Bearer "))
        assert ("Mara" in browser.get("/settings").text) is shown


def test_ending_all_other_tokens_ends_all_codes(mara: Api, nobody: Api) -> None:
    """Whoever had one of them could have made a code."""
    codes = [mara.post(f"/players/me/{kind}-codes").get_json()["code"] for kind in ("transfer", "recovery")]
    assert mara.delete("/players/me/tokens").status_code == 204
    for code in codes:
        assert nobody.post("/transfers", {"code": code}).get_json()["code"] == "code_not_found"


def test_a_lesser_token_uses_up_no_limit(mara: Api) -> None:
    lesser = token(mara, "read")
    for _ in range(61):
        assert lesser.post("/players/me/transfer-codes").get_json()["code"] == "insufficient_scope"
    assert mara.post("/players/me/transfer-codes").status_code == 201


@pytest.mark.parametrize("label", ["x\n01a22eb4  operator  ban", "\x1b]0;x\x07", "\u202eabc"])
def test_a_label_has_nothing_that_a_terminal_obeys(mara: Api, label: str) -> None:
    assert mara.post("/players/me/tokens", {"label": label}).get_json()["code"] == "invalid_request"


def test_a_body_is_there_before_it_is_asked_who_sends_it(mara: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else one whose token is ended meanwhile sends the rest of a request that was let in."""
    order: list[str] = []

    def note(*args: Any) -> Any:
        order.append("caller" if request._cached_data is not None else "caller before body")
        return find_caller(*args)

    monkeypatch.setattr(auth, "find_caller", note)
    assert mara.post("/players/me/tokens", {"label": "x"}).status_code == 201
    assert order == ["caller"]
