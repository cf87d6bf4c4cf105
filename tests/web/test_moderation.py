"""What everyone sees of what the operator did: withdrawn runs, hidden names, and what a banned player can still do."""

import re
from uuid import UUID

import pytest
from flask import Flask
from shutbox import moderation
from shutbox.attempts import make_move
from shutbox.errors import PlayerBanned
from shutbox.game.play import ShutChoice
from shutbox.site import Site
from shutbox.tlog.leaves import WithdrawReason

from tests.conftest import Closer, MovableClock
from tests.journals import OPENED, SEALED, log_all
from tests.players import Api, legal_turns
from tests.web.test_people_pages import browser_of


def page_of(app: Flask, path: str) -> str:
    response = app.test_client().get(path)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.get_data(as_text=True)))


def open_run(player: Api) -> str:
    seed = player.get(f"/rounds/{OPENED}").get_json()["seed"]
    return str(player.submit(OPENED, legal_turns("classic", seed)).get_json()["run_id"])


def names_on_board(viewer: Api) -> list[str | None]:
    items = viewer.get(f"/rounds/{OPENED}/leaderboard").get_json()["items"]
    return [item["player"]["name"] for item in items]


def test_the_page_of_a_withdrawn_run_says_why_and_where_that_is_in_the_log(mara: Api, app: Flask, site: Site) -> None:
    run_id = open_run(mara)
    moderation.withdraw(site, UUID(run_id), WithdrawReason.UNFAIR_PLAY, "A second account of Finn.")
    shown = page_of(app, f"/run/{run_id}")
    assert "Withdrawn on 30 Nov 2026: unfair play. “A second account of Finn.”" in shown
    assert "on its way into the public log" in shown
    assert "A better run of the same player" not in shown
    log_all(site)
    assert re.search(r"off the ranking, leaf \d+ of the public log", page_of(app, f"/run/{run_id}"))
    moderation.reinstate(site, UUID(run_id), "")
    assert "Withdrawn" not in page_of(app, f"/run/{run_id}")


def test_the_leaderboard_links_to_the_withdrawn_runs(mara: Api, app: Flask, site: Site) -> None:
    run_id = open_run(mara)
    assert "withdrawn" not in page_of(app, f"/leaderboard?round={OPENED}")
    moderation.withdraw(site, UUID(run_id), WithdrawReason.OTHER, "")
    shown = page_of(app, f"/leaderboard?round={OPENED}")
    assert "1 run is withdrawn and not ranked" in shown
    assert "Withdrawn on 30 Nov 2026: another reason." in shown
    assert f"/run/{run_id}" in app.test_client().get(f"/leaderboard?round={OPENED}").get_data(as_text=True)


def test_nothing_of_a_withdrawal_is_seen_where_the_standings_are_not(
    mara: Api, nobody: Api, app: Flask, site: Site
) -> None:
    run_id = mara.play_sealed(SEALED)["run_id"]
    moderation.withdraw(site, UUID(run_id), WithdrawReason.UNFAIR_PLAY, "")
    gated = nobody.get(f"/runs/{run_id}").get_json()
    assert (gated["gated"], gated["withdrawn"]) == (True, None)
    assert mara.get(f"/runs/{run_id}").get_json()["withdrawn"]["reason"] == "unfair"
    assert "withdrawn" not in page_of(app, f"/leaderboard?round={SEALED}")


