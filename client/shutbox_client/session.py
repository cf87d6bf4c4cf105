"""Who plays where: the server, the token that is given or kept, and the guest that is made when a player is needed."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import click
import httpx

from .client import Client
from .tokens import ReadableByOthers, TokenFile
from .transport import Retry, Sleep
from .values import NewPlayer, Player, Redeemed


class CannotKeepToken(click.ClickException):
    """The place for the token cannot be read or written: nothing was made."""

    exit_code = 2


@dataclass
class Session:
    """What the options say. Transport, sleep and randomness may be handed in."""

    server: str = ""
    given_token: str | None = None
    transport: httpx.BaseTransport | None = None
    sleep: Sleep = time.sleep
    random: Random | None = None

    @property
    def token_file(self) -> TokenFile:
        """Where the token for the server is kept."""
        return TokenFile.of(self.server)

    def client(self, on_retry: Callable[[Retry], None] | None = None) -> Client:
        """Return a client with the token that is given, else with the one that is kept, else for nobody."""
        return Client(
            self.server,
            self.given_token or self._kept(),
            self.transport,
            sleep=self.sleep,
            random=self.random,
            on_retry=on_retry,
        )

    def nobody(self) -> Client:
        """Return a client that acts for nobody: what anyone may read is asked for without saying who asks."""
        return Client(self.server, None, self.transport, sleep=self.sleep, random=self.random)

    def be_someone(self, client: Client) -> None:
        """See to it that the client acts for a player: a guest is made where there is none."""
        if client.token is None:
            self.join(client)
            click.echo("You play as a new guest.", err=True)
            click.echo(f"The token is kept in {self.token_file.path}", err=True)

    def join(self, client: Client, name: str | None = None, bot: bool = False) -> Player:
        """Make a player, keep the token and act for the player from now on."""
        return self._become(client, lambda: client.create_player(name, bot))

    def redeem(self, client: Client, code: str) -> Player:
        """Become the player of a code, likewise."""
        return self._become(client, lambda: client.redeem(code))

    def _become(self, client: Client, made_by: Callable[[], NewPlayer | Redeemed]) -> Player:
        try:
            with self.token_file.writing() as file:
                made = made_by()
                file.write(f"{made.token}\n")
        except OSError as error:
            raise self._cannot(error) from None
        client.token = made.token
        return made.player

    def _kept(self) -> str | None:
        try:
            return self.token_file.read()
        except ReadableByOthers:
            raise CannotKeepToken(
                f"others can read the token in {self.token_file.path}, so it is not used. Make the file yours alone "
                f"with chmod 600, and if others had access, end the token with: shutbox-client player tokens"
            ) from None
        except OSError as error:
            raise self._cannot(error) from None

    def _cannot(self, error: OSError) -> CannotKeepToken:
        path = self.token_file.path
        return CannotKeepToken(
            f"the token cannot be kept in {path}: {error.strerror}. Set SHUTBOX_CLIENT_TOKEN or XDG_CONFIG_HOME."
        )
