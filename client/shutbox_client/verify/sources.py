"""What a check stands on: where files come from, what is remembered of the log, and what is remembered of it next."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import click
from shutbox.tlog.faults import Fault, Refused
from shutbox.tlog.leaves import RoundLeaf
from shutbox.tlog.note import Checkpoint, VerifierKey, verify_checkpoint
from shutbox.tlog.proof import Receipt

from ..options import DEFAULT_SERVER, tell
from ..session import Session
from .checks import CONTRADICTIONS, Checked, CheckedRound, check_against_log, check_log, check_round
from .files import CHECKPOINT, Folder, Mirror, Missing
from .known import Known, KnownFile

T = TypeVar("T")


@dataclass(frozen=True)
class Sources:
    """Where files come from, and what is known of the log."""

    files: Folder
    state: KnownFile
    known: Known
    logs: tuple[Known, ...]  # all that are remembered
    others: list[Checkpoint]

    @property
    def earlier(self) -> Checkpoint | None:
        """The checkpoint of a log after which this one has to go on."""
        is_another = self.logs and self.logs[-1].key != self.known.key
        return self.logs[-1].checkpoint if is_another else None

    def log(self, follows: Callable[[RoundLeaf], bool]) -> tuple[Checked, list[str]]:
        """Check the whole log; return what to say of it, too.

        It is remembered at once, whatever is found of its rounds: else a wrong bundle could keep that from happening.
        """
        with self.keeping_contradictions():
            checked = self._tried_anew(
                lambda: check_log(self.files, self.known, self.others, self.earlier, follows, progress)
            )
            self.state.remember(checked.known)
        return checked, [f"Valid: {checkpoint_words(checked.known)}.", *_succession_lines(self.earlier)]

    def against_log(self, receipt: Receipt) -> Known:
        """Check that the log still holds a receipt, and remember it."""
        if self.earlier is not None:
            raise Missing(
                f"{self.earlier.origin} is remembered, and the key is that of {self.known.key.name}: let `verify log` "
                "look at the whole log first, or check the receipt by itself with --alone"
            )
        with self.keeping_contradictions():
            found = check_against_log(self.files, self.known, [receipt.checkpoint, *self.others])
            self.state.remember(found)
        return found

    @contextmanager
    def keeping_contradictions(self) -> Iterator[None]:
        """Keep the checkpoint that was read where it contradicts another one."""
        try:
            yield
        except Refused as refused:
            if refused.fault in CONTRADICTIONS:
                kept = self.state.keep_contradiction(self.files.read_again(CHECKPOINT))
                tell(f"The checkpoint that contradicts what was known is kept in {kept}", "Keep it: both are signed.")
            raise

    def round(self, checked: Checked, round_id: str) -> CheckedRound:
        """Check a round of a log that was found right."""
        return self._tried_anew(lambda: check_round(self.files, checked.audit, round_id, progress))

    def _tried_anew(self, check: Callable[[], T]) -> T:
        """Return what a check finds; where files were used that were kept from before, only fresh ones accuse."""
        try:
            return check()
        except Refused:
            if not self.files.forget_kept():
                raise
            tell("A file that was kept from before may be damaged: what was used of them is fetched anew.")
            return check()


@contextmanager
def opened(
    context: click.Context,
    as_json: bool,
    key_text: str | None,
    state: Path | None,
    save: Path | None,
    files: Path | None,
    against: tuple[Path, ...],
    offline: bool = False,
) -> Iterator[Sources]:
    """Open what the options name. Files that nobody asked to keep are gone at the end."""
    session: Session = context.obj
    context.meta["json"] = as_json
    if files is not None and save is not None:
        raise click.UsageError("--files and --save exclude each other.")
    with tempfile.TemporaryDirectory(prefix="shutbox-verify-") as folder, session.nobody() as client:
        source = Folder(files or Path(folder)) if files or offline else Mirror(save or Path(folder), client)
        known_file = _known_file(source, state, session.server)
        logs = known_file.read()
        known = _known(source, logs[-1] if logs else None, key_text)
        if isinstance(source, Mirror):
            source.belong_to(known.key.text)
        yield Sources(source, known_file, known, logs, [_other(path, known.key) for path in against])


def _known_file(files: Folder, state: Path | None, server: str) -> KnownFile:
    """Return where the log is remembered: by server, or by origin where files are given that could be of any."""
    if state is not None:
        return KnownFile(state)
    if not isinstance(files, Mirror) and server == DEFAULT_SERVER:
        with suppress(Missing, Refused):
            return KnownFile.of(parsed_key(files).name)
    return KnownFile.of(server)


def _other(path: Path, key: VerifierKey) -> Checkpoint:
    """Return a checkpoint of somebody else. What the key did not sign proves nothing."""
    try:
        return verify_checkpoint(path.read_bytes(), key)
    except Refused as refused:
        raise Missing(f"{path} is no checkpoint that the key of this log signed: {refused}") from None


def _known(files: Folder, remembered: Known | None, key_text: str | None) -> Known:
    """Return the key that is given, else the one that is remembered, else the one that is seen for the first time."""
    if key_text is not None:
        try:
            key = VerifierKey.parse(key_text.strip())
        except Refused as refused:
            raise click.UsageError(f"--key is no verifier key: {refused.detail}") from None
        if remembered is None or remembered.key.name != key.name:
            return Known(key)
        if remembered.key != key:
            raise Refused(Fault.BAD_KEY, f"another key was remembered for {key.name}")
    if remembered is not None:
        return remembered
    try:
        key = parsed_key(files)
    except Missing:
        raise Missing("the key of the log is not known: give it with --key") from None
    tell("The key of this log is seen for the first time:", key.text)
    tell("Compare it with the one that the operator publishes elsewhere.")
    return Known(key)


def parsed_key(files: Folder) -> VerifierKey:
    return VerifierKey.parse(files.key())


@contextmanager
def progress(label: str, length: int) -> Iterator[Callable[[int], None]]:
    """Show a bar on a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=length, label=label, file=sys.stderr) as bar:
        yield bar.update


def _succession_lines(earlier: Checkpoint | None) -> list[str]:
    """Return what to say where the log that was remembered has ended."""
    if earlier is None:
        return []
    return [
        f"It says that it goes on where {earlier.origin} ended. Whether it holds all of that log is shown by",
        "  verify log --earlier with the files of that log.",
    ]


def checkpoint_words(known: Known) -> str:
    checkpoint = known.checkpoint
    size = 0 if checkpoint is None else checkpoint.size
    return f"log {known.key.name}, {size:,} leaves, signed"
