"""A bot that always shuts the largest tile it can: how a program takes a round, plays it and submits its run."""

import click
from shutbox.game import play
from shutbox.game.dice import deal
from shutbox.game.replay import End
from shutbox.game.rules import RollTable, Rules
from shutbox_client import Client, Run, ShutboxError, Turn


def greedy_turns(rules: Rules, table: RollTable) -> tuple[Turn, ...]:
    """Return a whole run: on each roll the way with the largest tiles, with as few dice as the rules allow."""
    position = play.start(rules, table)
    while not isinstance(position.state, End):
        decision: play.Decision
        if position.state is play.Awaits.CHOOSE_DICE:
            decision = play.DiceChoice(min(rules.dice_allowed[position.open]))
        else:
            ways = play.legal_ways(rules, table, position)
            decision = play.ShutChoice(max(ways, key=lambda tiles: sorted(tiles, reverse=True)))
        following = play.decide(rules, table, position, decision)
        assert isinstance(following, play.Position), "a way that the rules list is legal"
        position = following
    return position.turns


def play_one(client: Client, practice: str | None = None) -> Run:
    """Play today's open classic, or a practice round of a ruleset, as a new bot player; return the run."""
    client.token = client.create_player(bot=True).token
    round = client.issue_round(practice, "open") if practice else client.day("today").find("classic", "open")
    if round is None or round.seed is None:
        raise click.ClickException("there is no open round whose dice are known")
    rules = client.ruleset(round.ruleset).rules
    return client.submit_run(round.round_id, greedy_turns(rules, deal(rules, round.seed)))


@click.command()
@click.option("--server", default="http://127.0.0.1:8000", show_default=True)
@click.option("--practice", metavar="RULESET", help="A practice round of this ruleset instead of today's open classic.")
def main(server: str, practice: str | None) -> None:
    """Play one round as a greedy bot."""
    try:
        with Client(server) as client:
            run = play_one(client, practice)
    except ShutboxError as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"Score {run.score} - {run.penalty} left")
    click.echo(f"Rank {run.rank} of {run.total}")


if __name__ == "__main__":
    main()
