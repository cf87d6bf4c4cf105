"""The Flask app: what is wired, in reading order. Making it neither connects nor changes anything."""

from collections.abc import Callable
from secrets import token_bytes, token_hex
from typing import Any

import orjson
from flask import Flask, Response, g
from flask.json.provider import DefaultJSONProvider
from shutbox_web import TEMPLATES_DIR
from werkzeug.middleware.proxy_fix import ProxyFix

from ..clock import Clock, system_clock
from ..config import Settings
from ..limits import Limits
from ..ranking import Ranking
from ..seeds import Secrets
from ..site import Site
from ..store.database import db, prepare_engine
from ..store.migrate import newest_migration
from . import problems
from .compression import compress
from .routes import API, ROOT
from .routes.statics import static_address


class OrjsonProvider(DefaultJSONProvider):
    """JSON written by orjson; it is read by schemas.body alone."""

    def dumps(self, obj: Any, **kwargs: Any) -> str:
        """Return compact JSON."""
        return orjson.dumps(obj).decode()


class ShutboxFlask(Flask):
    """Flask with JSON by orjson."""

    json_provider_class = OrjsonProvider


def create_app(
    settings: Settings,
    secrets: Secrets,
    clock: Clock = system_clock,
    random: Callable[[int], bytes] = token_bytes,
) -> Flask:
    """Return the app of an installation; time and randomness may be handed in."""
    app = ShutboxFlask("shutbox", static_folder=None, template_folder=TEMPLATES_DIR)
    app.url_map.merge_slashes = False  # else an address with two slashes is answered by a page of the framework
    app.config.update(
        SQLALCHEMY_DATABASE_URI=settings.sql_url,
        SQLALCHEMY_ENGINE_OPTIONS={"pool_size": settings.threads, "max_overflow": 4, "hide_parameters": True},
        MIGRATION=newest_migration(),
    )
    db.init_app(app)
    with app.app_context():
        prepare_engine(db.engine)
    ranking = Ranking.at(settings.redis_url, secrets.log_key.verifier.key_id.hex())
    app.extensions["shutbox"] = Site(settings, secrets, db.session, ranking, clock, random)
    app.extensions["shutbox.limits"] = Limits.at(settings.redis_url, random(32))
    if settings.trusted_proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, settings.trusted_proxies, x_proto=0)  # type: ignore[method-assign]
    problems.register(app)
    for routes in API:
        app.register_blueprint(routes, url_prefix="/api/v1")
    for routes in ROOT:
        app.register_blueprint(routes)
    app.jinja_env.globals["static"] = static_address
    app.before_request(_name_request)
    app.before_request(problems.check_body)
    app.after_request(_finish)
    app.after_request(compress)
    return app


def _name_request() -> None:
    g.request_id = token_hex(8)


def _finish(response: Response) -> Response:
    response.headers["X-Request-ID"] = g.request_id
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers.setdefault("Cache-Control", "no-store")
    response.headers.setdefault("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
    return response
