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
def static_files() -> tuple[str, dict[str, tuple[int, int]]]:
    """Return the version of all static files, a hash of their names and contents, and each one's time and size."""
    folder = Path(STATIC_DIR)
    content = sha256()
    known: dict[str, tuple[int, int]] = {}
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = file.relative_to(folder).as_posix()
        known[name] = _stamp(file)
        content.update(lp(name.encode()) + sha256(file.read_bytes()).digest())
    return content.hexdigest()[:12], known


def static_version() -> str:
    """Return the version of all static files as they were when this server began."""
    return static_files()[0]


def static_address(name: str) -> str:
    """Return the address of a static file in this version; a script finds what it imports beside itself."""
    return f"/static/{static_version()}/{name}"


@routes.get("/static/<named>/<path:name>")
def static_file(named: str, name: str) -> Response:
    """Serve a file. A page of another version gets what there is now, and is to ask again each time.

    So does everyone for a file that was changed since this server began, as by an update before the restart.
    """
    response = send_from_directory(STATIC_DIR, name)
    version, known = static_files()
    is_the_one = named == version and known.get(name) == _stamp(Path(STATIC_DIR) / name)
    response.headers["Cache-Control"] = FOR_GOOD if is_the_one else "no-cache"
    return response


def _stamp(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_mtime_ns, found.st_size
