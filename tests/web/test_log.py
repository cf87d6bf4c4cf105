"""The public log over HTTP: its files rebuild what was signed, and receipts verify without the service."""

import pytest
from shutbox.game.rulesets import CATALOGUE
from shutbox.site import Site
from shutbox.store.database import writing
from shutbox.store.rows import CheckpointRow, LeafRow, NodeRow, RunRow
from shutbox.tlog.merkle import Frontier, Node, inclusion_nodes, leaf_hash, prove, root_nodes
from shutbox.tlog.note import Checkpoint, verify_checkpoint
from shutbox.tlog.proof import verify_receipt
from shutbox.tlog.tiles import (
    EntryBundle,
    HashTile,
    check_entries,
    entry_bundles,
    hash_in_tile,
    hash_tiles,
    parse_entry_bundle,
    parse_hash_tile,
    tile_of,
)
from sqlalchemy import delete, insert, select, update

from tests.conftest import LOG_KEY, Closer, MovableClock
from tests.journals import NEW_KEY, OPENED, SEALED, contents, end_log, fill, log_all
from tests.players import Api, any_of, first, last, legal_turns

KEY = LOG_KEY.verifier
FOREVER = "public, max-age=31536000, immutable"


def signed(api: Api) -> Checkpoint:
    answer = api.get("/log/checkpoint")
    assert (answer.status_code, answer.content_type) == (200, "text/plain; charset=utf-8")
    assert answer.headers["Cache-Control"] == "no-cache"
    return verify_checkpoint(answer.data, KEY)


def fetched(api: Api, file: HashTile | EntryBundle) -> bytes:
    answer = api.get(f"/log/{file.path}")
    assert (answer.status_code, answer.mimetype) == (200, "application/octet-stream")
    assert answer.headers["Cache-Control"] == FOREVER
    return bytes(answer.data)


@pytest.mark.parametrize("runs", [0, 300])
def test_tiles_rebuild_the_root_and_hold_every_leaf(nobody: Api, site: Site, runs: int) -> None:
    fill(site, runs)
    log_all(site)
    checkpoint = signed(nobody)
    tiles = {tile: parse_hash_tile(tile, fetched(nobody, tile)) for tile in hash_tiles(checkpoint.size)}
    assert any(tile.width == 256 for tile in tiles) == (runs == 300)

    def hash_of(node: Node) -> bytes:
        tile = tile_of(node, checkpoint.size)
        return hash_in_tile(node, tile, tiles[tile])

    assert Frontier.read(checkpoint.size, hash_of).root() == checkpoint.root
    frontier = Frontier()
    for bundle in entry_bundles(checkpoint.size):
        entries = parse_entry_bundle(bundle, fetched(nobody, bundle))
        check_entries(bundle, entries, tiles[HashTile(0, bundle.index, bundle.width)])
        for entry in entries:
            frontier, _ = frontier.append(leaf_hash(entry))
    assert frontier.root() == checkpoint.root
    assert len(prove(inclusion_nodes(1, checkpoint.size), hash_of)) > 4
    assert root_nodes(checkpoint.size)


def test_a_partial_tile_is_served_as_it_was_after_the_log_has_grown(nobody: Api, site: Site) -> None:
    log_all(site)
    size = signed(nobody).size
    earlier = [fetched(nobody, file) for file in (HashTile(0, 0, size), EntryBundle(0, size))]
    fill(site, 300)
    log_all(site)
    assert [fetched(nobody, file) for file in (HashTile(0, 0, size), EntryBundle(0, size))] == earlier


TILES_OF_600 = ("0/000", "0/001", "0/002.p/{partial}", "1/000.p/2")
BUNDLES_OF_600 = ("entries/000", "entries/001", "entries/002.p/{partial}")


