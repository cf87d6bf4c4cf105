"""Chains for tests: a successor to the one that all tests have, and nodes with other chains in their file."""

from datetime import date, timedelta

from shutbox.seeds import Chain, Secrets
from shutbox.site import Site
from shutbox.store.rows import DayRow
from sqlalchemy import select

from tests.conftest import TODAY

LAST_MADE = TODAY + timedelta(days=7)
FIRST = LAST_MADE + timedelta(days=1)
"""The first day that a successor can have at noon of TODAY."""


def successor(first_day: date = FIRST, number: int = 0) -> Chain:
    return Chain(bytes([200 + number] * 16), first_day, 40, 40, bytes([number] * 32))


def node(site: Site, *given: Chain) -> Site:
    """Return the installation as a node with these chains in its file sees it."""
    secrets = Secrets(given, site.secrets.round_key, site.secrets.log_key)
    return Site(site.settings, secrets, site.session, site.ranking, site.clock)


def made(site: Site) -> dict[date, bytes]:
    """Return the chain of each day that is made."""
    found = site.session.execute(select(DayRow.day, DayRow.chain_id).order_by(DayRow.day))
    return {day: chain_id for day, chain_id in found}


def closed(site: Site) -> list[date]:
    return list(site.session.scalars(select(DayRow.day).where(DayRow.closed_at.is_not(None)).order_by(DayRow.day)))
