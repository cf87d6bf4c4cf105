"""The lines of a bundle, everything needed to audit a closed round (protocol.md, "Bundle")."""

import json
from dataclasses import dataclass, field
from typing import Any

from .faults import Fault, Refused
from .leaves import CloseLeaf, RoundLeaf

LONGEST_LINE = 1 << 18  # a run has at most 65,535 bytes, twice as many digits
LONGEST_RUN = 0xFFFF  # its commitment writes the length of a run as a u16
_NUMBER_LIMIT = 1 << 53
_WORDS = {"kind": ("daily", "challenge"), "mode": ("sealed", "open")}
_RUN_MEMBERS = ("run_id", "leaf_index", "salt", "run", "rank")


@dataclass(frozen=True, slots=True)
class BundleRun:
    """A run as the bundle publishes it; `rank` is None where the run was not ranked at the close."""

    run_id: bytes
    leaf_index: int
    salt: bytes = field(repr=False)
    content: bytes
    rank: int | None


def header_of(round: RoundLeaf, document: bytes, close: CloseLeaf) -> dict[str, str | int]:
    """Return the members of the first line, in the order of the protocol, as the log says them."""
    return {
        "round_id": round.round_id,
        "kind": round.kind.name.lower(),
        "mode": round.mode.word,
        "ruleset_document": document.hex(),
        "ruleset_hash": round.ruleset_hash.hex(),
        "commitment": round.commitment.hex(),
        "chain_id": round.chain_id.hex(),
        "i": round.link,
        "day": round.day,
        "opens": round.opens,
        "closes": round.closes,
        "seed": close.seed.hex(),
        "day_secret": close.day_secret.hex(),
        "ranked": close.ranked,
        "ranking_hash": close.ranking_hash.hex(),
    }


def render_header(round: RoundLeaf, document: bytes, close: CloseLeaf) -> bytes:
    """Return the first line of a bundle."""
    return _render(header_of(round, document, close))


def check_header(line: bytes, round: RoundLeaf, document: bytes, close: CloseLeaf) -> None:
    """Refuse a first line that is not what the log says: its form first, then its members in the protocol's order."""
    logged = header_of(round, document, close)
    given = _members(line, "line 1")
    if given.keys() != logged.keys():
        raise Refused(Fault.BAD_LINE, "line 1 has other members than the protocol names")
    for name, value in logged.items():
        _check_form(name, given[name], value)
    for name, value in logged.items():
        if given[name] != value:
            raise Refused(Fault.HEADER_MISMATCH, name)


def render_run(run: BundleRun) -> bytes:
    """Return the line of a run."""
    members = (run.run_id.hex(), run.leaf_index, run.salt.hex(), run.content.hex(), run.rank)
    return _render(dict(zip(_RUN_MEMBERS, members, strict=True)))


def parse_run_line(line: bytes, number: int) -> BundleRun:
    """Return the run of a line; `number` counts lines from 1 and names this one in refusals."""
    where = f"line {number}"
    members = _members(line, where)
    if len(members) != len(_RUN_MEMBERS) or not members.keys() >= set(_RUN_MEMBERS):
        raise Refused(Fault.BAD_LINE, f"{where} has other members than the protocol names")
    run_id, index, salt, run, rank = (members[name] for name in _RUN_MEMBERS)
    if rank is not None:
        _check_number(rank, f"{where}: rank")
    _check_number(index, f"{where}: leaf_index")
    content = _bytes(run, f"{where}: run")
    if len(content) > LONGEST_RUN:
        raise Refused(Fault.BAD_LINE, f"{where}: run")
    return BundleRun(_bytes(run_id, f"{where}: run_id", 16), index, _bytes(salt, f"{where}: salt", 32), content, rank)


def _render(members: dict[str, Any]) -> bytes:
    return json.dumps(members, separators=(",", ":")).encode() + b"\n"


def _members(line: bytes, where: str) -> dict[str, Any]:
    """Return the members of the one JSON object that a line is."""
    if not line.endswith(b"}\n") or not line.startswith(b"{") or len(line) > LONGEST_LINE:
        raise Refused(Fault.BAD_LINE, f"{where} is not a JSON object with a newline behind it")
    try:
        found = json.loads(line[:-1].decode("utf-8"), object_pairs_hook=_without_twins, parse_int=_whole)
    except (ValueError, RecursionError):
        raise Refused(Fault.BAD_LINE, f"{where} is not JSON") from None
    if not isinstance(found, dict):
        raise Refused(Fault.BAD_LINE, f"{where} is not a JSON object")
    return found


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a member is given twice")
    return found


def _whole(text: str) -> int:
    if text.startswith("-"):  # -0 among them, which Python would take for 0
        raise ValueError("a number below zero")
    return int(text)


def _check_form(name: str, given: Any, logged: str | int) -> None:
    """Refuse a member of the first line that could not be one in the first line of any bundle."""
    where = f"line 1: {name}"
    if isinstance(logged, int):
        _check_number(given, where)
    elif name in _WORDS:
        if given not in _WORDS[name]:
            raise Refused(Fault.BAD_LINE, where)
    elif name == "round_id":
        if not isinstance(given, str):
            raise Refused(Fault.BAD_LINE, where)
    else:
        _bytes(given, where, len(logged) // 2)


def _check_number(value: Any, where: str) -> None:
    if type(value) is not int or not 0 <= value < _NUMBER_LIMIT:
        raise Refused(Fault.BAD_LINE, where)


def _bytes(value: Any, where: str, length: int | None = None) -> bytes:
    """Return bytes from lower-case hex; `bytes.fromhex` alone would pass over white space."""
    try:
        content = bytes.fromhex(value)
    except (TypeError, ValueError):
        raise Refused(Fault.BAD_LINE, where) from None
    if content.hex() != value or (length is not None and len(content) != length):
        raise Refused(Fault.BAD_LINE, where)
    return content