def test_what_is_damaged_is_not_served_for_ever(nobody: Api, site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """Any leaf or node, wrong or gone: every file that holds it is refused, and served again once it is mended."""
    fill(site, 565)
    log_all(site)
    size = signed(nobody).size
    paths = [path.format(partial=size - 512) for path in (*TILES_OF_600, *BUNDLES_OF_600)]
    zero, one, partial, top, first_entries, second_entries, partial_entries = paths
    assert size % 2 == 1, "the last hash of the partial tile is a subtree of its own"
    for (table, *key), held_by in (
        ((NodeRow, 0, 0), (zero, first_entries)),
        ((NodeRow, 0, 255), (zero, first_entries)),
        ((NodeRow, 0, 256), (one, second_entries)),
        ((NodeRow, 0, size - 1), (partial, partial_entries)),
        ((NodeRow, 0, 520), (partial, partial_entries)),
        ((NodeRow, 8, 1), (top,)),
        ((LeafRow, 0), (first_entries,)),
        ((LeafRow, 511), (second_entries,)),
        ((LeafRow, size - 1), (partial_entries,)),
    ):
        rows = Rows(site, table, key)
        for damage in (rows.flip, rows.remove):
            damage()
            refused = [path for path in paths if nobody.get(f"/log/tile/{path}").status_code == 503]
            assert set(held_by) <= set(refused), (table, key)
            answer = nobody.get(f"/log/tile/{held_by[0]}")
            assert (answer.get_json()["code"], answer.headers["Cache-Control"]) == ("log_unavailable", "no-store")
            assert answer.headers["Retry-After"] == "60"
            assert answer.get_json()["request_id"] in caplog.text
            rows.put_back()
        assert [path for path in paths if nobody.get(f"/log/tile/{path}").status_code != 200] == []
    with writing(site.session):
        site.session.execute(update(CheckpointRow).values(root=bytes(32)))
    assert {nobody.get(f"/log/tile/{path}").status_code for path in paths} == {503}


class Rows:
    """One row of the log, to be damaged and put back."""

    def __init__(self, site: Site, table: type[NodeRow] | type[LeafRow], key: list[int]) -> None:
        self._site, self._table = site, table
        columns = list(table.__table__.primary_key)
        self._is_it = [column == value for column, value in zip(columns, key, strict=True)]
        self._row = site.session.execute(select(table.__table__).where(*self._is_it)).one()._asdict()
        self._content = "hash" if table is NodeRow else "leaf"

    def flip(self) -> None:
        content = self._row[self._content]
        with writing(self._site.session):
            changed = {self._content: bytes((content[0] ^ 1,)) + content[1:]}
            self._site.session.execute(update(self._table).where(*self._is_it).values(changed))

    def remove(self) -> None:
        with writing(self._site.session):
            self._site.session.execute(delete(self._table).where(*self._is_it))

    def put_back(self) -> None:
        self.remove()
        with writing(self._site.session):
            self._site.session.execute(insert(self._table).values(self._row))


def test_a_receipt_that_would_not_verify_is_not_given(mara: Api, site: Site) -> None:
    run_id = mara.play_sealed(SEALED, first)["run_id"]
    fill(site, 3)
    log_all(site)
    with writing(site.session):
        site.session.execute(update(NodeRow).where(NodeRow.level == 0, NodeRow.number >= 3).values(hash=bytes(32)))
    answer = mara.get(f"/runs/{run_id}/receipt")
    assert (answer.status_code, answer.get_json()["code"]) == (503, "log_unavailable")
    assert "backup" not in answer.get_json()["detail"], "what is to be done is for the operator"


def test_a_log_that_was_succeeded_is_served_no_more(nobody: Api, site: Site) -> None:
    fill(site, 300)
    log_all(site)
    earlier = [fetched(nobody, EntryBundle(index)) for index in (0,)]
    follower, _ = end_log(site)
    assert nobody.get("/log/checkpoint").status_code == 404
    assert nobody.get("/log/tile/entries/000").status_code == 404
    log_all(follower)
    answer = nobody.get("/log/checkpoint")
    checkpoint = verify_checkpoint(answer.data, NEW_KEY.verifier)
    assert fetched(nobody, EntryBundle(0)) != earlier[0]
    assert checkpoint.size == len(contents(site))


def test_what_the_checkpoint_does_not_cover_is_not_there(nobody: Api, site: Site) -> None:
    nothing = nobody.get("/log/checkpoint")
    assert (nothing.status_code, nothing.get_json()["code"]) == (404, "not_found")
    assert nobody.get("/log/tile/0/000.p/1").status_code == 404
    log_all(site)
    size = signed(nobody).size
    for path in (
        f"0/000.p/{size + 1}",
        "0/000",
        "0/001.p/1",
        "1/000.p/1",
        "63/000.p/1",
        "64/000.p/1",
        "0/000.p/0",
        "0/000.p/256",
        "0/0",
        "0/x000/000.p/1",
        "00/000.p/1",
        f"entries/000.p/{size + 1}",
        "entries/000",
        "entries/../0/000.p/1",
        "entries/000.p/1/",
        "0/x999/x999/x999/x999/x999/x999/999",
        "0/٠٠٠.p/1",
    ):
        answer = nobody.get(f"/log/tile/{path}")
        assert (answer.status_code, answer.headers["Cache-Control"]) == (404, "no-store"), path
    assert nobody.post("/log/checkpoint").status_code == 405


def test_every_logged_run_has_a_receipt_that_verifies_offline(
    mara: Api, finn: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    seed = mara.get(f"/rounds/{OPENED}").get_json()["seed"]
    sealed = mara.play_sealed(SEALED)["run_id"]
    opened = mara.submit(OPENED, legal_turns("classic", seed)).get_json()["run_id"]
    pending = mara.get(f"/runs/{sealed}/receipt")
    assert (pending.status_code, pending.get_json()["code"]) == (503, "receipt_pending")
    assert (pending.headers["Retry-After"], pending.get_json()["retry_after"]) == ("1", 1)
    assert finn.get(f"/runs/{sealed}/receipt").status_code == 403, "whether it is logged is its owner's to know"
    log_all(site)
    others = finn.submit(OPENED, legal_turns("classic", seed, last)).get_json()["run_id"]
    log_all(site)
    clock.set("2026-12-01T02:00:00")
    close_days()
    log_all(site)
    for owner, run_id in ((mara, sealed), (mara, opened), (finn, others)):
        answer = owner.get(f"/runs/{run_id}/receipt")
        assert (answer.status_code, answer.content_type) == (200, "text/plain; charset=utf-8")
        assert answer.headers["Content-Disposition"] == f'attachment; filename="run-{run_id}.tlog-proof"'
        assert answer.headers["Cache-Control"] == "no-store"
        receipt = verify_receipt(answer.data, KEY)
        shown = owner.get(f"/runs/{run_id}").get_json()
        assert (receipt.run.round_id, receipt.leaf.run_id.hex()) == (shown["round_id"], run_id.replace("-", ""))
        assert [{"dice": turn.dice, "shut": list(turn.shut)} for turn in receipt.run.turns] == shown["turns"]
        assert receipt.run.ruleset_hash == CATALOGUE["classic"].hash
        assert receipt.checkpoint == signed(owner)


def test_a_receipt_is_its_players_only_until_the_close(
    mara: Api, finn: Api, nobody: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    seed = mara.get(f"/rounds/{OPENED}").get_json()["seed"]
    runs = [
        mara.play_sealed(SEALED, first)["run_id"],
        mara.submit(OPENED, legal_turns("classic", seed)).get_json()["run_id"],
    ]
    finn.play_sealed(SEALED, first)
    log_all(site)
    for run_id in runs:
        assert mara.get(f"/runs/{run_id}/receipt").status_code == 200
        theirs = finn.get(f"/runs/{run_id}/receipt")
        assert (theirs.status_code, theirs.get_json()["code"]) == (403, "not_yours")
        asked = nobody.get(f"/runs/{run_id}/receipt")
        assert (asked.status_code, asked.get_json()["code"]) == (401, "player_required")
    clock.set("2026-12-01T02:00:00")
    assert finn.get(f"/runs/{runs[0]}/receipt").status_code == 403, "closing, not closed"
    close_days()
    for run_id in runs:
        for reader in (mara, finn, nobody):
            assert verify_receipt(reader.get(f"/runs/{run_id}/receipt").data, KEY).leaf.round_id in (SEALED, OPENED)


def test_what_is_not_logged_has_no_receipt(mara: Api, nobody: Api, site: Site) -> None:
    seed = mara.get(f"/rounds/{OPENED}").get_json()["seed"]
    runs = [mara.submit(OPENED, legal_turns("classic", seed, any_of(number))).get_json() for number in range(8)]
    best = max(runs, key=lambda run: run["score"])
    no_better = [str(row.run_id) for row in site.session.scalars(select(RunRow).where(~RunRow.to_log))]
    assert no_better
    practice = mara.issue("classic", "open")
    practised = mara.submit(practice["round_id"], legal_turns("classic", practice["seed"])).get_json()
    log_all(site)
    assert mara.get(f"/runs/{best['run_id']}/receipt").status_code == 200
    for run_id in (practised["run_id"], *no_better):
        answer = mara.get(f"/runs/{run_id}/receipt")
        assert (answer.status_code, answer.get_json()["code"]) == (404, "not_logged")
        assert nobody.get(f"/runs/{run_id}/receipt").status_code == 401
    unknown = mara.get("/runs/01890a5d-ac96-774b-bcce-b302099a8057/receipt")
    assert (unknown.status_code, unknown.get_json()["code"]) == (404, "run_not_found")
