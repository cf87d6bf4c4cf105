"""Cases of a bundle that is changed while the log is as it was."""

import json
from typing import Any

from tests.tlog import reference_log as plain
from tests.tlog.edits import Case, Edit
from tests.tlog.reference_log import HEADER, Fields
from tests.tlog.story import Round, Run, bundle_lines, drawn, run_line
from tests.tlog.tampering import DIGITS, NEXT, NO_RUNS, OPEN, SEALED, TOLD, case, replaced

ROUND, LINES = TOLD.round(DIGITS), bundle_lines(TOLD.round(DIGITS))
RUNS = ROUND.runs
SAFE = (1 << 53) - 1
OTHER_VALUES: Fields = {
    "round_id": "2028-02-29-digits-open",
    "kind": "challenge",
    "mode": "open",
    "ruleset_document": "01ff00000201",
    "i": 1,
    "day": 20280228,
    "opens": 0,
    "closes": SAFE,
    "ranked": 4,
}


def cases() -> list[Case]:
    return [*_valid(), *_headers(), *_forms(), *_orders()]


def round_case(name: str, fault: str | None, where: str | None = None, round: Round = ROUND, **members: Any) -> Case:
    return case(name, "round", fault, where, round=round.fields["round_id"], **members)


def _line_case(name: str, fault: str | None, number: int, line: str, where: str | None = None) -> Case:
    """Return a case in which a line is another one."""
    where = f"line {number + 1}" if fault == "bad-line" else where
    return round_case(name, fault, where, bundle_edits=[["replace", number, *replaced(LINES[number], line)]])


def _valid() -> list[Case]:
    closed = [round for round in TOLD.story.rounds.values() if round.header is not None]
    members = json.loads(LINES[2])
    turned = json.dumps(dict(reversed(members.items())), separators=(",", ":")) + "\n"
    return [
        *(round_case(f"the bundle of {round.fields['round_id']}", None, round=round) for round in closed),
        _line_case("a run's members in another order", None, 2, turned),
        _line_case("white space between the members of a run", None, 2, json.dumps(members) + "\n"),
        _line_case("an escaped letter in a name", None, 2, LINES[2].replace('"salt"', '"s\\u0061lt"')),
        _line_case(
            "the first line's members in another order",
            None,
            0,
            json.dumps(dict(reversed(json.loads(LINES[0]).items()))) + "\n",
        ),
        round_case(
            "a run withdrawn after the close changes nothing in the bundle",
            None,
            round=TOLD.round(SEALED),
            leaf_edits=[TOLD.append(TOLD.at("WITHDRAW"), run_id=TOLD.round(SEALED).runs[50].run_id)],
        ),
    ]


