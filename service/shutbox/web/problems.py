"""Every refusal as application/problem+json (RFC 9457): the only place that knows status codes."""

import logging
from http import HTTPStatus
from typing import Any

from flask import Flask, Response, g, json, request
from sqlalchemy.exc import OperationalError, TimeoutError
from sqlalchemy.orm.exc import ObjectDeletedError
from werkzeug.exceptions import HTTPException

from .. import errors
from ..attempts import Attempt
from .represent import attempt_json

log = logging.getLogger("shutbox")


class MalformedRequest(Exception):
    """A request that cannot be read; the code says what kind of mistake it is."""

    def __init__(self, code: str, detail: str, mistakes: list[dict[str, str]] | None = None) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.mistakes = mistakes


PROBLEMS: dict[str, tuple[int, str]] = {
    "invalid_json": (400, "The body is not JSON"),
    "invalid_request": (422, "The request does not have the right shape"),
    "unsupported_media_type": (415, "The body must be application/json"),
    "invalid_cursor": (422, "The cursor is not of this leaderboard"),
    "not_summed": (422, "This ruleset has no leaderboards of periods"),
    "invalid_name": (422, "The name cannot be used"),
    "idempotency_key_reused": (422, "The idempotency key belongs to another request"),
    "illegal_run": (422, "The run is not legal"),
    "illegal_move": (422, "The decision is not legal"),
    "player_required": (401, "A player's token is required"),
    "invalid_token": (401, "The token is not valid"),
    "cross_origin": (403, "The request comes from another site"),
    "insufficient_scope": (403, "The token may not do this"),
    "not_yours": (403, "It belongs to another player"),
    "player_banned": (403, "The player is banned"),
    "standings_gated": (403, "The standings are not shown yet"),
    "not_a_member": (403, "Only members of the league may see this"),
    "not_found": (404, "There is nothing at this address"),
    "ruleset_not_found": (404, "There is no such ruleset"),
    "day_not_found": (404, "There is no such day"),
    "round_not_found": (404, "There is no such round"),
    "run_not_found": (404, "There is no such run"),
    "attempt_not_found": (404, "There is no such attempt"),
    "token_not_found": (404, "There is no such token"),
    "player_not_found": (404, "There is no such player"),
    "code_not_found": (404, "There is no such code"),
    "league_not_found": (404, "There is no such league"),
    "not_logged": (404, "It is not in the log"),
    "not_ranked": (404, "The player is not ranked here"),
    "period_not_found": (404, "There is no such period"),
    "method_not_allowed": (405, "The method is not allowed here"),
    "round_closed": (409, "The round is closed"),
    "round_not_open": (409, "The round has not opened"),
    "round_not_closed": (409, "The round has not closed"),
    "wrong_mode": (409, "The round is played in another way"),
    "move_decided": (409, "The move is decided already"),
    "move_ahead": (409, "The move has not been reached"),
    "attempt_ended": (409, "The attempt has ended"),
    "challenge_full": (409, "The challenge is full"),
    "too_many_challenges": (409, "Too many of your challenges run"),
    "name_taken": (409, "The name is taken"),
    "last_token": (409, "It is the last token"),
    "league_full": (409, "The league is full"),
    "too_many_leagues": (409, "You are in too many leagues"),
    "code_spent": (410, "The code does not work any more"),
    "league_code_expired": (410, "The invite code was replaced"),
    "league_closed": (410, "The league is closed"),
    "length_required": (411, "The length of the body is not said"),
    "body_too_large": (413, "The body is too large"),
    "rate_limited": (429, "It was done too often"),
    "bad_request": (400, "The request cannot be understood"),
    "internal_error": (500, "Something went wrong here"),
    "seed_unavailable": (503, "The dice of this round are not available here"),
    "receipt_pending": (503, "The receipt is not ready yet"),
    "bundle_pending": (503, "The bundle is not ready yet"),
    "log_unavailable": (503, "The log cannot be given"),
    "database_unavailable": (503, "The database does not answer"),
    "not_ready": (503, "The service is not ready"),
}
"""Every code with its status and title; openapi.yaml and docs/errors.md are tested to match."""

