"""Alive and ready."""

import pytest
from shutbox.site import Site
from sqlalchemy import text

from tests.conftest import MovableClock
from tests.players import Api
from tests.vectors import vectors
from tests.web.test_leaderboards import Away


def test_ready_when_todays_rounds_exist(nobody: Api) -> None:
    assert nobody.get("/healthz").get_json() == {"status": "ok"}
    assert nobody.get("/readyz").get_json() == {"status": "ready", "today": "2026-11-30", "redis": "ok"}


def test_not_ready_without_todays_rounds(nobody: Api, clock: MovableClock) -> None:
    clock.set("2027-01-01T00:00:00")
    answer = nobody.get("/readyz")
    assert (answer.status_code, answer.get_json()["code"]) == (503, "not_ready")
    assert answer.headers["Retry-After"] == "5"


def test_not_ready_before_the_migration(nobody: Api, site: Site) -> None:
    site.session.execute(text("UPDATE alembic_version SET version_num = 'older'"))
    site.session.commit()
    try:
        assert "migrate" in nobody.get("/readyz").get_json()["detail"]
    finally:
        site.session.execute(
            text("UPDATE alembic_version SET version_num = :new"), {"new": nobody.app.config["MIGRATION"]}
        )
        site.session.commit()


def test_ready_without_redis(nobody: Api, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    away = Site(site.settings, site.secrets, site.session, Away(site.ranking), site.clock)
    monkeypatch.setitem(nobody.app.extensions, "shutbox", away)
    assert nobody.get("/readyz").get_json()["redis"] == "away"


def test_the_catalogue_is_the_vectors(nobody: Api) -> None:
    listed = {one["id"]: one for one in nobody.get("/rulesets").get_json()["items"]}
    for vector in vectors("rulesets"):
        shown = nobody.get(f"/rulesets/{vector['id']}").get_json()
        assert shown == listed[vector["id"]]
        assert {key: vector[key] for key in shown if key != "name"} == {
            key: value for key, value in shown.items() if key != "name"
        }
