"""Leagues: codes, members, owners; their boards, which open no gate; and what is left of those who go."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from shutbox.site import Site
from shutbox.store.database import db
from shutbox.store.rows import Base, LeagueRow, MemberRow
from shutbox.web.app import create_app
from sqlalchemy import select

from tests.conftest import Closer, MovableClock
from tests.players import Api, Json, any_of, first, last, legal_turns

ROUND = "2026-11-30-classic"
PUZZLE = "2026-11-30-classic-open"
SEED = "5a" * 32


def make(owner: Api, name: str = "Office") -> Json:
    made = owner.post("/leagues", {"name": name})
    assert made.status_code == 201, made.text
    return dict(made.get_json())


def join(player: Api, code: str) -> Json:
    joined = player.post(f"/leagues/{code}/members")
    assert joined.status_code == 201, joined.text
    return dict(joined.get_json())


def refused(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.get_json()["code"]


def names(league: Json) -> list[str]:
    return sorted(member["player"]["name"] for member in league["members"])


@pytest.fixture
def tight(app: Flask) -> Iterator[Flask]:
    """Another process of the same installation, in which leagues have at most six members."""
    site: Site = app.extensions["shutbox"]
    other = create_app(replace(site.settings, league_size=6), site.secrets, site.clock)
    yield other
    with other.app_context():
        db.engine.dispose()


# Making one


def test_who_makes_a_league_is_its_owner_and_first_member(mara: Api) -> None:
    league = make(mara)
    assert (league["name"], league["owner"]["name"], league["size"], league["most"]) == ("Office", "Mara", 1, 100)
    assert names(league) == ["Mara"]
    assert mara.get(f"/leagues/{league['code']}").get_json() == league
    assert mara.get("/players/me/leagues").get_json()["items"] == [{**league, "members": None}]


def test_a_guest_makes_and_joins_leagues(nobody: Api, mara: Api) -> None:
    own = make(nobody.join(), "Guests")
    assert own["owner"]["guest"]
    assert join(mara, own["code"])["size"] == 2


def test_two_leagues_may_have_one_name_and_a_player_may_have_it_too(mara: Api, finn: Api) -> None:
    assert make(mara, "Finn")["code"] != make(finn, "Finn")["code"]


@pytest.mark.parametrize("name", ["", " ", "a" * 33, "a/b", "bell\a"])
def test_a_league_has_a_name_like_a_players(mara: Api, name: str) -> None:
    assert refused(mara.post("/leagues", {"name": name})) == (422, "invalid_name")
    league = make(mara)
    assert refused(mara.patch(f"/leagues/{league['code']}", {"name": name})) == (422, "invalid_name")


def test_the_same_idempotency_key_gives_the_same_league(mara: Api, finn: Api) -> None:
    key = {"Idempotency-Key": "one"}
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: mara.post("/leagues", {"name": "Office"}, headers=key), range(8)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.get_json()["code"] for answer in answers}) == 1
    assert len(mara.get("/players/me/leagues").get_json()["items"]) == 1
    assert finn.post("/leagues", {"name": "Office"}, headers=key).get_json()["owner"]["name"] == "Finn"
    assert refused(mara.post("/leagues", {"name": "Home"}, headers=key)) == (422, "idempotency_key_reused")
    practice = mara.post("/rounds", {"ruleset": "classic", "mode": "open"}, headers=key)
    assert refused(practice) == (422, "idempotency_key_reused")
    mara.delete(f"/leagues/{answers[0].get_json()['code']}")
    assert refused(mara.post("/leagues", {"name": "Office"}, headers=key)) == (410, "league_closed")


def test_a_player_is_in_at_most_fifty_leagues(mara: Api, finn: Api) -> None:
    for number in range(49):
        make(mara, f"League {number}")
    codes = [make(finn, f"Other {number}")["code"] for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda code: mara.post(f"/leagues/{code}/members"), codes))
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 7
    assert refused(mara.post("/leagues", {"name": "One more"})) == (409, "too_many_leagues")
    mara.delete(f"/leagues/{mara.get('/players/me/leagues').get_json()['items'][0]['code']}/members/me")
    make(mara, "One more")


# Codes


def test_a_code_is_read_however_it_is_typed(mara: Api, finn: Api) -> None:
    code = make(mara)["code"]
    for typed in (
        code.lower(),
        code.replace("-", ""),
        f" {code[:3]} {code[3:]} ",
        code.translate(str.maketrans("01", "OL")),
    ):
        assert finn.get(f"/leagues/{typed}").get_json()["name"] == "Office"


@pytest.mark.parametrize("code", ["7KQ2M-4XD9R", "7KQ2M", "7KQ2M-4XD9R-7KQ2M", "UUUUU-UUUUU", "ß", "%00"])
def test_a_code_of_no_league_is_not_found(mara: Api, code: str) -> None:
    assert refused(mara.get(f"/leagues/{code}")) == (404, "league_not_found")
    assert refused(mara.post(f"/leagues/{code}/members")) == (404, "league_not_found")
    assert refused(mara.get(f"/rounds/{PUZZLE}/leaderboard?league={code}")) == (404, "league_not_found")


def test_others_see_of_a_league_its_name_size_and_owner(mara: Api, finn: Api, nobody: Api) -> None:
    league = make(mara)
    for viewer in (finn, nobody):
        assert viewer.get(f"/leagues/{league['code']}").get_json() == {**league, "members": None}


def test_a_replaced_code_works_no_more_and_members_stay(mara: Api, finn: Api, nobody: Api) -> None:
    league = make(mara)
    join(finn, league["code"])
    replaced = mara.post(f"/leagues/{league['code']}/codes")
    assert replaced.status_code == 201
    code = replaced.get_json()["code"]
    assert code != league["code"]
    for viewer in (mara, finn, nobody):
        assert refused(viewer.get(f"/leagues/{league['code']}")) == (410, "league_code_expired")
    assert refused(nobody.join().post(f"/leagues/{league['code']}/members")) == (410, "league_code_expired")
    assert names(finn.get(f"/leagues/{code}").get_json()) == ["Finn", "Mara"]
    assert [one["code"] for one in finn.get("/players/me/leagues").get_json()["items"]] == [code]


def test_of_two_who_replace_a_code_at_once_one_does(mara: Api) -> None:
    code = make(mara)["code"]
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: mara.post(f"/leagues/{code}/codes").status_code, range(6)))
    assert sorted(answers) == [201] + [410] * 5


# Members


def test_joining_twice_is_joining_once(mara: Api, finn: Api) -> None:
    code = make(mara)["code"]
    joined = join(finn, code)
    again = finn.post(f"/leagues/{code}/members")
    assert (again.status_code, again.get_json()) == (200, joined)
    assert names(joined) == ["Finn", "Mara"]


def test_of_twenty_who_join_at_once_exactly_the_rest_gets_in(tight: Flask, mara: Api, nobody: Api) -> None:
    code = make(mara)["code"]
    waiting = [nobody.join() for _ in range(20)]
    for player in waiting:
        player.app = tight
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda player: player.post(f"/leagues/{code}/members"), waiting))
    assert sorted(answer.status_code for answer in answers) == [201] * 5 + [409] * 15
    assert {refused(answer) for answer in answers if answer.status_code == 409} == {(409, "league_full")}
    league = mara.get(f"/leagues/{code}").get_json()
    assert (league["size"], len(league["members"])) == (6, 6)
    inside = next(player for player, answer in zip(waiting, answers, strict=True) if answer.status_code == 201)
    assert inside.post(f"/leagues/{code}/members").status_code == 200
    inside.delete(f"/leagues/{code}/members/me")
    outside = next(player for player, answer in zip(waiting, answers, strict=True) if answer.status_code == 409)
    assert outside.post(f"/leagues/{code}/members").status_code == 201


def test_a_member_leaves_and_leaving_again_is_the_same(mara: Api, finn: Api) -> None:
    code = make(mara)["code"]
    join(finn, code)
    for _ in range(2):
        assert finn.delete(f"/leagues/{code}/members/me").status_code == 204
    assert finn.get(f"/leagues/{code}").get_json()["members"] is None
    assert finn.get("/players/me/leagues").get_json()["items"] == []
    assert names(mara.get(f"/leagues/{code}").get_json()) == ["Mara"]


def test_the_oldest_member_follows_an_owner_who_leaves(mara: Api, finn: Api, nobody: Api, clock: MovableClock) -> None:
    code = make(mara)["code"]
    clock.forward(1)
    join(finn, code)
    clock.forward(1)
    join(nobody.join(name="Ada"), code)
    mara.delete(f"/leagues/{code}/members/me")
    assert finn.get(f"/leagues/{code}").get_json()["owner"]["name"] == "Finn"
    assert refused(mara.post(f"/leagues/{code}/codes")) == (403, "not_yours")
    assert finn.patch(f"/leagues/{code}", {"name": "Kitchen"}).get_json()["name"] == "Kitchen"


def test_the_last_member_who_leaves_closes_the_league(mara: Api, finn: Api) -> None:
    code = make(mara)["code"]
    mara.delete(f"/leagues/{code}/members/me")
    assert refused(finn.get(f"/leagues/{code}")) == (410, "league_closed")
    assert refused(finn.post(f"/leagues/{code}/members")) == (410, "league_closed")


def test_all_members_who_leave_at_once_close_the_league(mara: Api, nobody: Api) -> None:
    code = make(mara)["code"]
    members = [mara, *(nobody.join() for _ in range(7))]
    for member in members[1:]:
        join(member, code)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda member: member.delete(f"/leagues/{code}/members/me").status_code, members))
    assert answers == [204] * 8
    assert refused(nobody.get(f"/leagues/{code}")) == (410, "league_closed")


def test_only_the_owner_changes_a_league(mara: Api, finn: Api, nobody: Api) -> None:
    code = make(mara)["code"]
    ada = nobody.join(name="Ada")
    join(finn, code)
    for other in (finn, ada):
        for answer in (
            other.patch(f"/leagues/{code}", {"name": "Mine"}),
            other.post(f"/leagues/{code}/codes"),
            other.delete(f"/leagues/{code}"),
            other.delete(f"/leagues/{code}/members/{mara.player_id}"),
        ):
            assert refused(answer) == (403, "not_yours")
    for answer in (nobody.post("/leagues", {"name": "x"}), nobody.post(f"/leagues/{code}/members")):
        assert refused(answer) == (401, "player_required")
    assert names(mara.get(f"/leagues/{code}").get_json()) == ["Finn", "Mara"]


def test_one_who_was_removed_joins_again_until_the_code_is_replaced(mara: Api, finn: Api) -> None:
    code = make(mara)["code"]
    join(finn, code)
    for _ in range(2):
        assert mara.delete(f"/leagues/{code}/members/{finn.player_id}").status_code == 204
    join(finn, code)
    mara.delete(f"/leagues/{code}/members/{finn.player_id}")
    mara.post(f"/leagues/{code}/codes")
    assert refused(finn.post(f"/leagues/{code}/members")) == (410, "league_code_expired")


def test_a_closed_league_is_gone_for_all(mara: Api, finn: Api) -> None:
    code = make(mara)["code"]
    join(finn, code)
    assert mara.delete(f"/leagues/{code}").status_code == 204
    for player in (mara, finn):
        assert player.get("/players/me/leagues").get_json()["items"] == []
        assert refused(player.get(f"/leagues/{code}")) == (410, "league_closed")
        assert refused(player.get(f"/rounds/{PUZZLE}/leaderboard?league={code}")) == (410, "league_closed")


# What is stored


def test_a_deleted_player_is_in_no_league_any_more(mara: Api, finn: Api, site: Site) -> None:
    """Report 36. A league passes on, one that nobody else is in goes, and so do those that were closed before."""
    shared, alone, over = (make(mara, name)["code"] for name in ("Shared", "Alone", "Over"))
    join(finn, shared)
    mara.delete(f"/leagues/{over}")
    assert mara.delete("/players/me").status_code == 204
    league = finn.get(f"/leagues/{shared}").get_json()
    assert (league["owner"]["name"], names(league)) == ("Finn", ["Finn"])
    for code in (alone, over):
        assert refused(finn.get(f"/leagues/{code}")) == (404, "league_not_found")
    site.session.rollback()
    stored = {table.name: str(site.session.execute(select(table)).all()) for table in Base.metadata.sorted_tables}
    assert [name for name, rows in stored.items() if "league" in name and mara.player_id in rows] == []


def test_a_league_whose_maker_was_deleted_can_pass_on_and_go(mara: Api, finn: Api, site: Site) -> None:
    """Also where the key of its maker stands."""
    made = mara.post("/leagues", {"name": "Office"}, headers={"Idempotency-Key": "one"}).get_json()
    join(finn, made["code"])
    mara.delete(f"/leagues/{made['code']}/members/me")
    assert finn.delete("/players/me").status_code == 204
    site.session.rollback()
    assert site.session.scalars(select(LeagueRow)).all() == []
    make(mara)


def test_players_who_go_at_once_leave_a_league_that_is_whole(mara: Api, nobody: Api, site: Site) -> None:
    code = make(mara)["code"]
    members = [mara, *(nobody.join() for _ in range(5))]
    for member in members[1:]:
        join(member, code)

    def leave(player: Api) -> int:
        path = "/players/me" if player in members[::2] else f"/leagues/{code}/members/me"
        return player.delete(path).status_code

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(leave, members)) == [204] * 6
    site.session.rollback()
    assert site.session.scalars(select(MemberRow)).all() == []


def test_the_copy_of_a_players_data_holds_the_leagues(mara: Api, finn: Api) -> None:
    join(finn, make(mara)["code"])
    make(finn, "Home")
    copy = finn.get("/players/me/export").get_json()
    joined = "2026-11-30T12:00:00.000Z"
    assert sorted(copy["leagues"], key=lambda one: one["name"]) == [
        {"name": "Home", "owner": True, "joined_at": joined},
        {"name": "Office", "owner": False, "joined_at": joined},
    ]


# Boards


def test_ranks_are_counted_anew_within_a_league(mara: Api, finn: Api, nobody: Api) -> None:
    """Golden: 1, 2, 2, 4 among all, 1, 2, 2 within."""
    round_id = mara.issue(seed=SEED)["round_id"]
    results = {any_of(seed): legal_turns("classic", SEED, any_of(seed)) for seed in range(40)}
    by_score: dict[int, list[list[Json]]] = {}
    for turns in results.values():
        by_score.setdefault(sum(sum(turn["shut"]) for turn in turns), []).append(turns)
    best, second, *_ = (by_score[score] for score in sorted(by_score, reverse=True))
    outsider, *members = (nobody.join() for _ in range(4))
    for player, turns in zip(
        (outsider, *members), (best[0], second[0], second[0], results[next(iter(results))]), strict=True
    ):
        assert player.submit(round_id, turns).status_code in (200, 201)
    code = make(members[0])["code"]
    for member in members[1:]:
        join(member, code)
    every = members[0].get(f"/rounds/{round_id}/leaderboard").get_json()
    within = members[0].get(f"/rounds/{round_id}/leaderboard?league={code}").get_json()
    assert (every["total"], within["total"]) == (4, 3)
    assert [row["rank"] for row in within["items"][:2]] == [1, 1]
    assert {row["player"]["player_id"] for row in within["items"]} == {member.player_id for member in members}


def test_a_league_is_walked_by_cursors_that_no_other_board_takes(mara: Api, nobody: Api) -> None:
    round_id = mara.issue(seed=SEED)["round_id"]
    code = make(mara)["code"]
    for number in range(7):
        player = nobody.join()
        player.submit(round_id, legal_turns("classic", SEED, any_of(number)))
        if number % 2 == 0:
            join(player, code)
    path = f"/rounds/{round_id}/leaderboard?limit=1&league={code}"
    seen, following = [], ""
    while following is not None:
        page = mara.get(path + (f"&after={following}" if following else "")).get_json()
        seen += [row["player"]["player_id"] for row in page["items"]]
        following = page["next"]
        if following:
            everyone = mara.get(f"/rounds/{round_id}/leaderboard?after={following}")
            assert refused(everyone) == (422, "invalid_cursor")
    assert len(seen) == len(set(seen)) == 4


def test_a_league_of_one_holds_its_one_member_around_me(mara: Api) -> None:
    """Report 34."""
    code = make(mara)["code"]
    board = f"/rounds/{PUZZLE}/leaderboard?league={code}"
    assert mara.get(board).get_json()["items"] == []
    assert refused(mara.get(f"{board}&around=me")) == (404, "not_ranked")
    seed = mara.get(f"/rounds/{PUZZLE}").get_json()["seed"]
    mara.submit(PUZZLE, legal_turns("classic", seed))
    around = mara.get(f"{board}&around=me").get_json()
    assert [(row["rank"], row["player"]["name"]) for row in around["items"]] == [(1, "Mara")]
    assert (around["total"], around["next"], around["previous"]) == (1, None, None)


def test_only_members_see_the_boards_of_a_league(mara: Api, finn: Api, nobody: Api) -> None:
    code = make(mara)["code"]
    for viewer in (finn, nobody):
        for board in (f"/rounds/{PUZZLE}/leaderboard?league={code}", f"/leaderboards/week?league={code}"):
            assert refused(viewer.get(board)) == (403, "not_a_member")
    join(finn, code)
    assert finn.get(f"/rounds/{PUZZLE}/leaderboard?league={code}").status_code == 200
    mara.delete(f"/leagues/{code}/members/{finn.player_id}")
    assert refused(finn.get(f"/rounds/{PUZZLE}/leaderboard?league={code}")) == (403, "not_a_member")


def test_a_league_opens_no_gate(mara: Api, finn: Api, clock: MovableClock, close_days: Closer) -> None:
    """Nothing of a running day is in a table of a league: before the close, or the viewer's own finish."""
    code = make(mara)["code"]
    join(finn, code)
    mara.play_sealed(ROUND, first)
    board, week = f"/rounds/{ROUND}/leaderboard?league={code}", f"/leaderboards/week?league={code}&of=2026-11-30"
    gated = finn.get(board).get_json()
    assert (gated["gated"], gated["total"], gated["items"]) == (True, None, [])
    for query in ("&around=me", f"&around={mara.player_id}", "&bots=exclude"):
        assert finn.get(board + query).get_json()["items"] == []
    for viewer in (finn, mara):
        assert viewer.get(week).get_json()["items"] == []
    finn.play_sealed(ROUND, last)
    assert finn.get(board).get_json()["total"] == 2
    assert finn.get(week).get_json()["items"] == []
    clock.set("2026-12-01T02:00:00")
    close_days()
    assert len(finn.get(week).get_json()["items"]) == 2


