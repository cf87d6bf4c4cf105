"""What can go wrong with a call, as one tree: a class for each code, under one for each kind.

ShutboxError
├── Problem                            the service refused: code, detail and the other members of its problem document
│   ├── Invalid                    the request cannot mean anything (400, 413, 415, 422); errors say where
│   │   ├── InvalidJson            the body is not JSON
│   │   ├── InvalidRequest         the request has not the right shape
│   │   ├── UnsupportedMediaType   the body must be JSON
│   │   ├── BodyTooLarge           the body is too large
│   │   ├── BadRequest             the request cannot be understood
│   │   ├── InvalidCursor          the cursor is not one of this board
│   │   ├── InvalidName            the name cannot be used
│   │   ├── IdempotencyKeyReused   the key was sent before with another request
│   │   ├── IllegalRun             replay refused the run; reason and turn say why
│   │   ├── IllegalMove            the decision is not legal on the present state; reason says why
│   │   └── NotSummed              results of this ruleset are not added up
│   ├── Unauthorized               it must be said who asks (401)
│   │   ├── PlayerRequired         nobody said who asks
│   │   └── InvalidToken           the token is not in use
│   ├── NotAllowed                 it is not for this player (403)
│   │   ├── CrossOrigin            the request comes from another site
│   │   ├── NotYours               it belongs to another player
│   │   ├── PlayerBanned           the operator takes nothing more from this player
│   │   ├── InsufficientScope      the token is not for this
│   │   ├── NotAMember             it is for members of the league
│   │   └── StandingsGated         the standings are shown to who has finished the round
│   ├── NotFound                   there is no such thing (404)
│   │   ├── AddressNotFound        there is nothing at this address
│   │   ├── RulesetNotFound        there is no such ruleset
│   │   ├── DayNotFound            there is no such day
│   │   ├── RoundNotFound          there is no such round
│   │   ├── RunNotFound            there is no such run
│   │   ├── AttemptNotFound        there is no such attempt
│   │   ├── TokenNotFound          the player has no such token
│   │   ├── PlayerNotFound         there is no such player
│   │   ├── CodeNotFound           there is no such code
│   │   ├── NotLogged              it is not in the log
│   │   ├── NotRanked              the player is not ranked here
│   │   ├── LeagueNotFound         there is no such league
│   │   └── PeriodNotFound         there is no such period, or it has not begun
│   ├── MethodNotAllowed           the address is for other methods (405)
│   ├── Conflict                   the thing is there, but not in a state for this (409)
│   │   ├── RoundClosed            the round takes nothing more
│   │   ├── RoundNotOpen           the round takes nothing yet
│   │   ├── RoundNotClosed         the round has not closed
│   │   ├── WrongMode              a sealed round is played by an attempt, an open one by submitting runs
│   │   ├── MoveDecided            another decision for this move was first; state is where the attempt stands
│   │   ├── MoveAhead              the move has not been reached; state is where the attempt stands
│   │   ├── AttemptEnded           there is no further move; state is where the attempt stands
│   │   ├── NameTaken              another player has the name
│   │   ├── LastToken              nobody could act as the player any more
│   │   ├── LeagueFull             the league has as many members as it can have
│   │   ├── ChallengeFull          the challenge has as many players as it can have
│   │   ├── TooManyChallenges      as many challenges of the player run as one may have
│   │   └── TooManyLeagues         the player is in as many leagues as one may be
│   ├── Gone                       it does not work any more (410)
│   │   ├── CodeSpent              the transfer or recovery code was used, or its time is over
│   │   ├── LeagueCodeExpired      the invite code was replaced by another one
│   │   └── LeagueClosed           the league has ended
│   ├── LengthRequired             the length of the body is not said (411)
│   ├── InternalError              something went wrong in the service (500)
│   └── Unavailable                not now (429, 503): the tries are used up, retry_after says when to come back
│       ├── SeedUnavailable        the dice of the round are not at hand
│       ├── ReceiptPending         the run waits for the log
│       ├── BundlePending          the close waits for the log
│       ├── LogUnavailable         the log cannot be given
│       ├── DatabaseUnavailable    the database does not answer
│       ├── NotReady               the service is not ready
│       └── RateLimited            too many requests
└── Unreachable                        no connection, no answer in time, or an answer that is not the service's

A code that this version does not know is its kind by the status, and with another status a plain Problem.
"""

