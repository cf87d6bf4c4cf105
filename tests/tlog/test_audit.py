"""What small-log.json cannot say of an audit: pieces, sizes, borders of chunks, and what passes between processes."""

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

import pytest
from pymerkle import InmemoryTree
from shutbox.game.rulesets import CATALOGUE
from shutbox.tlog.audit import (
    Chunk,
    JudgedChunk,
    LogAudit,
    check_bundle,
    check_known,
    check_successor,
    judge_chunk,
    one_by_one,
)
from shutbox.tlog.bundle import BundleRun, parse_run_line, render_run
from shutbox.tlog.faults import Fault, Refused
from shutbox.tlog.leaves import CloseLeaf, RoundLeaf, RulesetLeaf, SucceedLeaf, decode, encode
from shutbox.tlog.merkle import EMPTY_ROOT
from shutbox.tlog.note import Checkpoint
from shutbox.tlog.standings import Judge, RankedRun, RoundHistory
from shutbox.tlog.tiles import EntryBundle, HashTile

from tests.tlog import reference_log as plain
from tests.tlog.reference import Reference
from tests.tlog.small_log import CONTENTS, DAY, LEAVES, OPEN_DAY, fault_of, flipped
from tests.tlog.story import Story, bundle_lines
from tests.tlog.whole_logs import history_of

ORIGIN = "example.org/shutbox/log"
DOCUMENT = CATALOGUE["classic"].document
LARGE = 65_536 + 300
ALL_LEAVES = [encode(RulesetLeaf(t, DOCUMENT)) for t in range(LARGE)]  # the cheapest leaves that are valid
TREE = Reference(ALL_LEAVES)
SIZES = [0, 1, 2, 255, 256, 257, 511, 512, 513, 1000]


def checkpoint(size: int, tree: Reference = TREE) -> Checkpoint:
    return Checkpoint(ORIGIN, size, tree.root(0, size))


def content_of(piece: EntryBundle | HashTile, tree: Reference = TREE) -> bytes:
    """Return a file of a log, as the text of tlog-tiles says."""
    start = piece.index * 256
    if isinstance(piece, EntryBundle):
        return b"".join(map(plain.lp, tree.leaves[start : start + piece.width]))
    span = 256**piece.level
    return b"".join(tree.root(span * at, span * (at + 1)) for at in range(start, start + piece.width))


def add_all(audit: LogAudit, tree: Reference = TREE) -> list[str]:
    """Give an audit everything it asks for; return the paths."""
    paths = []
    for bundle in audit.bundles():
        tile = HashTile(0, bundle.index, bundle.width)
        audit.add(bundle, content_of(bundle, tree), content_of(tile, tree))
        paths += [bundle.path, tile.path]
    for higher in audit.tiles():
        audit.check_tile(higher, content_of(higher, tree))
        paths.append(higher.path)
    audit.finish()
    return paths


