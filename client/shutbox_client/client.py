"""The client: one method for every call of the service."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from random import Random, SystemRandom
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx
from shutbox.game.replay import Turn

from .analyses import Analysis
from .errors import NotFound, Unauthorized, Unreachable
from .transport import Retries, Retry, Sleep, Transport
from .values import (
    Attempt,
    Day,
    Leaderboard,
    LeaderboardRow,
    NewPlayer,
    NewToken,
    Player,
    Profile,
    Readiness,
    RecoveryCode,
    Redeemed,
    Round,
    Ruleset,
    Run,
    Token,
    TransferCode,
    Unreadable,
    plain,
    read,
)

T = TypeVar("T")

API = "/api/v1"
LARGEST_RECEIPT = 1 << 20
LARGEST_EXPORT = 1 << 30
LONGEST_PAGE = 200
"""The most rows that the service puts in one page of a leaderboard."""


class Client:
    """A player, or nobody, talking to one installation. Close it, or use it in a `with` statement.

    `token` says who asks and may be set later. Failed requests are sent again as `retries` says; `sleep` and `random`
    are what waiting and chance come from, `on_retry` is told before a request is sent again. `transport` is any httpx
    transport, such as `httpx.WSGITransport(app)`; without one the proxies of the environment are used.

    Every call raises Problem where the service refuses, and Unreachable where no answer of it comes.
    """

    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        transport: httpx.BaseTransport | None = None,
        *,
        timeout: float = 10.0,
        retries: Retries | None = None,
        sleep: Sleep = time.sleep,
        random: Random | None = None,
        on_retry: Callable[[Retry], None] | None = None,
    ) -> None:
        self.base_url = checked_url(base_url)
        self.token = token
        self._random = random or SystemRandom()
        self._http = httpx.Client(
            transport=transport,
            timeout=timeout,
            headers={"Accept": "application/json", "User-Agent": f"shutbox-client/{version('shutbox')}"},
        )
        self._transport = Transport(self._http, retries or Retries(), sleep, self._random, on_retry)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    # Rulesets, days and rounds

    def rulesets(self) -> tuple[Ruleset, ...]:
        """Return the catalogue."""
        return self._items(Ruleset, f"{API}/rulesets")

    def ruleset(self, ruleset_id: str) -> Ruleset:
        """Return one ruleset."""
        return self._get(Ruleset, f"{API}/rulesets/{_step(ruleset_id)}")

    def day(self, day: date | str = "today") -> Day:
        """Return a day and its rounds: a date, its text, or `today`."""
        return self._get(Day, f"{API}/days/{_step(str(day))}")

    def round(self, round_id: str) -> Round:
        """Return one round."""
        return self._get(Round, f"{API}/rounds/{_step(round_id)}")

    def issue_round(
        self, ruleset: str, mode: str, seed: bytes | None = None, idempotency_key: str | None = None
    ) -> Round:
        """Issue a practice round. The same key with the same wish gives the same round; by default a key is made."""
        key = idempotency_key or f"{self._random.getrandbits(128):032x}"
        body = {"ruleset": ruleset, "mode": mode} | ({"seed": seed.hex()} if seed is not None else {})
        return self._send(Round, "POST", f"{API}/rounds", body, headers={"Idempotency-Key": key})

    # Playing

    def submit_run(self, round_id: str, turns: Sequence[Turn]) -> Run:
        """Submit a run to an open round; the same turns again give the same run. Raises IllegalRun."""
        body = {"turns": [plain(Turn(*turn)) for turn in turns]}
        return self._send(Run, "POST", f"{API}/rounds/{_step(round_id)}/runs", body)

    def run(self, run_id: str) -> Run:
        """Return a run as far as the player may see it."""
        return self._get(Run, f"{API}/runs/{_step(run_id)}")

    def analysis(self, run_id: str) -> Analysis:
        """Return what a run was worth beside the best play, as far as the player may see it."""
        return self._get(Analysis, f"{API}/runs/{_step(run_id)}/analysis")

    def start_attempt(self, round_id: str) -> Attempt:
        """Start the player's one attempt on a sealed round, or return it as it stands."""
        return self._send(Attempt, "POST", f"{API}/rounds/{_step(round_id)}/attempt")

    def attempt(self, attempt_id: str) -> Attempt:
        """Return an attempt as it stands."""
        return self._get(Attempt, f"{API}/attempts/{_step(attempt_id)}")

    def make_move(
        self, attempt_id: str, move: int, *, dice: int | None = None, shut: Sequence[int] | None = None
    ) -> Attempt:
        """Make decision number `move`: either a number of dice or the tiles to shut; return the state after it.

        The same decision again gives the same answer. Raises IllegalMove, and MoveDecided where another was first.
        """
        if (dice is None) == (shut is None):
            raise ValueError("a decision has either dice or shut")
        decision = {"dice": dice} if shut is None else {"shut": list(shut)}
        body = {"move": move, **decision}
        return self._send(Attempt, "POST", f"{API}/attempts/{_step(attempt_id)}/moves", body)

    # Leaderboards

    def leaderboard(
        self,
        round_id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        around: str | None = None,
        bots: str | None = None,
    ) -> Leaderboard:
        """Return a page: the top, or what lies `after` or `before` a cursor, or `around` a player_id or `me`.

        `bots` is `exclude` or `only`; ranks are those among the players that are left.
        """
        query = {"limit": limit, "after": after, "before": before, "around": around, "bots": bots}
        return self._get(Leaderboard, f"{API}/rounds/{_step(round_id)}/leaderboard", query)

    def leaderboard_rows(
        self, round_id: str, *, bots: str | None = None, page_size: int = LONGEST_PAGE
    ) -> Iterator[LeaderboardRow]:
        """Yield every row from the top, page by page. A gated leaderboard has none: ask `leaderboard` whether it is."""
        page = self.leaderboard(round_id, limit=page_size, bots=bots)
        yield from page.items
        while page.next is not None:
            page = self.leaderboard(round_id, limit=page_size, bots=bots, after=page.next)
            yield from page.items

    # Players

    def create_player(self, name: str | None = None, bot: bool = False) -> NewPlayer:
        """Make a player, a guest without a name, and its first token. Never sent twice: it would make two players."""
        body = {"bot": bot} | ({"name": name} if name is not None else {})
        return self._send(NewPlayer, "POST", f"{API}/players", body, again=False)

    def me(self) -> Player:
        """Return the player whose token this is."""
        return self._get(Player, f"{API}/players/me")

    def change_me(self, *, name: str | None = None, bot: bool | None = None) -> Player:
        """Claim or change the name, or mark the player as a bot or not; None leaves it as it is."""
        return self._send(Player, "PATCH", f"{API}/players/me", _given({"name": name, "bot": bot}))

    def tokens(self) -> tuple[Token, ...]:
        """Return the tokens of the player, without their secrets."""
        return self._items(Token, f"{API}/players/me/tokens")

    def create_token(self, label: str | None = None) -> NewToken:
        """Make a further token. Never sent twice: a token would be left that nobody holds."""
        return self._send(NewToken, "POST", f"{API}/players/me/tokens", _given({"label": label}), again=False)

    def revoke_token(self, token_id: str) -> None:
        """End a token of the player."""
        try:
            self._transport.send(self._request("DELETE", f"{API}/players/me/tokens/{_step(token_id)}"))
        except NotFound as gone:
            if gone.tries == 1:  # else an earlier try has ended it, and its answer was lost
                raise

    def profile(self, name: str) -> Profile:
        """Return the profile of a player by name: of closed days only."""
        return self._get(Profile, f"{API}/players/{_step(name)}")

    def my_profile(self) -> Profile:
        """Return the profile of the player, with days that have not closed."""
        return self._get(Profile, f"{API}/players/me/profile")

    def make_transfer_code(self) -> TransferCode:
        """Make a code for another device. It replaces the one before, so that making one again does no harm."""
        return self._send(TransferCode, "POST", f"{API}/players/me/transfer-codes")

    def make_recovery_code(self) -> RecoveryCode:
        """Make the code that brings the player back when every token is lost. It replaces the one before."""
        return self._send(RecoveryCode, "POST", f"{API}/players/me/recovery-codes")

    def redeem(self, code: str) -> Redeemed:
        """Use a code: its player, and a new token, which `token` is not set to by itself.

        Sent once and without a token: a code works once. Raises NotFound and CodeSpent.
        """
        request = self._request("POST", f"{API}/transfers", {"code": code})
        request.headers.pop("Authorization", None)
        return self._read(Redeemed, self._transport.send(request, again=False))

    def export(self, file: Path) -> None:
        """Write everything that is stored about the player into a file, as JSON. Raises OSError too."""
        self.download(f"{API}/players/me/export", file, LARGEST_EXPORT)

    def delete_player(self) -> None:
        """Delete the player for ever. Runs of daily rounds stay, with nobody's name."""
        try:
            self._transport.send(self._request("DELETE", f"{API}/players/me"))
        except Unauthorized as gone:
            if gone.tries == 1:  # else an earlier try has done it, and its answer was lost
                raise

    # The service

    def ready(self) -> Readiness:
        """Return that the service is ready. Sent once, since it asks about now; raises Unavailable if it is not."""
        return self._send(Readiness, "GET", "/readyz", again=False)

    # How calls are made

    def _get(self, kind: type[T], path: str, query: Mapping[str, Any] | None = None) -> T:
        return self._send(kind, "GET", path, query=query)

    def _items(self, kind: type[T], path: str) -> tuple[T, ...]:
        content = self._transport.send(self._request("GET", path))
        items = content.get("items") if isinstance(content, dict) else None
        return tuple(self._read(kind, item) for item in (items if isinstance(items, list) else [None]))

    def _send(
        self,
        kind: type[T],
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        again: bool = True,
    ) -> T:
        request = self._request(method, path, body, query, headers)
        return self._read(kind, self._transport.send(request, again))

    def receipt(self, run_id: str, file: Path) -> None:
        """Write the receipt of a logged run into a file: until the close its player's only. Raises OSError too."""
        self.download(f"{API}/runs/{_step(run_id)}/receipt", file, LARGEST_RECEIPT)

    def download(self, path: str, file: Path, limit: int) -> None:
        """Write what the service has at a path into a file, up to `limit` bytes. Raises OSError too."""
        self._transport.download(self._request("GET", path, headers={"Accept-Encoding": "identity"}), file, limit)

    def _request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Request:
        sent = dict(headers or {})
        if self.token is not None:
            sent["Authorization"] = f"Bearer {self.token}"
        if body is not None:
            sent["Content-Type"] = "application/json"
        return self._http.build_request(
            method,
            self.base_url + path,
            params=_given(query) or None,
            content=json.dumps(body).encode() if body is not None else None,
            headers=sent,
        )

    def _read(self, kind: type[T], content: object) -> T:
        try:
            return read(kind, content)
        except Unreadable as mistake:
            raise Unreachable(f"{self.base_url} answered, but not as Shutbox does: {mistake}") from mistake


def checked_url(text: str) -> str:
    """Return the address of an installation in one form, without a slash at its end. Raises ValueError."""
    try:
        url = httpx.URL(str(httpx.URL(text.strip())))  # once more: the scheme is in small letters only then
    except httpx.InvalidURL as error:
        raise ValueError(f"{text!r} is no address: {error}") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError(f"{text!r} is no address of a service: it must begin with http:// or https://")
    if url.query or url.fragment or url.userinfo:
        raise ValueError(f"{text!r} is no address of a service: it has a scheme, a host, perhaps a port and a path")
    return str(url).rstrip("/")


def _step(text: str) -> str:
    """Return one step of a path."""
    return quote(text, safe="")


def _given(values: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (values or {}).items() if value is not None}
