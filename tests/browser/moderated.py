"""Pages of a day on which the operator did something, for the tests of looks."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from shutbox import moderation
from shutbox.tlog.leaves import WithdrawReason

from tests.browser.hosting import SEALED, Host

NOTE = "Two players of one household played with the same dice."


def moderate(host: Host) -> str:
    """Close a day with a withdrawn run and a hidden player; return the id of the run."""
    states = host.finish_sealed(["Ada", None, "Ben", "Rude Name", "Cleo"])
    run_id = str(states[2]["run_id"])
    host.work()
    assert host.app is not None
    with host.app.app_context():
        moderation.withdraw(host.site, UUID(run_id), WithdrawReason.UNFAIR_PLAY, NOTE)
        moderation.hide(host.site, moderation.find_player(host.site, "Rude Name").player_id, "")
    host.go_to("2026-12-01T02:00:01")
    return run_id


def withdrawn_run(host: Host, page: Any) -> None:
    page.goto(f"/run/{moderate(host)}")


def moderated_board(host: Host, page: Any) -> None:
    moderate(host)
    page.goto(f"/leaderboard?round={SEALED}")


STATES: dict[str, Callable[[Host, Any], None]] = {
    "run-withdrawn": withdrawn_run,
    "leaderboard-moderated": moderated_board,
}
