"""The `shutbox-client` command.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | refused by the service; the problem is printed as `code: detail` |
| 2 | wrong usage: an option, a file that is no run, a place for the token that cannot be written |
| 3 | the service is unreachable: no connection, no answer in time, or an answer that is not the service's |
| 4 | left before the end: a sealed attempt waits on the service until its round closes |

Results go to standard output; notices and refusals go to standard error. The token is never printed unless asked for.
"""

import io
import sys

import click

from .commands.boards import day, leaderboard
from .commands.leagues import challenge, league
from .commands.players import player, receipt
from .commands.playing import play, practice, puzzle, submit
from .options import DEFAULT_SERVER, EXIT_CODES, Commands, checked_server, checked_token
from .session import Session
from .verify.commands import verify


@click.group(cls=Commands, epilog=EXIT_CODES)
@click.version_option(package_name="shutbox")
@click.option(
    "--server",
    envvar="SHUTBOX_CLIENT_SERVER",
    default=DEFAULT_SERVER,
    show_default=True,
    callback=checked_server,
    help="Address of the service; or SHUTBOX_CLIENT_SERVER.",
)
@click.option(
    "--token",
    envvar="SHUTBOX_CLIENT_TOKEN",
    callback=checked_token,
    help="Token of the player; or SHUTBOX_CLIENT_TOKEN. Without one, the token kept for the server is used.",
)
@click.pass_context
def main(context: click.Context, server: str, token: str | None) -> None:
    """Play Shut the Box on a Shutbox service.

    You need no account: `play`, `puzzle` and `practice` make a guest for you and keep its token in a file that only you
    can read.
    """
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a name must not end the program where it cannot be written
    context.obj = context.obj or Session()
    context.obj.server, context.obj.given_token = server, token


for command in (play, practice, puzzle, submit, leaderboard, day, player, receipt, league, challenge, verify):
    main.add_command(command)


if __name__ == "__main__":
    main()