def _headers() -> list[Case]:
    header = json.loads(LINES[0])
    made = []
    for name in HEADER:
        value = header[name]
        other = OTHER_VALUES.get(name, "00" * 32)
        if isinstance(value, str) and name not in {"round_id", "kind", "mode"}:
            other = value[:-1] + ("0" if value[-1] != "0" else "1")
        made.append(
            _line_case(
                f"the first line says another {name}", "header-mismatch", 0, _header({**header, name: other}), name
            )
        )
    secret = drawn("another secret")
    seed = plain.day_seed(secret, 20280229, "sealed", ROUND.fields["ruleset_hash"])
    commitment = plain.commitment(ROUND.fields["ruleset_hash"], seed)
    replaced = {"commitment": commitment.hex(), "seed": seed.hex(), "day_secret": secret.hex()}
    without = {name: value for name, value in header.items() if name != "mode"}
    return [
        *made,
        _line_case(
            "a day secret, its seed and commitment are others",
            "header-mismatch",
            0,
            _header({**header, **replaced}),
            "commitment",
        ),
        _line_case("the header of another round", "header-mismatch", 0, bundle_lines(TOLD.round(NEXT))[0], "round_id"),
        _line_case(
            "day and seed are others: the day stands first",
            "header-mismatch",
            0,
            _header({"seed": "00" * 32, **header, **{"seed": "00" * 32, "day": 1}}),
            "day",
        ),
        _line_case("a first line without mode", "bad-line", 0, _header(without)),
        _line_case("a first line with a member too much", "bad-line", 0, _header({**header, "name": "Digits"})),
        _line_case("a first line with a member for another", "bad-line", 0, _header({**without, "Mode": "sealed"})),
        _line_case("a member of the first line twice", "bad-line", 0, LINES[0].replace('"i":', '"i":2,"i":')),
        _line_case("a number as text", "bad-line", 0, LINES[0].replace('"i":2', '"i":"2"')),
        _line_case("true for a number", "bad-line", 0, LINES[0].replace('"i":2', '"i":true')),
        _line_case("null in the first line", "bad-line", 0, LINES[0].replace('"i":2', '"i":null')),
        _line_case("a number with a fraction in the first line", "bad-line", 0, LINES[0].replace('"i":2', '"i":2.0')),
        _line_case(
            "a number with an exponent in the first line", "bad-line", 0, LINES[0].replace('"ranked":5', '"ranked":5e0')
        ),
        _line_case("a number below zero in the first line", "bad-line", 0, LINES[0].replace('"i":2', '"i":-2')),
        _line_case("a number above 2^53 - 1 in the first line", "bad-line", 0, _header({**header, "closes": SAFE + 1})),
        _line_case(
            "capital hex in the first line", "bad-line", 0, LINES[0].replace(header["seed"], header["seed"].upper())
        ),
        _line_case("a seed of 31 bytes", "bad-line", 0, LINES[0].replace(header["seed"], header["seed"][2:])),
        _line_case("a round_id that is a number", "bad-line", 0, _header({**header, "round_id": 20280229})),
        _line_case("a kind that is none", "bad-line", 0, LINES[0].replace('"daily"', '"weekly"')),
        _line_case("a mode in capitals", "bad-line", 0, LINES[0].replace('"sealed"', '"Sealed"')),
        _line_case(
            "a wrong value and a wrong form: the form is looked at first",
            "bad-line",
            0,
            _header({**header, "round_id": OPEN, "ranked": "5"}),
        ),
        round_case(
            "minus zero", "bad-line", "line 1", round=TOLD.duel, bundle_edits=[["replace", 0, '"i":0', '"i":-0']]
        ),
        round_case("the first line is missing", "bad-line", "line 1", bundle_edits=[["delete", 0]]),
        round_case(
            "a bundle without lines", "bad-line", "line 1", round=TOLD.round(NO_RUNS), bundle_edits=[["delete", 0]]
        ),
        round_case(
            "the first line without its newline",
            "bad-line",
            "line 1",
            round=TOLD.round(NO_RUNS),
            bundle_edits=[["replace", 0, "}\n", "}"]],
        ),
    ]


def _header(members: Fields) -> str:
    return json.dumps(members, separators=(",", ":")) + "\n"


