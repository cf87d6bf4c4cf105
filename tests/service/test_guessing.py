"""Guessing: dice made in every plausible way from all that is public before a close are no better than chance."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from hashlib import sha256
from hmac import digest
from itertools import product
from math import exp, lgamma, log, log1p

import pytest
from shutbox.clock import end_of, start_of
from shutbox.game.dice import rolls
from shutbox.game.encoding import lp, tag, u32
from shutbox.game.rulesets import CATALOGUE, Ruleset
from shutbox.seeds import Chain, day_seed, yyyymmdd
from shutbox.tlog.disclosure import commitment, link_before
from shutbox.tlog.leaves import ChainLeaf, CloseLeaf, Kind, Mode, RoundLeaf, RunLeaf, encode
from shutbox.tlog.merkle import leaf_hash, node_hash

DAYS = 200
CHANCE = 1 / 36
"""That a first roll of two dice is guessed, each die at its place."""
ONE_IN = 1e-6
"""How unlikely by chance a count must be to be called better than chance, however many guesses there are."""
LABELS = ("ruleset", "dice", "chain", "day-seed", "round-seed", "commitment", "run", "ranking")
"""Every TAG of the protocol."""
CLASSIC, VARIANT = CATALOGUE["classic"], CATALOGUE["odds"]
CHAIN = Chain(bytes(range(16)), date(2026, 1, 1), DAYS + 2, DAYS + 2, sha256(b"the chain of this test").digest())
SeedOf = Callable[["Day", "Ruleset"], bytes]


def as_the_protocol_says(day: "Day", ruleset: Ruleset) -> bytes:
    return day_seed(CHAIN.link(day.number), day.date, "sealed", ruleset.hash)


@dataclass(frozen=True)
class Day:
    """A day whose sealed rounds run, as one sees it who reads everything and plays the open rounds."""

    number: int
    seed_of: SeedOf = as_the_protocol_says
    """How the hidden seeds are made: as the protocol says, or in a way that this test must find."""

    @property
    def date(self) -> date:
        return CHAIN.first_day + timedelta(days=self.number - 1)

    @cached_property
    def hidden(self) -> bytes:
        """The seed that is looked for."""
        return self.seed_of(self, CLASSIC)

    def open_seed(self, ruleset: Ruleset) -> bytes:
        return day_seed(CHAIN.link(self.number), self.date, "open", ruleset.hash)

    def round_id(self, ruleset: Ruleset, mode: Mode) -> str:
        return f"{self.date}-{ruleset.id}{'-open' if mode is Mode.OPEN else ''}"

    def round_leaf(self, ruleset: Ruleset, mode: Mode) -> RoundLeaf:
        seed = self.seed_of(self, ruleset) if mode is Mode.SEALED else self.open_seed(ruleset)
        made, opens, closes = (
            start_of(self.date - timedelta(days=7)),
            start_of(self.date),
            end_of(self.date) + 7_200_000,
        )
        committed, number = commitment(ruleset.hash, seed), yyyymmdd(self.date)
        round_id = self.round_id(ruleset, mode)
        fixed = (Kind.DAILY, mode, round_id, ruleset.hash, committed, CHAIN.chain_id, self.number, number)
        return RoundLeaf(made, *fixed, opens, closes)

    def public(self) -> dict[str, bytes]:
        """Return everything that is public before the close, and what a player of the open round has."""
        today, yesterday, tomorrow = self, Day(self.number - 1, self.seed_of), Day(self.number + 1, self.seed_of)
        leaves = [
            encode(ChainLeaf(start_of(CHAIN.first_day), CHAIN.chain_id, CHAIN.length, 20260101, CHAIN.anchor)),
            encode(today.round_leaf(CLASSIC, Mode.SEALED)),
            encode(today.round_leaf(CLASSIC, Mode.OPEN)),
        ]
        own = {name: sha256(f"{name} {self.number}".encode()).digest() for name in ("salt", "run", "tag", "id")}
        run = RunLeaf(start_of(self.date) + 1, today.round_id(CLASSIC, Mode.OPEN), own["id"][:16], own["run"])
        found = {
            "nothing": b"",
            "zeros": bytes(32),
            "chain id": CHAIN.chain_id,
            "anchor": CHAIN.anchor,
            "yesterday's link": CHAIN.link(self.number - 1),
            "last week's link": CHAIN.link(max(0, self.number - 7)),
            "day": u32(yyyymmdd(self.date)),
            "day in words": str(self.date).encode(),
            "number": u32(self.number),
            "opens": start_of(self.date).to_bytes(8, "big"),
            "round id": today.round_id(CLASSIC, Mode.SEALED).encode(),
            "open round id": today.round_id(CLASSIC, Mode.OPEN).encode(),
            "ruleset": CLASSIC.document,
            "ruleset hash": CLASSIC.hash,
            "commitment": today.round_leaf(CLASSIC, Mode.SEALED).commitment,
            "open commitment": today.round_leaf(CLASSIC, Mode.OPEN).commitment,
            "variant's commitment": today.round_leaf(VARIANT, Mode.SEALED).commitment,
            "tomorrow's commitment": tomorrow.round_leaf(CLASSIC, Mode.SEALED).commitment,
            "open seed": today.open_seed(CLASSIC),
            "variant's open seed": today.open_seed(VARIANT),
            "open leaf": leaves[2],
            "chain leaf": leaves[0],
            "round leaf": leaves[1],
            "leaf hash": leaf_hash(leaves[1]),
            "root": node_hash(node_hash(leaf_hash(leaves[0]), leaf_hash(leaves[1])), leaf_hash(leaves[2])),
            "run id": run.run_id,
            "run commitment": run.commitment,
            "own salt": own["salt"],
            "own tag": own["tag"][:16],
        }
        if self.number > 1:
            seed, link = yesterday.hidden, CHAIN.link(self.number - 1)
            close = CloseLeaf(
                end_of(yesterday.date), yesterday.round_id(CLASSIC, Mode.SEALED), seed, link, 0, own["id"]
            )
            found |= {"yesterday's seed": seed, "yesterday's close": encode(close)}
            found["yesterday's open seed"] = yesterday.open_seed(CLASSIC)
        return found

    def guesses(self, more: dict[str, bytes] | None = None) -> Iterator[tuple[tuple[str, ...], bytes]]:
        """Yield what might be the hidden seed, each with the way in which it was made."""
        known = self.public() | (more or {})
        day, round_id = yyyymmdd(self.date), self.round_id(CLASSIC, Mode.SEALED)
        behind = {
            "": b"",
            "day": u32(day),
            "round id": lp(round_id.encode()),
            "ruleset": CLASSIC.hash,
            "chain and number": CHAIN.chain_id + u32(self.number),
            "day, mode, ruleset": u32(day) + lp(b"sealed") + CLASSIC.hash,
        }
        labels = [("", b""), *((label, tag(label)) for label in LABELS)]
        for (name, value), (label, prefix), (what, context) in product(known.items(), labels, behind.items()):
            yield (name, label, what, "hash"), sha256(prefix + context + value).digest()
            yield (name, label, what, "key"), digest(value, prefix + context, "sha256")
        for (name, value), (label, prefix) in product(known.items(), labels):
            yield (name, label, "as a key of it"), digest(prefix, value, "sha256")
            yield (name, label, "behind its length"), sha256(prefix + lp(value)).digest()
        long = [(name, value) for name, value in known.items() if len(value) >= 16]
        for (one, key), (other, value) in product(long, repeat=2):
            yield (one, other, "key"), digest(key, value, "sha256")
            yield (one, other, "hash"), sha256(key + value).digest()
        for name, value in known.items():
            if len(value) == 32:
                yield (name, "as it is"), value
            for before, number in (("today", self.number), ("tomorrow", self.number + 1), ("the end", CHAIN.length)):
                link = link_before(CHAIN.chain_id, number, value)
                yield (name, "link before", before), day_seed(link, self.date, "sealed", CLASSIC.hash)
            yield (
                (name, "open, then sealed"),
                day_seed(day_seed(value, self.date, "open", CLASSIC.hash), self.date, "sealed", CLASSIC.hash),
            )


def found(day: Day, more: dict[str, bytes] | None = None) -> set[tuple[str, ...]]:
    """Return the ways that lead to the hidden seed: those whose commitment is the published one."""
    published = day.round_leaf(CLASSIC, Mode.SEALED).commitment
    return {way for way, seed in day.guesses(more) if commitment(CLASSIC.hash, seed) == published}


def too_many(tries: int, ways: int) -> int:
    """Return the least number of hits in so many tries that chance gives to one way of all in less than ONE_IN."""
    logs = [
        lgamma(tries + 1)
        - lgamma(hits + 1)
        - lgamma(tries - hits + 1)
        + hits * log(CHANCE)
        + (tries - hits) * log1p(-CHANCE)
        for hits in range(tries + 1)
    ]
    tail, hits = 0.0, tries + 1
    while hits and (tail + exp(logs[hits - 1])) * ways < ONE_IN:
        hits -= 1
        tail += exp(logs[hits])
    return hits


def test_nothing_public_before_the_close_gives_the_dice() -> None:
    """Over 200 days no way of making seeds from public values gives the seed once, or the first roll too often."""
    hits: Counter[tuple[str, ...]] = Counter()
    tried = hit = 0
    for number in range(1, DAYS + 1):
        day = Day(number)
        published, rolled = day.round_leaf(CLASSIC, Mode.SEALED).commitment, rolls(day.hidden, 2, 1)
        different: set[bytes] = set()
        for way, seed in day.guesses():
            same = rolls(seed, 2, 1) == rolled
            hits[way] += same
            assert not same or commitment(CLASSIC.hash, seed) != published, way
            if seed not in different:
                different.add(seed)
                tried, hit = tried + 1, hit + same
    assert len(hits) > 5000
    luckiest, most = hits.most_common(1)[0]
    assert most < too_many(DAYS, len(hits)), luckiest
    assert hit < too_many(tried, 1), f"{hit} of {tried}"


def test_no_link_can_be_made_from_what_is_public() -> None:
    """A guessed link would show itself: hashed once it is yesterday's."""
    for number in range(1, DAYS + 1, 20):
        day = Day(number)
        yesterdays = CHAIN.link(number - 1)
        assert not any(link_before(CHAIN.chain_id, number, link) == yesterdays for _, link in day.guesses())


