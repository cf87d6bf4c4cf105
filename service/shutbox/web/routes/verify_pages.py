"""The pages that say what can be verified, and verify it: in the browser, by a file, by a command."""

from contextlib import suppress
from datetime import timedelta
from typing import Any

from flask import Blueprint, render_template

from ... import journal
from ...bundles import Disclosure, disclosure
from ...clock import day_at
from ...days import Day, get_day, last_closed_day, today
from ...errors import BundlePending, DayNotFound, NotLogged, RoundNotClosed
from ...game.encoding import lp, tag, u32
from ...rounds import Mode, Round, get_round
from ...tlog.note import verify_checkpoint
from ..auth import own_origin, site
from .pages import for_people

SHOWN_DAYS = 7
SMALL_BYTES = 2_000_000  # what a browser verifies without being asked to
LEAF_BYTES, RUN_BYTES = 112, 330  # about what a leaf takes with its hash, and a run in a bundle

routes = for_people(Blueprint("verify_pages", __name__))


@routes.get("/verify")
def verify_page() -> str:
    days = _newest_days()
    closed = last_closed_day(site())
    return render_template(
        "verify.html",
        days=days,
        example=get_day(site(), closed) if closed else None,
        size=_log_size(),
        **_known(),
    )


@routes.get("/verify/<round_id>")
def verify_round_page(round_id: str) -> str:
    """Show what is disclosed of a round; before its close that is the commitment, and nothing else."""
    round = get_round(site(), round_id)
    if not round.logged:
        raise NotLogged(f"Practice rounds are not logged, so round {round_id} cannot be verified")
    found, pending = _disclosed(round)
    read = LEAF_BYTES * _log_size() + RUN_BYTES * (found.close.ranked if found else 0)
    return render_template(
        "verify-round.html",
        round=round,
        found=found,
        pending=pending,
        closes_on=day_at(round.closes_at),
        read=read,
        small=read <= SMALL_BYTES,
        by_hand=_by_hand(round, found) if found else {},
        **_known(),
    )


def _known() -> dict[str, Any]:
    key = site().secrets.log_key.verifier
    return {"key": key, "server": own_origin()}


def _newest_days() -> list[Day]:
    """Return today, a day that may be closing, and the newest closed ones."""
    first, closed = today(site()), last_closed_day(site())
    wanted = {first, first - timedelta(days=1)}
    if closed is not None:
        wanted |= {closed - timedelta(days=back) for back in range(SHOWN_DAYS)}
    found = []
    for day in sorted(wanted, reverse=True):
        with suppress(DayNotFound):
            found.append(get_day(site(), day))
    return found


def _disclosed(round: Round) -> tuple[Disclosure | None, bool]:
    """Return what the log discloses of a round, and whether it waits for the log."""
    try:
        return disclosure(site(), round.round_id), False
    except RoundNotClosed:
        return None, False
    except BundlePending:
        return None, True


def _log_size() -> int:
    note = journal.checkpoint(site())
    return verify_checkpoint(note, site().secrets.log_key.verifier).size if note else 0


def _by_hand(round: Round, found: Disclosure) -> dict[str, str]:
    """Return, in hex, the bytes whose SHA-256 is the commitment and whose HMAC is the seed (protocol.md, "Secrets")."""
    mode = "open" if round.mode is Mode.OPEN else "sealed"
    named = tag("day-seed") + u32(found.round.day) + lp(mode.encode()) + round.ruleset.hash
    hashed = tag("commitment") + round.ruleset.hash + found.close.seed
    return {"commitment": hashed.hex(), "seed": named.hex()}