@pytest.mark.parametrize("size", SIZES)
def test_a_log_of_any_size_with_all_smaller_ones_known(size: int) -> None:
    audit = LogAudit(checkpoint(size), [checkpoint(known) for known in SIZES if known <= size])
    paths = add_all(audit)
    assert len(paths) == 2 * -(-size // 256) + (size >= 256)
    assert audit.state.size == size


@pytest.mark.parametrize("size", SIZES)
def test_a_root_of_other_leaves_is_refused_at_any_size(size: int) -> None:
    if size:
        assert fault_of(add_all, LogAudit(replace(checkpoint(size), root=bytes(32)))) is Fault.ROOT_MISMATCH
    else:
        assert fault_of(Checkpoint, ORIGIN, 0, bytes(32)) is Fault.PATH_MISMATCH


def test_a_log_of_three_levels_of_tiles() -> None:
    known = [checkpoint(size) for size in (1, 65_535, 65_536, 65_537, 65_791, 65_792, 65_793, LARGE)]
    audit = LogAudit(checkpoint(LARGE), known)
    paths = add_all(audit)
    assert [path for path in paths if not path.startswith(("tile/0/", "tile/entries/"))] == [
        "tile/1/000", "tile/1/001.p/1", "tile/2/000.p/1",
    ]  # fmt: skip
    for tile in audit.tiles():
        content = content_of(tile)
        for changed in (content[:-1] + bytes((content[-1] ^ 1,)), bytes(32) + content[32:]):
            assert fault_of(audit.check_tile, tile, changed) is Fault.TILE_MISMATCH
        assert fault_of(audit.check_tile, tile, content + bytes(32)) is Fault.BAD_LENGTH
    oracle = InmemoryTree(algorithm="sha256")
    oracle.append_entries(ALL_LEAVES)
    assert oracle.get_root(LARGE) == checkpoint(LARGE).root


def test_a_false_checkpoint_of_any_earlier_size_is_found() -> None:
    size = 600
    for at in (1, 2, 3, 255, 256, 257, 511, 512, 513, 599):
        known = [checkpoint(at - 1), replace(checkpoint(at), root=bytes(32)), checkpoint(at + 1)]
        with pytest.raises(Refused) as refused:
            add_all(LogAudit(checkpoint(size), known))
        assert (refused.value.fault, refused.value.detail) == (Fault.OLD_ROOT_MISMATCH, f"{at} of {size} leaves")


def test_every_size_may_be_known_at_once() -> None:
    size = 600
    add_all(LogAudit(checkpoint(size), [checkpoint(known) for known in (*range(size + 1), *range(size + 1))]))


def test_two_roots_of_one_earlier_size_cannot_both_be_right() -> None:
    for known in (
        [checkpoint(9), replace(checkpoint(9), root=bytes(32))],
        [replace(checkpoint(9), root=bytes(32))] * 2,
    ):
        assert fault_of(add_all, LogAudit(checkpoint(10), known)) is Fault.OLD_ROOT_MISMATCH


def test_an_audit_that_was_not_given_everything_finds_another_root() -> None:
    audit = LogAudit(checkpoint(600))
    first, second, last = audit.bundles()
    assert fault_of(audit.finish) is Fault.ROOT_MISMATCH
    for number, bundle in enumerate((first, second, last), start=1):
        audit.add(bundle, content_of(bundle), content_of(HashTile(0, bundle.index, bundle.width)))
        assert audit.state.size == bundle.leaves.stop
        if number < 3:
            assert fault_of(audit.finish) is Fault.ROOT_MISMATCH
    assert fault_of(audit.check_tile, HashTile(1, 0, 2), bytes(64)) is Fault.TILE_MISMATCH
    audit.finish()


def test_what_is_known_is_compared_before_anything_is_read() -> None:
    assert fault_of(LogAudit, checkpoint(5), [checkpoint(6)]) is Fault.ROLLED_BACK
    assert fault_of(LogAudit, checkpoint(5), [replace(checkpoint(5), root=bytes(32))]) is Fault.SPLIT_VIEW
    assert fault_of(LogAudit, checkpoint(0), [checkpoint(1)]) is Fault.ROLLED_BACK
    check_known(Checkpoint(ORIGIN, 0, EMPTY_ROOT), checkpoint(5))
    check_known(replace(checkpoint(4), root=bytes(32)), checkpoint(5))  # that takes the leaves


def test_a_successor_goes_on_where_the_earlier_log_ended() -> None:
    earlier = checkpoint(40)
    succeed = SucceedLeaf(0, ORIGIN, earlier.size, earlier.root)
    tree = Reference([encode(succeed), *ALL_LEAVES[:3]])
    audit = LogAudit(replace(checkpoint(4, tree), origin=f"{ORIGIN}-2"))
    add_all(audit, tree)
    for known in (earlier, checkpoint(39), checkpoint(0)):
        check_successor(audit.state, known)
    for known, fault in (
        (checkpoint(41), Fault.ROLLED_BACK),
        (replace(earlier, root=bytes(32)), Fault.SPLIT_VIEW),
        (replace(earlier, origin=f"{ORIGIN}-1"), Fault.ORIGIN_MISMATCH),
    ):
        assert fault_of(check_successor, audit.state, known) is fault
    begins_anew = LogAudit(checkpoint(4))
    add_all(begins_anew)
    assert fault_of(check_successor, begins_anew.state, earlier) is Fault.ORIGIN_MISMATCH


def test_every_flipped_bit_of_a_log_is_refused() -> None:
    tree = Reference(CONTENTS[:7])
    bundle, tile = EntryBundle(0, 7), HashTile(0, 0, 7)
    entries, hashes = content_of(bundle, tree), content_of(tile, tree)
    wanted = {Fault.TILE_MISMATCH, Fault.TOO_SHORT, Fault.TRAILING_BYTES}
    for changed in flipped(entries):
        assert fault_of(LogAudit(checkpoint(7, tree)).add, bundle, changed, hashes) in wanted
    for changed in flipped(hashes):
        assert fault_of(LogAudit(checkpoint(7, tree)).add, bundle, entries, changed) is Fault.TILE_MISMATCH


def test_rounds_are_followed_as_asked() -> None:
    tree = Reference(CONTENTS)
    for wanted in ([], [DAY], [DAY, OPEN_DAY]):

        def follows(leaf: RoundLeaf, wanted: list[str] = wanted) -> bool:
            return leaf.round_id in wanted

        audit = LogAudit(checkpoint(len(CONTENTS), tree), follows=follows)
        add_all(audit, tree)
        assert audit.histories == {round_id: history_of(round_id, LEAVES) for round_id in wanted}


def test_a_leaf_that_is_refused_is_named_by_its_index() -> None:
    tree = Reference([*ALL_LEAVES[:300], b"\x01\x09", *ALL_LEAVES[301:400]])
    with pytest.raises(Refused) as refused:
        add_all(LogAudit(checkpoint(400, tree)), tree)
    assert (refused.value.fault, refused.value.detail) == (Fault.UNKNOWN_TYPE, "leaf 300: leaf type 9")


@pytest.mark.parametrize("fault", Fault)
def test_a_refusal_passes_between_processes_as_it_is(fault: Fault) -> None:
    for refused in (Refused(fault), Refused(fault, "leaf 3: here")):
        passed = pickle.loads(pickle.dumps(refused))
        assert (passed.fault, passed.detail, str(passed)) == (refused.fault, refused.detail, str(refused))
        assert passed.fault is fault


# the borders of chunks


@cache
def crowd(players: int) -> tuple[RoundHistory, list[bytes]]:
    """Return a closed round that many have played, and the lines of its bundle."""
    first = datetime(2028, 2, 28, tzinfo=UTC)
    story = Story(first)
    chain = story.chain("crowd", first, 1)
    story.ruleset("classic")
    round = story.daily(chain, first, "classic", "sealed")
    pool = round.pool()
    for number in range(players):
        story.run(round, f"player {number}", pool[number % len(pool)])
    story.close(round)
    return history_of("2028-02-28-classic", map(decode, story.leaves)), [line.encode() for line in bundle_lines(round)]


def ranking_of(players: int, lines: list[bytes]) -> tuple[RankedRun, ...]:
    return check_bundle(crowd(players)[0], DOCUMENT, lines)


def run_at(lines: list[bytes], number: int) -> BundleRun:
    return parse_run_line(lines[number], 0)


@pytest.mark.parametrize("players", [0, 1, 999, 1000, 1001, 2001])
def test_progress_tells_of_every_run_once(players: int) -> None:
    history, lines = crowd(players)
    told: list[int] = []
    assert len(check_bundle(history, DOCUMENT, lines, progress=told.append)) == players
    assert sum(told) == players
    assert len(told) == -(-players // 1000)


@pytest.mark.parametrize("at", [1, 2, 999, 1000, 1001, 1002, 2000, 2001])
def test_a_fault_on_either_side_of_a_border_is_named(at: int) -> None:
    _, lines = crowd(2001)
    before, line, after = lines[:at], lines[at], lines[at + 1 :]
    run = parse_run_line(line, at + 1)
    again = lines[at - 1] if at > 1 else lines[1]
    for changed, fault in (
        ([*before, *after], Fault.RUN_MISSING),
        ([*before, b"{}\n", *after], Fault.BAD_LINE),
        ([*before, b"\n", line, *after], Fault.BAD_LINE),
        ([*before, line, again, *after], Fault.REPEATED_RUN),
        ([*before, render_run(replace(run, run_id=bytes(16))), *after], Fault.RUN_NOT_LOGGED),
        ([*before, render_run(replace(run, leaf_index=0)), *after], Fault.INDEX_MISMATCH),
        ([*before, render_run(replace(run, salt=bytes(32))), *after], Fault.COMMITMENT_MISMATCH),
        ([*before, render_run(replace(run, rank=None)), *after], Fault.RANK_MISMATCH),
    ):
        assert fault_of(ranking_of, 2001, changed) is fault


def test_lines_that_were_not_looked_at_are_counted() -> None:
    _, lines = crowd(2001)
    swapped = [lines[0], lines[2], lines[1], *lines[3:]]
    assert fault_of(ranking_of, 2001, swapped) is Fault.RUN_OUT_OF_ORDER
    assert fault_of(ranking_of, 2001, swapped[:-1]) is Fault.RUN_MISSING
    assert fault_of(ranking_of, 2001, [*swapped, b"nonsense"]) is Fault.RUN_MISSING
    far = [*lines[:999], lines[1002], *lines[1000:1002], lines[999], *lines[1003:]]
    assert fault_of(ranking_of, 2001, far) is Fault.RUN_OUT_OF_ORDER


@pytest.mark.parametrize("players", [1000, 2000])
def test_a_line_behind_a_full_chunk_is_too_much(players: int) -> None:
    _, lines = crowd(players)
    assert len(ranking_of(players, lines)) == players
    assert fault_of(ranking_of, players, [*lines, lines[1]]) is Fault.REPEATED_RUN
    assert fault_of(ranking_of, players, [*lines, lines[players]]) is Fault.REPEATED_RUN
    strange = render_run(replace(run_at(lines, 1), run_id=bytes(16)))
    assert fault_of(ranking_of, players, [*lines, strange]) is Fault.RUN_NOT_LOGGED
    assert fault_of(ranking_of, players, [*lines, b"\n"]) is Fault.BAD_LINE


def test_the_first_fault_in_order_is_named_however_chunks_are_spread() -> None:
    history, lines = crowd(2001)
    wrong = [*lines[:1500], b"{}\n", *lines[1501:]]
    early = [*wrong[:500], *wrong[501:]]

    def read_ahead(judge: Judge, chunks: Iterable[Chunk]) -> Iterable[JudgedChunk]:
        """All chunks are read and judged before the first result is looked at, and pass between processes."""
        return [pickle.loads(pickle.dumps(judge_chunk(pickle.loads(pickle.dumps(judge)), chunk))) for chunk in chunks]

    for spread in (one_by_one, read_ahead):
        assert len(check_bundle(history, DOCUMENT, lines, spread)) == 2001
        assert fault_of(check_bundle, history, DOCUMENT, wrong, spread) is Fault.BAD_LINE
        assert fault_of(check_bundle, history, DOCUMENT, early, spread) is Fault.RUN_MISSING


def test_lines_behind_a_fault_are_not_judged() -> None:
    history, lines = crowd(2001)
    judged: list[int] = []

    def reading() -> Iterator[bytes]:
        yield lines[0]
        yield b"{}\n"
        yield from lines[2:1001]
        raise AssertionError("the next chunk was read")

    with pytest.raises(Refused) as refused:
        check_bundle(history, DOCUMENT, reading(), progress=judged.append)
    assert (refused.value.fault, sum(judged)) == (Fault.BAD_LINE, 0)


def test_a_bundle_of_no_lines_has_a_bad_first_line() -> None:
    with pytest.raises(Refused) as refused:
        ranking_of(1, [])
    assert (refused.value.fault, refused.value.detail[:6]) == (Fault.BAD_LINE, "line 1")


def test_a_line_that_is_not_utf_8_is_of_bad_form() -> None:
    _, lines = crowd(1)
    for changed in (
        lines[1].replace(b"run_id", b"run_\xffd"),
        b"\xef\xbb\xbf" + lines[1],
        lines[1].decode().encode("utf-16"),
    ):
        assert fault_of(ranking_of, 1, [lines[0], changed]) is Fault.BAD_LINE


def test_a_line_of_nonsense_is_of_bad_form() -> None:
    _, lines = crowd(1)
    deep = b'{"run":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    many = lines[1].replace(b'"leaf_index":3', b'"leaf_index":' + b"9" * 5000)
    for changed in (deep, many, b"null\n", b"{\n", b"}\n", b'{"run_id":"\\ud800"}\n', b"0"):
        assert changed != lines[1]
        assert fault_of(ranking_of, 1, [lines[0], changed]) is Fault.BAD_LINE
        assert fault_of(ranking_of, 1, [changed]) is Fault.BAD_LINE


def test_every_flipped_bit_of_a_bundle_is_refused() -> None:
    history, lines = crowd(2)
    assert isinstance(history.round, RoundLeaf)
    assert isinstance(history.close, CloseLeaf)
    for number, line in enumerate(lines):
        for changed in flipped(line):
            fault_of(ranking_of, 2, [*lines[:number], changed, *lines[number + 1 :]])
