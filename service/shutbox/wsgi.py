"""The app for a WSGI server: the only module with effects at import."""

import os

from .config import Settings
from .seeds import load_secrets
from .web.app import create_app

settings = Settings.from_env(os.environ)
app = create_app(settings, load_secrets(settings.chain_file, settings.round_key_file))