@pytest.mark.parametrize(
    ("seed_of", "way"),
    [
        (
            lambda day, ruleset: day_seed(CHAIN.link(day.number - 1), day.date, "sealed", ruleset.hash),
            ("yesterday's link", "day-seed", "day, mode, ruleset", "key"),
        ),
        (
            lambda day, ruleset: day_seed(day.open_seed(ruleset), day.date, "sealed", ruleset.hash),
            ("open seed", "day-seed", "day, mode, ruleset", "key"),
        ),
        (
            lambda day, ruleset: digest(day.open_seed(ruleset), tag("dice"), "sha256"),
            ("open seed", "dice", "", "key"),
        ),
        (
            lambda day, ruleset: sha256(tag("day-seed") + u32(yyyymmdd(day.date))).digest(),
            ("day", "day-seed", "", "hash"),
        ),
        (
            lambda day, ruleset: digest(CHAIN.anchor, f"{day.date}-{ruleset.id}".encode(), "sha256"),
            ("anchor", "round id", "key"),
        ),
        (lambda day, ruleset: day.open_seed(ruleset), ("open seed", "as it is")),
    ],
)
def test_seeds_that_hang_on_something_public_are_found(seed_of: SeedOf, way: tuple[str, ...]) -> None:
    for number in (1, 2, 77):
        assert way in found(Day(number, seed_of))


def test_the_link_of_the_day_would_be_found() -> None:
    """What shows that the right way is among those that are tried: only the secret is missing."""
    day = Day(9)
    assert found(day) == set()
    link = {"the link": CHAIN.link(9)}
    assert ("the link", "day-seed", "day, mode, ruleset", "key") in found(day, link)
    assert ("tomorrow's link", "link before", "tomorrow") in found(day, {"tomorrow's link": CHAIN.link(10)})


def test_what_is_better_than_chance() -> None:
    """A way that knows one of seven first rolls is noticed; one that guesses is not."""
    assert 200 * CHANCE < too_many(200, 1) < too_many(200, 6000) < 200 / 7
    assert too_many(3, 1_000_000) == 4, "three of three are not enough for a million ways"