from .values import Attempt, Mistake


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
    """The request cannot mean anything (400, 413, 415, 422); `errors` say where."""


class InvalidJson(Invalid):
    """The body is not JSON."""


class InvalidRequest(Invalid):
    """The request has not the right shape."""


class UnsupportedMediaType(Invalid):
    """The body must be JSON."""


class BodyTooLarge(Invalid):
    """The body is too large."""


class BadRequest(Invalid):
    """The request cannot be understood."""


class InvalidCursor(Invalid):
    """The cursor is not one of this board."""


class InvalidName(Invalid):
    """The name cannot be used."""


class IdempotencyKeyReused(Invalid):
    """The key was sent before with another request."""


class IllegalRun(Invalid):
    """Replay refused the run; `reason` and `turn` say why."""


class IllegalMove(Invalid):
    """The decision is not legal on the present state; `reason` says why."""


class NotSummed(Invalid):
    """Results of this ruleset are not added up."""


class Unauthorized(Problem):
    """It must be said who asks (401)."""


class PlayerRequired(Unauthorized):
    """Nobody said who asks."""


class InvalidToken(Unauthorized):
    """The token is not in use."""


class NotAllowed(Problem):
    """It is not for this player (403)."""


class CrossOrigin(NotAllowed):
    """The request comes from another site."""


class NotYours(NotAllowed):
    """It belongs to another player."""


class PlayerBanned(NotAllowed):
    """The operator takes nothing more from this player."""


class InsufficientScope(NotAllowed):
    """The token is not for this."""


class NotAMember(NotAllowed):
    """It is for members of the league."""


class StandingsGated(NotAllowed):
    """The standings are shown to who has finished the round."""


class NotFound(Problem):
    """There is no such thing (404)."""


class AddressNotFound(NotFound):
    """There is nothing at this address."""


class RulesetNotFound(NotFound):
    """There is no such ruleset."""


class DayNotFound(NotFound):
    """There is no such day."""


class RoundNotFound(NotFound):
    """There is no such round."""


class RunNotFound(NotFound):
    """There is no such run."""


class AttemptNotFound(NotFound):
    """There is no such attempt."""


class TokenNotFound(NotFound):
    """The player has no such token."""


class PlayerNotFound(NotFound):
    """There is no such player."""


class CodeNotFound(NotFound):
    """There is no such code."""


class NotLogged(NotFound):
    """It is not in the log."""


class NotRanked(NotFound):
    """The player is not ranked here."""


class LeagueNotFound(NotFound):
    """There is no such league."""


class PeriodNotFound(NotFound):
    """There is no such period, or it has not begun."""


class MethodNotAllowed(Problem):
    """The address is for other methods (405)."""


class Conflict(Problem):
    """The thing is there, but not in a state for this (409)."""


class RoundClosed(Conflict):
    """The round takes nothing more."""


class RoundNotOpen(Conflict):
    """The round takes nothing yet."""


class RoundNotClosed(Conflict):
    """The round has not closed."""


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


class LastToken(Conflict):
    """Nobody could act as the player any more."""


class LeagueFull(Conflict):
    """The league has as many members as it can have."""


class ChallengeFull(Conflict):
    """The challenge has as many players as it can have."""


class TooManyChallenges(Conflict):
    """As many challenges of the player run as one may have."""


class TooManyLeagues(Conflict):
    """The player is in as many leagues as one may be."""


class Gone(Problem):
    """It does not work any more (410)."""


class CodeSpent(Gone):
    """The transfer or recovery code was used, or its time is over."""


class LeagueCodeExpired(Gone):
    """The invite code was replaced by another one."""


class LeagueClosed(Gone):
    """The league has ended."""


class LengthRequired(Problem):
    """The length of the body is not said (411)."""


class InternalError(Problem):
    """Something went wrong in the service (500)."""


class Unavailable(Problem):
    """Not now (429, 503): the tries are used up, `retry_after` says when to come back."""


class SeedUnavailable(Unavailable):
    """The dice of the round are not at hand."""


class ReceiptPending(Unavailable):
    """The run waits for the log."""


class BundlePending(Unavailable):
    """The close waits for the log."""


class LogUnavailable(Unavailable):
    """The log cannot be given."""


class DatabaseUnavailable(Unavailable):
    """The database does not answer."""


class NotReady(Unavailable):
    """The service is not ready."""


class RateLimited(Unavailable):
    """Too many requests."""
