"""Leagues for browser tests: one that has played some days, shown to its owner, a member, or one who has its link."""

from collections.abc import Callable
from typing import Any

from tests.browser.hosting import Host
from tests.players import Api, any_of

MEMBERS = ("Mara", "Finn", "Ada", None, "Grandmaster of the lucky sevens")


def league(host: Host, name: str = "Office", members: int = 5) -> tuple[str, list[Api]]:
    """Make a league whose members have played two days that have closed; return its code and its members."""
    players = [host.player(name) for name in MEMBERS[:members]]
    for day in (24, 25):
        host.go_to(f"2026-11-{day}T12:00:00")
        for number, player in enumerate(players[:4]):
            player.play_sealed(f"2026-11-{day}-classic", any_of(number + day))
    host.go_to("2026-11-26T03:00:00")
    code = players[0].post("/leagues", {"name": name}).get_json()["code"]
    for player in players[1:]:
        host.clock.forward(1)
        player.post(f"/leagues/{code}/members")
    return code, players


def shown(
    who: int | None, prepare: Callable[[Host, str, list[Api]], object] | None = None
) -> Callable[[Host, Any], None]:
    """Show a league to its owner (0), another member, or (None) nobody."""

    def show(host: Host, page: Any) -> None:
        code, players = league(host)
        if prepare is not None:
            prepare(host, code, players)
        if who is not None:
            host.sign_in(page, players[who])
        page.goto(f"/league/{code}")

    return show


def played_today(host: Host, code: str, players: list[Api]) -> None:
    """Let some members finish today's round."""
    for number, player in enumerate(players[:3]):
        player.play_sealed("2026-11-26-classic", any_of(number))


def asked(host: Host, page: Any) -> None:
    """Show the question before a league is closed."""
    shown(0)(host, page)
    page.get_by_role("button", name="Close the league…").click()


def all_leagues(host: Host, page: Any) -> None:
    """Show a player who is in two leagues the list of them."""
    _, players = league(host)
    players[1].post("/leagues", {"name": "Family"})
    host.sign_in(page, players[1])
    page.goto("/leagues")


def today(host: Host, page: Any) -> None:
    """Show the day to a player who is in a league."""
    all_leagues(host, page)
    page.goto("/")
