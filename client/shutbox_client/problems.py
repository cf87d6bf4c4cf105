"""Which exception the problem document of an answer becomes: by its code, else by its status."""

from types import MappingProxyType
from typing import Any

from . import errors
from .reading import Unreadable, read
from .values import Attempt, Mistake

BY_CODE: MappingProxyType[str, type[errors.Problem]] = MappingProxyType(
    {
        "invalid_json": errors.InvalidJson,
        "invalid_request": errors.InvalidRequest,
        "unsupported_media_type": errors.UnsupportedMediaType,
        "body_too_large": errors.BodyTooLarge,
        "bad_request": errors.BadRequest,
        "invalid_cursor": errors.InvalidCursor,
        "invalid_name": errors.InvalidName,
        "idempotency_key_reused": errors.IdempotencyKeyReused,
        "illegal_run": errors.IllegalRun,
        "illegal_move": errors.IllegalMove,
        "not_summed": errors.NotSummed,
        "player_required": errors.PlayerRequired,
        "invalid_token": errors.InvalidToken,
        "cross_origin": errors.CrossOrigin,
        "not_yours": errors.NotYours,
        "player_banned": errors.PlayerBanned,
        "insufficient_scope": errors.InsufficientScope,
        "not_a_member": errors.NotAMember,
        "standings_gated": errors.StandingsGated,
        "not_found": errors.AddressNotFound,
        "ruleset_not_found": errors.RulesetNotFound,
        "day_not_found": errors.DayNotFound,
        "round_not_found": errors.RoundNotFound,
        "run_not_found": errors.RunNotFound,
        "attempt_not_found": errors.AttemptNotFound,
        "token_not_found": errors.TokenNotFound,
        "player_not_found": errors.PlayerNotFound,
        "code_not_found": errors.CodeNotFound,
        "not_logged": errors.NotLogged,
        "not_ranked": errors.NotRanked,
        "league_not_found": errors.LeagueNotFound,
        "period_not_found": errors.PeriodNotFound,
        "method_not_allowed": errors.MethodNotAllowed,
        "round_closed": errors.RoundClosed,
        "round_not_open": errors.RoundNotOpen,
        "round_not_closed": errors.RoundNotClosed,
        "wrong_mode": errors.WrongMode,
        "move_decided": errors.MoveDecided,
        "move_ahead": errors.MoveAhead,
        "attempt_ended": errors.AttemptEnded,
        "name_taken": errors.NameTaken,
        "last_token": errors.LastToken,
        "league_full": errors.LeagueFull,
        "challenge_full": errors.ChallengeFull,
        "too_many_challenges": errors.TooManyChallenges,
        "too_many_leagues": errors.TooManyLeagues,
        "code_spent": errors.CodeSpent,
        "league_code_expired": errors.LeagueCodeExpired,
        "league_closed": errors.LeagueClosed,
        "length_required": errors.LengthRequired,
        "internal_error": errors.InternalError,
        "seed_unavailable": errors.SeedUnavailable,
        "receipt_pending": errors.ReceiptPending,
        "bundle_pending": errors.BundlePending,
        "log_unavailable": errors.LogUnavailable,
        "database_unavailable": errors.DatabaseUnavailable,
        "not_ready": errors.NotReady,
        "rate_limited": errors.RateLimited,
    }
)
_BY_STATUS: MappingProxyType[int, type[errors.Problem]] = MappingProxyType(
    {
        400: errors.Invalid,
        401: errors.Unauthorized,
        403: errors.NotAllowed,
        404: errors.NotFound,
        409: errors.Conflict,
        410: errors.Gone,
        413: errors.Invalid,
        415: errors.Invalid,
        422: errors.Invalid,
        429: errors.Unavailable,
        503: errors.Unavailable,
    }
)


def problem_from(status: int, document: Any, retry_after: float | None = None) -> errors.Problem | None:
    """Return the problem that a document tells of; None if it is not a document of the service.

    `retry_after` is what the header says, for a document that does not.
    """
    code = document.get("code") if isinstance(document, dict) else None
    if not isinstance(code, str):
        return None
    kind = BY_CODE.get(code) or _BY_STATUS.get(status, errors.Problem)
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
