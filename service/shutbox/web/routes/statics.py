"""Static files under addresses that name their version: a browser keeps them for good, and a new version is new."""

from functools import cache
from hashlib import sha256
from pathlib import Path

from flask import Blueprint, Response, send_from_directory
from shutbox_web import STATIC_DIR

from ...game.encoding import lp

FOR_GOOD = "public, max-age=31536000, immutable"

routes = Blueprint("statics", __name__)


@cache
def static_version() -> str:
    """Return the version of all static files: a hash of their names and contents as they were at the start."""
    folder = Path(STATIC_DIR)
    content = sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        content.update(lp(file.relative_to(folder).as_posix().encode()) + sha256(file.read_bytes()).digest())
    return content.hexdigest()[:12]


def static_address(name: str) -> str:
    """Return the address of a static file in this version; a script finds what it imports beside itself."""
    return f"/static/{static_version()}/{name}"


@routes.get("/static/<named>/<path:name>")
def static_file(named: str, name: str) -> Response:
    """Serve a file. A page of another version gets what there is now, and is to ask again each time."""
    response = send_from_directory(STATIC_DIR, name)
    response.headers["Cache-Control"] = FOR_GOOD if named == static_version() else "no-cache"
    return response
