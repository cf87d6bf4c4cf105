"""The client: one method for every call of the service."""

from .calls.boards import BoardCalls
from .calls.leagues import LeagueCalls
from .calls.players import PlayerCalls
from .calls.rounds import RoundCalls
from .calls.service import ServiceCalls


class Client(RoundCalls, BoardCalls, PlayerCalls, LeagueCalls, ServiceCalls):
    """A player, or nobody, talking to one installation. Close it, or use it in a `with` statement.

    `token` says who asks and may be set later. Failed requests are sent again as `retries` says; `sleep` and `random`
    are what waiting and chance come from, `on_retry` is told before a request is sent again. `transport` is any httpx
    transport, such as `httpx.WSGITransport(app)`; without one the proxies of the environment are used.

    Every call raises Problem where the service refuses, and Unreachable where no answer of it comes.
    """
