"""Files of the top level that the service needs: in a wheel beside the code, in a checkout where they are kept."""

from pathlib import Path

_PACKAGED = Path(__file__).parent / "files"
_CHECKOUT = Path(__file__).parents[2]
_IN_CHECKOUT = {"openapi.yaml": "openapi.yaml", "gunicorn.conf.py": "deploy/gunicorn.conf.py"}


def shipped(name: str) -> Path:
    """Return the path of a shipped file."""
    packaged = _PACKAGED / name
    return packaged if packaged.exists() else _CHECKOUT / _IN_CHECKOUT[name]
