"""Players: names, tokens, codes, profiles, and what is stored of them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..errors import NotFound, Unauthorized
from ..values import (
    Act,
    Audit,
    NewPlayer,
    NewToken,
    OwnRun,
    OwnRuns,
    Player,
    Profile,
    RecoveryCode,
    Redeemed,
    Token,
    TransferCode,
)
from .caller import API, LARGEST_EXPORT, LONGEST_PAGE, Caller, given, step, walk


class PlayerCalls(Caller):
    """Being a player."""

    def create_player(self, name: str | None = None, bot: bool = False) -> NewPlayer:
        """Make a player, a guest without a name, and its first token. Never sent twice: it would make two players."""
        body = {"bot": bot} | ({"name": name} if name is not None else {})
        return self._send(NewPlayer, "POST", f"{API}/players", body, again=False)

    def me(self) -> Player:
        """Return the player whose token this is."""
        return self._get(Player, f"{API}/players/me")

    def change_me(self, *, name: str | None = None, bot: bool | None = None) -> Player:
        """Claim or change the name, or mark the player as a bot or not; None leaves it as it is."""
        return self._send(Player, "PATCH", f"{API}/players/me", given({"name": name, "bot": bot}))

    def tokens(self) -> tuple[Token, ...]:
        """Return the tokens of the player, without their secrets."""
        return self._list(Token, f"{API}/players/me/tokens")

    def create_token(self, label: str | None = None, scopes: Sequence[str] | None = None) -> NewToken:
        """Make a further token, for everything or for some of `play`, `read` and `league`.

        Never sent twice: a token would be left that nobody holds.
        """
        body = given({"label": label, "scopes": list(scopes) if scopes is not None else None})
        return self._send(NewToken, "POST", f"{API}/players/me/tokens", body, again=False)

    def revoke_token(self, token_id: str) -> None:
        """End a token of the player."""
        self._end(f"{API}/players/me/tokens/{step(token_id)}", NotFound)

    def revoke_other_tokens(self) -> None:
        """End every token of the player but the one that asks."""
        self._transport.send(self._request("DELETE", f"{API}/players/me/tokens"))

    def audit(self, *, limit: int | None = None, before: str | None = None) -> Audit:
        """Return what was done with the player's name, tokens and codes, newest first; `before` is a cursor."""
        return self._get(Audit, f"{API}/players/me/audit", {"limit": limit, "before": before})

    def iter_audit(self, page_size: int = LONGEST_PAGE) -> Iterator[Act]:
        """Yield every act, page by page."""
        return walk(lambda cursor: self.audit(limit=page_size, before=cursor))

    def runs(self, *, limit: int | None = None, after: str | None = None, before: str | None = None) -> OwnRuns:
        """Return runs of the player, newest first: what lies `after` or `before` a cursor."""
        return self._get(OwnRuns, f"{API}/players/me/runs", {"limit": limit, "after": after, "before": before})

    def iter_runs(self, page_size: int = LONGEST_PAGE) -> Iterator[OwnRun]:
        """Yield every run of the player, page by page."""
        return walk(lambda cursor: self.runs(limit=page_size, after=cursor))

    def save_runs(self, file: Path, form: str = "csv") -> None:
        """Write every run of the player into a file, as `csv` or `ndjson`. Raises OSError too."""
        self.download(f"{API}/players/me/runs", file, LARGEST_EXPORT, {"format": form})

    def profile(self, name: str) -> Profile:
        """Return the profile of a player by name: of closed days only."""
        return self._get(Profile, f"{API}/players/{step(name)}")

    def my_profile(self) -> Profile:
        """Return the profile of the player, with days that have not closed."""
        return self._get(Profile, f"{API}/players/me/profile")

    def make_transfer_code(self) -> TransferCode:
        """Make a code for another device. It replaces the one before. Never sent twice: each code is in the audit."""
        return self._send(TransferCode, "POST", f"{API}/players/me/transfer-codes", again=False)

    def make_recovery_code(self) -> RecoveryCode:
        """Make the code that brings the player back when every token is lost. Likewise."""
        return self._send(RecoveryCode, "POST", f"{API}/players/me/recovery-codes", again=False)

    def redeem(self, code: str) -> Redeemed:
        """Use a code: its player, and a new token, which `token` is not set to by itself.

        Sent without a token, and with a key, so that an answer that is lost loses no code. Raises CodeNotFound and
        CodeSpent.
        """
        request = self._request("POST", f"{API}/transfers", {"code": code}, headers=self._key(None))
        request.headers.pop("Authorization", None)
        return self._read(Redeemed, self._transport.send(request))

    def export(self, file: Path) -> None:
        """Write everything that is stored about the player into a file, as JSON. Raises OSError too."""
        self.download(f"{API}/players/me/export", file, LARGEST_EXPORT)

    def delete_player(self) -> None:
        """Delete the player for ever. Runs of daily rounds stay, with nobody's name."""
        self._end(f"{API}/players/me", Unauthorized)
