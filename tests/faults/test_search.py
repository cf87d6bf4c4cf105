"""The search for secrets finds what is hidden: a secret planted in every spelling and in every place where it looks."""

import gzip
import html
import json
import logging
import sqlite3
import subprocess
import sys
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote_from_bytes

import pytest
from redis import Redis

from tests.faults.secrecy import Search, files_in, held_by_redis, remember_commands, said_in, told_to
from tests.servers import redis_server

SECRETS = {f"secret {number}": sha256(bytes((number,))).digest() for number in range(40)}
SHORT = sha256(b"a tag").digest()[:16]
OTHER = sha256(b"something public").digest()
Spelling = Callable[[bytes], bytes]


def wrapped(text: bytes, width: int) -> bytes:
    return b"\n".join(text[start : start + width] for start in range(0, len(text), width))


SPELLINGS: dict[str, Spelling] = {
    "raw": lambda secret: secret,
    "hex": lambda secret: secret.hex().encode(),
    "HEX": lambda secret: secret.hex().upper().encode(),
    "hEx": lambda secret: secret.hex().title().encode(),
    "hex with colons": lambda secret: secret.hex(":").encode(),
    "hex in lines": lambda secret: wrapped(secret.hex().encode(), 19),
    "as UUIDs": lambda secret: secret.hex("-", 4).encode(),
    "PostgreSQL": lambda secret: b"\\x" + secret.hex().encode(),
    "base64": b64encode,
    "base64, url-safe": urlsafe_b64encode,
    "base64 without padding": lambda secret: b64encode(secret).rstrip(b"="),
    "base64 behind a byte": lambda secret: b64encode(b"\0" + secret),
    "base64 behind two bytes": lambda secret: b64encode(b"ab" + secret),
    "base64 before a byte": lambda secret: b64encode(secret + b"\xff"),
    "base64 between others": lambda secret: b64encode(OTHER + secret + OTHER),
    "url-safe behind a byte": lambda secret: urlsafe_b64encode(b"\1" + secret + b"\2"),
    "url-safe behind two bytes": lambda secret: urlsafe_b64encode(b"\1\2" + secret + OTHER),
    "base64 in lines": lambda secret: wrapped(b64encode(b"x" + secret + OTHER), 21),
    "as Python shows bytes": lambda secret: repr(secret).encode(),
    "in what Python shows": lambda secret: repr({"seed": [secret + b"'", OTHER]}).encode(),
    "as Python shows bytes, in JSON": lambda secret: json.dumps({"detail": repr([secret])}).encode(),
    "as Python shows bytes, in JSON in JSON": lambda secret: json.dumps(json.dumps(repr(secret))).encode(),
    "as Python shows bytes, on a page": lambda secret: html.escape(repr(secret)).encode(),
    "in an address": lambda secret: quote_from_bytes(secret).encode(),
    "base64 in an address": lambda secret: quote_from_bytes(b64encode(b"12" + secret)).encode(),
    "its first half": lambda secret: secret[:16],
    "its second half in hex": lambda secret: secret[-16:].hex().encode(),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("around", [b"", b'{"request_id":"', OTHER], ids=["alone", "in JSON", "in bytes"])
def test_a_secret_is_found_in_every_spelling(spelling: str, around: bytes) -> None:
    search = Search(SECRETS | {"tag": SHORT})
    for name, secret in SECRETS.items():
        assert search.found_in(around + b" " + SPELLINGS[spelling](secret) + b" " + around) == {name}
    assert search.found_in(around + b" " + SPELLINGS[spelling](SHORT) + b" " + around) == {"tag"}


def test_what_is_no_secret_is_not_found() -> None:
    search = Search(SECRETS)
    for spelling in SPELLINGS.values():
        assert search.found_in(spelling(OTHER)) == set()
    assert search.found_in(b"") == set()
    assert search.found_in(SECRETS["secret 1"][:15] + SECRETS["secret 2"][1:16]) == set()


# In each place


@pytest.fixture(scope="module")
def redis(short_tmp: Path) -> Iterator[Redis]:
    with redis_server(short_tmp / "search") as (url, _):
        client = Redis.from_url(url)
        remember_commands(client)
        yield client
        client.close()


PLANTED: dict[str, Callable[[Redis, bytes], object]] = {
    "key": lambda client, secret: client.set(secret, 1),
    "string": lambda client, secret: client.set("string", secret.hex()),
    "field": lambda client, secret: client.hset("hash", mapping={secret: b"1"}),
    "hash": lambda client, secret: client.hset("hash", "a", secret.hex()),
    "sorted set": lambda client, secret: client.zadd("zset", {secret.hex(): 1}),
    "set": lambda client, secret: client.sadd("set", secret.hex()),
    "list": lambda client, secret: client.rpush("list", secret.hex()),
    "stream": lambda client, secret: client.xadd("stream", {"a": secret.hex()}),
}


@pytest.mark.parametrize("place", PLANTED)
def test_a_secret_is_found_in_redis(redis: Redis, place: str) -> None:
    redis.flushall()
    held_by_redis(redis)
    PLANTED[place](redis, SECRETS["secret 7"])
    redis.slowlog_reset()  # so that the value alone gives it away
    assert Search(SECRETS).found_in(held_by_redis(redis)) == {"secret 7"}


def test_a_secret_that_was_in_redis_for_a_moment_is_found(redis: Redis) -> None:
    redis.flushall()
    redis.set("for a moment", SECRETS["secret 5"])
    redis.eval("return ARGV[1]", 0, SECRETS["secret 6"])
    redis.delete("for a moment")
    assert Search(SECRETS).found_in(held_by_redis(redis)) == {"secret 5", "secret 6"}
    assert Search(SECRETS).found_in(held_by_redis(redis)) == set()


def test_a_secret_is_found_in_the_files_of_a_database(tmp_path: Path) -> None:
    """In its write-ahead log, and in the file itself."""
    connection = sqlite3.connect(tmp_path / "a.sqlite3", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (seed BLOB)")
    connection.execute("INSERT INTO t VALUES (?)", (SECRETS["secret 3"],))
    search = Search(SECRETS)
    assert search.found_in(files_in(tmp_path, ())["a.sqlite3-wal"]) == {"secret 3"}
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert search.found_in(files_in(tmp_path, ())["a.sqlite3"]) == {"secret 3"}
    connection.close()
    assert files_in(tmp_path, ("a.sqlite3",)) == {}


def test_a_secret_is_found_in_an_answer() -> None:
    search, secret = Search(SECRETS), SECRETS["secret 9"]
    body = json.dumps({"seed": secret.hex()}).encode()
    assert search.found_in(said_in(200, [("Content-Type", "application/json")], body)) == {"secret 9"}
    assert search.found_in(said_in(200, [("Content-Encoding", "gzip")], gzip.compress(body))) == {"secret 9"}
    assert search.found_in(said_in(503, [("ETag", urlsafe_b64encode(secret).decode())], b"")) == {"secret 9"}


def test_a_secret_is_found_in_a_log_line_and_in_a_traceback(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise KeyError(SECRETS["secret 8"])
    except KeyError:
        logging.getLogger("shutbox").exception("it failed for %r", SECRETS["secret 4"])
    assert Search(SECRETS).found_in(caplog.text.encode()) == {"secret 4", "secret 8"}


def test_a_secret_is_found_in_what_a_process_was_told() -> None:
    argument, variable = SECRETS["secret 1"].hex(), b64encode(SECRETS["secret 2"]).decode()
    process = subprocess.Popen(
        [sys.executable, "-c", "print(); input()", argument],
        env={"KEY": variable, "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()  # now it is that process, and no longer a copy of this one
    try:
        assert Search(SECRETS).found_in(told_to(process.pid)) == {"secret 1", "secret 2"}
    finally:
        process.communicate("\n")
