"""Every call of the client against the real app, and that no call of the service is missing."""

from datetime import date
from fractions import Fraction

import pytest
from flask import Flask
from shutbox_client import Attempt, Client, Run, Turn

from tests.client.conftest import OPEN, SEALED, SEED, Connect, joined, turns_on
from tests.conftest import MovableClock
from tests.players import last


def finish(client: Client, attempt: Attempt) -> Attempt:
    """Play an attempt to its end: the first way, the fewest dice."""
    while attempt.state.startswith("choose"):
        if attempt.state == "choose_dice":
            attempt = client.make_move(attempt.attempt_id, attempt.move, dice=attempt.dice_allowed[0])
        else:
            attempt = client.make_move(attempt.attempt_id, attempt.move, shut=attempt.legal[0])
    return attempt


def submit(client: Client, round_id: str = OPEN) -> Run:
    """Submit a legal run to an open round."""
    seed = client.round(round_id).seed
    assert seed is not None
    return client.submit_run(round_id, turns_on(seed))


def test_rulesets_come_in_the_order_of_the_catalogue(nameless: Client) -> None:
    assert nameless.rulesets()[0] == nameless.ruleset("classic")


@pytest.mark.parametrize("day", ["today", "2026-11-30", date(2026, 11, 30)])
def test_a_day_is_asked_for_by_date_or_as_today(nameless: Client, day: date | str) -> None:
    assert nameless.day(day).date == date(2026, 11, 30)


def test_a_coming_day_shows_commitments_and_no_seed(nameless: Client) -> None:
    coming = nameless.day("2026-12-01")
    assert coming.state == "upcoming"
    assert [(len(round.commitment), round.seed) for round in coming.rounds] == [(32, None)] * 4


def test_a_round_has_aware_times(nameless: Client) -> None:
    round = nameless.round(SEALED)
    assert round.opens_at < round.entries_until < round.closes_at
    assert round.opens_at.isoformat() == "2026-11-30T00:00:00+00:00"


def test_a_practice_round_takes_the_seed_that_is_given(client: Client) -> None:
    round = client.issue_round("twelve-three-dice", "open", seed=SEED)
    assert (round.seed, round.kind, round.ruleset) == (SEED, "practice", "twelve-three-dice")


def test_each_issue_makes_a_round_of_its_own(client: Client) -> None:
    assert client.issue_round("classic", "open").round_id != client.issue_round("classic", "open").round_id


def test_the_same_idempotency_key_gives_the_same_round(client: Client) -> None:
    one = client.issue_round("classic", "sealed", idempotency_key="monday")
    assert client.issue_round("classic", "sealed", idempotency_key="monday") == one


def test_a_run_is_submitted_and_shown(client: Client) -> None:
    run = submit(client)
    assert (run.rank, run.total, run.ranked, run.gated) == (1, 1, True, False)
    assert run.score is not None
    assert run.score + (run.penalty or 0) == 45
    assert client.run(run.run_id) == run


def test_the_same_turns_again_are_the_same_run(client: Client) -> None:
    assert submit(client) == submit(client)


def test_turns_may_be_plain_tuples(client: Client) -> None:
    seed = client.round(OPEN).seed
    assert seed is not None
    pairs = [(turn.dice, turn.shut) for turn in turns_on(seed)]
    assert client.submit_run(OPEN, [Turn(*pair) for pair in pairs]) == client.submit_run(OPEN, pairs)  # type: ignore[arg-type]


def test_the_run_of_another_hides_its_turns_until_the_close(client: Client, nameless: Client) -> None:
    run = nameless.run(submit(client).run_id)
    assert (run.turns, run.open, run.gated) == (None, None, True)
    assert run.score is not None


def test_an_attempt_is_played_to_its_end(client: Client) -> None:
    ended = finish(client, client.start_attempt(SEALED))
    assert ended.run_id is not None
    run = client.run(ended.run_id)
    assert run.open == ended.open
    assert run.given_away_milli is not None
    assert (run.rank, run.total) == (1, 1)


def test_the_analysis_of_a_run_adds_up_to_its_penalty(client: Client) -> None:
    ended = finish(client, client.start_attempt(SEALED))
    assert ended.run_id is not None
    found = client.analysis(ended.run_id)
    assert found.expected is not None
    assert found.luck is not None
    assert found.given_away is not None
    assert found.steps is not None
    parts = (found.expected, found.luck, found.given_away)
    assert sum((part.fraction for part in parts), Fraction(0)) == found.penalty == client.run(ended.run_id).penalty
    choices = [choice for step in found.steps for choice in (step.dice, step.shut) if choice]
    assert sum((choice.lost.fraction for choice in choices), Fraction(0)) == found.given_away.fraction
    assert (found.gated, found.best_possible, found.better_than, found.total) == (False, None, 0, 1)


def test_the_analysis_of_another_is_gated_until_the_close(client: Client, nameless: Client) -> None:
    run_id = submit(client).run_id
    assert client.analysis(run_id).steps
    found = nameless.analysis(run_id)
    assert (found.gated, found.penalty, found.steps, found.total) == (True, None, None, None)


def test_the_best_possible_run_comes_with_the_analysis_of_a_closed_round(client: Client) -> None:
    practice = client.issue_round("classic", "sealed", seed=SEED)
    ended = finish(client, client.start_attempt(practice.round_id))
    assert ended.run_id is not None
    best = client.analysis(ended.run_id).best_possible
    assert best is not None
    assert best.penalty == client.round(practice.round_id).best_possible_penalty
    again = client.issue_round("classic", "open", seed=SEED)
    assert client.submit_run(again.round_id, best.turns).penalty == best.penalty


