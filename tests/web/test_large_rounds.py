"""Rounds that thousands play: what is asked often costs no more than in small ones."""

from shutbox.site import Site

from tests.biground import fill
from tests.conftest import MovableClock
from tests.players import Api

SEALED = "2026-11-30-classic"


def counted(api: Api) -> tuple[int, int]:
    round = api.get(f"/rounds/{SEALED}").get_json()
    return round["started"], round["finished"]


def test_players_of_a_large_round_are_counted_now_and_then(
    site: Site, nobody: Api, mara: Api, clock: MovableClock
) -> None:
    fill(site, SEALED, 4_999)
    assert counted(nobody) == (4_999, 4_999)
    mara.post(f"/rounds/{SEALED}/attempt")
    assert counted(nobody) == (5_000, 4_999)
    mara.play_sealed(SEALED)
    assert counted(nobody) == (5_000, 4_999)
    clock.forward(1)
    assert counted(nobody) == (5_000, 5_000)


def test_a_clock_that_steps_back_keeps_no_counts(site: Site, nobody: Api, mara: Api, clock: MovableClock) -> None:
    fill(site, SEALED, 5_000)
    assert counted(nobody) == (5_000, 5_000)
    mara.post(f"/rounds/{SEALED}/attempt")
    clock.forward(-1)
    assert counted(nobody) == (5_001, 5_000)
