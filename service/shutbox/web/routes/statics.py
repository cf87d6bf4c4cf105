"""Static files under addresses that name their version: a browser keeps them for good, and a new version is new."""

from functools import cache
from hashlib import sha256
from mimetypes import guess_type
from pathlib import Path

from flask import Blueprint, Response, abort, request
from shutbox_web import STATIC_DIR

from ...game.encoding import lp

FOR_GOOD = "public, max-age=31536000, immutable"

routes = Blueprint("statics", __name__)


@cache
def static_files() -> tuple[str, dict[str, bytes]]:
    """Return the version of all static files, a hash of their names and contents, and the files as they are now.

    They are read once: an update that replaces them before the restart must not be served as what it is not.
    """
    folder = Path(STATIC_DIR)
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    content = sha256()
    for name, file in files.items():
        content.update(lp(name.encode()) + sha256(file).digest())
    return content.hexdigest()[:12], files


def static_version() -> str:
    """Return the version of all static files as they were when this server began."""
    return static_files()[0]


def static_address(name: str) -> str:
    """Return the address of a static file in this version; a script finds what it imports beside itself."""
    return f"/static/{static_version()}/{name}"


@routes.get("/static/<named>/<path:name>")
def static_file(named: str, name: str) -> Response:
    """Serve a file. A page of another version gets what there is now, and is to ask again each time."""
    version, files = static_files()
    content = files.get(name)
    if content is None:
        abort(404)
    response = Response(content, content_type=guess_type(name)[0] or "application/octet-stream")
    response.set_etag(sha256(content).hexdigest()[:24])
    response.headers["Cache-Control"] = FOR_GOOD if named == version else "no-cache"
    response.make_conditional(request, accept_ranges=True, complete_length=len(content))
    return response
