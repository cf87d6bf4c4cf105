"""What the commands have in common: options, how they print, and how what they raise becomes an exit code."""

import json
import sys
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import click

from . import words
from .calls.caller import checked_url
from .client import Client
from .errors import Problem, Unreachable
from .reading import plain
from .session import Session
from .terminal import Left

REFUSED, UNREACHABLE, LEFT = 1, 3, 4
DEFAULT_SERVER = "http://127.0.0.1:8000"

EXIT_CODES = """\b
Exit codes:
  0  done
  1  refused by the service; the problem is printed as code: detail
  2  wrong usage
  3  the service is unreachable
  4  left before the end; an attempt waits on the service
"""

F = TypeVar("F", bound=Callable[..., Any])


class Commands(click.Group):
    """Turns what a command can raise into its message and its exit code."""

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except Problem as refused:
            tell(str(refused), *_hints(context.obj, refused))
            sys.exit(REFUSED)
        except Unreachable as error:
            tell(f"The service is unreachable: {error}.", "Is it running (make run)? Another address: --server URL.")
            sys.exit(UNREACHABLE)
        except (Left, KeyboardInterrupt):
            tell("Left before the end.")
            sys.exit(LEFT)


def checked_server(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
    try:
        return checked_url(text) if text is not None else None
    except ValueError as mistake:
        raise click.BadParameter(str(mistake)) from None


def checked_token(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
    if text is not None and not (text.isascii() and text.isprintable() and " " not in text and text):
        raise click.BadParameter("a token has visible ASCII characters only")
    return text


def _remember(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    checked = (checked_server if parameter.name == "server" else checked_token)(context, parameter, value)
    if checked is not None:
        setattr(context.obj, "server" if parameter.name == "server" else "given_token", checked)


def _behind(name: str) -> Callable[[F], F]:
    text = f"The same as {name} before the command."
    return click.option(name, expose_value=False, callback=_remember, help=text)


server_option = _behind("--server")


def session_options(command: F) -> F:
    """Take --server and --token behind the command as well as before it."""
    return server_option(_behind("--token")(command))


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, as the service writes it.")


def tell(*lines: str) -> None:
    for line in lines:
        click.echo(words.printable(line), err=True)


def say(*lines: str) -> None:
    for line in lines:
        click.echo(words.printable(line))


def print_json(value: Any) -> None:
    click.echo(json.dumps(plain(value), indent=2))


def fail(message: str) -> NoReturn:
    raise click.ClickException(message)


def command_for(client: Client) -> str:
    """Return how this command is called for the same server."""
    return "shutbox-client" if client.base_url == DEFAULT_SERVER else f"shutbox-client --server {client.base_url}"


def _hints(session: Session, refused: Problem) -> list[str]:
    match refused.code:
        case "invalid_token" if session.given_token is None:
            return [f"To begin as a new guest, remove {session.token_file.path}"]
        case "player_required":
            return ["Make a player with: shutbox-client player new"]
        case "wrong_mode":
            return ["Sealed rounds are played with play, open ones with puzzle or submit."]
    return [] if refused.retry_after is None else [f"Try again in {refused.retry_after:.0f} seconds."]
