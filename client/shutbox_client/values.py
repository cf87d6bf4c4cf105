"""What the service answers, as frozen values. Fields that this version does not know are passed over.

Times are aware, bytes are bytes (hex in JSON), fractions are exact, lists are tuples. `read` makes a value of JSON,
`plain` makes JSON of a value.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, date, datetime
from fractions import Fraction
from functools import cache
from struct import Struct
from struct import error as StructError
from types import MappingProxyType, NoneType, UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from shutbox.game import rulesets
from shutbox.game.replay import Turn
from shutbox.game.rules import Rules, rules_of

T = TypeVar("T")

_DOCUMENT = Struct(">HHBBHBBBB")


class Unreadable(ValueError):
    """JSON that has not the shape of the value; the text says where."""


@dataclass(frozen=True, slots=True)
class OneDie:
    """When one die may be rolled: `never`, `optional` or `forced`, and the condition for it."""

    mode: str
    tiles_shut: tuple[int, ...] | None
    open_sum_below: int | None


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The rules of one round, with its exact values."""

    id: str
    name: str
    box: tuple[int, ...]
    start_shut: tuple[int, ...]
    dice: int
    one_die: OneDie
    match: str
    first_roll_must_shut: int | None
    scoring: str
    document: bytes
    hash: bytes
    opening_penalty: int
    min_expected_penalty: Fraction
    max_shut_probability: Fraction

    @property
    def rules(self) -> Rules:
        """The tables to play by, made from the document (protocol.md, "Ruleset document"): ids are only names.

        Raises ValueError on a document that this version cannot play.
        """
        try:
            box, start_shut, dice, one_die, tiles_shut, below, match, first, scoring = _DOCUMENT.unpack(self.document)
        except StructError:
            raise ValueError(f"the document of ruleset {self.id} has not {_DOCUMENT.size} bytes") from None
        return rules_of(
            rulesets.Ruleset(
                self.id,
                self.name,
                box,
                start_shut,
                dice,
                rulesets.OneDie(one_die),
                tiles_shut,
                below,
                rulesets.Match(match),
                first,
                rulesets.Scoring(scoring),
            )
        )


@dataclass(frozen=True, slots=True)
class Round:
    """A round. `seed` is None until it is disclosed: `shutbox.game.dice.deal` makes the dice of it."""

    round_id: str
    ruleset: str
    mode: str
    kind: str
    state: str
    commitment: bytes
    seed: bytes | None
    opens_at: datetime
    entries_until: datetime
    closes_at: datetime
    started: int
    finished: int
    best_possible_penalty: int | None


@dataclass(frozen=True, slots=True)
class Day:
    """A day and its rounds."""

    date: date
    state: str
    rounds: tuple[Round, ...]

    def find(self, ruleset: str, mode: str) -> Round | None:
        """Return the day's round of a ruleset in a mode (`sealed`, `open`); None if it is not played that day."""
        return next((round for round in self.rounds if (round.ruleset, round.mode) == (ruleset, mode)), None)


@dataclass(frozen=True, slots=True)
class Player:
    """A player; `name` is None for a guest and for a deleted player."""

    player_id: str
    name: str | None
    guest: bool
    bot: bool


@dataclass(frozen=True, slots=True)
class NewPlayer:
    """A player just made, and the first token, which is shown only here."""

    player: Player
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Token:
    """A token without its secret."""

    token_id: str
    label: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class NewToken(Token):
    """A token just made, with its secret, which is shown only here."""

    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class TransferCode:
    """A code that lets another device act for the player, once until it expires; it is shown only here."""

    code: str = field(repr=False)
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class RecoveryCode:
    """A code that brings the player back, once and without an end; it is shown only here."""

    code: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Redeemed:
    """The player of a code that was used, and a new token, which is shown only here."""

    player: Player
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Result:
    """A finished sealed classic round of a day."""

    date: date
    round_id: str
    run_id: str
    score: int
    penalty: int
    given_away_milli: int


@dataclass(frozen=True, slots=True)
class HistogramBar:
    """How many times a penalty was reached."""

    penalty: int
    times: int


@dataclass(frozen=True, slots=True)
class Profile:
    """A player's results, newest first, and what is counted in them; `until` is the last day that has closed."""

    player: Player
    days_played: int
    streak: int
    longest_streak: int
    best: Result | None
    boxes_shut: int
    histogram: tuple[HistogramBar, ...]
    results: tuple[Result, ...]
    until: date | None


