"""Transfer and recovery codes: from one device to another, once, and stored as nothing but hashes."""

import logging
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from shutbox.codes import make_recovery_code, make_transfer_code, recovery_state
from shutbox.errors import PlayerRequired
from shutbox.players import create_token, tokens_of
from shutbox.site import Site
from shutbox.store.rows import Base
from sqlalchemy import select, text
from werkzeug.test import TestResponse

from tests.conftest import MovableClock
from tests.players import Api, Json

OWN = "http://localhost"
SEALED = "2026-11-30-classic"
MAKERS = {"transfer": "/players/me/transfer-codes", "recovery": "/players/me/recovery-codes"}


def make(player: Api, kind: str = "transfer") -> str:
    made = player.post(MAKERS[kind])
    assert made.status_code == 201
    return str(made.get_json()["code"])


def use(api: Api, code: str) -> Json:
    """Use a code that works, and return the answer."""
    answer = api.post("/transfers", {"code": code})
    assert answer.status_code == 200, answer.text
    return dict(answer.get_json())


def refused(api: Api, code: str) -> tuple[int, str]:
    answer = api.post("/transfers", {"code": code})
    return answer.status_code, answer.get_json()["code"]


# One device to another


@pytest.mark.parametrize("kind", MAKERS)
def test_a_code_gives_a_token_of_its_player_and_its_kind_is_the_label(mara: Api, nobody: Api, kind: str) -> None:
    answer = use(nobody, make(mara, kind))
    assert answer["player"] == mara.get("/players/me").get_json()
    other = Api(mara.app, answer["token"])
    assert other.get("/players/me").get_json() == answer["player"]
    assert {token["label"] for token in other.get("/players/me/tokens").get_json()["items"]} == {"first", kind}


def test_a_guest_takes_a_running_attempt_along(nobody: Api) -> None:
    guest = nobody.join()
    state = guest.post(f"/rounds/{SEALED}/attempt").get_json()
    other = Api(nobody.app, use(nobody, make(guest))["token"])
    assert other.get(f"/attempts/{state['attempt_id']}").get_json() == state


def test_a_transfer_code_fails_the_second_time_and_after_ten_minutes(
    mara: Api, nobody: Api, clock: MovableClock
) -> None:
    """Report 15."""
    code = make(mara)
    use(nobody, code)
    assert refused(nobody, code) == (410, "code_spent")
    late = mara.post(MAKERS["transfer"]).get_json()
    assert late["expires_at"] == "2026-11-30T12:10:00.000Z"
    clock.set("2026-11-30T12:10:00")
    assert refused(nobody, late["code"]) == (410, "code_spent")
    in_time = make(mara)
    clock.set("2026-11-30T12:19:59.999")
    use(nobody, in_time)


def test_a_recovery_code_has_no_end_and_works_once(mara: Api, nobody: Api, site: Site, clock: MovableClock) -> None:
    player_id = UUID(mara.player_id)
    assert recovery_state(site, player_id) is None
    site.session.rollback()
    code, made_at = make(mara, "recovery"), clock()
    clock.set("2036-11-30T12:00:00")
    state = recovery_state(site, player_id)
    assert state is not None
    assert (state.made_at, state.used_at) == (made_at, None)
    use(nobody, code)
    assert refused(nobody, code) == (410, "code_spent")
    site.session.rollback()
    state = recovery_state(site, player_id)
    assert state is not None
    assert (state.made_at, state.used_at) == (made_at, clock())


def test_a_new_code_replaces_the_one_of_its_kind(mara: Api, finn: Api, nobody: Api) -> None:
    codes = {(player, kind): make(player, kind) for player in (mara, finn) for kind in MAKERS}
    for kind in MAKERS:
        newer = make(mara, kind)
        assert refused(nobody, codes[mara, kind]) == (404, "code_not_found")
        assert use(nobody, newer)["player"]["name"] == "Mara"
        assert use(nobody, codes[finn, kind])["player"]["name"] == "Finn"


