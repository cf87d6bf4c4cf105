"""The `shutbox moderate` commands: what they say, what they do, and that each act can be undone."""

import re
from dataclasses import replace
from uuid import UUID

import pytest
from click.testing import CliRunner
from shutbox import moderation
from shutbox.boards import differences, reconcile, stale_boards
from shutbox.cli import main
from shutbox.players import create_player
from shutbox.privacy import delete_player
from shutbox.ranking import Ranking
from shutbox.site import Site
from shutbox.store.rows import PlayerRow
from shutbox.tlog.leaves import WithdrawReason

from tests.journals import OPENED, SEALED
from tests.players import Api, legal_turns


def moderate(site: Site, *words: object, fails: bool = False) -> str:
    """Run a command on the installation; return what it says."""
    environment = {
        "SHUTBOX_DATA_DIR": str(site.settings.data_dir),
        "SHUTBOX_DATABASE_URL": site.settings.database_url,
        "SHUTBOX_REDIS_URL": site.settings.redis_url,
    }
    done = CliRunner().invoke(main, ["moderate", *map(str, words)], env=environment)
    assert (done.exit_code != 0) == fails, done.output
    site.session.rollback()
    return done.output.strip()


def open_run(player: Api) -> str:
    seed = player.get(f"/rounds/{OPENED}").get_json()["seed"]
    return str(player.submit(OPENED, legal_turns("classic", seed)).get_json()["run_id"])


def trail(site: Site, *about: str) -> list[tuple[str, str]]:
    """Return (id of the act, act) as the command shows them."""
    return re.findall(r"^(\S+)  \S+  operator  (\w+)", moderate(site, "audit", *about), re.MULTILINE)


def test_a_league_is_renamed_and_its_owner_is_told(files: Site, mara: Api) -> None:
    code = mara.post("/leagues", {"name": "Office"}).get_json()["code"]
    words = ("rename-league", code.lower(), "League 12", "--note", "Others must read it.")
    assert moderate(files, *words) == "The league has the name 'League 12' now."
    assert moderate(files, *words) == "The league has the name 'League 12' already."
    assert mara.get(f"/leagues/{code}").get_json()["name"] == "League 12"
    ((act_id, _),) = trail(files, "Mara")
    (told,) = mara.get("/players/me/audit").get_json()["items"]
    assert (told["act"], told["by"]) == ("rename_league", "operator")
    assert told["note"] == "it was 'Office'. Others must read it."
    assert "which is not undone here" in moderate(files, "undo", act_id, fails=True)
    assert "no league has this invite code" in moderate(files, "rename-league", "00000-00000", "Office", fails=True)


def test_a_run_is_withdrawn_and_reinstated_once(files: Site, mara: Api) -> None:
    run_id = open_run(mara)
    assert moderate(files, "reinstate", run_id) == f"Run {run_id} is not withdrawn."
    words = ("withdraw", run_id, "--reason", "unfair", "--note", "two accounts")
    assert moderate(files, *words) == f"Run {run_id} is withdrawn."
    assert moderate(files, *words) == f"Run {run_id} is withdrawn already."
    assert mara.get(f"/runs/{run_id}").get_json()["withdrawn"]["note"] == "two accounts"
    assert moderate(files, "reinstate", run_id) == f"Run {run_id} is reinstated."
    assert mara.get(f"/runs/{run_id}").get_json()["rank"] == 1
    assert [act for _, act in trail(files, run_id)] == ["withdraw", "reinstate"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("withdraw", UUID(int=1), "--reason", "unfair"), "there is no run"),
        (("withdraw", UUID(int=1)), "--reason"),
        (("withdraw", UUID(int=1), "--reason", "malice"), "malice"),
        (("withdraw", "abc", "--reason", "unfair"), "abc"),
        (("withdraw", UUID(int=1), "--reason", "other", "--note", "x" * 201), "at most 200 characters"),
        (("hide", "Nobody at all"), "no player has the name or the id 'Nobody at all'"),
        (("hide", UUID(int=1)), "no player has the name or the id"),
        (("rename", "Mara", "a/b"), "slash"),
        (("rename", "Mara", "finn"), "taken"),
        (("audit", "Nobody at all"), "no player has the name"),
        (("undo", UUID(int=1)), "there is no act"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    files: Site, mara: Api, finn: Api, words: tuple[object, ...], said: str
) -> None:
    assert said in moderate(files, *words, fails=True)
    assert trail(files) == []


def test_a_player_is_hidden_banned_and_renamed_by_name_or_by_id(files: Site, mara: Api) -> None:
    for who in ("MARA", mara.player_id):
        for act, undone, done, not_done in (
            ("hide", "unhide", "hidden", "shown again"),
            ("ban", "unban", "banned", "free to play again"),
        ):
            assert moderate(files, act, who).endswith(f"is {done}.")
            assert moderate(files, act, who).endswith(f"is {done} already.")
            assert moderate(files, undone, who).endswith(f"is {not_done}.")
            assert moderate(files, undone, who).endswith(f"is not {done}.")
    assert moderate(files, "rename", "Mara", "Player 12").endswith("has the name 'Player 12' now.")
    assert mara.get("/players/me").get_json()["name"] == "Player 12"
    assert mara.patch("/players/me", {"name": "Mara"}).status_code == 409, "nobody takes it back"


