"""Properties that hold for any dice, any turns and any player."""

from hypothesis import given
from hypothesis import strategies as st
from shutbox.game import play
from shutbox.game.analysis import best_possible_penalty, given_away_milli
from shutbox.game.dice import deal
from shutbox.game.encoding import mask_of
from shutbox.game.replay import End, Replay, Turn, replay
from shutbox.game.rules import rules_of
from shutbox.game.rulesets import CATALOGUE

rulesets = st.sampled_from(list(CATALOGUE.values()))
seeds = st.binary(min_size=32, max_size=32)
any_turns = st.lists(
    st.builds(Turn, st.integers(-1, 99), st.lists(st.integers(-1, 99), max_size=8).map(tuple)), max_size=32
)


@given(rulesets, seeds, any_turns)
def test_replay_takes_any_turns_and_never_raises(ruleset, seed, turns):  # type: ignore[no-untyped-def]
    rules = rules_of(ruleset)
    replayed = replay(rules, deal(rules, seed), turns)
    assert replayed.open & ~rules.opening == 0
    assert (replayed.refusal is None) <= (replayed.end is not None)


@given(rulesets, seeds, st.randoms(use_true_random=False))
def test_a_round_played_by_decisions_replays_to_the_same_end(ruleset, seed, random):  # type: ignore[no-untyped-def]
    """Any legal player, one decision at a time: replay agrees, and every prefix is refused as unfinished."""
    rules = rules_of(ruleset)
    table = deal(rules, seed)
    position, decisions, offered = play.start(rules, table), [], 0
    while not isinstance(position.state, End):
        decision: play.Decision
        if position.state is play.Awaits.CHOOSE_DICE:
            offered += 1
            decision = play.DiceChoice(random.choice(rules.dice_allowed[position.open]))
        else:
            decision = play.ShutChoice(random.choice(play.legal_ways(rules, table, position)))
        decisions.append(decision)
        following = play.decide(rules, table, position, decision)
        assert isinstance(following, play.Position)
        position = following
    replayed = replay(rules, table, position.turns)
    assert replayed == Replay(position.open, len(position.turns), position.state, None)
    assert play.position_after(rules, table, decisions) == position
    boards = [rules.opening]
    for turn in position.turns:
        boards.append(boards[-1] ^ mask_of(turn.shut))
    choices = sum(len(rules.dice_allowed[board]) > 1 for board in boards[: len(position.turns)])
    assert offered == choices, "the player chooses the number of dice wherever the rules leave a choice"
    for length in range(len(position.turns)):
        refusal = replay(rules, table, position.turns[:length]).refusal
        assert refusal == ("unfinished", length)
    assert replay(rules, table, [*position.turns, Turn(2, ())]).refusal == ("turn-after-end", len(position.turns))
    penalty = rules.penalties[replayed.open]
    assert best_possible_penalty(rules, table) <= penalty <= rules.opening_penalty
    assert given_away_milli(rules, table, position.turns) >= 0