def test_the_week_of_a_league_counts_its_members_alone(
    mara: Api, finn: Api, nobody: Api, clock: MovableClock, close_days: Closer
) -> None:
    code = make(mara)["code"]
    join(finn, code)
    for number, player in enumerate((mara, finn, nobody.join(name="Ada"))):
        player.play_sealed(ROUND, any_of(number))
    clock.set("2026-12-01T02:00:00")
    close_days()
    week = mara.get(f"/leaderboards/week?league={code}&of=2026-11-30").get_json()
    assert {row["player"]["name"] for row in week["items"]} == {"Mara", "Finn"}
    assert week["total"] == 2
    assert min(row["rank"] for row in week["items"]) == 1
    alone = make(mara, "Alone")["code"]
    around = mara.get(f"/leaderboards/week?league={alone}&of=2026-11-30&around=me").get_json()
    assert [(row["rank"], row["player"]["name"]) for row in around["items"]] == [(1, "Mara")]


def test_a_key_sent_again_tells_a_former_member_no_new_code(mara: Api, finn: Api) -> None:
    key = {"headers": {"Idempotency-Key": "z"}}
    code = mara.post("/leagues", {"name": "Office"}, **key).get_json()["code"]
    join(finn, code)
    assert mara.delete(f"/leagues/{code}/members/me").status_code == 204
    rotated = finn.post(f"/leagues/{code}/codes").get_json()["code"]
    assert rotated != code
    assert refused(mara.post("/leagues", {"name": "Office"}, **key)) == (403, "not_a_member")
