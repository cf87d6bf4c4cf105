"""How a call is made: the address, who asks, and what becomes of the answer."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from random import Random, SystemRandom
from types import MappingProxyType, TracebackType
from typing import Any, Protocol, Self, TypeVar
from urllib.parse import quote
from wsgiref.types import WSGIApplication

import httpx

from ..errors import Problem, Unreachable
from ..reading import Unreadable, read
from ..transport import Retries, Retry, Sleep, Transport

T = TypeVar("T")
Item_co = TypeVar("Item_co", covariant=True)

API = "/api/v1"
_PLAIN = MappingProxyType({"Accept": "*/*", "Accept-Encoding": "identity"})
LARGEST_EXPORT = 1 << 30
LONGEST_PAGE = 200
"""The most rows that the service puts in one page of a board."""


class Page(Protocol[Item_co]):
    """A part of a board, and where the next part begins."""

    @property
    def items(self) -> tuple[Item_co, ...]: ...

    @property
    def next(self) -> str | None: ...


class Caller:
    """One who asks one installation: the part of `Client` that makes calls and knows none of them."""

    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        transport: httpx.BaseTransport | None = None,
        *,
        timeout: float = 10.0,
        retries: Retries | None = None,
        sleep: Sleep = time.sleep,
        random: Random | None = None,
        on_retry: Callable[[Retry], None] | None = None,
    ) -> None:
        self.base_url = checked_url(base_url)
        self.token = token
        self._random = random or SystemRandom()
        self._http = httpx.Client(
            transport=transport,
            timeout=timeout,
            headers={"Accept": "application/json", "User-Agent": f"shutbox-client/{version('shutbox')}"},
        )
        self._transport = Transport(self._http, retries or Retries(), sleep, self._random, on_retry)

    @classmethod
    def for_app(cls, app: WSGIApplication, token: str | None = None, *, retries: Retries | None = None) -> Self:
        """Return a client of a service in this process, without a network: for tests."""
        return cls("http://shutbox.test", token, httpx.WSGITransport(app), retries=retries)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _get(self, kind: type[T], path: str, query: Mapping[str, Any] | None = None) -> T:
        return self._send(kind, "GET", path, query=query)

    def _list(self, kind: type[T], path: str) -> tuple[T, ...]:
        content = self._transport.send(self._request("GET", path))
        items = content.get("items") if isinstance(content, dict) else None
        return tuple(self._read(kind, item) for item in (items if isinstance(items, list) else [None]))

    def _send(
        self,
        kind: type[T],
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        again: bool = True,
    ) -> T:
        request = self._request(method, path, body, query, headers)
        return self._read(kind, self._transport.send(request, again))

    def _end(self, path: str, gone: type[Problem]) -> None:
        """Send a DELETE. `gone` is right where an earlier try has done it, and its answer was lost."""
        try:
            self._transport.send(self._request("DELETE", path))
        except gone as told:
            if told.tries == 1:
                raise

    def _key(self, given: str | None) -> dict[str, str]:
        """Return the header that makes a request safe to send again; by default with a key of its own."""
        return {"Idempotency-Key": given or f"{self._random.getrandbits(128):032x}"}

    def _fetch(self, path: str, limit: int) -> bytes:
        return self._transport.fetch(self._request("GET", path, headers=_PLAIN), limit)

    def download(self, path: str, file: Path, limit: int, query: Mapping[str, Any] | None = None) -> None:
        """Write what the service has at a path into a file, up to `limit` bytes. Raises OSError too."""
        self._transport.download(self._request("GET", path, query=query, headers=_PLAIN), file, limit)

    def _request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Request:
        sent = dict(headers or {})
        if self.token is not None:
            sent["Authorization"] = f"Bearer {self.token}"
        if body is not None:
            sent["Content-Type"] = "application/json"
        return self._http.build_request(
            method,
            self.base_url + path,
            params=given(query) or None,
            content=json.dumps(body).encode() if body is not None else None,
            headers=sent,
        )

    def _read(self, kind: type[T], content: object) -> T:
        try:
            return read(kind, content)
        except Unreadable as mistake:
            raise Unreachable(f"{self.base_url} answered, but not as Shutbox does: {mistake}") from mistake


def checked_url(text: str) -> str:
    """Return the address of an installation in one form, without a slash at its end. Raises ValueError."""
    try:
        url = httpx.URL(str(httpx.URL(text.strip())))  # once more: the scheme is in small letters only then
    except httpx.InvalidURL as error:
        raise ValueError(f"{text!r} is no address: {error}") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError(f"{text!r} is no address of a service: it must begin with http:// or https://")
    if url.query or url.fragment or url.userinfo:
        raise ValueError(f"{text!r} is no address of a service: it has a scheme, a host, perhaps a port and a path")
    return str(url).rstrip("/")


def step(text: str) -> str:
    """Return one step of a path."""
    return quote(text, safe="")


def given(values: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (values or {}).items() if value is not None}


def walk(ask: Callable[[str | None], Page[T]]) -> Iterator[T]:
    """Yield the items of all pages from the first on; `ask` returns the page after a cursor."""
    page = ask(None)
    yield from page.items
    while page.next is not None:
        page = ask(page.next)
        yield from page.items
