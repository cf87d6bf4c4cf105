"""Profiles: what is counted, from which day on others may know it, and streaks."""

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shutbox.errors import PlayerNotFound
from shutbox.players import player_by_name
from shutbox.profiles import streaks
from shutbox.site import Site

from tests.conftest import TODAY, Closer, MovableClock
from tests.players import Api, Json, any_of

EMPTY: Json = {
    "days_played": 0,
    "streak": 0,
    "longest_streak": 0,
    "best": None,
    "boxes_shut": 0,
    "histogram": [],
    "results": [],
    "until": None,
}
NextDay = Callable[[], str]


@pytest.fixture
def next_day(clock: MovableClock, close_days: Closer) -> NextDay:
    """Goes to noon of the next day, with the day before closed; returns the id of its round."""
    days = iter(range(1, 8))

    def go() -> str:
        day = TODAY + timedelta(days=next(days))
        clock.set(f"{day}T12:00:00")
        close_days()
        return f"{day}-classic"

    return go


def profile_of(api: Api, name: str = "Mara") -> Json:
    answer = api.get(f"/players/{name}")
    assert answer.status_code == 200
    return dict(answer.get_json())


def own_profile(player: Api) -> Json:
    return dict(player.get("/players/me/profile").get_json())


def counted(profile: Json) -> tuple[int, int, int]:
    return profile["days_played"], profile["streak"], profile["longest_streak"]


# What is counted


def test_one_who_has_not_played_has_an_empty_profile(mara: Api, nobody: Api) -> None:
    player = mara.get("/players/me").get_json()
    assert profile_of(nobody) == own_profile(mara) == {"player": player, **EMPTY}


def test_results_are_those_of_the_runs(mara: Api, nobody: Api, next_day: NextDay) -> None:
    """Also what is counted in them: the histogram, the best, the boxes that were shut."""
    rounds, runs = [f"{TODAY}-classic"], []
    for number in range(4):
        end = mara.play_sealed(rounds[-1], any_of(number))
        runs.append(mara.get(f"/runs/{end['run_id']}").get_json())
        rounds.append(next_day())
    profile = profile_of(nobody)
    fields = ("round_id", "run_id", "score", "penalty", "given_away_milli")
    told = [{field: result[field] for field in fields} for result in profile["results"]]
    assert told == [{field: run[field] for field in fields} for run in runs[::-1]]
    assert [result["date"] for result in profile["results"]] == [round_id[:10] for round_id in rounds[3::-1]]
    penalties = [run["penalty"] for run in runs]
    assert profile["histogram"] == [
        {"penalty": penalty, "times": penalties.count(penalty)} for penalty in sorted(set(penalties))
    ]
    best = min(runs, key=lambda run: (run["penalty"], run["given_away_milli"], run["accepted_at"]))
    assert profile["best"]["run_id"] == best["run_id"]
    assert profile["boxes_shut"] == sum(run["shut_the_box"] for run in runs)
    assert profile["until"] == "2026-12-03"


def test_only_the_sealed_classic_round_of_a_day_counts(mara: Api, nobody: Api, next_day: NextDay) -> None:
    """Report 38: practice leaves streak and days played as they are; so do the other rounds of the day."""
    sealed = [one for one in mara.get("/days/today").get_json()["rounds"] if one["mode"] == "sealed"]
    mara.play_sealed(sealed[1]["round_id"])
    mara.play_sealed(mara.issue("classic", "sealed")["round_id"])
    mara.post(f"/rounds/{TODAY}-classic/attempt")  # and not finished
    assert counted(own_profile(mara)) == (0, 0, 0)
    next_day()
    assert profile_of(nobody)["results"] == own_profile(mara)["results"] == []


def test_streak_and_days_played_are_two_numbers(mara: Api, nobody: Api, next_day: NextDay) -> None:
    """Report 7: after a missed day the streak begins anew, and the days that were played stay."""
    mara.play_sealed(f"{TODAY}-classic")
    mara.play_sealed(next_day())
    next_day()  # not played
    assert counted(own_profile(mara)) == (2, 2, 2)
    mara.play_sealed(next_day())
    assert counted(own_profile(mara)) == (3, 1, 2)
    assert counted(profile_of(nobody)) == (2, 0, 2)
    next_day()
    assert counted(profile_of(nobody)) == (3, 1, 2)


# What others may know


def test_to_others_a_profile_says_nothing_of_a_day_that_has_not_closed(
    mara: Api, finn: Api, nobody: Api, clock: MovableClock, close_days: Closer
) -> None:
    """Not even to those who have finished it too. The own profile has it at once."""
    before = profile_of(nobody)
    for player in (mara, finn):
        player.play_sealed(f"{TODAY}-classic")
    own = own_profile(mara)
    assert counted(own) == (1, 1, 1)
    assert len(own["results"]) == len(own["histogram"]) == 1
    for moment in (f"{TODAY}T23:59:59", "2026-12-01T01:59:59"):
        clock.set(moment)
        close_days()
        for viewer in (nobody, finn, mara):
            assert profile_of(viewer) == before
    clock.set("2026-12-01T02:00:00")
    close_days()
    assert profile_of(nobody) == own_profile(mara) == {**own, "until": f"{TODAY}"}


