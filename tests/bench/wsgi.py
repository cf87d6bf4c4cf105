"""The app with one route more, which does nothing: what a request costs before the service begins."""

from flask import request
from shutbox.wsgi import app


@app.route("/noop", methods=["GET", "POST"])
def noop() -> dict[str, bool]:
    """Read the body and answer."""
    request.get_data()
    return {}
