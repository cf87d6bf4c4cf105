"""Whether the service is alive and ready, and its description of itself."""

from flask import Blueprint, Response, current_app
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from ...chains import why_missing
from ...days import get_day, today
from ...errors import DayNotFound
from ...shipped import shipped
from ..auth import site
from ..problems import problem
from ..represent import Json

routes = Blueprint("health", __name__)


@routes.get("/healthz")
def healthz() -> Json:
    return {"status": "ok"}


@routes.get("/readyz")
def readyz() -> Json | Response:
    """Ready means: the database answers in the right shape and today's rounds can be played here.

    Redis may be away.
    """
    try:
        version = site().session.scalar(text("SELECT version_num FROM alembic_version"))
        if version != current_app.config["MIGRATION"]:
            return problem("not_ready", "the database is not migrated: run shutbox migrate", retry_after=5)
        why = why_missing(site(), today(site()))
        if why is not None:
            return problem("not_ready", f"today's rounds cannot be played here: {why}", retry_after=5)
        day = get_day(site(), today(site()))
    except SQLAlchemyError:
        return problem("not_ready", "the database does not answer, or is not migrated", retry_after=5)
    except DayNotFound:
        return problem("not_ready", "today's rounds do not exist: is a worker running?", retry_after=5)
    redis = "ok" if site().ranking.answers() else "away"
    return {"status": "ready", "today": day.day.isoformat(), "redis": redis}


@routes.get("/openapi.yaml")
def openapi() -> Response:
    return Response(shipped("openapi.yaml").read_bytes(), content_type="application/yaml")
