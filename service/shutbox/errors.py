"""The refusals of the use cases. They name what happened and know no status codes.

Refused
├── NotFound            there is no such thing
├── NotAllowed          it is another player's, or nobody said who asks
├── Conflict            the thing is there, but not in a state for this
├── Gone                it was there, and is used up
├── Invalid             the request cannot mean anything here
├── RateLimited         it was done too often
└── Unavailable         this server cannot answer now
"""

from typing import Any


class Refused(Exception):
    """A request that is not carried out; nothing was changed."""

    code = "refused"

    def __init__(self, detail: str, **members: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.members = members  # further members of the problem: reason, turn, state, errors, retry_after


class NotFound(Refused):
    """There is no such thing."""


class RulesetNotFound(NotFound):
    code = "ruleset_not_found"


class DayNotFound(NotFound):
    code = "day_not_found"


class RoundNotFound(NotFound):
    code = "round_not_found"


class RunNotFound(NotFound):
    code = "run_not_found"


class AttemptNotFound(NotFound):
    code = "attempt_not_found"


class NotLogged(NotFound):
    """The run or round is not in the log, and never will be."""

    code = "not_logged"


class TokenNotFound(NotFound):
    code = "token_not_found"


class PlayerNotFound(NotFound):
    """Nobody has this name."""

    code = "player_not_found"


class CodeNotFound(NotFound):
    """The code is none that was given out, or a newer one has replaced it."""

    code = "code_not_found"


class LeagueNotFound(NotFound):
    """No league has this invite code."""

    code = "league_not_found"


class PeriodNotFound(NotFound):
    """No day of the period was made and has begun."""

    code = "period_not_found"


class NotRanked(NotFound):
    """The player has no row on this leaderboard, so there is nothing around it."""

    code = "not_ranked"


class NotAllowed(Refused):
    """It belongs to another player."""


class NotYours(NotAllowed):
    code = "not_yours"


class CrossOrigin(NotAllowed):
    """A page of another site tried to write with the cookie of a player."""

    code = "cross_origin"


class NotAMember(NotAllowed):
    """Only members see what their league has played."""

    code = "not_a_member"


class StandingsGated(NotAllowed):
    """A file of a leaderboard was asked for by one who may not see its rows yet."""

    code = "standings_gated"


class InsufficientScope(NotAllowed):
    """The token may do some things for its player, but not this."""

    code = "insufficient_scope"


class PlayerBanned(NotAllowed):
    """The operator takes nothing more from this player."""

    code = "player_banned"


class PlayerRequired(NotAllowed):
    """Nobody said who asks, or the token is not one of ours."""

    code = "player_required"


class Conflict(Refused):
    """The thing is not in a state for this."""


class RoundClosed(Conflict):
    code = "round_closed"


class RoundNotOpen(Conflict):
    code = "round_not_open"


class RoundNotClosed(Conflict):
    """What is published after the close was asked for before it."""

    code = "round_not_closed"


class WrongMode(Conflict):
    """A sealed round is played by an attempt, an open one by submitting runs."""

    code = "wrong_mode"


class MoveDecided(Conflict):
    code = "move_decided"


class MoveAhead(Conflict):
    code = "move_ahead"


class AttemptEnded(Conflict):
    code = "attempt_ended"


class ChallengeFull(Conflict):
    """As many players have entered the challenge as it has places."""

    code = "challenge_full"


class TooManyChallenges(Conflict):
    """As many challenges of the player run as one may have."""

    code = "too_many_challenges"


class NameTaken(Conflict):
    code = "name_taken"


class LeagueFull(Conflict):
    """The league has as many members as it may have."""

    code = "league_full"


class TooManyLeagues(Conflict):
    """The player is in as many leagues as a player may be."""

    code = "too_many_leagues"


class Gone(Refused):
    """It was there, and is used up."""


class CodeSpent(Gone):
    """The code was used already, or its time is over."""

    code = "code_spent"


class LeagueCodeExpired(Gone):
    """The owner of the league has replaced this invite code."""

    code = "league_code_expired"


class LeagueClosed(Gone):
    """The league has ended."""

    code = "league_closed"


class Invalid(Refused):
    """The request cannot mean anything here."""


class IllegalRun(Invalid):
    """Replay refused the run; `reason` and `turn` say why."""

    code = "illegal_run"


class IllegalMove(Invalid):
    """The decision is not legal on the present state; `reason` says why."""

    code = "illegal_move"


class InvalidCursor(Invalid):
    code = "invalid_cursor"


class NotSummed(Invalid):
    """Results of this ruleset are not added up over days."""

    code = "not_summed"


class InvalidName(Invalid):
    code = "invalid_name"


class IdempotencyKeyReused(Invalid):
    code = "idempotency_key_reused"


class LastToken(Conflict):
    """Without this token nobody could act as the player any more."""

    code = "last_token"


class RateLimited(Refused):
    """It was done too often; `retry_after` says in how many seconds it can be done again."""

    code = "rate_limited"


class Unavailable(Refused):
    """This server cannot answer now."""


class SeedUnavailable(Unavailable):
    """This node was not given the secret of the round, or its secret does not match the commitment."""

    code = "seed_unavailable"


class ReceiptPending(Unavailable):
    """The run is to be logged, but the log has not reached it yet."""

    code = "receipt_pending"


class BundlePending(Unavailable):
    """The round has closed, but the log has not reached its close yet."""

    code = "bundle_pending"


class StartRefused(Exception):
    """The service does not start, since what it finds would break a promise; the text says what to do."""


class ChainRefused(StartRefused):
    """A command does not take a chain or a link; nothing was changed; the text says what to do."""


class ModerationRefused(StartRefused):
    """An act of the operator that cannot be done; nothing was changed; the text says why."""


class JournalDisagrees(StartRefused):
    """What is stored of the log is not what was signed, so nothing more is signed; the text says what to do."""