_REPEAT = "a play or a submission may be sent again unchanged, whether or not it was stored"

_CODE_OF_STATUS = {404: "not_found", 405: "method_not_allowed", 413: "body_too_large", 415: "unsupported_media_type"}


def problem(code: str, detail: str, status_of_framework: int | None = None, **members: Any) -> Response:
    """Return a problem as a response, with the status of the code or the one that the framework found."""
    status, title = PROBLEMS[code]
    status = status_of_framework or status
    body: dict[str, Any] = {
        "type": f"urn:shutbox:problem:{code}",
        "title": title,
        "status": status,
        "detail": detail,
        "code": code,
        "request_id": g.get("request_id", ""),
    }
    body.update((name, _member(value)) for name, value in members.items() if value is not None)
    response = Response(json.dumps(body), status, content_type="application/problem+json")
    if status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = "Bearer"
    if "retry_after" in body:
        response.headers["Retry-After"] = str(body["retry_after"])
    return response


def _member(value: Any) -> Any:
    return attempt_json(value) if isinstance(value, Attempt) else value


LARGEST_BODY = 64 * 1024


def check_body() -> Response | None:
    """Refuse a body that is too large, or does not say how large it is, and read it before it is asked who sends it.

    One who is asked first could send the rest after the token was ended, or the player banned.
    """
    if "Transfer-Encoding" in request.headers:
        return problem("length_required", "send the body with a Content-Length, not in chunks")
    if (request.content_length or 0) > LARGEST_BODY:
        return problem("body_too_large", f"a body has at most {LARGEST_BODY} bytes")
    try:
        request.get_data()
    except OSError:
        return problem("bad_request", "the body did not arrive in time")
    return None


def register(app: Flask) -> None:
    """Answer every exception that leaves a view."""
    app.register_error_handler(errors.Refused, _refused)
    app.register_error_handler(errors.JournalDisagrees, _log)
    app.register_error_handler(MalformedRequest, lambda wrong: problem(wrong.code, wrong.detail, errors=wrong.mistakes))
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(ObjectDeletedError, _deleted)
    app.register_error_handler(OperationalError, _database)
    app.register_error_handler(TimeoutError, _database)
    app.register_error_handler(Exception, _unforeseen)


def _refused(refused: errors.Refused) -> Response:
    members = dict(refused.members)
    if isinstance(refused, errors.Unavailable):
        members.setdefault("retry_after", 60)
    return problem(refused.code, refused.detail, **members)


def _log(disagreement: errors.JournalDisagrees) -> Response:
    log.critical("request %s: nothing of the log was given: %s", g.get("request_id"), disagreement)
    detail = "what is stored of it is not what was signed; the operator finds why under the request_id"
    return problem("log_unavailable", detail, retry_after=60)


def _http(error: HTTPException) -> Response:
    """Answer what the framework raises; its own headers (Allow, Location) are kept."""
    status = error.code or 500
    if status < HTTPStatus.BAD_REQUEST:
        return Response(status=status, headers=error.get_response().headers)
    code = _CODE_OF_STATUS.get(status, "bad_request" if status < HTTPStatus.INTERNAL_SERVER_ERROR else "internal_error")
    detail = error.description or ""
    response = problem(code, detail, status)
    for name, value in error.get_headers():
        if name in ("Allow", "Retry-After"):
            response.headers[name] = value
    return response


def _deleted(_: ObjectDeletedError) -> Response:
    """Answer a request that was carried out, and whose result was deleted with its player before it could be told."""
    return problem("not_found", "it was deleted meanwhile, with its player")


def _database(error: OperationalError | TimeoutError) -> Response:
    log.error("request %s: the database does not answer: %s", g.get("request_id"), type(error).__name__)
    return problem("database_unavailable", f"the database does not answer: {_REPEAT}", retry_after=5)


def _unforeseen(error: Exception) -> Response:
    log.error("request %s failed", g.get("request_id"), exc_info=error)
    return problem("internal_error", f"the fault is ours and is written down under the request_id: {_REPEAT}")
