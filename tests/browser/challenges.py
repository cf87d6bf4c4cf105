"""Challenges for browser tests, and their pages in each of their states."""

from collections.abc import Callable
from typing import Any

from tests.browser.hosting import Host
from tests.players import Api, any_of


def challenge_of(host: Host, player: Api, players: int = 3, hours: int = 24, ruleset: str = "classic") -> str:
    """Let a player make a challenge; return its round."""
    made = player.post("/challenges", {"ruleset": ruleset, "players": players, "hours": hours}).get_json()
    host.work()
    return str(made["round_id"])


def finished_by(host: Host, round_id: str, *players: Api) -> list[str]:
    """Let players finish a challenge; return their runs."""
    runs = [str(player.play_sealed(round_id, any_of(number))["run_id"]) for number, player in enumerate(players)]
    host.work()
    return runs


def _shown(path: str, known: bool = True, offers: str = "") -> Callable[[Host, Any], None]:
    """Show a page to Mara, who has a challenge of each kind, or to a stranger; `{name}` in the path is one of them."""

    def prepare(host: Host, page: Any) -> None:
        mara, finn, nora = host.player("Mara"), host.player("Finn"), host.player()
        named = {
            "over": challenge_of(host, mara, 2),
            "full": challenge_of(host, finn, 2),
            "begun": challenge_of(host, finn, 8, 3, "twelve"),
            "new": challenge_of(host, mara, 5),
        }
        runs = finished_by(host, named["over"], mara, finn)
        for player in (finn, nora):
            player.post(f"/rounds/{named['full']}/attempt")
        mara.post(f"/rounds/{named['begun']}/attempt")
        if known:
            host.sign_in(page, mara)
        page.goto(path.format(run=runs[0], **named))
        if offers:
            page.locator("#primary", has_text=offers).wait_for()

    return prepare


STATES: dict[str, Callable[[Host, Any], None]] = {
    "challenge": lambda host, page: page.goto("/challenge"),
    "challenge-made": _shown("/challenge?made={new}#made"),
    "challenge-again": _shown("/challenge?again={over}"),
    "challenge-result": _shown("/run/{run}"),
    "challenge-leaderboard": _shown("/leaderboard?round={over}"),
    "challenge-leaderboard-gated": _shown("/leaderboard?round={full}", known=False),
    "play-challenge": _shown("/play/{begun}", offers="Choose tiles"),
    "play-challenge-new": _shown("/play/{new}", known=False, offers="Roll 2 dice"),
    "play-challenge-full": _shown("/play/{full}", offers="Full"),
    "play-challenge-over": _shown("/play/{over}", known=False, offers="Closed for new players"),
    "verify-challenge": _shown("/verify/{new}", known=False),
}
