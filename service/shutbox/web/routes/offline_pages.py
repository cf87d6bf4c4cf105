"""What makes the pages an app that can be installed and opened without a connection."""

from typing import Any

from flask import Blueprint, Response, json, render_template, request

from ..auth import site
from ..offline import retired_script, worker_script
from .pages import for_people
from .statics import static_address

FELT, PAPER = "#1d5a45", "#f5f1e8"

routes = for_people(Blueprint("offline_pages", __name__))
files = Blueprint("files_beside_pages", __name__)


@routes.get("/offline")
def offline_page() -> str:
    """Show what works without a connection; the worker answers with it whatever page it cannot have."""
    return render_template("offline.html")


@files.get("/sw.js")
def worker() -> Response:
    """Serve the service worker, or while it is switched off the script that takes it away."""
    return _asked_each_time(
        worker_script(static_address("")) if site().settings.offline else retired_script(), "text/javascript"
    )


@files.get("/manifest.webmanifest")
def manifest() -> Response:
    return _asked_each_time(json.dumps(_manifest()), "application/manifest+json")


def _asked_each_time(content: str, mimetype: str) -> Response:
    response = Response(content, mimetype=mimetype, headers={"Cache-Control": "no-cache"})
    response.add_etag()
    response.make_conditional(request)
    return response


def _manifest() -> dict[str, Any]:
    def icon(name: str, sizes: str, purpose: str = "any") -> dict[str, str]:
        kind = "image/png" if name.endswith(".png") else "image/svg+xml"
        return {"src": static_address(name), "sizes": sizes, "type": kind, "purpose": purpose}

    return {
        "id": "/",
        "name": "Shutbox, the daily Shut the Box",
        "short_name": "Shutbox",
        "description": "The same dice for everyone, fixed before the day, every result verified.",
        "lang": "en",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "theme_color": FELT,
        "background_color": PAPER,
        "icons": [
            icon("favicon.svg", "any"),
            icon("icons/192.png", "192x192"),
            icon("icons/512.png", "512x512"),
            icon("icons/maskable.svg", "any", "maskable"),
            icon("icons/maskable-512.png", "512x512", "maskable"),
        ],
        "shortcuts": [
            {"name": "Play today’s round", "short_name": "Play", "url": "/play"},
            {"name": "Practice", "url": "/practice"},
        ],
    }
