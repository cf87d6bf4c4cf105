"""A running installation as the use cases see it: everything they need besides their arguments."""

from collections.abc import Callable
from dataclasses import dataclass, field
from secrets import token_bytes
from uuid import UUID

import uuid_utils

from .clock import Clock, system_clock
from .config import Settings
from .ranking import Ranking
from .seeds import Secrets
from .store.database import AnySession


@dataclass(frozen=True, slots=True)
class Counts:
    """How many players had started and finished a round at a moment."""

    at: int
    started: int
    finished: int


@dataclass(frozen=True, slots=True)
class Site:
    """Settings, secrets, stores, time and randomness; and counts of large rounds that this process keeps a while."""

    settings: Settings
    secrets: Secrets
    session: AnySession
    ranking: Ranking
    clock: Clock = system_clock
    random: Callable[[int], bytes] = token_bytes
    counted: dict[str, Counts] = field(default_factory=dict)

    def new_id(self) -> UUID:
        """Return a UUIDv7 of the present moment: ids of a later millisecond are greater."""
        return UUID(bytes=uuid_utils.uuid7(nanoseconds=self.clock() * 1_000_000).bytes)
