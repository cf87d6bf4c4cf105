"""The log of vectors/small-log.json: two days that have closed, a third that runs, a challenge of each kind."""

from datetime import UTC, datetime, timedelta

from shutbox.game.rulesets import CATALOGUE

from tests.players import table_of
from tests.tlog import reference_log as plain
from tests.tlog.reference import Reference
from tests.tlog.reference_log import Signer
from tests.tlog.story import Played, Round, Story, drawn, pool_of, yyyymmdd

SIGNER = Signer("example.org/shutbox/log", drawn("key"))
FIRST = datetime(2028, 2, 28, tzinfo=UTC)
SECOND, THIRD = FIRST + timedelta(days=1), FIRST + timedelta(days=2)
EARLIER_SIZES = (0, 1, 2, 19, 128, 255, 256, 257, 300)
PLAYERS = 236  # of the largest round


def tell() -> Story:
    """Return the log."""
    story = Story(FIRST - timedelta(days=7, hours=12))
    _commit(story)
    _play_first_day(story)
    _close_first_day(story)
    _play_second_day(story)
    _close_second_day(story)
    _play_third_day(story)
    return story


def _commit(story: Story) -> None:
    """The second chain rules from the third day on, so its first round is committed to after its CHAIN leaf only."""
    chain = story.chain(_telling_chain(), FIRST, 5)
    story.ruleset("classic")
    story.ruleset("two-to-go")
    for ruleset in ("classic", "two-to-go"):
        for mode in ("sealed", "open"):
            story.daily(chain, FIRST, ruleset, mode)
    story.daily(chain, SECOND, "classic", "sealed")
    story.daily(chain, SECOND, "classic", "open")
    story.ruleset("digits")
    story.daily(chain, THIRD, "digits", "open")
    following = story.chain("second chain", THIRD, 4)
    story.daily(chain, SECOND, "digits", "sealed")
    story.daily(chain, SECOND, "digits", "open")
    story.daily(following, THIRD, "classic", "sealed")
    story.daily(following, THIRD, "classic", "open")


def _telling_chain() -> str:
    """Return the name of a first chain whose first day is not dull, and whose first roll of 2 to go loses."""
    for number in range(10_000):
        name = f"first chain {number}"
        link = plain.links_of(drawn(f"{name} id")[:16], drawn(name), 5)[1]
        lost, open_, sealed = (
            plain.day_seed(link, yyyymmdd(FIRST), mode, CATALOGUE[ruleset].hash)
            for ruleset, mode in (("two-to-go", "sealed"), ("classic", "open"), ("classic", "sealed"))
        )
        _, table = table_of("two-to-go", lost.hex())
        if sum(table.rolls[0]) != 4:  # no tiles with the 2 among them add up to four
            continue
        scores = {played.score for played in pool_of("classic", "open", open_)}
        one_die = [
            turn for played in pool_of("classic", "sealed", sealed) for turn in played.turns if turn["dice"] == 1
        ]
        if len(scores) >= 6 and len(one_die) >= 6:
            return name
    raise AssertionError("every chain is dull")


