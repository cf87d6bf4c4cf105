"""How often something may be asked for: by the player who asks, or by the address that a request came from."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from flask import current_app, request

from ..errors import RateLimited
from ..limits import Limit, Limits, network_of
from .auth import caller, calling, site

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")

HOUR = 3600

LIMITS: dict[str, Limit] = {
    "players": Limit(120, HOUR),  # by address, as is the next: nobody is known yet
    "failed codes": Limit(30, HOUR),
    "leagues": Limit(60, HOUR),
    "challenges": Limit(60, HOUR),
    "codes": Limit(60, HOUR),
    "tokens": Limit(60, HOUR),
    "names": Limit(30, HOUR),
    "practice rounds": Limit(600, HOUR),  # one in six seconds for a bot that practises all day
}
"""Far above what people and their programs do. Play and submissions have none: bots are welcome, and a repetition
stores nothing."""


def limited(what: str, *scopes: str) -> Callable[[Callable[Arguments, Answer]], Callable[Arguments, Answer]]:
    """Let a view answer a player only as often as LIMITS says. Raises RateLimited.

    Counted is only what a token with these scopes asks for: a lesser one must not lock its owner out.
    """

    def wrap(view: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
        @wraps(view)
        def answer(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
            calling(*scopes)
            limit_player(what)
            return view(*args, **kwargs)

        return answer

    return wrap


def limit_player(what: str) -> None:
    """Count something that the player who asks does. Raises RateLimited."""
    asking = caller()
    if asking is not None:
        _check(what, str(asking.player.player_id), True)


def limit_address(what: str, count: bool = True) -> None:
    """Count something that comes from an address, or only look whether it may come. Raises RateLimited."""
    network = network_of(request.remote_addr)
    if network is not None:
        _check(what, network, count)


def _check(what: str, who: str, count: bool) -> None:
    if not site().settings.limits:
        return
    limits: Limits = current_app.extensions["shutbox.limits"]
    limit = LIMITS[what]
    seconds = limits.wait(what, who, limit, count)
    if seconds:
        often = f"at most {limit.most} times in {limit.seconds // 60} minutes"
        raise RateLimited(f"this can be done {often}: try again in {seconds} seconds", retry_after=seconds)
