"""A bot that plays best: a sealed round by the exact values of the solver, an open one by a search of all its dice."""

import click
from shutbox.game.analysis import best_line
from shutbox.game.dice import deal
from shutbox.game.encoding import mask_of
from shutbox.game.rules import Rules
from shutbox.game.solver import least_expected_penalty
from shutbox_client import Attempt, Client, Run, ShutboxError


def decide(client: Client, rules: Rules, attempt: Attempt) -> Attempt:
    """Make the decision after which the least penalty is to be expected."""
    values = least_expected_penalty(rules.ruleset)
    board = mask_of(attempt.open)
    if attempt.state == "choose_dice":
        dice = min(attempt.dice_allowed, key=lambda number: values.after_dice(board, number))
        return client.make_move(attempt.attempt_id, attempt.move, dice=dice)
    shut = min(attempt.legal, key=lambda tiles: values.of_board[board ^ mask_of(tiles)])
    return client.make_move(attempt.attempt_id, attempt.move, shut=shut)


def play_round(client: Client, round_id: str) -> Run:
    """Play a round, sealed or open, as the player of the client; return the run."""
    round = client.round(round_id)
    rules = client.ruleset(round.ruleset).rules
    if round.mode == "open":
        if round.seed is None:
            raise click.ClickException(f"the dice of round {round_id} are not known yet")
        return client.submit_run(round_id, best_line(rules, deal(rules, round.seed)))
    attempt = client.start_attempt(round_id)
    while attempt.state in ("choose_dice", "choose_tiles"):
        attempt = decide(client, rules, attempt)
    if attempt.run_id is None:
        raise click.ClickException(f"round {round_id} closed before it was finished")
    return client.run(attempt.run_id)


@click.command()
@click.option("--server", default="http://127.0.0.1:8000", show_default=True)
@click.option("--token", envvar="SHUTBOX_CLIENT_TOKEN", help="Of a bot that comes back; else a new one is made.")
@click.option("--round", "round_id", help="A round instead of all those of today.")
def main(server: str, token: str | None, round_id: str | None) -> None:
    """Play the rounds of today as well as they can be played."""
    try:
        with Client(server, token) as client:
            if token is None:
                client.token = client.create_player(bot=True).token
            for one in [round_id] if round_id else [round.round_id for round in client.day().rounds]:
                run = play_round(client, one)
                click.echo(f"{one}: score {run.score}, {run.penalty} left, rank {run.rank} of {run.total}")
    except ShutboxError as error:
        raise click.ClickException(str(error)) from None


if __name__ == "__main__":
    main()
