"""A log for tests: runs by the hundred, all that is stored of it, and its leaves read back."""

from shutbox.game.rulesets import CATALOGUE
from shutbox.game.runs import run_bytes, turns_from
from shutbox.journal import integrate
from shutbox.rounds import enter, get_round, hold_round, seed_of
from shutbox.runs import accept
from shutbox.site import Site
from shutbox.store.database import writing
from shutbox.store.rows import EntryRow, LeafRow, PlayerRow, RunRow
from shutbox.tlog.leaves import CloseLeaf, Leaf, RunLeaf, decode
from shutbox.tlog.standings import DisclosedRun, check_round, history_of
from shutbox.tlog.validity import first_difference
from sqlalchemy import select

from tests.players import any_of, as_turns, legal_turns

SEALED, OPENED = "2026-11-30-classic", "2026-11-30-classic-open"


def fill(site: Site, count: int, round_id: str = OPENED) -> None:
    """Accept a run of each of `count` new players, without the API and without Redis."""
    seed = seed_of(site, get_round(site, round_id)).hex()
    with writing(site.session):
        round = hold_round(site, round_id)
        for number in range(count):
            player_id = site.new_id()
            site.session.add(PlayerRow(player_id=player_id, bot=False, created_at=site.clock()))
            site.session.flush()
            accept(site, round, enter(site, round, player_id), as_turns(legal_turns("classic", seed, any_of(number))))


def log_all(site: Site, limit: int = 1000) -> int:
    """Log all that waits; return how many leaves were appended."""
    appended = 0
    while more := integrate(site, limit):
        appended += more
    return appended


def contents(site: Site) -> list[bytes]:
    """Return the stored leaves."""
    return list(site.session.scalars(select(LeafRow.leaf).order_by(LeafRow.leaf_index)))


def logged(site: Site) -> list[Leaf]:
    """Return the leaves of the log, which is valid."""
    leaves = [decode(content) for content in contents(site)]
    assert first_difference(leaves) is None
    return leaves


def check_closed_rounds(site: Site) -> int:
    """Recompute the ranking of every closed round from its leaves and from what its bundle will hold; count them."""
    leaves = logged(site)
    closes = [leaf for leaf in leaves if isinstance(leaf, CloseLeaf)]
    for close in closes:
        history = history_of(close.round_id, leaves)
        ranking = check_round(history, [_disclosed(site, leaf) for leaf in history.runs])
        assert len(ranking) == close.ranked
    return len(closes)


def _disclosed(site: Site, leaf: RunLeaf) -> DisclosedRun:
    wanted = select(RunRow, EntryRow).join(EntryRow, EntryRow.entry_id == RunRow.entry_id)
    rows = {run.run_id.bytes: (run, entry) for run, entry in site.session.execute(wanted)}
    run, entry = rows[leaf.run_id]
    ruleset = get_round(site, run.round_id).ruleset
    assert CATALOGUE[ruleset.id] == ruleset
    content = run_bytes(run.round_id, entry.player_tag, ruleset.hash, turns_from(run.turns))
    return DisclosedRun(leaf.run_id, run.salt, content)