def _forms() -> list[Case]:
    line, run = LINES[3], RUNS[2]
    id, index = run.run_id.hex(), f'"leaf_index":{run.index}'
    salt = run.salt.hex()

    def form(name: str, changed: str) -> Case:
        return _line_case(name, "bad-line", 3, changed)

    return [
        form("a line that is an array", f"[{line[:-1]}]\n"),
        form("a line that is no JSON", line.replace(":", "=", 1)),
        form("a line with a comma at its end", line.replace("}\n", ",}\n")),
        form("a space in front of a line", " " + line),
        form("a space behind a line", line.replace("}\n", "} \n")),
        form("a carriage return behind a line", line.replace("}\n", "}\r\n")),
        form("two objects in a line", line.replace("}\n", "}" + line)),
        form("a run without a rank", line.replace(f',"rank":{run.rank}', "")),
        form("a run with a member too much", line.replace("{", '{"name":"Ann",')),
        form("a run with a member for another", line.replace('"salt"', '"Salt"')),
        form("a member of a run twice", line.replace("{", f'{{"run_id":"{id}",')),
        form("a member of a run twice, once escaped", line.replace("{", f'{{"run\\u005fid":"{id}",')),
        form("a leaf_index with a fraction", line.replace(index, index + ".0")),
        form("a leaf_index with an exponent", line.replace(index, index + "e0")),
        form("a leaf_index as text", line.replace(index, f'"leaf_index":"{run.index}"')),
        form("a leaf_index below zero", line.replace(index, '"leaf_index":-1')),
        form("a leaf_index of minus zero", line.replace(index, '"leaf_index":-0')),
        form("a leaf_index with a zero in front", line.replace(index, f'"leaf_index":0{run.index}')),
        form("a leaf_index that is true", line.replace(index, '"leaf_index":true')),
        form("a leaf_index that is null", line.replace(index, '"leaf_index":null')),
        form("a leaf_index of 2^53", line.replace(index, f'"leaf_index":{SAFE + 1}')),
        form("a leaf_index that is not a number", line.replace(index, '"leaf_index":NaN')),
        form("a rank that is false", line.replace(f'"rank":{run.rank}', '"rank":false')),
        form("a rank as text", line.replace(f'"rank":{run.rank}', f'"rank":"{run.rank}"')),
        form("a rank with a fraction", line.replace(f'"rank":{run.rank}', f'"rank":{run.rank}.0')),
        form("a run_id in capitals", line.replace(id, id.upper())),
        form("a run_id with hyphens", line.replace(id, f"{id[:8]}-{id[8:12]}-{id[12:16]}-{id[16:20]}-{id[20:]}")),
        form("a run_id of 15 bytes", line.replace(id, id[2:])),
        form("a run_id that is a number", line.replace(f'"{id}"', "5")),
        form("a run_id that is a list", line.replace(f'"{id}"', f'["{id}"]')),
        form("a salt of 33 bytes", line.replace(salt, salt + "00")),
        form("a salt with a space in it", line.replace(salt, f"{salt[:2]} {salt[2:]}")),
        form("a salt of an odd number of digits", line.replace(salt, salt[1:])),
        form("a run in capitals", line.replace(run.content.hex(), run.content.hex().upper())),
        form("a run that is null", line.replace(f'"{run.content.hex()}"', "null")),
        round_case("a blank line between runs", "bad-line", "line 3", bundle_edits=[["insert", 2, "\n"]]),
        round_case("a blank line at the end of a bundle", "bad-line", "line 7", bundle_edits=[["append-text", "\n"]]),
        round_case(
            "the last line without its newline", "bad-line", "line 6", bundle_edits=[["replace", 5, "}\n", "}"]]
        ),
        round_case("a newline within a line", "bad-line", "line 3", bundle_edits=[["replace", 2, ",", ",\n"]]),
        round_case("something behind the last line", "bad-line", "line 7", bundle_edits=[["append-text", "{}"]]),
        round_case("a bit makes a line no UTF-8", "bad-line", "line 3", bundle_edits=[["flip", 2, 8 * 20 + 7]]),
        round_case(
            "a line of more than 262,144 bytes",
            "bad-line",
            "line 3",
            bundle_edits=[["insert-text", 2, "{", " ", (1 << 18) + 1 - len(LINES[2])]],
        ),
        round_case(
            "a line of 262,144 bytes", None, bundle_edits=[["insert-text", 2, "{", " ", (1 << 18) - len(LINES[2])]]
        ),
        round_case(
            "a run of more than 65,535 bytes",
            "bad-line",
            "line 3",
            bundle_edits=[["insert-text", 2, '"run":"', "00", (1 << 16) - len(RUNS[1].content)]],
        ),
        round_case(
            "a run of 65,535 bytes",
            "commitment-mismatch",
            bundle_edits=[["insert-text", 2, '"run":"', "00", (1 << 16) - 1 - len(RUNS[1].content)]],
        ),
    ]


