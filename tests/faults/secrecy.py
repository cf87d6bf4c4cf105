"""Looking for secrets in everything that a service lets out: raw, and in the spellings that hide bytes from the eye."""

import gzip
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from redis import Redis

HALF = 16
"""So many bytes in a row of a secret are enough to be found: a part of one gives it away as well."""
_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|[nrtabfv\\'\"])")
_ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
_ENTITY = re.compile(rb"&(amp|lt|gt|quot|#39|#34);")
_ENTITIES = {b"amp": b"&", b"lt": b"<", b"gt": b">", b"quot": b'"', b"#39": b"'", b"#34": b'"'}
_HEX = re.compile(rb"[0-9a-f]{32,}")
_BASE64 = re.compile(rb"[A-Za-z0-9+/]{20,}")  # the fewest characters that stand for a half alone
_STANDARD = bytes.maketrans(b"-_", b"+/")


class Search:
    """Finds named secrets of 16 bytes or more in content, however they are written.

    That is: raw; escaped as Python, Redis, JSON, pages and addresses escape bytes, also one in the other; hex in either
    case, with or without hyphens, colons and white space; base64 in either alphabet, alone or at any place of a longer
    encoding, wrapped or not.
    """

    def __init__(self, secrets: Mapping[str, bytes]) -> None:
        self._raw: dict[bytes, str] = {}
        self._hex: dict[bytes, str] = {}
        self._base64: dict[bytes, str] = {}
        for name, secret in secrets.items():
            assert len(secret) >= HALF, name
            for start in range(0, len(secret) - HALF + 1, HALF):
                part = secret[start : start + HALF]
                self._raw[part] = name
                self._hex[part.hex().encode()] = name
                for before in range(3):
                    self._base64[_inner_base64(part, before)] = name

    def found_in(self, content: bytes, escaped: bool = True) -> set[str]:
        """Return the names of the secrets of which the content holds a half or more; `escaped`: it can have escapes."""
        spellings = [(self._raw, content), (self._hex, _hex_in(content)), (self._base64, _base64_in(content))]
        for unescaped in _unescaped(content) if escaped else ():
            spellings += [(self._raw, unescaped), (self._base64, _base64_in(unescaped))]
        return {name for parts, text in spellings for part, name in parts.items() if part in text}


def _hex_in(content: bytes) -> bytes:
    """Return what can be hex and is long enough, in lower case, with nothing between the digits."""
    return b" ".join(_HEX.findall(content.translate(None, b" \t\r\n\0-:").lower()))


def _base64_in(content: bytes) -> bytes:
    """Return what can be base64 and is long enough, in the standard alphabet, lines joined."""
    return b" ".join(_BASE64.findall(content.translate(_STANDARD, b"\r\n\0")))


def _inner_base64(part: bytes, before: int) -> bytes:
    """Return the characters that stand for a part wherever it follows so many bytes, modulo 3."""
    encoded = b64encode(bytes(before) + part)
    return encoded[-(-before * 8 // 6) : (before + len(part)) * 8 // 6]


def _unescaped(content: bytes) -> Iterator[bytes]:
    """Yield the content without escapes, and without those that were inside of others: bytes shown in JSON in a log."""

    def byte(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes((int(code[1:], 16),)) if code[:1] == b"x" else _ESCAPED.get(code, code)

    for _ in range(3):
        before = content
        content = unquote_to_bytes(_ESCAPE.sub(byte, _ENTITY.sub(lambda match: _ENTITIES[match[1]], content)))
        if content == before:
            return
        yield content


def said_in(status: int, headers: Iterable[tuple[str, str]], body: bytes) -> bytes:
    """Return all that an answer says; a compressed body is read as its reader reads it."""
    lines = [f"{name}: {value}" for name, value in headers]
    if any(line.lower() == "content-encoding: gzip" for line in lines):
        body = gzip.decompress(body)
    return "\n".join([str(status), *lines, "", ""]).encode() + body + b"\n"


def remember_commands(client: Redis) -> None:
    """Let a Redis server keep every command from now on, so that what was there for a moment is found too."""
    client.config_set("slowlog-log-slower-than", 0)
    client.config_set("slowlog-max-len", 1_000_000)
    client.slowlog_reset()


def held_by_redis(client: Redis) -> bytes:
    """Return every key with its value, and every command that the server remembers; the commands are then forgotten."""
    parts: list[bytes] = []
    for key in client.scan_iter(count=1000):
        parts += [key, *_value(client, key)]
    for entry in client.slowlog_get(1_000_000):
        parts.append(entry["command"])
    client.slowlog_reset()
    return b"\n".join(parts)


def _value(client: Any, key: bytes) -> list[bytes]:
    kind = client.type(key).decode()
    if kind == "string":
        return [client.get(key)]
    if kind == "hash":
        return [part for pair in client.hgetall(key).items() for part in pair]
    if kind == "zset":
        return [
            part for member, score in client.zrange(key, 0, -1, withscores=True) for part in (member, b"%f" % score)
        ]
    if kind == "set":
        return list(client.smembers(key))
    if kind == "list":
        return list(client.lrange(key, 0, -1))
    if kind == "stream":
        return [part for _, fields in client.xrange(key) for pair in fields.items() for part in pair]
    raise AssertionError(f"a {kind} in Redis: say here how it is read")


def files_in(folder: Path, secret_files: Iterable[str]) -> dict[str, bytes]:
    """Return every file below a folder but those that hold the secrets."""
    apart = set(secret_files)
    return {file.name: file.read_bytes() for file in folder.rglob("*") if file.is_file() and file.name not in apart}


def told_to(pid: int) -> bytes:
    """Return the arguments and the environment of a process, as every process of its user can read them."""
    return b"\n".join((Path(f"/proc/{pid}") / name).read_bytes() for name in ("cmdline", "environ"))
