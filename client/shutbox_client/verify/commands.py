"""`shutbox-client verify …`: what is checked, what is said of it, and the exit code.

| exit code | meaning |
|---|---|
| 0 | valid |
| 1 | invalid: the first difference is named |
| 2 | cannot be decided: not closed yet, an unknown ruleset, a file or the service that cannot be had; or wrong usage |
"""

import json
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import click
from shutbox.tlog.faults import Fault, Refused
from shutbox.tlog.leaves import Kind, RoundLeaf, WithdrawReason
from shutbox.tlog.proof import Receipt, verify_receipt

from .. import words
from ..errors import Problem, Unreachable
from ..options import json_option, server_option, tell
from .checks import (
    UNDECIDED,
    Checked,
    CheckedRound,
    check_earlier,
)
from .files import Kept, Missing
from .known import Known
from .sources import Sources, checkpoint_words, opened, parsed_key, progress

VALID, INVALID, CANNOT_TELL = 0, 1, 2

EXIT_CODES = """\b
Exit codes:
  0  valid
  1  invalid; the first difference is named
  2  cannot be decided, or wrong usage
"""


class _Verifying(click.Group):
    """Turns what a check can raise into its message and its exit code."""

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except Refused as refused:
            if refused.fault in UNDECIDED:
                _end(context, CANNOT_TELL, "undecided", _undecided(refused), refused)
            _end(context, INVALID, "invalid", f"INVALID {refused}", refused)
        except Problem as problem:
            _end(context, CANNOT_TELL, "undecided", f"Cannot be decided: {problem}")
        except Unreachable as error:
            _end(context, CANNOT_TELL, "undecided", f"Cannot be decided, the service is unreachable: {error}")
        except (Missing, OSError, MemoryError) as missing:
            _end(context, CANNOT_TELL, "undecided", f"Cannot be decided: {missing or 'not enough memory'}")


def _end(context: click.Context, code: int, result: str, message: str, refused: Refused | None = None) -> None:
    tell(message)
    if context.meta.get("json"):
        named = {"fault": refused.fault, "detail": refused.detail} if refused else {"fault": None, "detail": message}
        click.echo(json.dumps({"result": result, **named}, indent=2))
    sys.exit(code)


def _undecided(refused: Refused) -> str:
    if refused.fault is Fault.NOT_CLOSED:
        return (
            f"Cannot be decided yet: {refused.detail} has not closed. Its seed and runs are published after the close."
        )
    return f"Cannot be decided: this program does not know the ruleset {refused.detail}. Install a newer one."


@click.group(cls=_Verifying, epilog=EXIT_CODES)
def verify() -> None:
    """Check a receipt, a round, a day or the whole log.

    The service need not be trusted. The files are read from it, or with --files from a folder, without a network. The
    key of the log and its last checkpoint are remembered: a log that was changed behind your back is found the next
    time.
    """


def _file(flag: str, name: str, text: str, *, many: bool = False) -> Callable[[Any], Any]:
    kind = click.Path(exists=True, dir_okay=False, path_type=Path)
    return click.option(flag, name, type=kind, multiple=many, help=text)


def _source_options(command: Any) -> Any:
    """Take the options that say where files come from and what is known."""
    for option in (
        json_option,
        click.option("--key", "key_text", metavar="KEY", help="The key of the log, name+id+key, if you have it."),
        click.option("--state", type=click.Path(dir_okay=False, path_type=Path), help="Where the log is remembered."),
        click.option(
            "--save",
            type=click.Path(file_okay=False, path_type=Path),
            help="Keep the files that were read in this folder, for --files.",
        ),
        click.option(
            "--files",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            help="Read files from this folder, use no network.",
        ),
        _file("--against", "against", "Another checkpoint of the log, a friend's say. May be given again.", many=True),
        server_option,
    ):
        command = option(command)
    return command


