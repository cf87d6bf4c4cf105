"""The worker: makes days, closes them, writes the log, and keeps boards in Redis true. One leads; two do no harm."""

import logging
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date
from secrets import token_hex
from threading import Event

from sqlalchemy import or_, update
from sqlalchemy.exc import SQLAlchemyError

from .agreement import keep_witness
from .boards import boards_in_use, reconcile, stale_boards
from .chains import warning
from .clock import SECOND, day_at
from .days import advance, close_due_days, make_days
from .errors import JournalDisagrees, Unavailable
from .journal import check_log, integrate
from .period_boards import build_boards
from .ranking import RankingUnavailable
from .retention import remove_what_is_over
from .rounds import close_due_rounds
from .site import Site
from .store.database import insert_or_nothing, writing
from .store.rows import LeaseRow

log = logging.getLogger("shutbox.worker")

TICK_SECONDS = 1.0
LEASE_MS = 10 * SECOND
MINUTE_MS = 60 * SECOND
HOUR_MS = 60 * MINUTE_MS
SLACK_MS = 10 * MINUTE_MS  # how far the clocks of two nodes may lie apart
_RECONCILED = "reconciled"  # the row of `leases` that holds when boards were last reconciled


def catch_up(site: Site) -> None:
    """Do everything that is due at a start, whoever leads; of a log that has much to tell only the beginning."""
    _make_and_close(site)
    with _saying_what_stops_the_log(site):
        integrate(site)
    with suppress(RankingUnavailable):
        keep_boards(site, practice=True)


def keep_boards(site: Site, practice: bool = False) -> None:
    """Reconcile the boards on which runs were accepted since the last time that this was done, and those in use.

    A process that is killed between storing a run and placing it leaves no other trace. Raises RankingUnavailable.
    """
    now = site.clock()
    last = site.session.get(LeaseRow, _RECONCILED, populate_existing=True)
    since = 0 if last is None else min(last.until, now) - SLACK_MS
    reconcile(site, boards_in_use(site, since, practice))
    build_boards(site)
    with writing(site.session):
        insert_or_nothing(site.session, LeaseRow, {"name": _RECONCILED, "holder": "", "until": now})
        site.session.execute(update(LeaseRow).where(LeaseRow.name == _RECONCILED).values(until=now))


def _make_and_close(site: Site) -> None:
    """Each duty by itself: a day that cannot be closed here must not keep the next one from being made."""
    for duty in (make_days, advance, _close_days, close_due_rounds):
        try:
            duty(site)
        except (SQLAlchemyError, Unavailable) as error:
            site.session.rollback()
            told = error.detail if isinstance(error, Unavailable) else type(error).__name__  # never its parameters
            log.error("%s failed and is tried again: %s", duty.__name__.strip("_"), told)


def write_log(site: Site, whole: bool) -> bool:
    """Log all that waits; with `whole`, only after everything stored was found right. Tell whether it was done."""
    with _saying_what_stops_the_log(site):
        if whole:
            check_log(site)
        while integrate(site):
            pass
        return True
    return False


@contextmanager
def _saying_what_stops_the_log(site: Site) -> Iterator[None]:
    """Where what is stored disagrees with what was signed, say so and sign nothing; the rest of the work goes on."""
    try:
        yield
    except JournalDisagrees as disagreement:
        site.session.rollback()
        log.critical("the log has stopped, nothing is signed: %s", disagreement)
    except SQLAlchemyError as error:
        site.session.rollback()
        log.error("write_log failed and is tried again: %s", type(error).__name__)
    except OSError as error:
        site.session.rollback()
        log.error("the newest checkpoint is stored, but could not be kept beside the key: %s", error)


def some_worker_leads(site: Site) -> bool:
    """Tell whether a worker has been at work within the last seconds."""
    lease = site.session.get(LeaseRow, "worker", populate_existing=True)
    return lease is not None and 0 < lease.until - site.clock() <= LEASE_MS


def _close_days(site: Site) -> None:
    closed = close_due_days(site)
    for day in closed:
        log.warning("day %s is closed", day)
    if closed:
        with suppress(RankingUnavailable):
            build_boards(site)


@dataclass
class Worker:
    """What one worker remembers between its ticks."""

    site: Site
    name: str = field(default_factory=lambda: f"{socket.gethostname()}-{os.getpid()}-{token_hex(4)}"[-64:])
    _reconciled_at: int = 0
    _log_checked: bool = False
    _tried_at: int = 0
    _warned_on: date | None = None
    _tidied_at: int = 0

    def tick(self) -> None:
        """Do what is due, if this worker leads; else look at the log, to notice if it goes back.

        Each minute days are made and closed by all others too: the one that leads may lack their secrets.
        """
        now = self.site.clock()
        if self._leads():
            _make_and_close(self.site)
            self._log_checked = write_log(self.site, whole=not self._log_checked)
            self._keep_boards()
            self._tidy()
        else:
            if not 0 <= now - self._tried_at < MINUTE_MS:
                _make_and_close(self.site)
                self._tried_at = now
            with _saying_what_stops_the_log(self.site):
                keep_witness(self.site)
        self._warn()

    def _tidy(self) -> None:
        """Remove what is over, once an hour; after a full batch go on with the next tick."""
        now = self.site.clock()
        if not 0 <= now - self._tidied_at < HOUR_MS and not remove_what_is_over(self.site):
            self._tidied_at = now

    def _warn(self) -> None:
        """Say once a day that this node's secrets come to their end; those of other nodes may reach further."""
        day = day_at(self.site.clock())
        if day != self._warned_on:
            told = warning(self.site)
            if told is not None:
                log.warning("%s", told)
            self._warned_on = day

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
        """Reconcile boards that missed a placement at once, and all in use each minute."""
        now = self.site.clock()
        with suppress(RankingUnavailable):
            reconcile(self.site, stale_boards(self.site))
            if not 0 <= now - self._reconciled_at < MINUTE_MS:
                keep_boards(self.site)
                self._reconciled_at = now


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