def _orders() -> list[Case]:
    """Runs that are missing, added, repeated or at another place; what is wrong first is named."""
    foreign = run_line(TOLD.round(NEXT).runs[0])
    made_up = run_line(RUNS[0], run_id=bytes(16))
    count = len(RUNS)

    def order(name: str, fault: str, run: Run | None, *edits: Edit) -> Case:
        return round_case(name, fault, None if run is None else run.run_id.hex(), bundle_edits=list(edits))

    return [
        order("the first run is missing", "run-missing", RUNS[0], ["delete", 1]),
        order("a run is missing", "run-missing", RUNS[2], ["delete", 3]),
        order("the last run is missing", "run-missing", RUNS[-1], ["delete", count]),
        order("all runs are missing", "run-missing", RUNS[0], *[["delete", 1]] * count),
        order(
            "a run of another round is added at the end",
            "run-not-logged",
            TOLD.round(NEXT).runs[0],
            ["append-text", foreign],
        ),
        order("a run of another round is added", "run-not-logged", TOLD.round(NEXT).runs[0], ["insert", 3, foreign]),
        order("a run that nobody logged is added", "run-not-logged", None, ["insert", 1, made_up]),
        order("a run stands twice", "repeated-run", RUNS[1], ["insert", 3, LINES[2]]),
        order("a run stands once more at the end", "repeated-run", RUNS[0], ["append-text", LINES[1]]),
        order("the last run stands twice", "repeated-run", RUNS[-1], ["append-text", LINES[-1]]),
        order("two runs are swapped", "run-out-of-order", RUNS[1], ["swap", 1, 2]),
        order("the first and the last run are swapped", "run-out-of-order", RUNS[-1], ["swap", 1, count]),
        order(
            "one run is missing and another stands twice",
            "run-out-of-order",
            RUNS[2],
            ["delete", 2],
            ["append-text", LINES[1]],
        ),
        order(
            "one run is missing and a strange one is added behind",
            "run-out-of-order",
            RUNS[2],
            ["delete", 2],
            ["append-text", foreign],
        ),
        order(
            "one run is missing and two are added behind",
            "run-missing",
            RUNS[1],
            ["delete", 2],
            ["append-text", foreign],
            ["append-text", foreign],
        ),
        order(
            "two runs are swapped and one is added behind",
            "run-missing",
            RUNS[0],
            ["swap", 1, 2],
            ["append-text", foreign],
        ),
        order("a strange run comes before a missing one", "run-not-logged", None, ["set", 1, made_up]),
        order(
            "a false leaf_index comes before a missing run",
            "leaf-index-mismatch",
            RUNS[0],
            ["set", 1, run_line(RUNS[0], leaf_index=0)],
            ["delete", 3],
        ),
        order(
            "a line of bad form comes before its run is looked for",
            "bad-line",
            None,
            ["set", 1, made_up.replace("}", ",}")],
        ),
        order("the form of a line before the missing run", "bad-line", None, ["delete", 1], ["replace", 1, "{", "{ ,"]),
        order(
            "a missing run comes before a line of bad form behind it",
            "run-missing",
            RUNS[0],
            ["delete", 1],
            ["append-text", "\n"],
            ["append-text", "\n"],
        ),
        order(
            "the leaf_index of the run after",
            "leaf-index-mismatch",
            RUNS[1],
            ["set", 2, run_line(RUNS[1], leaf_index=RUNS[2].index)],
        ),
        order(
            "two runs exchange their ids",
            "run-out-of-order",
            RUNS[1],
            ["set", 1, run_line(RUNS[0], run_id=RUNS[1].run_id)],
            ["set", 2, run_line(RUNS[1], run_id=RUNS[0].run_id)],
        ),
    ]
