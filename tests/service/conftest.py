"""What tests of the service beside HTTP stand on."""

import json

import pytest
from shutbox.seeds import create_chain_file
from shutbox.site import Site

from tests.conftest import LOG_KEY


@pytest.fixture
def files(site: Site) -> Site:
    """An installation with its secret files on disk."""
    folder = site.settings.data_dir
    (chain,) = site.secrets.chains
    assert create_chain_file(site.settings.chain_file, chain)
    for name, content in (
        ("round-key.json", {"key": site.secrets.round_key.hex()}),
        ("log-key.json", {"origin": LOG_KEY.name, "key": LOG_KEY.secret.hex()}),
    ):
        (folder / name).write_text(json.dumps(content))
        (folder / name).chmod(0o600)
    return site