def test_a_ban_withdraws_what_it_is_told_to(files: Site, mara: Api, finn: Api) -> None:
    open_run(mara)
    mara.play_sealed(SEALED)
    open_run(finn)
    assert "2 runs are withdrawn." in moderate(files, "ban", "Mara", "--withdraw-runs", "--note", "a bot")
    assert "0 runs are withdrawn." in moderate(files, "ban", "Mara", "--withdraw-runs")
    assert [act for _, act in trail(files, mara.player_id)] == ["ban", "withdraw", "withdraw"]


def test_every_act_is_undone_by_the_opposite_and_undone_once(files: Site, mara: Api) -> None:
    run_id = open_run(mara)
    moderate(files, "withdraw", run_id, "--reason", "error", "--note", "wrong round")
    moderate(files, "hide", "Mara")
    moderate(files, "ban", "Mara")
    moderate(files, "rename", "Mara", "Rena")
    for act_id, act in trail(files):
        assert f"is undone: {dict(OPPOSITE)[act]}." in moderate(files, "undo", act_id)
        assert "is undone already" in moderate(files, "undo", act_id)
    row = files.session.get_one(PlayerRow, UUID(mara.player_id), populate_existing=True)
    assert (row.name, row.hidden_at, row.banned_at) == ("Mara", None, None)
    assert mara.get(f"/runs/{run_id}").get_json()["rank"] == 1
    reinstated = next(act_id for act_id, act in trail(files) if act == "reinstate")
    assert "is undone: withdraw." in moderate(files, "undo", reinstated)
    withdrawn = mara.get(f"/runs/{run_id}").get_json()["withdrawn"]
    assert (withdrawn["reason"], withdrawn["note"]) == ("error", "wrong round")


OPPOSITE = [("withdraw", "reinstate"), ("hide", "unhide"), ("ban", "unban"), ("rename", "rename")]


def test_an_act_is_not_undone_by_undoing_a_later_one(files: Site, mara: Api) -> None:
    """Hidden, shown again by hand, hidden once more: to undo the first act would show what the last one hides."""
    for act in ("hide", "unhide", "hide"):
        moderate(files, act, "Mara")
        files.clock.forward(1)  # type: ignore[attr-defined]
    first, second, last = (act_id for act_id, _ in trail(files))
    for act_id in (first, second):
        assert f"followed by act {last}" in moderate(files, "undo", act_id, fails=True)
    assert mara.get("/players/me").get_json()["hidden"]
    assert "is undone: unhide." in moderate(files, "undo", last)
    assert not mara.get("/players/me").get_json()["hidden"]


def test_runs_of_a_deleted_player_can_be_withdrawn_and_nothing_else_can_be_done(files: Site, mara: Api) -> None:
    run_id = open_run(mara)
    moderate(files, "hide", "Mara")
    ((act_id, _),) = trail(files)
    delete_player(files, UUID(mara.player_id))
    assert "was deleted" in moderate(files, "ban", mara.player_id, fails=True)
    assert "was deleted" in moderate(files, "undo", act_id, fails=True)
    assert moderate(files, "withdraw", run_id, "--reason", "unfair").endswith("is withdrawn.")


def test_what_a_player_did_is_in_the_trail_and_is_not_undone_here(files: Site, mara: Api) -> None:
    mara.patch("/players/me", {"name": "Rena"})
    (line,) = moderate(files, "audit", "Rena").splitlines()
    act_id, _, actor, act, *_ = line.split("  ")
    assert (actor, act) == ("player", "renamed")
    assert "renamed by the player" in moderate(files, "undo", act_id, fails=True)


def test_without_redis_a_run_is_withdrawn_all_the_same(files: Site, mara: Api, finn: Api) -> None:
    run_id = open_run(mara)
    open_run(finn)
    away = replace(files, ranking=Ranking.at("redis://127.0.0.1:9/0", "away"))
    assert moderation.withdraw(away, UUID(run_id), WithdrawReason.OTHER, "")
    assert differences(files, OPENED), "Redis still holds the run"
    shown = finn.get(f"/rounds/{OPENED}/leaderboard").get_json()
    assert [item["player"]["name"] for item in shown["items"]] == ["Finn"]
    reconcile(files, stale_boards(files))
    assert differences(files, OPENED) == []


def test_a_guest_is_named_and_made_a_guest_again(files: Site) -> None:
    guest, _ = create_player(files, None, bot=False)
    moderate(files, "rename", guest.player_id, "Somebody")
    ((act_id, _),) = trail(files)
    moderate(files, "undo", act_id)
    row = files.session.get_one(PlayerRow, guest.player_id, populate_existing=True)
    assert (row.name, row.name_key) == (None, None)


def test_an_act_that_is_undone_stays_so_whatever_was_done_since(files: Site, mara: Api) -> None:
    run_id = open_run(mara)
    for number, act in enumerate((("withdraw", run_id, "--reason", "error"), ("rename", "Mara", "Rena"))):
        moderate(files, *act)
        act_id = trail(files)[-1][0]
        assert "is undone" in moderate(files, "undo", act_id)
        moderate(files, *act)
        files.clock.forward(1)  # type: ignore[attr-defined]
        assert "is undone already" in moderate(files, "undo", act_id), number
    assert mara.get(f"/runs/{run_id}").get_json()["withdrawn"] is not None
    assert mara.get("/players/me").get_json()["name"] == "Rena"
