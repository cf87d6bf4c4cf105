"""How the cases of small-log.json are written: a fault by its name, and the smallest edits that lead to it."""

from functools import cached_property
from typing import Any

from tests.tlog import reference_log as plain
from tests.tlog.edits import Case, Edit
from tests.tlog.reference import Reference
from tests.tlog.reference_log import Fields
from tests.tlog.story import Round, Story
from tests.tlog.two_days import SIGNER, tell

BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
SEALED, OPEN = "2028-02-28-classic", "2028-02-28-classic-open"
LOST, NEXT, DIGITS, NO_RUNS = (
    "2028-02-28-two-to-go",
    "2028-02-29-classic",
    "2028-02-29-digits",
    "2028-02-29-digits-open",
)
RUNNING = "2028-03-01-classic"


def case(name: str, check: str, fault: str | None, where: str | None = None, **members: Any) -> Case:
    """Return a case; members without content are left out."""
    made = {"name": name, "check": check, "fault": fault, "where": where, **members}
    return {key: value for key, value in made.items() if value is not None or key == "fault"}


class Told:
    """The story once told, and edits of its leaves."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.leaves = story.leaves
        self.size = len(self.leaves)

    @cached_property
    def tree(self) -> Reference:
        return Reference(self.leaves)

    @property
    def duel(self) -> Round:
        """The challenge that has closed."""
        return next(round for round in self.story.rounds.values() if round.ruleset == "crafthouse")

    def round(self, round_id: str) -> Round:
        return self.story.rounds[round_id]

    def at(self, type: str, **wanted: Any) -> int:
        """Return the index of the first leaf of a type with these fields."""
        return next(
            index
            for index, fields in enumerate(self.story.fields)
            if fields["type"] == type and wanted.items() <= fields.items()
        )

    def changed(self, index: int, **changes: Any) -> bytes:
        """Return a leaf with other fields."""
        fields: Fields = {**self.story.fields[index], **changes}
        return plain.leaf_bytes(fields)

    def set(self, index: int, **changes: Any) -> Edit:
        return ["set", index, self.changed(index, **changes).hex()]

    def insert(self, at: int, like: int, **changes: Any) -> Edit:
        """Insert a leaf that is like another one."""
        return ["insert", at, self.changed(like, **changes).hex()]

    def append(self, like: int, **changes: Any) -> Edit:
        return self.insert(self.size, like, **changes)

    def note(self, size: int | None = None) -> str:
        size = self.size if size is None else size
        return SIGNER.checkpoint(size, self.tree.root(0, size))

    def forked(self, index: int, leaf: bytes) -> Reference:
        """Return the tree in which one leaf is another."""
        return Reference([*self.leaves[:index], leaf, *self.leaves[index + 1 :]])


TOLD = Told(tell())


def replaced(old: str, new: str) -> tuple[str, str]:
    """Return the smallest text to replace, the first of its kind, so that the old text becomes the new one."""
    assert old != new
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    while True:
        before, after = old[start : len(old) - end], new[start : len(new) - end]
        if before and old.index(before) == start:
            return before, after
        if start:
            start -= 1
        else:
            end -= 1


def flip_in(content: bytes, part: bytes, position: int = 0) -> int:
    """Return a bit of the text that turns a base64 character into another one, at or behind a position in a part."""
    start = content.index(part)
    for at in range(start + position, start + len(part)):
        for bit in range(8):
            if content[at] in BASE64 and content[at] ^ 1 << bit in BASE64:
                return 8 * at + bit
    raise AssertionError("no such bit")
