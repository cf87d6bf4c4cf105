"""Limits: how often something may be done within a time, counted in Redis, by words that tell nobody's address."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

_NAT64 = IPv6Network("64:ff9b::/96")  # IPv4 addresses as they are written where there is IPv6 only (RFC 6052)
_PATIENCE = 1.0  # seconds for which Redis is left alone after it did not answer


@dataclass(frozen=True, slots=True)
class Limit:
    """At most so many times in so many seconds, from the first time on."""

    most: int
    seconds: int


# Answers how many milliseconds to wait, 0 to go on. It counts only what is let through, and in one call.
_TAKE = """
if tonumber(redis.call('GET', KEYS[1]) or '0') >= tonumber(ARGV[1]) then return redis.call('PTTL', KEYS[1]) end
if ARGV[3] == '1' and redis.call('INCR', KEYS[1]) == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
"""


class Limits:
    """What was done how often. Where Redis does not answer, all are let through.

    Who did it is stored as a keyed hash; the key is made when the process starts and is kept nowhere. So nobody can
    tell from Redis who it was, and it is forgotten when the time of the limit is over.
    """

    def __init__(self, client: Redis, key: bytes) -> None:
        self._client = client
        self._key = key
        self._alone_until = 0.0
        self._take = client.register_script(_TAKE)

    @classmethod
    def at(cls, url: str, key: bytes) -> "Limits":
        """Return the limits at a URL; nothing is connected yet."""
        client = Redis.from_url(url, socket_timeout=0.5, socket_connect_timeout=0.5, retry=Retry(NoBackoff(), 0))
        return cls(client, key)

    def wait(self, what: str, who: str, limit: Limit, count: bool = True) -> int:
        """Return for how many seconds somebody has to wait, 0 if not at all, and count this time unless told not to."""
        word = blake2b(f"{what} {who}".encode(), key=self._key, digest_size=16).hexdigest()
        amounts = (limit.most, limit.seconds * 1000, int(count))
        left: int = self._ask(lambda: self._take((f"shutbox:limit:{word}",), amounts))
        return -(-left // 1000) if left > 0 else 0

    def _ask(self, question: Callable[[], Any]) -> Any:
        if time.monotonic() < self._alone_until:
            return 0
        try:
            return question()
        except RedisError:
            self._alone_until = time.monotonic() + _PATIENCE
            return 0


def network_of(address: str | None) -> str | None:
    """Return what stands for the household behind an address; None if the address does not tell one from others.

    That is so for private addresses: of a proxy next door, of the machine itself. A household has many of IPv6.
    """
    try:
        found = ip_address(address or "")
    except ValueError:
        return None
    if isinstance(found, IPv6Address) and found.ipv4_mapped:
        found = found.ipv4_mapped
    if isinstance(found, IPv6Address) and found in _NAT64:
        found = IPv4Address(int(found) & 0xFFFFFFFF)
    if not found.is_global:
        return None
    return str(ip_network(f"{found}/64", strict=False) if isinstance(found, IPv6Address) else found)