def test_an_attempt_is_resumed_where_it_stands(client: Client) -> None:
    begun = client.start_attempt(SEALED)
    moved = client.make_move(begun.attempt_id, 0, shut=begun.legal[0])
    assert client.start_attempt(SEALED) == moved
    assert client.attempt(begun.attempt_id) == moved


def test_the_same_move_again_gives_the_state_after_it(client: Client) -> None:
    begun = client.start_attempt(SEALED)
    moved = client.make_move(begun.attempt_id, 0, shut=begun.legal[0])
    client.make_move(begun.attempt_id, 1, shut=moved.legal[0])
    assert client.make_move(begun.attempt_id, 0, shut=tuple(reversed(begun.legal[0]))) == moved


@pytest.mark.parametrize("decision", [{}, {"dice": 1, "shut": (1,)}])
def test_a_decision_is_dice_or_tiles(client: Client, decision: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="either dice or shut"):
        client.make_move("any", 0, **decision)  # type: ignore[arg-type]


def test_a_sealed_leaderboard_is_gated_until_the_round_is_finished(client: Client) -> None:
    gated = client.leaderboard(SEALED)
    assert (gated.gated, gated.total, gated.items) == (True, None, ())
    finish(client, client.start_attempt(SEALED))
    assert client.leaderboard(SEALED).total == 1


def test_a_leaderboard_is_read_forwards_backwards_and_around(connect: Connect) -> None:
    players = [joined(connect(), f"Player {number}") for number in range(5)]
    for player in players:
        submit(player)
    own = players[2].me()
    first_page = players[2].leaderboard(OPEN, limit=2)
    second = players[2].leaderboard(OPEN, limit=2, after=first_page.next)
    assert players[2].leaderboard(OPEN, limit=2, before=second.previous).items == first_page.items
    assert [row.rank for row in first_page.items + second.items] == [1, 1, 1, 1]
    for around in ("me", own.player_id):
        assert own in [row.player for row in players[2].leaderboard(OPEN, limit=1, around=around).items]


def test_bots_can_be_left_out_or_shown_alone(connect: Connect) -> None:
    person, bot = joined(connect(), "Mara"), joined(connect(), "Robot", bot=True)
    for player in (person, bot):
        submit(player)
    names = {bots: [row.player.name for row in bot.leaderboard(OPEN, bots=bots).items] for bots in ("exclude", "only")}
    assert names == {"exclude": ["Mara"], "only": ["Robot"]}
    assert [row.player.name for row in bot.iter_leaderboard(OPEN, bots="only")] == ["Robot"]


def test_the_iterator_follows_cursors_over_all_120_rows(connect: Connect) -> None:
    client = connect()
    seed = client.round(OPEN).seed
    assert seed is not None
    runs = [turns_on(seed), turns_on(seed, choose=last)]
    made = [joined(client).submit_run(OPEN, runs[number % 2]) for number in range(120)]
    rows = list(client.iter_leaderboard(OPEN, page_size=50))
    assert sorted(row.run_id for row in rows) == sorted(run.run_id for run in made)
    assert len({row.player.player_id for row in rows}) == 120
    assert [row.rank for row in rows] == sorted(row.rank for row in rows)
    assert rows == list(client.iter_leaderboard(OPEN))


def test_a_gated_leaderboard_has_no_rows_to_follow(client: Client) -> None:
    assert list(client.iter_leaderboard(SEALED)) == []


def test_a_player_is_a_guest_until_it_claims_a_name(nameless: Client) -> None:
    made = nameless.create_player()
    assert (made.player.name, made.player.guest, made.player.bot) == (None, True, False)
    nameless.token = made.token
    assert nameless.change_me(name="Mara").guest is False
    changed = nameless.change_me(bot=True)
    assert (changed.name, changed.bot) == ("Mara", True)
    assert nameless.me() == changed


def test_changing_nothing_changes_nothing(client: Client) -> None:
    assert client.change_me() == client.me()


def test_tokens_are_made_listed_and_revoked(client: Client, connect: Connect, clock: MovableClock) -> None:
    clock.forward(1)
    made = client.create_token("laptop")
    assert [token.label for token in client.tokens()] == ["first", "laptop"]
    assert connect(made.token).me() == client.me()
    client.revoke_token(made.token_id)
    assert [token.label for token in client.tokens()] == ["first"]


def test_a_token_needs_no_label(client: Client) -> None:
    assert client.create_token().label == "token"


def test_a_ready_service_says_which_day_it_is(nameless: Client) -> None:
    ready = nameless.ready()
    assert (ready.status, ready.today, ready.redis) == ("ready", date(2026, 11, 30), "ok")


def test_ids_cannot_lead_to_another_address(nameless: Client) -> None:
    for id in ("../rulesets", "a/b", "a?b=c", "ä#", ""):
        with pytest.raises(Exception, match="not_found"):
            nameless.round(id)


def test_a_closed_client_is_closed_by_its_with_statement(app: Flask, connect: Connect) -> None:
    with connect() as client:
        client.rulesets()
    with pytest.raises(RuntimeError, match="closed"):
        client.rulesets()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
        ("HTTPS://Play.Example.org:443", "https://play.example.org"),
        ("https://example.org/shutbox/", "https://example.org/shutbox"),
        (" http://[::1]:8000 ", "http://[::1]:8000"),
    ],
)
def test_an_address_is_kept_in_one_form(given: str, kept: str) -> None:
    with Client(given) as client:
        assert client.base_url == kept


@pytest.mark.parametrize(
    "given",
    ["", "localhost", "localhost:8000", "ftp://example.org", "http://", "http://u:p@h", "http://h/?q", "http://h:x"],
)
def test_what_is_no_address_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match="is no address"):
        Client(given)
