"""Cases of a closed round whose log says something else too, or of which nothing can be said."""

from typing import Any

from tests.tlog import reference_log as plain
from tests.tlog.edits import Case, Edit
from tests.tlog.reference_log import Fields
from tests.tlog.story import Run, drawn, run_line
from tests.tlog.tampered_bundles import LINES, ROUND, RUNS, round_case
from tests.tlog.tampering import DIGITS, LOST, NEXT, NO_RUNS, OPEN, RUNNING, SEALED, TOLD, case, replaced

RULESET = TOLD.leaves[1].hex()  # a leaf that says nothing new, to stand where another one stood


def cases() -> list[Case]:
    return [*_undecided(), *_runs(), *_ranks()]


def _undecided() -> list[Case]:
    """A round that is not closed, or whose ruleset has no name here, is not wrong."""
    document = bytes.fromhex("03ff00000200000000000100")
    hash = plain.h(plain.tag("ruleset"), document)
    id, seed = "challenge-00000000-0000-4000-8000-000000000000", drawn("unknown seed")
    unknown = [
        TOLD.append(1, document=document),
        TOLD.insert(
            TOLD.size + 1, TOLD.duel.index, round_id=id, ruleset_hash=hash, commitment=plain.commitment(hash, seed)
        ),
    ]
    close = TOLD.insert(TOLD.size + 2, TOLD.at("CLOSE", c_i=bytes(32)), round_id=id, seed=seed, ranked=0)
    return [
        round_case("a round that runs", "not-closed", round=TOLD.round(RUNNING)),
        case("a round of an unknown ruleset", "round", "unknown-ruleset", round=id, leaf_edits=[*unknown, close]),
        case("a round of an unknown ruleset that runs", "round", "not-closed", round=id, leaf_edits=unknown),
        case(
            "a round of an unknown ruleset and a bundle of nonsense",
            "round",
            "unknown-ruleset",
            round=id,
            leaf_edits=[*unknown, close],
            bundle_edits=[["append-text", "nonsense"]],
        ),
        case("a round that was never logged", "round", "round-not-logged", round="2028-02-28-digits"),
    ]


def _line_edit(number: int, **changes: Any) -> Edit:
    return ["replace", number, *replaced(LINES[number], run_line(RUNS[number - 1], **changes))]


def _relogged(number: int, content: bytes) -> Fields:
    """Edits of log and bundle by which run `number` is another one, salt and id as before."""
    run = RUNS[number - 1]
    leaf = TOLD.set(run.index, run_commitment=plain.run_commitment(run.salt, content))
    return {"leaf_edits": [leaf], "bundle_edits": [_line_edit(number, run=content)]}


def _closed(**changes: Any) -> Fields:
    """Edits of log and bundle by which the close of the round says something else."""
    assert ROUND.header is not None
    assert ROUND.close_index is not None
    line = plain.line({**ROUND.header, **changes})
    return {
        "leaf_edits": [TOLD.set(ROUND.close_index, **changes)],
        "bundle_edits": [["replace", 0, *replaced(LINES[0], line)]],
    }


def _together(*edits: Fields) -> Fields:
    return {name: [edit for each in edits for edit in each[name]] for name in ("leaf_edits", "bundle_edits")}