def test_a_day_whose_close_is_late_stays_hidden(mara: Api, nobody: Api, clock: MovableClock) -> None:
    mara.play_sealed(f"{TODAY}-classic")
    clock.set("2026-12-03T12:00:00")  # no worker has run
    assert profile_of(nobody)["days_played"] == 0


# Who has a profile


def test_a_profile_is_found_by_name_whatever_its_case(nobody: Api) -> None:
    nobody.join(name="Zoë Baker")
    for name in ("Zoë Baker", "ZOË BAKER", "zoe\u0308 baker"):
        assert profile_of(nobody, name)["player"]["name"] == "Zoë Baker"


def test_a_bot_has_a_profile_like_anyone(nobody: Api) -> None:
    nobody.join(name="Robot", bot=True)
    assert profile_of(nobody, "Robot")["player"]["bot"] is True


def test_a_guest_has_only_the_own_profile(nobody: Api) -> None:
    guest = nobody.join()
    guest.play_sealed(f"{TODAY}-classic")
    assert own_profile(guest)["days_played"] == 1
    for name in (guest.player_id, "None", "guest"):
        assert nobody.get(f"/players/{name}").get_json()["code"] == "player_not_found"
    assert nobody.get("/players/me/profile").get_json()["code"] == "player_required"


@pytest.mark.parametrize("name", ["Nobody", "%00", "a%2Fb", "%ED%A0%80", "x" * 33, "%2E", "ME"])
def test_a_name_that_nobody_has_is_not_found(mara: Api, name: str) -> None:
    answer = mara.get(f"/players/{name}")
    assert answer.status_code == 404
    assert answer.get_json()["code"] in ("player_not_found", "not_found")


@pytest.mark.parametrize("name", ["", ".", "me", "\0", "\ud800"])
def test_what_can_be_no_name_is_nobodys(site: Site, name: str) -> None:
    with pytest.raises(PlayerNotFound):
        player_by_name(site, name)


# Streaks


def days(*numbers: int) -> list[date]:
    """Return days of November 2026."""
    return [date(2026, 11, number) for number in numbers]


@pytest.mark.parametrize(
    ("played", "until", "streak", "longest"),
    [
        ([], None, 0, 0),
        ([], 20, 0, 0),
        ([20], None, 1, 1),  # the first day of the installation, and it runs
        ([20], 20, 1, 1),  # it has closed, the next one is not played yet
        ([20], 21, 0, 1),  # a day has closed without the player
        ([20, 21], 20, 2, 2),  # today is finished
        ([19, 20], 20, 2, 2),  # today is not
        ([18, 20], 20, 1, 1),  # a gap
        ([17, 18, 20], 20, 1, 2),
        ([17, 18, 20], 21, 0, 2),
        ([19, 21], 19, 2, 2),  # yesterday has not closed: it can still be finished in the grace
        ([19, 21], 20, 1, 1),  # now it cannot
        ([19, 20, 21], 19, 3, 3),
        ([19, 25], 20, 1, 1),
        ([20, 25], 20, 2, 2),  # what lies between has not closed
    ],
)
def test_a_streak_ends_when_a_day_closes_without_the_player(
    played: list[int], until: int | None, streak: int, longest: int
) -> None:
    closed = None if until is None else date(2026, 11, until)
    assert streaks(days(*played), closed) == (streak, longest)


def counted_backwards(played: set[date], until: date | None) -> int:
    """The present streak by its words, day by day: a played day counts, a closed one without the player ends it."""
    if not played:
        return 0
    day, streak = max(played | ({until} if until else set())), 0
    while day >= min(played):
        if day in played:
            streak += 1
        elif until is not None and day <= until:
            break
        day -= timedelta(days=1)
    return streak


some_days = st.integers(0, 40).map(lambda number: date(2026, 11, 1) + timedelta(days=number))


@given(st.lists(some_days), st.none() | some_days)
def test_streaks_are_those_of_a_walk_over_the_days(played: list[date], until: date | None) -> None:
    """Report 7. The longest one is the greatest that the walk finds when the player stops on any day."""
    streak, longest = streaks(played, until)
    assert streak == counted_backwards(set(played), until)
    stops = [counted_backwards({day for day in played if day <= stop}, min(until or stop, stop)) for stop in played]
    if until is None:
        stops = [len(set(played))]
    assert longest == max(stops, default=0)


@given(st.lists(some_days), some_days)
def test_a_day_more_never_makes_a_streak_shorter(played: list[date], until: date) -> None:
    before = streaks(played, until)
    after = streaks([*played, until], until)
    assert all(one <= other for one, other in zip(before, after, strict=True))
    assert streaks([*played, *played], until) == before