def test_a_withdrawn_run_counts_in_no_streak_and_no_profile(
    mara: Api, nobody: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    run_id = mara.play_sealed(SEALED)["run_id"]
    clock.set("2026-12-01T02:00:00")
    close_days()
    assert nobody.get("/players/Mara").get_json()["streak"] == 1
    moderation.withdraw(site, UUID(run_id), WithdrawReason.PLAYER_ASKED, "")
    for path in ("/players/Mara", "/players/me/profile"):
        shown = mara.get(path).get_json()
        assert (shown["days_played"], shown["streak"], shown["results"]) == (0, 0, [])


def test_the_player_is_told_of_a_withdrawn_run_wherever_the_own_runs_are_listed(
    mara: Api, app: Flask, site: Site
) -> None:
    kept, gone = open_run(mara), str(mara.play_sealed(SEALED)["run_id"])
    for withdrawn in (False, True):
        if withdrawn:
            moderation.withdraw(site, UUID(gone), WithdrawReason.UNFAIR_PLAY, "")
        for path, name in (("/players/me/runs", "items"), ("/players/me/export", "runs")):
            listed = {run["run_id"]: run["withdrawn"] for run in mara.get(path).get_json()[name]}
            assert listed == {kept: False, gone: withdrawn}
        archive = browser_of(mara).get("/archive").get_data(as_text=True)
        assert ("withdrawn by the operator" in archive) is withdrawn


def test_a_hidden_name_is_seen_by_its_player_alone(mara: Api, finn: Api, app: Flask, site: Site) -> None:
    run_id = open_run(mara)
    moderation.hide(site, UUID(mara.player_id), "")
    for viewer, name in ((mara, "Mara"), (finn, None)):
        assert names_on_board(viewer) == [name]
        owner = viewer.get(f"/runs/{run_id}").get_json()["player"]
        assert (owner["name"], owner["hidden"], owner["guest"]) == (name, True, False)
        assert viewer.get("/players/Mara").status_code == (200 if name else 404)
    assert mara.get("/players/me").get_json()["name"] == "Mara"
    for path in (f"/run/{run_id}", f"/leaderboard?round={OPENED}"):
        assert "hidden player" in page_of(app, path)
        assert "Mara" not in page_of(app, path)
    moderation.unhide(site, UUID(mara.player_id), "")
    assert names_on_board(finn) == ["Mara"]


def test_a_hidden_player_sees_the_own_name_on_every_list(
    mara: Api, finn: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    mara.play_sealed(SEALED)
    code = mara.post("/leagues", {"name": "League"}).get_json()["code"]
    finn.post(f"/leagues/{code}/members")
    clock.set("2026-12-01T02:00:00")
    close_days()
    moderation.hide(site, UUID(mara.player_id), "")
    for viewer, name in ((mara, "Mara"), (finn, None)):
        league = viewer.get(f"/leagues/{code}").get_json()
        week = viewer.get("/leaderboards/week?of=2026-11-30").get_json()["items"]
        members = [member["player"] for member in league["members"]]
        own = [player for player in members if player["player_id"] == mara.player_id]
        shown = [league["owner"], *own, week[0]["player"]]
        shown.append(viewer.get("/players/me/leagues").get_json()["items"][0]["owner"])
        assert [player["name"] for player in shown] == [name] * 4


def test_a_banned_player_reads_exports_leaves_and_deletes_but_writes_nothing(mara: Api, finn: Api, site: Site) -> None:
    code = mara.post("/leagues", {"name": "Office"}).get_json()["code"]
    finn.post(f"/leagues/{code}/members")
    run_id = open_run(mara)
    attempt = mara.post(f"/rounds/{SEALED}/attempt").get_json()
    moderation.ban(site, UUID(mara.player_id), "")
    seed = mara.get(f"/rounds/{OPENED}").get_json()["seed"]
    writes = [
        mara.submit(OPENED, legal_turns("classic", seed)),
        mara.post(f"/rounds/{SEALED}/attempt"),
        mara.move({**attempt, "state": "choose_tiles"}, lambda legal: legal[0]),
        mara.post("/rounds", {"ruleset": "classic", "mode": "open"}),
        mara.patch("/players/me", {"name": "Someone"}),
        mara.post("/players/me/tokens", {}),
        mara.post("/players/me/transfer-codes"),
        mara.post("/leagues", {"name": "League"}),
        mara.patch(f"/leagues/{code}", {"name": "League"}),
        mara.delete(f"/leagues/{code}"),
        mara.delete(f"/leagues/{code}/members/{finn.player_id}"),
    ]
    assert {(answer.status_code, answer.get_json()["code"]) for answer in writes} == {(403, "player_banned")}
    reads = ("/players/me", "/players/me/export", f"/runs/{run_id}", f"/attempts/{attempt['attempt_id']}")
    assert {mara.get(path).status_code for path in reads} == {200}
    newest, *_ = mara.get("/players/me/audit").get_json()["items"]
    assert newest["act"] == "ban"
    assert mara.delete(f"/leagues/{code}/members/me").status_code == 204
    assert finn.get(f"/leagues/{code}").get_json()["owner"]["name"] == "Finn", "its owner could hand it on"
    assert mara.delete("/players/me").status_code == 204


def test_a_move_that_was_let_in_before_the_ban_is_not_taken(mara: Api, site: Site) -> None:
    state = mara.post(f"/rounds/{SEALED}/attempt").get_json()
    moderation.ban(site, UUID(mara.player_id), "")
    with pytest.raises(PlayerBanned):
        make_move(site, UUID(mara.player_id), UUID(state["attempt_id"]), 0, ShutChoice(tuple(state["legal"][0])))
    assert mara.get(f"/attempts/{state['attempt_id']}").get_json()["move"] == 0


def test_one_who_is_free_again_plays_on(mara: Api, site: Site) -> None:
    moderation.ban(site, UUID(mara.player_id), "")
    moderation.unban(site, UUID(mara.player_id), "")
    assert open_run(mara)


@pytest.mark.parametrize("withdraws", [True, False])
def test_a_ban_leaves_the_runs_ranked_unless_they_are_withdrawn_with_it(
    mara: Api, finn: Api, site: Site, withdraws: bool
) -> None:
    open_run(mara)
    mara.play_sealed(SEALED)
    finn.play_sealed(SEALED)
    moderation.ban(site, UUID(mara.player_id), "")
    if withdraws:
        assert moderation.withdraw_all(site, UUID(mara.player_id), WithdrawReason.UNFAIR_PLAY, "") == 2
    assert names_on_board(finn) == ([] if withdraws else ["Mara"])
    assert finn.get(f"/rounds/{SEALED}/leaderboard").get_json()["total"] == (1 if withdraws else 2)
