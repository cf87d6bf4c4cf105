"""The browser's side: static files, page templates and the service worker, served by the service."""

from pathlib import Path

STATIC_DIR = Path(__file__).parent / "static"
TEMPLATES_DIR = Path(__file__).parent / "templates"
OFFLINE_DIR = Path(__file__).parent / "offline"
