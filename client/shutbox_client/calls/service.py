"""The service itself, its public log, and files to check it by."""

from pathlib import Path
from urllib.parse import quote

from ..values import Health, Readiness
from .caller import API, Caller, step

LARGEST_RECEIPT = 1 << 20
LARGEST_TILE = 1 << 25
LARGEST_BUNDLE = 1 << 40


class ServiceCalls(Caller):
    """Asking whether the service is well, and what it has signed."""

    def healthy(self) -> Health:
        """Return that the process answers."""
        return self._get(Health, "/healthz")

    def ready(self) -> Readiness:
        """Return that the service is ready. Sent once, since it asks about now; raises Unavailable if it is not."""
        return self._send(Readiness, "GET", "/readyz", again=False)

    def receipt(self, run_id: str, file: Path) -> None:
        """Write the receipt of a logged run into a file: until the close its player's only. Raises OSError too."""
        self.download(f"{API}/runs/{step(run_id)}/receipt", file, LARGEST_RECEIPT)

    def bundle(self, round_id: str, file: Path) -> None:
        """Write what audits a closed round into a file (protocol.md, "Bundle"). Raises OSError too."""
        self.download(f"{API}/rounds/{step(round_id)}/bundle", file, LARGEST_BUNDLE)

    def checkpoint(self) -> str:
        """Return the newest signed checkpoint of the log."""
        return self._fetch("/log/checkpoint", LARGEST_RECEIPT).decode()

    def log_key(self) -> str:
        """Return the key that verifies the log: compare it with one that you have from elsewhere."""
        return self._fetch("/log/key", LARGEST_RECEIPT).decode().strip()

    def log_tile(self, path: str) -> bytes:
        """Return a tile of hashes or a bundle of entries, by its path behind /log/tile/."""
        return self._fetch(f"/log/tile/{quote(path)}", LARGEST_TILE)

    def description(self) -> str:
        """Return openapi.yaml, which describes the API."""
        return self._fetch("/openapi.yaml", LARGEST_RECEIPT).decode()