def test_of_twenty_who_use_a_code_at_once_one_gets_in(mara: Api, nobody: Api) -> None:
    code = make(mara)
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: nobody.post("/transfers", {"code": code}), range(20)))
    assert sorted(answer.status_code for answer in answers) == [200] + [410] * 19
    assert len(mara.get("/players/me/tokens").get_json()["items"]) == 2


@pytest.mark.parametrize("kind", MAKERS)
def test_a_use_that_is_sent_again_replaces_its_token(mara: Api, nobody: Api, kind: str) -> None:
    """An answer can be lost; a code gives one token all the same, and none once that one was ended."""
    code = make(mara, kind)
    tokens = []
    for _ in range(3):
        answer = nobody.post("/transfers", {"code": code}, headers={"Idempotency-Key": "k"})
        tokens.append(answer.get_json()["token"])
    listed = {token["label"]: token["token_id"] for token in mara.get("/players/me/tokens").get_json()["items"]}
    assert set(listed) == {"first", kind}
    works = [Api(mara.app, token).get("/players/me").status_code for token in tokens]
    assert works == [401, 401, 200]
    acts = [act["act"] for act in mara.get("/players/me/audit").get_json()["items"]]
    assert acts.count("code_used") == 1
    assert mara.delete(f"/players/me/tokens/{listed[kind]}").status_code == 204
    again = nobody.post("/transfers", {"code": code}, headers={"Idempotency-Key": "k"})
    assert (again.status_code, again.get_json()["code"]) == (410, "code_spent")


def test_of_a_use_that_is_sent_twice_at_once_one_token_is_left(mara: Api, nobody: Api) -> None:
    code = make(mara)
    with ThreadPoolExecutor(8) as pool:
        headers = {"Idempotency-Key": "k"}
        answers = list(pool.map(lambda _: nobody.post("/transfers", {"code": code}, headers=headers), range(8)))
    assert {answer.status_code for answer in answers} == {200}
    assert len(mara.get("/players/me/tokens").get_json()["items"]) == 2


def test_who_lost_the_token_meanwhile_makes_no_code_and_no_token(mara: Api, site: Site) -> None:
    """The request was let in before all other sessions were ended, and is carried out behind that."""
    thief = use(mara, make(mara))
    player_id = UUID(mara.player_id)
    token_id = next(token.token_id for token in tokens_of(site, player_id) if token.label == "transfer")
    assert mara.delete("/players/me/tokens").status_code == 204
    assert Api(mara.app, thief["token"]).get("/players/me").status_code == 401
    for write in (
        lambda: create_token(site, player_id, token_id, "late"),
        lambda: make_transfer_code(site, player_id, token_id),
        lambda: make_recovery_code(site, player_id, token_id),
    ):
        with pytest.raises(PlayerRequired):
            write()
    assert [token.label for token in tokens_of(site, player_id)] == ["first"]


def test_of_twenty_codes_made_at_once_one_is_left(mara: Api, nobody: Api) -> None:
    with ThreadPoolExecutor(20) as pool:
        codes = list(pool.map(lambda _: make(mara), range(20)))
    answers = [nobody.post("/transfers", {"code": code}).status_code for code in codes]
    assert sorted(answers) == [200] + [404] * 19


# How a code is typed


@pytest.mark.parametrize("kind", MAKERS)
def test_a_code_is_read_however_it_is_typed(nobody: Api, kind: str) -> None:
    for spelled in (
        lambda code: code.lower(),
        lambda code: code.replace("-", ""),
        lambda code: code.replace("-", " - ").lower(),
        lambda code: f"\t {code.replace('-', chr(0x2011))}\n",
        lambda code: code.replace("0", "O").replace("1", "l"),
        lambda code: code.replace("0", "o").replace("1", "I"),
    ):
        player = nobody.join()
        assert use(nobody, spelled(make(player, kind)))["player"]["player_id"] == player.player_id


@pytest.mark.parametrize("code", ["", "7KQ2", "7KQ2-M4XD-9RTU", "7KQ2-M4XD-9RTW-7KQ2", "ä" * 12, "7KQ2.M4XD.9RTW"])
def test_what_is_no_code_is_told_what_a_code_looks_like(nobody: Api, code: str) -> None:
    answer = nobody.post("/transfers", {"code": code})
    assert (answer.status_code, answer.get_json()["code"]) == (404, "code_not_found")
    assert "7KQ2-M4XD-9RTW" in answer.get_json()["detail"]


