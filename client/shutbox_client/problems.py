"""Which exception the problem document of an answer becomes: by its code, else by its status."""

from types import MappingProxyType
from typing import Any

from .errors import (
    AddressNotFound,
    AttemptEnded,
    AttemptNotFound,
    BadRequest,
    BodyTooLarge,
    BundlePending,
    ChallengeFull,
    CodeNotFound,
    CodeSpent,
    Conflict,
    CrossOrigin,
    DatabaseUnavailable,
    DayNotFound,
    Gone,
    IdempotencyKeyReused,
    IllegalMove,
    IllegalRun,
    InsufficientScope,
    InternalError,
    Invalid,
    InvalidCursor,
    InvalidJson,
    InvalidName,
    InvalidRequest,
    InvalidToken,
    LastToken,
    LeagueClosed,
    LeagueCodeExpired,
    LeagueFull,
    LeagueNotFound,
    LengthRequired,
    LogUnavailable,
    MethodNotAllowed,
    MoveAhead,
    MoveDecided,
    NameTaken,
    NotAllowed,
    NotAMember,
    NotFound,
    NotLogged,
    NotRanked,
    NotReady,
    NotSummed,
    NotYours,
    PeriodNotFound,
    PlayerBanned,
    PlayerNotFound,
    PlayerRequired,
    Problem,
    RateLimited,
    ReceiptPending,
    RoundClosed,
    RoundNotClosed,
    RoundNotFound,
    RoundNotOpen,
    RulesetNotFound,
    RunNotFound,
    SeedUnavailable,
    StandingsGated,
    TokenNotFound,
    TooManyChallenges,
    TooManyLeagues,
    Unauthorized,
    Unavailable,
    UnsupportedMediaType,
    WrongMode,
)
from .reading import Unreadable, read
from .values import Attempt, Mistake

BY_CODE: MappingProxyType[str, type[Problem]] = MappingProxyType(
    {
        "invalid_json": InvalidJson,
        "invalid_request": InvalidRequest,
        "unsupported_media_type": UnsupportedMediaType,
        "body_too_large": BodyTooLarge,
        "bad_request": BadRequest,
        "invalid_cursor": InvalidCursor,
        "invalid_name": InvalidName,
        "idempotency_key_reused": IdempotencyKeyReused,
        "illegal_run": IllegalRun,
        "illegal_move": IllegalMove,
        "not_summed": NotSummed,
        "player_required": PlayerRequired,
        "invalid_token": InvalidToken,
        "cross_origin": CrossOrigin,
        "not_yours": NotYours,
        "player_banned": PlayerBanned,
        "insufficient_scope": InsufficientScope,
        "not_a_member": NotAMember,
        "standings_gated": StandingsGated,
        "not_found": AddressNotFound,
        "ruleset_not_found": RulesetNotFound,
        "day_not_found": DayNotFound,
        "round_not_found": RoundNotFound,
        "run_not_found": RunNotFound,
        "attempt_not_found": AttemptNotFound,
        "token_not_found": TokenNotFound,
        "player_not_found": PlayerNotFound,
        "code_not_found": CodeNotFound,
        "not_logged": NotLogged,
        "not_ranked": NotRanked,
        "league_not_found": LeagueNotFound,
        "period_not_found": PeriodNotFound,
        "method_not_allowed": MethodNotAllowed,
        "round_closed": RoundClosed,
        "round_not_open": RoundNotOpen,
        "round_not_closed": RoundNotClosed,
        "wrong_mode": WrongMode,
        "move_decided": MoveDecided,
        "move_ahead": MoveAhead,
        "attempt_ended": AttemptEnded,
        "name_taken": NameTaken,
        "last_token": LastToken,
        "league_full": LeagueFull,
        "challenge_full": ChallengeFull,
        "too_many_challenges": TooManyChallenges,
        "too_many_leagues": TooManyLeagues,
        "code_spent": CodeSpent,
        "league_code_expired": LeagueCodeExpired,
        "league_closed": LeagueClosed,
        "length_required": LengthRequired,
        "internal_error": InternalError,
        "seed_unavailable": SeedUnavailable,
        "receipt_pending": ReceiptPending,
        "bundle_pending": BundlePending,
        "log_unavailable": LogUnavailable,
        "database_unavailable": DatabaseUnavailable,
        "not_ready": NotReady,
        "rate_limited": RateLimited,
    }
)
_BY_STATUS: MappingProxyType[int, type[Problem]] = MappingProxyType(
    {
        400: Invalid,
        401: Unauthorized,
        403: NotAllowed,
        404: NotFound,
        409: Conflict,
        410: Gone,
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
    kind = BY_CODE.get(code) or _BY_STATUS.get(status, Problem)
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
