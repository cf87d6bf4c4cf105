"""The seam to the network: one method that sends a request and returns the answer, sending it again where it is safe.

What only reads may be sent again, a decision and a submission are idempotent by what they are, and what makes a round
or a league has an Idempotency-Key. Making a player, a token or a code is sent once. The request is built once, so the
bytes sent again are the same.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from pathlib import Path
from random import Random
from typing import Any

import httpx

from .errors import ShutboxError, Unavailable, Unreachable
from .problems import problem_from

Sleep = Callable[[float], None]

_TRANSIENT = frozenset(
    (
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.BAD_GATEWAY,
        HTTPStatus.SERVICE_UNAVAILABLE,
        HTTPStatus.GATEWAY_TIMEOUT,
    )
)


@dataclass(frozen=True, slots=True)
class Retries:
    """How patient a client is: the number of tries, and the seconds between them, which double from try to try.

    Where the service asks for more than `longest_wait`, the call fails at once and tells so in `retry_after`.
    """

    tries: int = 5
    first_wait: float = 0.25
    longest_wait: float = 10.0


@dataclass(frozen=True, slots=True)
class Retry:
    """What is told before a request is sent again: what failed, and how many seconds it waits."""

    error: ShutboxError
    wait: float


class Transport:
    """Sends requests over an httpx client."""

    def __init__(
        self,
        http: httpx.Client,
        retries: Retries,
        sleep: Sleep = time.sleep,
        random: Random | None = None,
        on_retry: Callable[[Retry], None] | None = None,
    ) -> None:
        self._http = http
        self._retries = retries
        self._sleep = sleep
        self._random = random or Random()
        self._on_retry = on_retry

    def send(self, request: httpx.Request, again: bool = True) -> Any:
        """Send a request and return the JSON of the answer, None if it has no body.

        Without `again` it is sent once, come what may. Raises Problem and Unreachable.
        """
        return self._tried(lambda: self._once(request), again)

    def fetch(self, request: httpx.Request, limit: int) -> bytes:
        """Return the answer to a request, whatever it holds, up to `limit` bytes. Raises Problem and Unreachable."""
        found: bytes = self._tried(lambda: self._once(request, lambda answer: b"".join(_parts(answer, limit))), True)
        return found

    def download(self, request: httpx.Request, file: Path, limit: int) -> None:
        """Write the answer to a request into a file, whatever it holds, up to `limit` bytes.

        Raises Problem, Unreachable (also where more comes) and OSError.
        """
        self._tried(lambda: self._once(request, lambda answer: _write(answer, file, limit)), again=True)

    def _tried(self, once: Callable[[], Any], again: bool) -> Any:
        tries = 0
        while True:
            tries += 1
            try:
                return once()
            except _Failed as failed:
                wait = max(self._backoff(tries), failed.retry_after or 0.0)
                last = tries >= self._retries.tries or wait > self._retries.longest_wait
                if not again or last or not failed.transient:
                    failed.error.tries = tries
                    raise failed.error from failed.__cause__
                if self._on_retry is not None:
                    self._on_retry(Retry(failed.error, wait))
                self._sleep(wait)

    def _once(self, request: httpx.Request, take: Callable[[httpx.Response], Any] | None = None) -> Any:
        address = f"{request.url.scheme}://{request.url.netloc.decode('ascii')}"
        try:
            response = self._http.send(request, stream=take is not None)
            if take is not None and response.is_success:
                return take(response)
            response.read()
        except (httpx.UnsupportedProtocol, httpx.LocalProtocolError) as error:
            raise _Failed(Unreachable(f"the request to {address} cannot be sent: {error}")) from error
        except httpx.TimeoutException as error:
            raise _Failed(Unreachable(f"{address} did not answer in time"), transient=True) from error
        except httpx.TransportError as error:
            why = str(error) or type(error).__name__
            raise _Failed(Unreachable(f"no connection to {address}: {why}"), transient=True) from error
        except httpx.RequestError as error:
            raise _Failed(Unreachable(f"the answer of {address} cannot be read: {error}")) from error
        return self._judged(response, address)

    def _judged(self, response: httpx.Response, address: str) -> Any:
        """Return the JSON of a success, or raise what the answer means."""
        content = _json(response)
        if response.is_success and (content is not None or response.status_code == HTTPStatus.NO_CONTENT):
            return content
        retry_after = _seconds(response)
        problem = problem_from(response.status_code, content, retry_after) if response.is_error else None
        transient = response.status_code in _TRANSIENT
        if problem is not None:
            waiting = problem.retry_after if isinstance(problem, Unavailable) else None
            raise _Failed(problem, transient, waiting)
        told = f"{address} answered {response.status_code}, but not as Shutbox does"
        if "location" in response.headers:
            told += f": it points to {response.headers['location']}"
        raise _Failed(Unreachable(told), transient, retry_after)

    def _backoff(self, tries: int) -> float:
        """Return how long to wait after that many tries: somewhere in the upper half of a time that doubles."""
        longest: float = min(self._retries.first_wait * 2 ** (tries - 1), self._retries.longest_wait)
        share: float = 0.5 + self._random.random() / 2
        return longest * share


def _parts(response: httpx.Response, limit: int) -> Iterator[bytes]:
    """Yield what comes, as it comes: it may be larger than memory."""
    taken = 0
    try:
        for part in response.iter_raw():  # as it was sent: a packed answer could be a thousand times as large
            taken += len(part)
            if taken > limit:
                raise _Failed(Unreachable(f"{response.url} has more than the {limit} bytes that it can have"))
            yield part
    finally:
        response.close()


def _write(response: httpx.Response, file: Path, limit: int) -> None:
    with file.open("wb") as stream:
        stream.writelines(_parts(response, limit))


class _Failed(Exception):
    """One try that failed, and whether another may do better."""

    def __init__(self, error: ShutboxError, transient: bool = False, retry_after: float | None = None) -> None:
        super().__init__()
        self.error = error
        self.transient = transient
        self.retry_after = retry_after


def _json(response: httpx.Response) -> Any:
    """Return the JSON of an answer; None if there is none."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip()
    if kind not in ("application/json", "application/problem+json"):
        return None
    try:
        return response.json()
    except (ValueError, RecursionError):
        return None


def _seconds(response: httpx.Response) -> float | None:
    """Return what Retry-After asks for, as seconds; a date is measured from the answer's own Date."""
    text = response.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        until: datetime = parsedate_to_datetime(text)
        return max(0.0, (until - parsedate_to_datetime(response.headers.get("date", ""))).total_seconds())
    except (ValueError, TypeError):
        return None
