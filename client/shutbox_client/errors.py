"""What can go wrong with a call, as one tree.

ShutboxError
├── Problem                 the service refused: code, detail and the other members of its problem document
│   ├── Invalid             the request cannot mean anything (400, 413, 415, 422); errors say where
│   │   ├── IllegalRun      replay refused the run; reason and turn say why
│   │   └── IllegalMove     the decision is not legal on the present state; reason says why
│   ├── Unauthorized        nobody said who asks, or the token is not in use (401)
│   ├── NotAllowed          it belongs to another player (403)
│   ├── NotFound            there is no such thing (404)
│   ├── Conflict            the thing is there, but not in a state for this (409)
│   │   ├── RoundClosed     the round takes nothing more
│   │   ├── RoundNotOpen    the round takes nothing yet
│   │   ├── WrongMode       a sealed round is played by an attempt, an open one by submitting runs
│   │   ├── MoveDecided     another decision for this move was first; state is where the attempt stands
│   │   ├── MoveAhead       the move has not been reached; state is where the attempt stands
│   │   ├── AttemptEnded    there is no further move; state is where the attempt stands
│   │   └── NameTaken       another player has the name
│   ├── CodeSpent           the transfer or recovery code was used already, or its time is over (410)
│   └── Unavailable         not now (429, 503): the tries are used up, retry_after says when to come back
└── Unreachable             no connection, no answer in time, or an answer that is not the service's

A problem with a code or a status that this version does not know is a plain Problem.
"""

from types import MappingProxyType
from typing import Any

from .values import Attempt, Mistake, Unreadable, read


class ShutboxError(Exception):
    """Anything that keeps a call from doing what it is for. `tries`: how many times the request was sent."""

    tries = 1


class Unreachable(ShutboxError):
    """No answer of the service came, so whether it did something is not known; the same call can be sent again."""


class Problem(ShutboxError):
    """The service refused, and changed nothing. The members are those of its problem document (RFC 9457)."""

    def __init__(
        self,
        status: int,
        code: str,
        title: str = "",
        detail: str = "",
        request_id: str = "",
        reason: str | None = None,
        turn: int | None = None,
        errors: tuple[Mistake, ...] = (),
        retry_after: float | None = None,
        state: Attempt | None = None,
    ) -> None:
        super().__init__(f"{code}: {detail or title or status}")
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.request_id = request_id
        self.reason = reason
        self.turn = turn
        self.errors = errors
        self.retry_after = retry_after
        self.state = state


class Invalid(Problem):
    """The request cannot mean anything."""


class IllegalRun(Invalid):
    """Replay refused the run: `reason` is a code of the protocol, `turn` the number of the turn, from 0."""


class IllegalMove(Invalid):
    """The decision is not legal on the present state; nothing was stored."""


class Unauthorized(Problem):
    """Nobody said who asks, or the token is not in use."""


class NotAllowed(Problem):
    """It belongs to another player."""


class NotFound(Problem):
    """There is no such thing."""


class Conflict(Problem):
    """The thing is there, but not in a state for this."""


class RoundClosed(Conflict):
    """The round takes nothing more."""


class RoundNotOpen(Conflict):
    """The round takes nothing yet."""


class WrongMode(Conflict):
    """A sealed round is played by an attempt, an open one by submitting runs."""


class MoveDecided(Conflict):
    """Another decision for this move was first; `state` is where the attempt stands."""


class MoveAhead(Conflict):
    """The move has not been reached; `state` is where the attempt stands."""


class AttemptEnded(Conflict):
    """There is no further move; `state` is where the attempt stands."""


class NameTaken(Conflict):
    """Another player has the name."""


class CodeSpent(Problem):
    """The transfer or recovery code was used already, or its time is over."""


class Unavailable(Problem):
    """Not now; `retry_after` is in seconds."""


_BY_CODE = MappingProxyType(
    {
        "illegal_run": IllegalRun,
        "illegal_move": IllegalMove,
        "round_closed": RoundClosed,
        "round_not_open": RoundNotOpen,
        "wrong_mode": WrongMode,
        "move_decided": MoveDecided,
        "move_ahead": MoveAhead,
        "attempt_ended": AttemptEnded,
        "name_taken": NameTaken,
        "code_spent": CodeSpent,
    }
)
_BY_STATUS: MappingProxyType[int, type[Problem]] = MappingProxyType(
    {
        400: Invalid,
        401: Unauthorized,
        403: NotAllowed,
        404: NotFound,
        409: Conflict,
        413: Invalid,
        415: Invalid,
        422: Invalid,
        429: Unavailable,
        503: Unavailable,
    }
)


def problem_from(status: int, document: Any, retry_after: float | None = None) -> Problem | None:
    """Return the problem that a document tells of; None if it is not a document of the service.

    `retry_after` is what the header says, for a document that does not.
    """
    code = document.get("code") if isinstance(document, dict) else None
    if not isinstance(code, str):
        return None
    kind = _BY_CODE.get(code) or _BY_STATUS.get(status, Problem)
    told = document.get("retry_after")
    return kind(
        status,
        code,
        **{name: value for name in ("title", "detail", "request_id") if isinstance(value := document.get(name), str)},
        reason=_or_none(str, document.get("reason")),
        turn=_or_none(int, document.get("turn")),
        errors=_or_none(tuple[Mistake, ...], document.get("errors")) or (),
        retry_after=float(told) if type(told) in (int, float) and told >= 0 else retry_after,
        state=_or_none(Attempt, document.get("state")),
    )


def _or_none(kind: Any, content: Any) -> Any:
    """Read a member that may be missing, or may be written anew by a later service: the code is what counts."""
    try:
        return read(kind, content)
    except Unreadable:
        return None
