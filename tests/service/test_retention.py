"""Retention: practice and guests that nobody needs any more are removed, and nothing else."""

from dataclasses import replace
from functools import partial
from uuid import UUID

import pytest
from flask import Flask
from shutbox import retention
from shutbox.errors import PlayerRequired
from shutbox.privacy import delete_player
from shutbox.retention import _is_unused, remove_what_is_over
from shutbox.rounds import close_due_rounds
from shutbox.site import Site
from shutbox.worker import Worker
from sqlalchemy import text

from tests.conftest import Closer, MovableClock
from tests.players import Api, legal_turns

SEALED = "2026-11-30-classic"
DAY = 24 * 3600
SEED = "5a" * 32


def count(site: Site, table: str) -> int:
    found = site.session.scalar(text(f"SELECT count(*) FROM {table}"))
    site.session.rollback()
    return int(found or 0)


def practise(player: Api) -> str:
    """Play one practice round of each kind, and submit to the open one."""
    player.play_sealed(player.issue(mode="sealed")["round_id"])
    round_id = str(player.issue(seed=SEED)["round_id"])
    assert player.submit(round_id, legal_turns("classic", SEED)).status_code == 201
    return round_id


def practice_rounds(site: Site) -> int:
    found = site.session.scalar(text("SELECT count(*) FROM rounds WHERE kind = 'practice'"))
    site.session.rollback()
    return int(found or 0)


def test_practice_is_removed_when_its_time_is_long_over(mara: Api, site: Site, clock: MovableClock) -> None:
    round_id = practise(mara)
    mara.play_sealed(SEALED)
    clock.forward(site.settings.practice_days * DAY)
    close_due_rounds(site)
    clock.forward(site.settings.practice_kept * DAY - 1)
    remove_what_is_over(site)
    assert practice_rounds(site) == 2
    clock.forward(1)
    remove_what_is_over(site)
    assert practice_rounds(site) == 0
    assert (count(site, "entries"), count(site, "attempts"), count(site, "runs")) == (1, 1, 1)
    assert mara.get(f"/rounds/{round_id}").status_code == 404
    assert not site.ranking.holds(round_id)


def test_practice_that_has_not_closed_stays(mara: Api, site: Site, clock: MovableClock) -> None:
    practise(mara)
    clock.forward(400 * DAY)
    remove_what_is_over(site)
    assert practice_rounds(site) == 1  # the sealed one was closed by being played; the open one waits for its close


def test_a_round_that_was_issued_with_a_key_goes_with_its_key(mara: Api, site: Site, clock: MovableClock) -> None:
    body = {"ruleset": "classic", "mode": "open"}
    first = mara.post("/rounds", body, headers={"Idempotency-Key": "k"}).get_json()["round_id"]
    clock.forward(400 * DAY)
    close_due_rounds(site)
    remove_what_is_over(site)
    second = mara.post("/rounds", body, headers={"Idempotency-Key": "k"})
    assert second.status_code == 201
    assert second.get_json()["round_id"] != first


def test_guests_who_never_finished_anything_and_stayed_away_are_removed(
    nobody: Api, mara: Api, site: Site, clock: MovableClock
) -> None:
    guest, visitor, finisher, careful, member = (nobody.join() for _ in range(5))
    guest.post(f"/rounds/{guest.issue(mode='sealed')['round_id']}/attempt")
    finisher.play_sealed(SEALED)
    careful.post("/players/me/recovery-codes")
    code = mara.post("/leagues", {"name": "Office"}).get_json()["code"]
    member.post(f"/leagues/{code}/members")
    clock.forward((site.settings.guests_kept - 1) * DAY)
    remove_what_is_over(site)
    assert visitor.get("/players/me").status_code == 200
    clock.forward(DAY)
    assert count(site, "players") == 6
    remove_what_is_over(site)
    left = {
        api.player_id: api.get("/players/me").status_code for api in (guest, visitor, finisher, careful, member, mara)
    }
    assert list(left.values()) == [401, 200, 200, 200, 200, 200]
    assert count(site, "players") == 5


def test_a_guest_who_has_begun_a_daily_round_leaves_an_entry_of_nobody(
    nobody: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    guest = nobody.join()
    guest.post(f"/rounds/{SEALED}/attempt")
    clock.set("2026-12-01T03:00:00")
    close_days()
    started = nobody.get(f"/rounds/{SEALED}").get_json()["started"]
    clock.forward(31 * DAY)
    remove_what_is_over(site)
    assert guest.get("/players/me").status_code == 401
    assert nobody.get(f"/rounds/{SEALED}").get_json()["started"] == started == 1
    assert count(site, "players") == 1
    assert count(site, "tokens") == 0


def test_nothing_is_removed_where_the_settings_say_so(nobody: Api, mara: Api, site: Site, clock: MovableClock) -> None:
    nobody.join()
    practise(mara)
    clock.forward(3000 * DAY)
    close_due_rounds(site)
    kept = replace(site, settings=replace(site.settings, practice_kept=0, guests_kept=0))
    remove_what_is_over(kept)
    assert (practice_rounds(site), count(site, "players")) == (2, 2)


def test_the_worker_removes_batch_by_batch_and_then_rests(
    app: Flask, nobody: Api, site: Site, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    for _ in range(5):
        nobody.join()
    worker = Worker(site)
    worker._tidy()
    clock.forward(31 * DAY)
    for left in (3, 1, 0):
        worker._tidy()
        assert count(site, "players") == left
    nobody.join()
    worker._tidy()
    assert count(site, "players") == 1


def test_a_guest_who_comes_back_in_the_last_moment_stays(nobody: Api, site: Site, clock: MovableClock) -> None:
    """Chosen to be removed, the guest claims a name before its turn in the batch comes."""
    guest = nobody.join()
    clock.forward((site.settings.guests_kept + 1) * DAY)
    assert guest.patch("/players/me", {"name": "Zoe"}).status_code == 200
    with pytest.raises(PlayerRequired):
        delete_player(site, UUID(guest.player_id), partial(_is_unused, site, UUID(guest.player_id)))
    assert guest.get("/players/me").get_json()["name"] == "Zoe"
