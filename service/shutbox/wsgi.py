"""The app for a WSGI server: the only module with effects at import."""

import os

from .config import Settings
from .errors import StartRefused
from .seeds import load_secrets
from .web.app import create_app

settings = Settings.from_env(os.environ)
if not settings.redis_url:
    raise StartRefused("set SHUTBOX_REDIS_URL: only `shutbox serve` starts a server of its own")
app = create_app(settings, load_secrets(*settings.secret_files))