def _runs() -> list[Case]:
    run, content = RUNS[1], RUNS[1].content
    other_tag = ROUND.run_of(drawn("tag")[:16], run.played)
    altered = ROUND.run_of(run.tag, ROUND.pool()[3])
    line = LINES[2].encode()

    def alone(name: str, where: Run, *edits: Edit) -> Case:
        return round_case(name, "commitment-mismatch", where.run_id.hex(), bundle_edits=list(edits))

    def both(name: str, fault: str, number: int, content: bytes, where: str | None = None) -> Case:
        return round_case(name, fault, where, **_relogged(number, content))

    def illegal(name: str, reason: str, turns: list[Fields]) -> Case:
        return both(name, "illegal-run", 2, plain.run_bytes(DIGITS, run.tag, ruleset_hash, turns), reason)

    turns, ruleset_hash = run.played.turns, ROUND.fields["ruleset_hash"]
    classic = TOLD.round(NEXT).fields["ruleset_hash"]
    id = run.run_id.hex()
    return [
        alone("a run is altered in the bundle", run, _line_edit(2, run=altered)),
        alone("a run is moved to another player in the bundle", run, _line_edit(2, run=other_tag)),
        alone(
            "a run is moved to a player who has one in the bundle",
            run,
            _line_edit(2, run=ROUND.run_of(RUNS[0].tag, run.played)),
        ),
        alone("another salt", run, _line_edit(2, salt=bytes(32))),
        alone("one bit of a salt", run, ["flip", 2, _hex_bit(line, b'"salt":"')]),
        alone("one bit of a run", run, ["flip", 2, _hex_bit(line, b'"run":"')]),
        alone("a run with a byte too much in the bundle", run, _line_edit(2, run=content + b"\0")),
        alone("a run of no bytes in the bundle", run, _line_edit(2, run=b"")),
        alone(
            "two runs exchange salt and turns",
            RUNS[0],
            _line_edit(1, salt=run.salt, run=content),
            _line_edit(2, salt=RUNS[0].salt, run=RUNS[0].content),
        ),
        both("a logged run of version 2", "unknown-version", 2, b"\x02" + content[1:]),
        both("a logged run with a byte too much", "trailing-bytes", 2, content + b"\0"),
        both("a logged run with a byte missing", "too-short", 2, content[:-1]),
        both("a logged run without its number of turns", "too-short", 2, content[: 3 + len(DIGITS) + 48]),
        both("a logged run without its ruleset", "too-short", 2, content[: 3 + len(DIGITS) + 16]),
        both("a logged run of no bytes", "too-short", 2, b""),
        both("a logged run of a round without a name", "bad-round-id", 2, b"\x01\x00\x00" + content[3 + len(DIGITS) :]),
        both(
            "a logged run of another round",
            "run-of-another-round",
            2,
            content.replace(b"2028-02-29", b"2028-02-28"),
            id,
        ),
        both(
            "a logged run of another ruleset",
            "run-of-another-round",
            2,
            content.replace(ruleset_hash, classic),
            id,
        ),
        both(
            "a logged run of another round with a byte too much",
            "trailing-bytes",
            2,
            content.replace(b"2028-02-29", b"2028-02-28") + b"\0",
        ),
        illegal("a logged run that stops early", "unfinished", turns[:-1]),
        illegal("a logged run without turns", "unfinished", []),
        illegal("a logged run that goes on after its end", "turn-after-end", [*turns, turns[-1]]),
        illegal("a logged run with one die too early", "dice-not-allowed", [{"dice": 1, "shut": [1]}, *turns[1:]]),
        illegal("a logged run without dice", "dice-not-allowed", [{"dice": 0, "shut": []}]),
        illegal("a logged run that shuts too much", "wrong-tiles", [{"dice": 2, "shut": [1, 2, 3, 4, 5]}, *turns[1:]]),
        illegal("a logged run that shuts tile 16", "tile-not-open", [{"dice": 2, "shut": [16]}, *turns[1:]]),
        illegal("a logged run that shuts nothing", "shut-required", [{"dice": 2, "shut": []}, *turns[1:]]),
        both("a logged run is altered to another legal one", "ranking-mismatch", 2, altered),
        both("a logged run is moved to a new player", "ranking-mismatch", 2, other_tag),
        both(
            "a logged run is moved to a player who has one", "repeated-player", 2, ROUND.run_of(RUNS[0].tag, run.played)
        ),
        both("the run of a player who has two is the same one twice", "repeated-player", 5, RUNS[0].content),
    ]


def _hex_bit(line: bytes, before: bytes) -> int:
    """Return a bit behind some text that turns a digit of lower-case hex into another one."""
    start = line.index(before) + len(before)
    return next(
        8 * at for at in range(start, len(line)) if line[at] in b"02468bd" and line[at] ^ 1 in b"0123456789abcdef"
    )


def _ranking_hash_with(changed: Run, content: bytes) -> bytes:
    """Return the hash of the ranking with one run for another."""
    commitment = plain.run_commitment(changed.salt, content)
    return plain.ranking_hash((rank, commitment if run is changed else run.commitment) for rank, run in ROUND.ranking)


