"""Limits: who does something too often is told when it can be done again, and nobody's address is stored."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from redis import Redis
from shutbox.config import Settings
from shutbox.limits import Limit, Limits, network_of
from shutbox.seeds import Secrets
from shutbox.site import Site
from shutbox.store.database import db
from shutbox.web import limited
from shutbox.web.app import create_app

from tests.conftest import MovableClock
from tests.players import Api, Json

FAR = {"REMOTE_ADDR": "93.184.216.34"}


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three times in an hour for everything."""
    for what in limited.LIMITS:
        monkeypatch.setitem(limited.LIMITS, what, Limit(3, 3600))


@pytest.fixture
def behind_a_proxy(app: Flask, settings: Settings, secrets: Secrets, clock: MovableClock) -> Iterator[Flask]:
    other = create_app(replace(settings, trusted_proxies=1), secrets, clock)
    yield other
    with other.app_context():
        db.engine.dispose()


def is_told(answer: Any) -> Json:
    """The refusal says when to come back, in the header and in the body."""
    problem: Json = answer.get_json()
    assert (answer.status_code, answer.mimetype) == (429, "application/problem+json")
    assert problem["code"] == "rate_limited"
    assert answer.headers["Retry-After"] == str(problem["retry_after"])
    assert 3590 <= problem["retry_after"] <= 3600
    return problem


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/players/me/tokens", {}),
        ("/players/me/transfer-codes", None),
        ("/players/me/recovery-codes", None),
        ("/leagues", {"name": "Office"}),
        ("/challenges", {"ruleset": "classic", "players": 2, "hours": 1}),
        ("/rounds", {"ruleset": "classic", "mode": "open"}),
    ],
)
def test_a_player_who_makes_too_much_is_told_when_to_come_back(mara: Api, finn: Api, path: str, body: Any) -> None:
    """Report 39."""
    assert [mara.post(path, body).status_code for _ in range(3)] == [201] * 3
    is_told(mara.post(path, body))
    assert finn.post(path, body).status_code == 201


@pytest.mark.usefixtures("few")
def test_names_are_changed_so_often_and_other_things_go_on(mara: Api) -> None:
    assert [mara.patch("/players/me", {"name": f"Mara {number}"}).status_code for number in range(3)] == [200] * 3
    is_told(mara.patch("/players/me", {"name": "Mara 4"}))
    assert mara.patch("/players/me", {"bot": True}).status_code == 200


@pytest.mark.usefixtures("few")
def test_an_address_makes_so_many_players_and_tries_so_many_codes(nobody: Api, mara: Api) -> None:
    made = [nobody.post("/players", environ_base=FAR).status_code for _ in range(3)]
    assert made == [201] * 3
    is_told(nobody.post("/players", environ_base=FAR))
    code = mara.post("/players/me/recovery-codes").get_json()["code"]
    wrong = {"code": "7KQ2-M4XD-9RTW"}
    assert [nobody.post("/transfers", wrong, environ_base=FAR).status_code for _ in range(3)] == [404] * 3
    is_told(nobody.post("/transfers", wrong, environ_base=FAR))
    is_told(nobody.post("/transfers", {"code": code}, environ_base=FAR))
    assert nobody.post("/transfers", {"code": code}).status_code == 200


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("path", ["/players", "/transfers"])
def test_what_cannot_be_read_is_counted_too(nobody: Api, path: str) -> None:
    wrong: dict[str, Any] = {"data": b"{", "content_type": "application/json", "environ_base": FAR}
    assert [nobody.post(path, **wrong).status_code for _ in range(3)] == [400] * 3
    is_told(nobody.post(path, **wrong))


@pytest.mark.usefixtures("few")
def test_codes_that_work_are_not_counted(nobody: Api, mara: Api) -> None:
    for _ in range(2):
        for api in (mara, nobody.join()):
            code = api.post("/players/me/transfer-codes").get_json()["code"]
            assert nobody.post("/transfers", {"code": code}, environ_base=FAR).status_code == 200


@pytest.mark.usefixtures("few")
def test_a_private_address_stands_for_nobody(nobody: Api) -> None:
    assert {nobody.post("/players").status_code for _ in range(6)} == {201}


@pytest.mark.usefixtures("few")
def test_behind_a_trusted_proxy_the_address_is_the_one_that_it_adds(behind_a_proxy: Flask) -> None:
    nobody = Api(behind_a_proxy)
    near = {"headers": {"X-Forwarded-For": "10.0.0.1, 93.184.216.34"}}
    assert [nobody.post("/players", **near).status_code for _ in range(3)] == [201] * 3
    claimed = {"headers": {"X-Forwarded-For": "1.1.1.1, 93.184.216.34"}}  # what stands before it is anyone's word
    is_told(nobody.post("/players", **claimed))
    assert nobody.post("/players", headers={"X-Forwarded-For": "93.184.216.35"}).status_code == 201


@pytest.mark.usefixtures("few")
def test_without_redis_all_are_let_through(app: Flask, mara: Api) -> None:
    app.extensions["shutbox.limits"] = Limits.at("redis://127.0.0.1:1/0", b"key")
    assert {mara.post("/players/me/tokens").status_code for _ in range(6)} == {201}


@pytest.mark.usefixtures("few")
def test_limits_can_be_off(app: Flask, settings: Settings, secrets: Secrets, clock: MovableClock, mara: Api) -> None:
    other = create_app(replace(settings, limits=False), secrets, clock)
    api = Api(other, mara._headers["Authorization"].removeprefix("Bearer "))
    assert {api.post("/players/me/tokens").status_code for _ in range(6)} == {201}
    with other.app_context():
        db.engine.dispose()


def test_nothing_in_redis_tells_the_address_and_all_of_it_ends(nobody: Api, mara: Api, site: Site) -> None:
    nobody.post("/players", environ_base=FAR)
    mara.post("/players/me/tokens")
    redis: Redis = site.ranking._client
    keys = list(redis.scan_iter("shutbox:limit:*"))
    assert len(keys) == 2
    stored = str([(key, redis.get(key)) for key in keys])
    assert FAR["REMOTE_ADDR"] not in stored
    assert mara.player_id not in stored
    assert all(0 < redis.pttl(key) <= 3_600_000 for key in keys)


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("93.184.216.34", "93.184.216.34"),
        ("2606:2800:220:1:248:1893:25c8:1946", "2606:2800:220:1::/64"),
        ("::ffff:93.184.216.34", "93.184.216.34"),
        ("64:ff9b::5db8:d822", "93.184.216.34"),
        ("127.0.0.1", None),
        ("10.1.2.3", None),
        ("fd00::1", None),
        ("::1", None),
        ("", None),
        (None, None),
        ("unix:", None),
    ],
)
def test_what_stands_for_a_household(address: str | None, network: str | None) -> None:
    assert network_of(address) == network


def test_a_limit_ends_by_itself(redis_url: str) -> None:
    limits = Limits.at(redis_url, b"k" * 32)
    limit = Limit(2, 3600)
    assert [limits.wait("a", "b", limit, count=False) for _ in range(5)] == [0] * 5
    assert [limits.wait("a", "b", limit) for _ in range(3)][:2] == [0, 0]
    assert limits.wait("a", "b", limit) > 3500
    assert limits.wait("a", "c", limit) == 0
    assert Limits.at(redis_url, b"another key").wait("a", "b", limit) == 0
    client: Redis = limits._client
    for key in client.scan_iter("shutbox:limit:*"):
        client.delete(key)
    assert limits.wait("a", "b", limit) == 0
