"""The worker: makes days, closes them, and keeps the boards in Redis true. One leads; two do no harm."""

import logging
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from secrets import token_hex
from threading import Event

from sqlalchemy import or_, update
from sqlalchemy.exc import SQLAlchemyError

from .clock import HOUR, SECOND
from .days import advance, close_due_days, make_days
from .errors import Unavailable
from .leaderboards import boards_in_use, reconcile, stale_boards
from .ranking import RankingUnavailable
from .rounds import close_practice
from .site import Site
from .store.database import insert_or_nothing, writing
from .store.rows import LeaseRow

log = logging.getLogger("shutbox.worker")

TICK_SECONDS = 1.0
LEASE_MS = 10 * SECOND
MINUTE_MS = 60 * SECOND
DAY_MS = 24 * HOUR


def catch_up(site: Site) -> None:
    """Do everything that is due at a start, whoever leads."""
    _make_and_close(site)
    with suppress(RankingUnavailable):
        reconcile(site, boards_in_use(site, site.clock() - DAY_MS))


def _make_and_close(site: Site) -> None:
    """Each duty by itself: a day that cannot be closed here must not keep the next one from being made."""
    for duty in (make_days, advance, _close_days, close_practice):
        try:
            duty(site)
        except (SQLAlchemyError, Unavailable) as error:
            site.session.rollback()
            log.error("%s failed and is tried again: %s", duty.__name__.strip("_"), error)


def _close_days(site: Site) -> None:
    for day in close_due_days(site):
        log.warning("day %s is closed", day)


@dataclass
class Worker:
    """What one worker remembers between its ticks."""

    site: Site
    name: str = field(default_factory=lambda: f"{socket.gethostname()}-{os.getpid()}-{token_hex(4)}"[-64:])
    _redis: str = ""  # the identity of the Redis that was last brought in order
    _reconciled_at: int = 0

    def tick(self) -> None:
        """Do what is due, if this worker leads."""
        if self._leads():
            _make_and_close(self.site)
            self._keep_boards()

    def _leads(self) -> bool:
        """Hold the lease, or take it where its holder has been silent or wrote a time that cannot be."""
        now = self.site.clock()
        lease = self.site.session.get(LeaseRow, "worker", populate_existing=True)
        if lease is not None and lease.holder == self.name and LEASE_MS // 2 < lease.until - now <= LEASE_MS:
            return True
        with writing(self.site.session):
            insert_or_nothing(self.site.session, LeaseRow, {"name": "worker", "holder": self.name, "until": now})
            free = or_(LeaseRow.holder == self.name, LeaseRow.until <= now, LeaseRow.until > now + LEASE_MS)
            taken = self.site.session.execute(
                update(LeaseRow)
                .where(LeaseRow.name == "worker", free)
                .values(holder=self.name, until=now + LEASE_MS)
                .returning(LeaseRow.name)
            ).first()
        return taken is not None

    def _keep_boards(self) -> None:
        """Reconcile boards that missed a placement, those in use each minute, and all when Redis was started anew."""
        now = self.site.clock()
        try:
            identity = self.site.ranking.identity()
            anew, minute = identity != self._redis, not 0 <= now - self._reconciled_at < MINUTE_MS
            if anew or minute:
                reconcile(self.site, boards_in_use(self.site, now - (DAY_MS if anew else 10 * MINUTE_MS)))
                self._redis, self._reconciled_at = identity, now
            reconcile(self.site, stale_boards(self.site))
        except RankingUnavailable:
            self._redis = ""


def run(site: Site, stop: Event, release: Callable[[], None]) -> None:
    """Tick until told to stop. `release` gives the database connection back between ticks."""
    worker = Worker(site)
    while not stop.is_set():
        try:
            worker.tick()
        except SQLAlchemyError as error:
            log.error("the database does not answer, trying again: %s", type(error).__name__)
        finally:
            release()
        stop.wait(TICK_SECONDS)