def test_a_code_that_was_never_given_out_is_not_found(mara: Api, nobody: Api) -> None:
    make(mara)
    assert refused(nobody, "0000-0000-0000") == (404, "code_not_found")


@pytest.mark.parametrize("body", [{}, {"code": 7}, {"code": None}, {"code": "x" * 65}, {"code": "x\0"}, []])
def test_a_request_of_another_shape_is_refused(nobody: Api, body: Any) -> None:
    answer = nobody.request("POST", "/transfers", json=body)
    assert (answer.status_code, answer.get_json()["code"]) == (422, "invalid_request")


def test_codes_are_as_long_as_they_say(mara: Api) -> None:
    """Twelve and 24 characters of five bits, and not two the same."""
    for kind, length in (("transfer", 14), ("recovery", 29)):
        codes = {make(mara, kind) for _ in range(20)}
        assert {len(code) for code in codes} == {length}
        assert len(codes) == 20


# Browsers


def test_a_browser_gets_the_player_as_its_cookie(mara: Api, app: Flask) -> None:
    """In place of the guest that it had."""
    browser = app.test_client()
    guest = browser.post("/api/v1/players", headers={"Origin": OWN}).get_json()["player"]
    used = browser.post("/api/v1/transfers", json={"code": make(mara)}, headers={"Origin": OWN})
    assert used.status_code == 200
    assert used.get_json()["token"] is None
    assert used.get_json()["player"]["name"] == "Mara" != guest["name"]
    cookie = used.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert browser.get("/api/v1/players/me").get_json() == used.get_json()["player"]


def test_a_page_of_another_site_can_neither_make_a_code_nor_change_the_player(mara: Api, app: Flask) -> None:
    browser = app.test_client()
    before = browser.post("/api/v1/players", headers={"Origin": OWN}).get_json()["player"]
    for origin in (None, "null", "https://elsewhere.example"):
        headers = {"Origin": origin} if origin else {}
        for path in MAKERS.values():
            answer = browser.post(f"/api/v1{path}", headers=headers)
            assert (answer.status_code, answer.get_json()["code"]) == (403, "cross_origin")
        used = browser.post("/api/v1/transfers", json={"code": make(mara)}, headers=headers)
        assert "Set-Cookie" not in used.headers
        assert browser.get("/api/v1/players/me").get_json() == before


def test_nobody_makes_a_code(nobody: Api) -> None:
    for path in MAKERS.values():
        assert nobody.post(path).get_json()["code"] == "player_required"


# Secrets


def test_codes_are_neither_stored_nor_logged(
    mara: Api, nobody: Api, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    """Not even when the database fails with one at hand, which is told in an error."""
    caplog.set_level(logging.DEBUG)
    codes = [make(mara, kind) for kind in MAKERS]
    answers = ""
    for _ in range(2):
        answers += "".join(nobody.post("/transfers", {"code": code}).text for code in codes)
    site.session.rollback()
    stored = str([site.session.execute(select(table)).all() for table in Base.metadata.sorted_tables])
    site.session.rollback()
    site.session.execute(text("ALTER TABLE codes RENAME TO taken"))
    site.session.commit()
    try:
        failed = [raw(mara.app, "/transfers", {"code": code}) for code in codes]
    finally:
        site.session.rollback()
        site.session.execute(text("ALTER TABLE taken RENAME TO codes"))
        site.session.commit()
    assert {answer.status_code for answer in failed} <= {500, 503}
    assert all(answer.get_json()["request_id"] in caplog.text for answer in failed)
    for code in codes:
        for spelled in (code, code.replace("-", "")):
            for where in (stored, answers, caplog.text, "".join(answer.text for answer in failed)):
                assert spelled.lower() not in where.lower()


def raw(app: Flask, path: str, body: Json) -> TestResponse:
    """Send a request that fails in a way that is not documented."""
    app.config["PROPAGATE_EXCEPTIONS"] = False
    return Context().run(lambda: app.test_client().post(f"/api/v1{path}", json=body))