@verify.command("receipt")
@_source_options
@click.option("--alone", is_flag=True, help="Check the receipt by itself, without the log and without a network.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.pass_context
def receipt_command(context: click.Context, /, file: Path, alone: bool, **options: Any) -> None:
    """Check a receipt: its run was accepted and stands in the signed log.

    With the log at hand it is checked, too, that the log of today still holds what the receipt stands for.
    """
    if alone and options["against"]:
        raise click.UsageError("--alone and --against exclude each other.")
    with opened(context, offline=alone, **options) as sources:
        receipt = verify_receipt(file.read_bytes(), sources.known.key)
        lines = _receipt_lines(receipt)
        if alone:
            lines.append("Only the receipt itself was checked, not whether the log still holds it.")
        else:
            found = sources.against_log(receipt)
            lines.append(f"The log still holds it: {checkpoint_words(found)}.")
    _valid(
        context,
        lines,
        round_id=receipt.leaf.round_id,
        run_id=receipt.leaf.run_id.hex(),
        leaf_index=receipt.index,
        size=receipt.checkpoint.size,
    )


@verify.command("round")
@_source_options
@click.argument("round_id")
@click.pass_context
def round_command(context: click.Context, /, round_id: str, **options: Any) -> None:
    """Check a closed round: dice, every run, the ranking, and the whole log that holds them."""
    with opened(context, **options) as sources:
        checked, lines = sources.log(lambda leaf: leaf.round_id == round_id)
        found = sources.round(checked, round_id)
    _valid(context, [*lines, *_round_lines(found)], **_facts(checked), rounds=[_round_facts(found)])


@verify.command("day")
@_source_options
@click.argument("day", metavar="DATE", type=click.DateTime(["%Y-%m-%d"]))
@click.pass_context
def day_command(context: click.Context, /, day: Any, **options: Any) -> None:
    """Check all rounds of a closed day. DATE is like 2026-11-30."""
    wanted: date = day.date()
    number = wanted.year * 10_000 + wanted.month * 100 + wanted.day
    _check_rounds(
        context,
        options,
        lambda leaf: leaf.kind is Kind.DAILY and leaf.day == number,
        f"the log holds no round of {wanted}",
    )


@verify.command("log")
@_source_options
@click.option("--rounds", "every_round", is_flag=True, help="Check every closed round, too.")
@click.option(
    "--earlier",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The files of the log after which this one goes on: nothing of it may be missing here.",
)
@click.pass_context
def log_command(context: click.Context, /, every_round: bool, earlier: Path | None, **options: Any) -> None:
    """Check the whole log: every leaf, every rule, and that it holds what was signed before."""
    if every_round and earlier is not None:
        raise click.UsageError("--rounds and --earlier exclude each other.")
    if every_round:
        _check_rounds(context, options, lambda _: True, None)
        return
    with opened(context, **options) as sources:
        checked, lines = sources.log(lambda _: False)
        if earlier is not None:
            lines = [lines[0], _check_earlier(sources, checked, Kept(earlier))]
    _valid(context, lines, **_facts(checked))


def _check_earlier(sources: Sources, checked: Checked, kept: Kept) -> str:
    """Check an earlier log against what is remembered of it; return what to say of it.

    Where nothing is, the key that lies beside it counts: SUCCEED binds its last checkpoint to this log.
    """
    begins = checked.audit.state.succeeds
    origin = begins.origin if begins else ""
    known = next((log for log in sources.logs if log.key.name == origin), None) or Known(parsed_key(kept))
    ended = check_earlier(kept, sources.files, known, checked.audit, progress)
    size = ended.audit.checkpoint.size
    if begins is not None and size < begins.size:
        return f"It holds the {size:,} leaves of {origin} that are in {kept.path}; that log ended with {begins.size:,}."
    return f"It holds all {size:,} leaves of the earlier log {origin}."


def _check_rounds(
    context: click.Context, options: dict[str, Any], follows: Callable[[RoundLeaf], bool], otherwise: str | None
) -> None:
    """Check the log and rounds of it.

    Where `otherwise` says what to tell if there is none, each of them must have closed.
    """
    with opened(context, **options) as sources:
        checked, lines = sources.log(follows)
        if otherwise is not None and not checked.audit.histories:
            raise Missing(otherwise)
        closed = [
            round_id
            for round_id, history in checked.audit.histories.items()
            if history.close is not None or otherwise is not None
        ]
        found = [sources.round(checked, round_id) for round_id in closed]
    lines += [line for one in found for line in _round_lines(one)]
    _valid(context, lines, **_facts(checked), rounds=[_round_facts(one) for one in found])


# What is said


def _valid(context: click.Context, lines: list[str], **facts: Any) -> None:
    if context.meta["json"]:
        click.echo(json.dumps({"result": "valid", **facts}, indent=2))
        return
    for line in lines:
        click.echo(words.printable(line))


def _receipt_lines(receipt: Receipt) -> list[str]:
    leaf = receipt.leaf
    return [
        f"Valid: run {leaf.run_id.hex()} of round {leaf.round_id} is leaf {receipt.index:,} "
        f"of log {receipt.checkpoint.origin}.",
        f"{len(receipt.run.turns)} turns; signed over {receipt.checkpoint.size:,} leaves.",
    ]


def _round_lines(found: CheckedRound) -> list[str]:
    round = found.round
    dice = "and follows from the day's secret" if round.kind is Kind.DAILY else "when it was made"
    return [
        f"Valid: round {round.round_id}, {found.runs:,} runs replayed, {len(found.ranking):,} ranked as published;",
        f"  its seed is the one that was committed to {dice}.",
        *(
            f"  withdrawn {'before' if before else 'after'} the close: run {run_id.hex()}, {_REASONS[reason]}"
            for run_id, reason, before in found.withdrawn
        ),
    ]


_REASONS = {
    WithdrawReason.PLAYER_ASKED: "the player asked",
    WithdrawReason.UNFAIR_PLAY: "unfair play",
    WithdrawReason.OPERATORS_ERROR: "the operator's error",
    WithdrawReason.OTHER: "for another reason",
}


def _facts(checked: Checked) -> dict[str, Any]:
    checkpoint = checked.audit.checkpoint
    return {"origin": checkpoint.origin, "size": checkpoint.size, "root": checkpoint.root.hex()}


def _round_facts(found: CheckedRound) -> dict[str, Any]:
    withdrawn = [
        {"run_id": run_id.hex(), "reason": reason.name.lower(), "before_close": before}
        for run_id, reason, before in found.withdrawn
    ]
    return {
        "round_id": found.round.round_id,
        "runs": found.runs,
        "ranked": len(found.ranking),
        "withdrawn": withdrawn,
    }
