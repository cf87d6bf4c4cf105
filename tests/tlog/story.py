"""A log as it grows, written with `reference_log`: rounds are committed to, played on their dice, and close."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from shutbox.game.analysis import given_away_milli
from shutbox.game.replay import replay
from shutbox.game.rulesets import CATALOGUE

from tests.players import Policy, as_turns, first, last, legal_turns, table_of
from tests.tlog import reference_log as plain
from tests.tlog.reference_log import Fields

DAY_MS = 86_400_000
CLOSES_AFTER = 26 * 3_600_000
MODES = {"sealed": 1, "open": 2}


def drawn(name: str) -> bytes:
    """Return 32 bytes that look random and are always the same for a name."""
    return sha256(f"small log: {name}".encode()).digest()


@dataclass
class HashedChoice:
    """A way to play that is the same in every version of Python."""

    name: str
    moves: int = 0

    def __call__(self, choices: list[Any]) -> Any:
        self.moves += 1
        return choices[int.from_bytes(drawn(f"{self.name} {self.moves}")[:4], "big") % len(choices)]


@dataclass(frozen=True)
class Played:
    """Some turns on the dice of a round, and what they are worth; lower results are better."""

    turns: list[Fields]
    score: int
    lost: int

    @property
    def result(self) -> tuple[int, int]:
        return -self.score, self.lost


@dataclass
class Run:
    """A logged run."""

    index: int
    run_id: bytes
    salt: bytes
    tag: bytes
    content: bytes
    played: Played
    rank: int | None = None

    @property
    def commitment(self) -> bytes:
        return plain.run_commitment(self.salt, self.content)


@dataclass
class Chain:
    """A chain of day secrets with all its links."""

    chain_id: bytes
    first: datetime
    links: list[bytes]


@dataclass
class Round:
    """A logged round with its secrets."""

    index: int
    fields: Fields
    ruleset: str
    mode: str
    seed: bytes
    secret: bytes
    runs: list[Run] = field(default_factory=list)
    withdrawn: set[bytes] = field(default_factory=set)
    ranking: list[tuple[int, Run]] = field(default_factory=list)  # at the close
    header: Fields | None = None
    close_index: int | None = None

    def pool(self) -> list[Played]:
        return pool_of(self.ruleset, self.mode, self.seed)

    def run_of(self, tag: bytes, played: Played) -> bytes:
        return plain.run_bytes(self.fields["round_id"], tag, CATALOGUE[self.ruleset].hash, played.turns)

    def ranked(self, withdrawn: set[bytes]) -> list[tuple[int, Run]]:
        """Return the best run of each player with its rank."""
        runs = sorted((run.played.result, run.run_id, run) for run in self.runs if run.run_id not in withdrawn)
        best: dict[bytes, Run] = {}
        for _, _, run in runs:
            best.setdefault(run.tag, run)
        in_order = list(best.values())
        return [(1 + sum(other.played.result < run.played.result for other in in_order), run) for run in in_order]


def pool_of(ruleset: str, mode: str, seed: bytes) -> list[Played]:
    """Return some runs on the dice of a seed, no two the same, the best first."""
    rules, table = table_of(ruleset, seed.hex())
    found: dict[str, Played] = {}
    policies: list[Policy] = [first, last, *(HashedChoice(f"policy {number}") for number in range(60))]
    for choose in policies:
        turns = legal_turns(ruleset, seed.hex(), choose)
        replayed = replay(rules, table, as_turns(turns))
        score = rules.opening_penalty - rules.penalties[replayed.open]
        lost = given_away_milli(rules, table, as_turns(turns)) if mode == "sealed" else 0
        found[str(turns)] = Played(turns, score, lost)
    return sorted(found.values(), key=lambda played: played.result)


class Story:
    """The leaves so far, as bytes and as fields, and the rounds by id."""

    def __init__(self, start: datetime) -> None:
        self.fields: list[Fields] = []
        self.rounds: dict[str, Round] = {}
        self.chains: list[Chain] = []
        self.now = start

    @property
    def leaves(self) -> list[bytes]:
        return [plain.leaf_bytes(fields) for fields in self.fields]

    def add(self, type: str, **fields: Any) -> int:
        """Append a leaf; a second and a half later than the one before."""
        self.now = datetime.fromtimestamp(self.now.timestamp() + 1.5, UTC)
        self.fields.append({"type": type, "t": milliseconds(self.now), **fields})
        return len(self.fields) - 1

    def wait_for(self, moment: datetime) -> None:
        self.now = max(self.now, moment)

    def chain(self, name: str, first: datetime, length: int) -> Chain:
        chain_id = drawn(f"{name} id")[:16]
        chain = Chain(chain_id, first, plain.links_of(chain_id, drawn(name), length))
        self.add("CHAIN", chain_id=chain_id, N=length, first_day=yyyymmdd(first), c_0=chain.links[0])
        self.chains.append(chain)
        return chain

    def ruleset(self, ruleset: str) -> int:
        return self.add("RULESET", document=CATALOGUE[ruleset].document)

    def daily(self, chain: Chain, day: datetime, ruleset: str, mode: str) -> Round:
        i = (day - chain.first).days + 1
        opens = milliseconds(day)
        seed = plain.day_seed(chain.links[i], yyyymmdd(day), mode, CATALOGUE[ruleset].hash)
        named = {"kind": 1, "round_id": daily_id(day, ruleset, mode), "opens": opens, "closes": opens + CLOSES_AFTER}
        of_chain = {"chain_id": chain.chain_id, "i": i, "day": yyyymmdd(day)}
        return self._round(ruleset, mode, seed, chain.links[i], **named, **of_chain)

    def challenge(self, name: str, ruleset: str, mode: str) -> Round:
        made = drawn(name).hex()
        round_id = f"challenge-{made[:8]}-{made[8:12]}-{made[12:16]}-{made[16:20]}-{made[20:32]}"
        times = {"opens": milliseconds(self.now), "closes": milliseconds(self.now) + DAY_MS}
        named = {"kind": 2, "round_id": round_id, "chain_id": bytes(16), "i": 0, "day": 0}
        return self._round(ruleset, mode, drawn(f"{name} seed"), bytes(32), **named, **times)

    def _round(self, ruleset: str, mode: str, seed: bytes, secret: bytes, **fields: Any) -> Round:
        hash = CATALOGUE[ruleset].hash
        hashes = {"ruleset_hash": hash, "commitment": plain.commitment(hash, seed)}
        index = self.add("ROUND", mode=MODES[mode], **fields, **hashes)
        round = Round(index, self.fields[index], ruleset, mode, seed, secret)
        self.rounds[fields["round_id"]] = round
        return round

    def run(self, round: Round, player: str, played: Played) -> Run:
        """Log a run of a player, whose tag on this round is always the same."""
        round_id, number = round.fields["round_id"], len(round.runs)
        tag, salt = drawn(f"{round_id} {player} tag")[:16], drawn(f"{round_id} {number} salt")
        run_id = uuid7(milliseconds(self.now), drawn(f"{round_id} {number} id"))
        content = round.run_of(tag, played)
        commitment = plain.run_commitment(salt, content)
        index = self.add("RUN", round_id=round_id, run_id=run_id, run_commitment=commitment)
        run = Run(index, run_id, salt, tag, content, played)
        round.runs.append(run)
        return run

    def withdraw(self, round: Round, run: Run, reason: int) -> int:
        round.withdrawn.add(run.run_id)
        return self.add("WITHDRAW", round_id=round.fields["round_id"], run_id=run.run_id, reason=reason)

    def reinstate(self, round: Round, run: Run) -> int:
        round.withdrawn.discard(run.run_id)
        return self.add("REINSTATE", round_id=round.fields["round_id"], run_id=run.run_id)

    def close(self, round: Round) -> int:
        ranked = round.ranking = round.ranked(round.withdrawn)
        for rank, run in ranked:
            run.rank = rank
        hash = plain.ranking_hash((rank, run.commitment) for rank, run in ranked)
        close = {"seed": round.seed, "c_i": round.secret, "ranked": len(ranked), "ranking_hash": hash}
        round.close_index = self.add("CLOSE", round_id=round.fields["round_id"], **close)
        document = {"ruleset_document": CATALOGUE[round.ruleset].document}
        words = {"kind": ("daily", "challenge")[round.fields["kind"] - 1], "mode": round.mode}
        known = {**round.fields, **document, **words, **close, "day_secret": round.secret}
        round.header = {name: known[name] for name in plain.HEADER}
        return round.close_index


def bundle_lines(round: Round) -> list[str]:
    """Return the lines of the bundle of a closed round."""
    assert round.header is not None
    return [plain.line(round.header), *(run_line(run) for run in round.runs)]


def run_line(run: Run, /, **changes: Any) -> str:
    members = {"run_id": run.run_id, "leaf_index": run.index, "salt": run.salt, "run": run.content, "rank": run.rank}
    return plain.line({**members, **changes})


def milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def yyyymmdd(day: datetime) -> int:
    return int(day.strftime("%Y%m%d"))


def daily_id(day: datetime, ruleset: str, mode: str) -> str:
    return f"{day:%Y-%m-%d}-{ruleset}" + ("-open" if mode == "open" else "")


def uuid7(time: int, random: bytes) -> bytes:
    """Return an id that begins with its time."""
    return plain.number(6, time) + bytes((0x70 | random[0] & 15, random[1], 0x80 | random[2] & 63)) + random[3:10]
