"""What a browser has without a connection: the service worker, what it keeps, and what the pages tell it."""

import json
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from urllib.parse import quote

from flask import Response, g
from shutbox_web import OFFLINE_DIR, STATIC_DIR, TEMPLATES_DIR

from ..clock import day_at
from ..game.encoding import lp
from ..game.rulesets import CATALOGUE
from .auth import site, visitor
from .words import short_date

# Only read with a connection: the Verify pages ask the service for what they check, icons are for the installed app.
NOT_KEPT = ("verify.css", "js/verify/", "js/tlog/", "icons/")


@cache
def worker_script(static_at: str) -> str:
    """Return the service worker; its bytes change when something that it keeps does, and else never.

    `static_at` is where the static files of this version are, with a slash at the end.
    """
    source = (OFFLINE_DIR / "worker.js").read_text(encoding="utf-8")
    shell = {
        "version": _shell_version(static_at),
        "static": static_at,
        "pages": [
            "/rules",
            *(f"/rules/{id}" for id in CATALOGUE),
            *(f"/practice?ruleset={id}" for id in CATALOGUE),
        ],
        "files": [name for name in _file_names() if not name.startswith(NOT_KEPT)],
    }
    return f"const SHELL = {json.dumps(shell)};\n\n{source}"


def retired_script() -> str:
    """Return the script that takes a worker away which browsers have from before."""
    return (OFFLINE_DIR / "retired.js").read_text(encoding="utf-8")


def _file_names() -> list[str]:
    return sorted(path.relative_to(STATIC_DIR).as_posix() for path in STATIC_DIR.rglob("*") if path.is_file())


def _shell_version(static_at: str) -> str:
    """Return a hash of what the kept pages are made of: static files, templates, and the version of the service."""
    content = sha256(lp(static_at.encode()) + lp(version("shutbox").encode()))
    for template in sorted(TEMPLATES_DIR.iterdir()):
        content.update(lp(template.name.encode()) + sha256(template.read_bytes()).digest())
    return content.hexdigest()[:12]


def keep_as_own(label: str) -> None:
    """Have the page that is being made kept in the browser as a result of its player, to be found by a label."""
    g.own_label = label


def tell_worker(response: Response) -> Response:
    """Tell the worker of which day and for whom a page is, and whether it is a result of theirs."""
    asking = visitor()
    response.headers["X-Shutbox-Day"] = short_date(day_at(site().clock()))
    response.headers["X-Shutbox-Player"] = str(asking.player_id) if asking else "nobody"
    label = g.pop("own_label", None)
    if label is not None:
        response.headers["X-Shutbox-Own"] = quote(label)
    return response