def _play_first_day(story: Story) -> None:
    story.wait_for(FIRST)
    sealed, open_ = (story.rounds[f"2028-02-28-classic{suffix}"] for suffix in ("", "-open"))
    lost, unlucky = (story.rounds[f"2028-02-28-two-to-go{suffix}"] for suffix in ("", "-open"))
    story.ruleset("crafthouse")
    story.ruleset("classic")  # once more changes nothing
    duel = story.challenge("duel 504", "crafthouse", "sealed")  # two of its runs must roll one die
    story.challenge("race", "classic", "open")
    pool = sealed.pool()
    for number in range(PLAYERS):
        choice = int.from_bytes(drawn(f"choice {number}")[:2], "big") % len(pool)
        story.run(sealed, f"player {number}", pool[choice])
        if number % 60 == 5:
            story.run(lost, f"player {number}", lost.pool()[0])
        if number % 90 == 7:
            story.run(duel, f"player {number}", duel.pool()[number // 90])
    _improve(story, open_, "climber", 4)
    _improve(story, open_, "second", 2)
    for number in (0, 3, 3):
        story.run(open_, f"late {len(open_.runs)}", open_.pool()[number])
    _improve(story, unlucky, "climber", 2)
    story.withdraw(sealed, sealed.runs[17], 2)
    story.withdraw(sealed, sealed.runs[18], 1)
    story.withdraw(sealed, sealed.runs[18], 4)  # withdrawn twice
    story.reinstate(sealed, sealed.runs[18])


def _improve(story: Story, round: Round, player: str, number: int) -> None:
    """Log runs of one player on an open round, each better than those before."""
    best: dict[int, Played] = {played.score: played for played in round.pool()}
    for score in sorted(best)[-number:]:
        story.run(round, player, best[score])


def _close_first_day(story: Story) -> None:
    """The climber's best run is withdrawn before the close, and a lower one is logged after that."""
    open_ = story.rounds["2028-02-28-classic-open"]
    climbed = open_.runs[:4]
    story.withdraw(open_, climbed[3], 3)
    story.withdraw(open_, climbed[2], 2)
    between = [played for played in open_.pool() if climbed[1].played.score < played.score < climbed[3].played.score]
    story.run(open_, "climber", between[0])
    story.withdraw(open_, open_.runs[4], 1)
    story.reinstate(open_, open_.runs[4])
    story.wait_for(SECOND + timedelta(hours=2))
    for round in story.rounds.values():
        if round.fields["day"] == 20280228:
            story.close(round)


def _play_second_day(story: Story) -> None:
    classic, open_ = (story.rounds[f"2028-02-29-classic{suffix}"] for suffix in ("", "-open"))
    digits = story.rounds["2028-02-29-digits"]
    story.close(next(round for round in story.rounds.values() if round.ruleset == "crafthouse"))
    yesterday = story.rounds["2028-02-28-classic"]
    story.withdraw(yesterday, next(run for run in yesterday.runs if run.rank == 1), 2)  # the board was public by then
    story.reinstate(yesterday, yesterday.runs[17])
    by_result = list({played.result: played for played in reversed(digits.pool())}.values())[::-1]
    for player, place in (("a", 1), ("b", 0), ("c", 2), ("d", 1), ("e", 4)):  # ranks 2, 1, 4, 2, 5
        story.run(digits, player, by_result[place])
    for number, played in enumerate(classic.pool()[:9:3]):
        story.run(classic, f"player {number}", played)
    _improve(story, open_, "climber", 3)
    story.withdraw(open_, open_.runs[2], 1)


def _close_second_day(story: Story) -> None:
    yesterday = story.rounds["2028-02-28-classic-open"]
    story.reinstate(yesterday, yesterday.runs[3])
    story.wait_for(THIRD + timedelta(hours=2))
    for round in reversed(story.rounds.values()):
        if round.fields["day"] == 20280229:
            story.close(round)


def _play_third_day(story: Story) -> None:
    classic, open_ = (story.rounds[f"2028-03-01-classic{suffix}"] for suffix in ("", "-open"))
    race = next(round for round in story.rounds.values() if round.header is None and round.fields["kind"] == 2)
    for number in range(3):
        story.run(classic, f"player {number}", classic.pool()[number])
    _improve(story, open_, "climber", 3)
    _improve(story, race, "climber", 2)
    story.withdraw(race, race.runs[0], 1)
    before = story.rounds["2028-02-29-classic"]
    story.withdraw(before, before.runs[0], 2)


def checkpoint_at(tree: Reference, size: int) -> str:
    return SIGNER.checkpoint(size, tree.root(0, size))


def receipts_of(story: Story, tree: Reference) -> list[dict[str, str]]:
    """Return receipts at the last checkpoint, and at earlier ones where their paths are of a special form."""
    sealed, running = story.rounds["2028-02-28-classic"].runs, story.rounds["2028-03-01-classic"].runs
    of_all = len(tree.leaves)
    wanted = [(sealed[0], of_all), (sealed[1], 256), (sealed[2], 257), (running[-1], of_all)]
    wanted += [(sealed[3], sealed[3].index + 1), (story.rounds["2028-02-28-classic-open"].runs[3], of_all)]
    return [
        {
            "text": plain.receipt(tree, run.index, run.salt, run.content, size, checkpoint_at(tree, size)),
            "run_id": run.run_id.hex(),
        }
        for run, size in wanted
    ]