def _ranks() -> list[Case]:
    close = ROUND.close_index
    assert close is not None
    other_count = _closed(ranked=4)
    new = ROUND.run_of(drawn("tag")[:16], ROUND.pool()[-1])
    new_id, new_salt = drawn("new id")[:16], drawn("new salt")
    end = TOLD.at("CLOSE", round_id=NO_RUNS)  # the first one of its day
    new_leaf = TOLD.insert(end, RUNS[0].index, run_id=new_id, run_commitment=plain.run_commitment(new_salt, new))
    new_line = plain.line({"run_id": new_id, "leaf_index": end, "salt": new_salt, "run": new, "rank": 6})
    withdraw = TOLD.insert(close, TOLD.at("WITHDRAW"), round_id=DIGITS, run_id=RUNS[0].run_id)
    unranked = next(run for run in TOLD.round(OPEN).runs if run.rank is None)
    at = TOLD.round(OPEN).runs.index(unranked) + 1
    lost = TOLD.round(LOST)
    swapped: list[Edit] = [["swap", RUNS[0].index, RUNS[1].index]]
    follow: list[Edit] = [
        _line_edit(1, leaf_index=RUNS[1].index),
        _line_edit(2, leaf_index=RUNS[0].index),
        ["swap", 1, 2],
    ]
    better = ROUND.run_of(RUNS[2].tag, ROUND.pool()[0])
    worst = ROUND.run_of(RUNS[4].tag, ROUND.pool()[-1])  # still the last one
    return [
        round_case("another number of ranked runs in log and bundle", "ranked-mismatch", **other_count),
        round_case("another ranking in log and bundle", "ranking-mismatch", **_closed(ranking_hash=bytes(32))),
        round_case("another rank", "rank-mismatch", RUNS[0].run_id.hex(), bundle_edits=[_line_edit(1, rank=1)]),
        round_case(
            "the ranks of two runs are swapped",
            "rank-mismatch",
            RUNS[0].run_id.hex(),
            bundle_edits=[_line_edit(1, rank=1), _line_edit(2, rank=2)],
        ),
        round_case("rank 0", "rank-mismatch", RUNS[1].run_id.hex(), bundle_edits=[_line_edit(2, rank=0)]),
        round_case(
            "no rank for a run that was ranked",
            "rank-mismatch",
            RUNS[4].run_id.hex(),
            bundle_edits=[_line_edit(5, rank=None)],
        ),
        round_case(
            "a place instead of a shared rank",
            "rank-mismatch",
            RUNS[3].run_id.hex(),
            bundle_edits=[_line_edit(4, rank=3)],
        ),
        round_case(
            "a rank for a run that was not ranked",
            "rank-mismatch",
            unranked.run_id.hex(),
            TOLD.round(OPEN),
            bundle_edits=[["replace", at, '"rank":null', '"rank":1']],
        ),
        round_case(
            "a rank for a withdrawn run",
            "rank-mismatch",
            TOLD.round(SEALED).runs[17].run_id.hex(),
            TOLD.round(SEALED),
            bundle_edits=[["replace", 18, '"rank":null', '"rank":1']],
        ),
        round_case(
            "a rank of a lost first roll",
            "rank-mismatch",
            lost.runs[3].run_id.hex(),
            lost,
            bundle_edits=[["replace", 4, '"rank":1', '"rank":4']],
        ),
        round_case(
            "a ranked run removed from log and bundle",
            "ranked-mismatch",
            leaf_edits=[["set", RUNS[2].index, RULESET]],
            bundle_edits=[["delete", 3]],
        ),
        round_case(
            "a ranked run removed from the log alone",
            "run-not-logged",
            RUNS[2].run_id.hex(),
            leaf_edits=[["set", RUNS[2].index, RULESET]],
        ),
        round_case(
            "a run that was not ranked removed from log and bundle: only an earlier checkpoint tells",
            None,
            None,
            TOLD.round(OPEN),
            leaf_edits=[["set", unranked.index, RULESET]],
            bundle_edits=[["delete", at]],
        ),
        round_case(
            "a run added to log and bundle",
            "ranked-mismatch",
            leaf_edits=[new_leaf],
            bundle_edits=[["append-text", new_line]],
        ),
        round_case("a run added to the log alone", "run-missing", new_id.hex(), leaf_edits=[new_leaf]),
        round_case("two RUN leaves are swapped", "run-out-of-order", RUNS[0].run_id.hex(), leaf_edits=swapped),
        round_case(
            "two runs are swapped in log and bundle: only an earlier checkpoint tells",
            None,
            leaf_edits=swapped,
            bundle_edits=follow,
        ),
        round_case("a run withdrawn before the close", "ranked-mismatch", leaf_edits=[withdraw]),
        round_case(
            "a run withdrawn and reinstated before the close",
            None,
            leaf_edits=[withdraw, TOLD.insert(close + 1, TOLD.at("REINSTATE"), round_id=DIGITS, run_id=RUNS[0].run_id)],
        ),
        round_case(
            "a withdrawn run is reinstated before the close",
            "ranked-mismatch",
            None,
            TOLD.round(SEALED),
            leaf_edits=[TOLD.insert(TOLD.at("CLOSE"), TOLD.at("REINSTATE"), run_id=TOLD.round(SEALED).runs[17].run_id)],
        ),
        round_case(
            "a repeated player comes before another number of ranked runs",
            "repeated-player",
            **_together(_relogged(2, ROUND.run_of(RUNS[0].tag, RUNS[1].played)), other_count),
        ),
        round_case(
            "a false ranking comes before a false rank",
            "ranking-mismatch",
            **_together(_relogged(3, better), {"leaf_edits": [], "bundle_edits": [_line_edit(1, rank=1)]}),
        ),
        round_case(
            "a run is altered, and the close fits it: only an earlier checkpoint tells",
            None,
            **_together(_relogged(5, worst), _closed(ranking_hash=_ranking_hash_with(RUNS[4], worst))),
        ),
        round_case(
            "a false rank comes after a bad line behind it",
            "bad-line",
            "line 6",
            bundle_edits=[_line_edit(1, rank=1), ["replace", 5, "}\n", "}"]],
        ),
    ]
