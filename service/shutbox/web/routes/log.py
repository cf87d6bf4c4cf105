"""The files of the public log, as C2SP tlog-tiles names them."""

from flask import Blueprint, Response
from werkzeug.exceptions import NotFound

from ... import journal
from ..auth import site

routes = Blueprint("log", __name__)


@routes.get("/log/checkpoint")
def show_checkpoint() -> Response:
    content = journal.checkpoint(site())
    if content is None:
        raise NotFound("nothing is logged yet")
    return Response(content, content_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-cache"})


@routes.get("/log/key")
def show_key() -> Response:
    """For those who see the log for the first time; who knows the key from elsewhere compares it with this one."""
    key = f"{site().secrets.log_key.verifier.text}\n"
    return Response(key, content_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-cache"})


@routes.get("/log/tile/<path:tile_path>")
def show_tile(tile_path: str) -> Response:
    """A tile never changes, a partial one neither: a wider one has another address."""
    content = journal.tile(site(), f"tile/{tile_path}")
    if content is None:
        raise NotFound("the log has no such tile, or is not that large yet")
    forever = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(content, content_type="application/octet-stream", headers=forever)
