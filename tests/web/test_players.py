"""Players, names, tokens, and the cookie of the browser."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from flask import Flask
from shutbox.site import Site
from sqlalchemy import text

from tests.conftest import MovableClock
from tests.players import Api

OWN = "http://localhost"


def test_a_guest_is_made_without_a_body(nobody: Api) -> None:
    made = nobody.post("/players")
    assert made.status_code == 201
    assert made.get_json()["player"] | {"player_id": ""} == {
        "player_id": "",
        "name": None,
        "guest": True,
        "bot": False,
        "hidden": False,
    }


def test_claiming_a_name_changes_the_label_only(nobody: Api) -> None:
    guest = nobody.join()
    before = guest.get("/players/me").get_json()
    named = guest.patch("/players/me", {"name": "Ada Lovelace"}).get_json()
    assert named == {**before, "name": "Ada Lovelace", "guest": False}


def test_a_name_is_composed_and_unique_when_case_is_folded(nobody: Api) -> None:
    assert nobody.join(name="Zoe\u0308").get("/players/me").get_json()["name"] == "Zo\u00eb"
    for taken in ("ZO\u00cb", "zo\u00eb", "Zoe\u0308"):
        answer = nobody.post("/players", {"name": taken})
        assert (answer.status_code, answer.get_json()["code"]) == (409, "name_taken")
    guest = nobody.join()
    assert guest.patch("/players/me", {"name": "ZO\u00cb"}).get_json()["code"] == "name_taken"
    assert guest.get("/players/me").get_json()["name"] is None


def test_of_ten_who_claim_a_name_at_once_one_gets_it(nobody: Api) -> None:
    guests = [nobody.join() for _ in range(10)]
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda guest: guest.patch("/players/me", {"name": "Solo"}).status_code, guests))
    assert sorted(answers) == [200] + [409] * 9


def test_a_player_may_keep_and_respell_a_name(mara: Api) -> None:
    assert mara.patch("/players/me", {"name": "MARA"}).get_json()["name"] == "MARA"
    assert mara.patch("/players/me", {"bot": True}).get_json()["bot"] is True
    assert mara.patch("/players/me", {}).get_json()["name"] == "MARA"


def test_tokens_are_shown_once_and_stored_hashed(mara: Api, site: Site, clock: MovableClock) -> None:
    clock.forward(1)
    made = mara.post("/players/me/tokens", {"label": "laptop"}).get_json()
    secret = made.pop("token")
    listed = mara.get("/players/me/tokens").get_json()["items"]
    assert [token["label"] for token in listed] == ["first", "laptop"]
    assert listed[1] == made
    stored = site.session.execute(text("SELECT * FROM tokens")).all()
    assert secret not in str(stored)
    assert secret.encode() not in str(stored).encode()
    assert Api(mara.app, secret).get("/players/me").get_json()["name"] == "Mara"


def test_a_revoked_token_is_nobodys_and_the_last_one_stays(mara: Api, finn: Api) -> None:
    second = mara.post("/players/me/tokens").get_json()
    assert finn.delete(f"/players/me/tokens/{second['token_id']}").status_code == 404
    assert mara.delete(f"/players/me/tokens/{second['token_id']}").status_code == 204
    assert Api(mara.app, second["token"]).get("/players/me").status_code == 401
    last = mara.get("/players/me/tokens").get_json()["items"][0]["token_id"]
    answer = mara.delete(f"/players/me/tokens/{last}")
    assert (answer.status_code, answer.get_json()["code"]) == (409, "last_token")


def test_a_browser_gets_a_cookie_and_no_token(app: Flask) -> None:
    browser = app.test_client()
    made = browser.post("/api/v1/players", headers={"Origin": OWN})
    cookie = made.headers["Set-Cookie"]
    assert made.get_json()["token"] is None
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert browser.get("/api/v1/players/me").get_json() == made.get_json()["player"]
    again = browser.post("/api/v1/players", headers={"Origin": OWN})
    assert (again.status_code, again.get_json()) == (200, made.get_json())
    assert "Set-Cookie" not in again.headers


def test_a_program_gets_a_token_and_no_cookie(app: Flask) -> None:
    for headers in ({}, {"Origin": "https://elsewhere.example"}):
        made = app.test_client().post("/api/v1/players", headers=headers)
        assert made.get_json()["token"]
        assert "Set-Cookie" not in made.headers


@pytest.mark.parametrize(
    "origin", [None, "null", "https://elsewhere.example", "http://localhost.evil.example", "https://localhost"]
)
def test_a_write_with_the_cookie_from_elsewhere_is_refused(app: Flask, origin: str | None) -> None:
    browser = app.test_client()
    browser.post("/api/v1/players", headers={"Origin": OWN})
    headers = {"Origin": origin} if origin else {}
    for path in ("/api/v1/rounds/2026-11-30-classic/attempt", "/api/v1/players/me/tokens"):
        answer = browser.post(path, headers=headers)
        assert (answer.status_code, answer.get_json()["code"]) == (403, "cross_origin")
        assert browser.post(path, headers={"Origin": OWN}).status_code == 201
    assert browser.get("/api/v1/players/me", headers=headers).status_code == 200


def test_a_cookie_that_is_nobodys_is_passed_over(app: Flask) -> None:
    browser = app.test_client()
    browser.set_cookie("shutbox", "old")
    assert browser.get("/api/v1/rounds/2026-11-30-classic/leaderboard").status_code == 200
    assert browser.get("/api/v1/players/me").get_json()["code"] == "player_required"
    assert browser.post("/api/v1/players", headers={"Origin": OWN}).status_code == 201
