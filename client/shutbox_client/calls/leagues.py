"""Leagues and challenges: playing with people one knows."""

from ..errors import LeagueClosed
from ..values import Challenge, League, Round
from .caller import API, Caller, step


class LeagueCalls(Caller):
    """Making, joining and leading leagues, which are named by their invite code, and making challenges."""

    def create_league(self, name: str, idempotency_key: str | None = None) -> League:
        """Make a league. The same key with the same name gives the same league; by default a key is made."""
        headers = self._key(idempotency_key)
        return self._send(League, "POST", f"{API}/leagues", {"name": name}, headers=headers)

    def league(self, code: str) -> League:
        """Return a league: its members only to a member."""
        return self._get(League, _league(code))

    def leagues(self) -> tuple[League, ...]:
        """Return the leagues of the player, without their members."""
        return self._list(League, f"{API}/players/me/leagues")

    def rename_league(self, code: str, name: str) -> League:
        """Give a league of the player another name."""
        return self._send(League, "PATCH", _league(code), {"name": name})

    def join_league(self, code: str) -> League:
        """Become a member, or stay one. Raises LeagueFull, LeagueCodeExpired and LeagueClosed."""
        return self._send(League, "POST", f"{_league(code)}/members")

    def leave_league(self, code: str) -> None:
        """Be a member no more; the longest member follows an owner who leaves."""
        self._end(f"{_league(code)}/members/me", LeagueClosed)

    def remove_member(self, code: str, player_id: str) -> None:
        """Remove a member from a league of the player."""
        self._end(f"{_league(code)}/members/{step(player_id)}", LeagueClosed)

    def rotate_league_code(self, code: str) -> League:
        """Replace the invite code; the league has the new one. Sent once: a second would find the old code ended."""
        return self._send(League, "POST", f"{_league(code)}/codes", again=False)

    def close_league(self, code: str) -> None:
        """End a league of the player, for all its members."""
        self._end(_league(code), LeagueClosed)

    def create_challenge(self, ruleset: str, players: int, hours: int, idempotency_key: str | None = None) -> Round:
        """Make a sealed round for up to `players` players, which takes new ones for `hours`; the id is the invitation.

        The same key with the same wish gives the same round; by default a key is made.
        """
        body = {"ruleset": ruleset, "players": players, "hours": hours}
        return self._send(Round, "POST", f"{API}/challenges", body, headers=self._key(idempotency_key))

    def challenges(self) -> tuple[Challenge, ...]:
        """Return the challenges that the player has made or entered, newest first."""
        return self._list(Challenge, f"{API}/players/me/challenges")


def _league(code: str) -> str:
    return f"{API}/leagues/{step(code)}"