@dataclass(frozen=True, slots=True)
class Run:
    """A run as far as the viewer may see it: what is None may be hidden until the close, and `gated` says so."""

    run_id: str
    round_id: str
    player: Player | None
    score: int | None
    penalty: int | None
    open: tuple[int, ...] | None
    shut_the_box: bool | None
    given_away_milli: int | None
    turns: tuple[Turn, ...] | None
    ranked: bool
    rank: int | None
    total: int | None
    accepted_at: datetime
    gated: bool


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt on a sealed round: `move` is the number of the next decision, `roll` that of the roll, from 0.

    `state` is the decision that is owed (`choose_dice`, `choose_tiles`) or how it ended (`locked`, `shut`,
    `abandoned`).
    """

    attempt_id: str
    round_id: str
    move: int
    open: tuple[int, ...]
    roll: int
    faces: tuple[int, ...] | None
    legal: tuple[tuple[int, ...], ...]
    dice_allowed: tuple[int, ...]
    state: str
    run_id: str | None


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """A player's row. `given_away_milli` is None on open rounds."""

    rank: int
    player: Player
    score: int
    penalty: int
    given_away_milli: int | None
    run_id: str
    accepted_at: datetime


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A page of a leaderboard. Gated, it has no rows and no total until the asking player has finished the round."""

    round_id: str
    state: str
    gated: bool
    total: int | None
    items: tuple[LeaderboardRow, ...]
    next: str | None
    previous: str | None


@dataclass(frozen=True, slots=True)
class Readiness:
    """A service that is ready; `redis` is `ok` or `away`, and boards come from SQL meanwhile."""

    status: str
    today: date
    redis: str


@dataclass(frozen=True, slots=True)
class Mistake:
    """One place of a request that has not the right shape."""

    pointer: str
    message: str


@dataclass(frozen=True, slots=True)
class Submission:
    """What a file for `shutbox-client submit` holds; a run as the service shows it is one, too."""

    round_id: str
    turns: tuple[Turn, ...]


def read(kind: type[T], content: object) -> T:
    """Return the value that JSON stands for. Raises Unreadable."""
    return cast(T, _read(kind, content, ""))


def plain(value: Any) -> Any:
    """Return a value as what JSON can hold: the same as the service wrote, without what this version passes over."""
    if is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Turn):
        return {"dice": value.dice, "shut": list(value.shut)}
    if isinstance(value, tuple):
        return [plain(one) for one in value]
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if isinstance(value, Fraction) else value


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("it has no time zone")
    return moment


_FROM_TEXT: MappingProxyType[Any, tuple[str, Callable[[str], Any]]] = MappingProxyType(
    {
        datetime: ("a moment", _moment),
        date: ("a day", date.fromisoformat),
        bytes: ("hex", bytes.fromhex),
        Fraction: ("a fraction", Fraction),
    }
)
_NAMES = MappingProxyType({str: "text", int: "a whole number", bool: "true or false"})


def _read(kind: Any, content: Any, where: str) -> Any:
    origin = get_origin(kind)
    if origin is UnionType:
        present = next(one for one in get_args(kind) if one is not NoneType)
        return None if content is None else _read(present, content, where)
    if origin is tuple:
        if not isinstance(content, list):
            raise Unreadable(f"{where} must be a list")
        return tuple(_read(get_args(kind)[0], one, f"{where}/{index}") for index, one in enumerate(content))
    if kind in _FROM_TEXT:
        name, parse = _FROM_TEXT[kind]
        try:
            return parse(content)
        except (ValueError, TypeError, ZeroDivisionError):
            raise Unreadable(f"{where} must be {name}") from None
    if kind in _NAMES:
        if type(content) is not kind:  # true is an int to isinstance
            raise Unreadable(f"{where} must be {_NAMES[kind]}")
        return content
    if not isinstance(content, dict):
        raise Unreadable(f"{where or 'it'} must be an object")
    missing = [name for name in _hints(kind) if name not in content]
    if missing:
        raise Unreadable(f"{where}/{missing[0]} is missing")
    return kind(**{name: _read(hint, content[name], f"{where}/{name}") for name, hint in _hints(kind).items()})


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
