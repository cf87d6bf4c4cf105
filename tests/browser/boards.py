"""Leaderboards with people on them, for browser tests: a week of which two days have closed."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from shutbox.rounds import Mode
from shutbox.store.database import writing
from shutbox.store.rows import PlayerRow

from tests.browser.hosting import SEALED, Host
from tests.players import Api
from tests.web.test_period_boards import MONDAY, Weeks

NAMES = ("Ada", "Ben", "Cyd", "Dot", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Leo", "Mia", "Ned", "Oda", "Pam")
AFTER_TWO_DAYS = "2026-12-02T03:00:00"


def fill(host: Host, players: int = 70, tied: int = 14) -> Api:
    """Let many play two days of a week, some of them tied at the top; return one who stands far down."""
    assert host.app is not None
    with host.app.app_context():
        weeks = Weeks(host.site, host.clock)
        ids = [weeks.join(bot=number % 9 == 8) for number in range(players)]
        with writing(host.site.session):
            for number, player_id in enumerate(ids[: len(NAMES) * 3]):
                row = host.site.session.get_one(PlayerRow, UUID(player_id))
                row.name = f"{NAMES[number % len(NAMES)]}{' the patient' * (number // len(NAMES))}"
                row.name_key = row.name.casefold()
        last = host.player("Mara")
        weeks.results[last.player_id] = {}
        for number, player_id in enumerate([*ids, last.player_id]):
            penalty = 0 if number < tied else number // 3
            for ahead in range(2 if number % 4 else 1) if number >= tied else range(2):
                day = MONDAY + timedelta(days=ahead)
                weeks.finish(player_id, day, penalty % 40, 0 if number < tied else 120 * number)
                weeks.finish(player_id, day, penalty % 40, mode=Mode.OPEN)
    host.go_to(AFTER_TWO_DAYS)
    return last


def board_of(path: str, known: bool = False) -> Any:
    """Return how to show a page of leaderboards, as nobody or as one who stands far down."""

    def prepare(host: Host, page: Any) -> None:
        last = fill(host)
        if known:
            host.sign_in(page, last)
        page.goto(path)

    return prepare


STATES = {
    "leaderboard-tied": board_of(f"/leaderboard?round={SEALED}", known=True),
    "leaderboard-week": board_of("/leaderboard?period=week", known=True),
    "leaderboard-month": board_of("/leaderboard?period=month&of=2026-11&mode=open"),
    "leaderboard-around": board_of("/leaderboard?period=all-time&around=me", known=True),
    "leaderboard-nobody": board_of("/leaderboard?period=week&ruleset=twelve&bots=only"),
}
