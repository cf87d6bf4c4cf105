"""What the service answers, as frozen values. Fields that this version does not know are passed over.

Times are aware, bytes are bytes (hex in JSON), fractions are exact, lists are tuples.
"""

from dataclasses import dataclass, field
from datetime import date, datetime
from fractions import Fraction

from shutbox.game import rulesets
from shutbox.game.replay import Turn
from shutbox.game.rules import Rules, rules_of


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
        return rules_of(rulesets.Ruleset.from_document(self.id, self.name, self.document))


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
    """A player; `name` is None for a guest, a deleted player, and one whose name the operator has hidden."""

    player_id: str
    name: str | None
    guest: bool
    bot: bool
    hidden: bool


@dataclass(frozen=True, slots=True)
class NewPlayer:
    """A player just made, and the first token, which is shown only here."""

    player: Player
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Token:
    """A token without its secret: what it may do (`play`, `read`, `league`), and on which day it was last used.

    `browser`: it is the cookie of a browser; `current`: it is the one that asks.
    """

    token_id: str
    label: str
    scopes: tuple[str, ...]
    browser: bool
    current: bool
    created_at: datetime
    last_used: date | None


@dataclass(frozen=True, slots=True)
class NewToken(Token):
    """A token just made, with its secret, which is shown only here."""

    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Act:
    """What was done with the player's name, tokens or codes, by the player or the operator (`by`)."""

    audit_id: str
    at: datetime
    by: str
    act: str
    note: str


@dataclass(frozen=True, slots=True)
class Audit:
    """A page of acts, newest first."""

    items: tuple[Act, ...]
    next: str | None


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
class Withdrawal:
    """Why the operator took a run off the ranking: `player` (asked for it), `unfair`, `error` or `other`."""

    reason: str
    note: str
    at: datetime


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
    ranked: bool | None
    rank: int | None
    total: int | None
    accepted_at: datetime
    withdrawn: Withdrawal | None
    gated: bool


@dataclass(frozen=True, slots=True)
class OwnRun:
    """A run of the player."""

    run_id: str
    round_id: str
    ruleset: str
    mode: str
    kind: str
    score: int
    penalty: int
    open: tuple[int, ...]
    given_away_milli: int | None
    turns: tuple[Turn, ...]
    accepted_at: datetime
    withdrawn: bool


@dataclass(frozen=True, slots=True)
class OwnRuns:
    """A page of the player's runs, newest first."""

    total: int
    items: tuple[OwnRun, ...]
    next: str | None
    previous: str | None


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
class PeriodRow:
    """A player's sums over a period, of `days` days. `given_away_milli` is None for open rounds."""

    rank: int
    player: Player
    score: int
    given_away_milli: int | None
    days: int


@dataclass(frozen=True, slots=True)
class Period:
    """A page of the board of a week, a month or all time: of days that have closed, the last of them `until`."""

    period: str
    from_: date
    to: date | None
    until: date | None
    state: str
    ruleset: str
    mode: str
    total: int
    items: tuple[PeriodRow, ...]
    next: str | None
    previous: str | None


@dataclass(frozen=True, slots=True)
class Member:
    """A player of a league."""

    player: Player
    joined_at: datetime


@dataclass(frozen=True, slots=True)
class League:
    """A league of `size` members, of at most `most`. `members` is None in lists, and for one who is no member."""

    code: str
    name: str
    owner: Player
    size: int
    most: int
    created_at: datetime
    members: tuple[Member, ...] | None


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge for `players` players. `maker` is None once its maker was deleted, `run_id` is of the own run."""

    round: Round
    maker: Player | None
    players: int
    entered: bool
    run_id: str | None


@dataclass(frozen=True, slots=True)
class Health:
    """A process that answers."""

    status: str


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
