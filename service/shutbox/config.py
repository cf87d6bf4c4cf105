"""Settings: one frozen value read once from the environment, with every mistake reported together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from sqlalchemy.engine import URL, make_url

from .errors import StartRefused
from .game.rulesets import CATALOGUE
from .tlog.faults import Refused
from .tlog.reading import checked_origin


@dataclass(frozen=True, slots=True)
class Settings:
    """What an operator can set. Each field is `SHUTBOX_` and its name in capitals; docs/operations.md lists them."""

    data_dir: Path = Path("var")
    database_url: str = ""  # empty: SQLite in the data folder
    redis_url: str = ""  # empty: serve starts a server of its own on a socket in the data folder
    origin: str = ""  # like https://play.example.org; empty: what each request was sent to
    log_origin: str = ""  # the name of the log, fixed when its key is made; empty: see new_log_origin
    variants: tuple[str, ...] = tuple(id for id in CATALOGUE if id != "classic")
    grace_seconds: int = 7200
    practice_days: int = 30
    league_size: int = 100
    practice_kept: int = 30  # days after their time for which practice rounds are kept; 0: for ever
    guests_kept: int = 30  # days for which guests without a run are kept after their last visit; 0: for ever
    names_file: tuple[str, ...] = ()  # the lines of the file: words that no name has, and +words that one may have
    limits: bool = True  # on how often names, codes, tokens, leagues and the like are made
    trusted_proxies: int = 0  # how many proxies add to X-Forwarded-For; 0: the address is that of the connection
    offline: bool = True  # off: browsers that have the service worker remove it
    workers: int = 2
    threads: int = 16

    @classmethod
    def from_env(cls, environment: Mapping[str, str]) -> "Settings":
        """Read the settings; raises StartRefused naming every value that cannot be used and what would be right."""
        values: dict[str, Any] = {}
        mistakes: list[str] = []
        known = {f"SHUTBOX_{name.upper()}": (name, read) for name, read in _READERS.items()}
        for variable, text in environment.items():
            if not variable.startswith("SHUTBOX_") or variable.startswith("SHUTBOX_CLIENT_"):
                continue
            if variable not in known:
                mistakes.append(f"{variable} is not a setting; there are: {', '.join(sorted(known))}")
                continue
            name, read = known[variable]
            try:
                values[name] = read(text)
            except ValueError as mistake:
                shown = "what it is" if variable.endswith("_URL") else repr(text)  # a URL can hold a password
                mistakes.append(f"{variable} cannot be {shown}: {mistake}")
        if mistakes:
            raise StartRefused("\n".join(mistakes))
        return cls(**values)

    @property
    def sql_url(self) -> URL:
        """The database in use."""
        if self.database_url:
            return make_url(self.database_url)
        return URL.create("sqlite", database=str(self.data_dir.resolve() / "shutbox.sqlite3"))

    @property
    def new_log_origin(self) -> str:
        """The name that the log is given when its key is made; afterwards the key file holds it."""
        return self.log_origin or f"{urlsplit(self.origin).netloc or 'localhost'}/shutbox/log"

    @property
    def log_key_file(self) -> Path:
        """The file that holds the name of the log and the key that signs its checkpoints."""
        return self.data_dir / "log-key.json"

    @property
    def log_witness_file(self) -> Path:
        """The file that holds the newest checkpoint which this node signed, apart from the database."""
        return self.data_dir / "log-newest-checkpoint"

    @property
    def earlier_logs_dir(self) -> Path:
        """The folder of the public files of logs that have ended."""
        return self.data_dir / "earlier-logs"

    @property
    def secret_files(self) -> tuple[Path, Path, Path]:
        """Where all secrets are: the chain, the key for other rounds' seeds, and the key that signs the log."""
        return self.chain_file, self.round_key_file, self.log_key_file

    @property
    def chain_file(self) -> Path:
        """The file that holds the chain of day secrets."""
        return self.data_dir / "chain.json"

    @property
    def round_key_file(self) -> Path:
        """The file that holds the key from which the seeds of other rounds are made."""
        return self.data_dir / "round-key.json"


def _whole_number(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
            raise ValueError(f"it must be a whole number from {least} to {most}")
        return int(text)

    return read


def _on_or_off(text: str) -> bool:
    if text not in ("on", "off"):
        raise ValueError("it must be on or off")
    return text == "on"


def _database_url(text: str) -> str:
    if text.startswith("sqlite:///"):
        file = text.removeprefix("sqlite:///")
        if not file or file.startswith(":") or "?" in file:
            raise ValueError("SQLite needs a file, like sqlite:////srv/shutbox/shutbox.sqlite3")
        return f"sqlite:///{Path(file).resolve()}"
    if text and not text.startswith(("postgresql://", "postgresql+psycopg://")):
        raise ValueError("it must begin with sqlite:/// or postgresql://")
    if text:
        _parsed(text)
    return text.replace("postgresql://", "postgresql+psycopg://", 1)


def _redis_url(text: str) -> str:
    if text:
        parts = _parsed(text)
        if not (parts.path if parts.scheme == "unix" else parts.scheme in ("redis", "rediss") and parts.hostname):
            raise ValueError("it must be like redis://HOST:PORT/0, rediss://HOST:PORT/0 or unix:///PATH")
    return text


def _origin(text: str) -> str:
    """Accept an origin only as browsers write it: lower case, no default port, nothing behind the port."""
    if text:
        parts = _parsed(text)
        default = {"http": 80, "https": 443}.get(parts.scheme)
        port = f":{parts.port}" if parts.port not in (None, default) else ""
        if default is None or not parts.hostname or text != f"{parts.scheme}://{parts.hostname}{port}":
            raise ValueError("it must be a scheme and a host as browsers write them, like https://play.example.org")
    return text


def _log_origin(text: str) -> str:
    try:
        return checked_origin(text) if text else ""
    except Refused:
        raise ValueError("it must be visible ASCII without a plus, like play.example.org/shutbox/log") from None


def _parsed(text: str) -> SplitResult:
    parts = urlsplit(text)
    try:
        _ = parts.port
    except ValueError:
        raise ValueError("its port is not a number from 0 to 65535") from None
    return parts


def _variants(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    unknown = [name for name in names if name not in CATALOGUE or name == "classic"]
    if unknown:
        raise ValueError(f"{', '.join(unknown) or 'nothing'} cannot be a variant of the day; name rulesets but classic")
    return names


def _words(text: str) -> tuple[str, ...]:
    """Return the words of a file, one a line; what stands behind a # says something to people."""
    if not text:
        return ()
    try:
        lines = Path(text).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise ValueError(f"it must be a file of words in UTF-8, one a line: {fault}") from None
    words = (line.partition("#")[0].strip() for line in lines)
    return tuple(word for word in words if word.strip("+"))


_READERS: dict[str, Callable[[str], Any]] = {
    "data_dir": Path,
    "database_url": _database_url,
    "redis_url": _redis_url,
    "origin": _origin,
    "log_origin": _log_origin,
    "variants": _variants,
    "grace_seconds": _whole_number(0, 43_200),
    "practice_days": _whole_number(1, 3650),
    "league_size": _whole_number(2, 1000),
    "practice_kept": _whole_number(0, 3650),
    "guests_kept": _whole_number(0, 3650),
    "names_file": _words,
    "limits": _on_or_off,
    "trusted_proxies": _whole_number(0, 8),
    "offline": _on_or_off,
    "workers": _whole_number(1, 256),
    "threads": _whole_number(1, 256),
}
