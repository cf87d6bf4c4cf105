"""Cases of single leaves that are not what the protocol says, in a log that is otherwise in order and signed again."""

from datetime import timedelta
from typing import Any

from tests.tlog import reference_log as plain
from tests.tlog.edits import Case, Edit
from tests.tlog.story import daily_id, drawn, milliseconds, yyyymmdd
from tests.tlog.tampering import NEXT, NO_RUNS, OPEN, RUNNING, SEALED, TOLD, case
from tests.tlog.two_days import FIRST, THIRD

SIZE = TOLD.size
RACE = next(round for round in TOLD.story.rounds.values() if round.fields["kind"] == 2 and round.header is None)
DUEL = TOLD.duel
CHAIN, RULESET, RUN = TOLD.at("CHAIN"), TOLD.at("RULESET"), TOLD.at("RUN")
WITHDRAW = TOLD.at("WITHDRAW")
LAST_RUN = TOLD.round(RUNNING).runs[-1].index
CLOSE, OPEN_CLOSE = (TOLD.at("CLOSE", round_id=round_id) for round_id in (SEALED, OPEN))
NEXT_CLOSE = TOLD.at("CLOSE", round_id=NEXT)
FIRST_NEXT_CLOSE = TOLD.at("CLOSE", round_id=NO_RUNS)
ROUND, OPEN_ROUND = TOLD.round(SEALED).index, TOLD.round(OPEN).index


def cases() -> list[Case]:
    return [*_forms(), *_orders_of_fields(), *_rounds(), *_rules(), *_disclosures(), *_chains(), *_unknown_rulesets()]


def leaf_case(name: str, fault: str | None, at: int | None, *edits: Edit, **members: Any) -> Case:
    """Return a case of a log in which the leaf at an index is refused."""
    where = None if at is None else f"leaf {at}:"
    return case(name, "log", fault, where, leaf_edits=list(edits), **members)


def _edited(name: str, fault: str, index: int, content: bytes) -> Case:
    return leaf_case(name, fault, index, ["set", index, content.hex()])


def _changed(name: str, fault: str, index: int, **changes: Any) -> Case:
    return leaf_case(name, fault, index, TOLD.set(index, **changes))


def _forms() -> list[Case]:
    run, chain, withdraw = TOLD.leaves[RUN], TOLD.leaves[CHAIN], TOLD.leaves[WITHDRAW]
    succeed = {"type": "SUCCEED", "t": 0, "origin": "example.org/log+1", "size": 3, "root": bytes(32)}
    return [
        _edited("a leaf of no bytes", "too-short", RUN, b""),
        _edited("a leaf of one byte", "too-short", RUN, b"\x01"),
        _edited("a leaf without its last byte", "too-short", RUN, run[:-1]),
        _edited("a leaf with a byte too much", "trailing-bytes", RUN, run + b"\0"),
        _edited("a leaf whose round id reaches past its end", "too-short", RUN, run[:10] + b"\xff" + run[11:]),
        _edited("a leaf of version 0", "unknown-version", RUN, b"\x00" + run[1:]),
        _edited("a leaf of version 2", "unknown-version", RUN, b"\x02" + run[1:]),
        _edited("a leaf of type 0", "unknown-type", RUN, b"\x01\x00" + run[2:]),
        _edited("a leaf of type 9", "unknown-type", RUN, b"\x01\x09" + run[2:]),
        _edited("a chain of another type's length", "trailing-bytes", CHAIN, b"\x01\x06" + chain[2:]),
        _changed("a round of kind 0", "unknown-kind", ROUND, kind=0),
        _changed("a round of kind 3", "unknown-kind", ROUND, kind=3),
        _changed("a round of mode 0", "unknown-mode", ROUND, mode=0),
        _changed("a round of mode 3", "unknown-mode", ROUND, mode=3),
        _edited("a WITHDRAW for reason 0", "unknown-reason", WITHDRAW, withdraw[:-1] + b"\0"),
        _edited("a WITHDRAW for reason 5", "unknown-reason", WITHDRAW, withdraw[:-1] + b"\x05"),
        _changed("a round without an id", "bad-round-id", ROUND, round_id=""),
        _changed("a round id with a space", "bad-round-id", RUN, round_id="2028-02-28 classic"),
        _changed("a round id with a newline at its end", "bad-round-id", RUN, round_id=f"{SEALED}\n"),
        _changed("a round id that is not ASCII", "bad-round-id", RUN, round_id="2028-02-28-cl\xe4ssic"),
        _changed("a chain that begins on no day of the calendar", "bad-day", CHAIN, first_day=20280230),
        _changed("a round on the 29th of February of a common year", "bad-day", ROUND, day=20290229),
        _changed("2100 is no leap year", "bad-day", CHAIN, first_day=21000229),
        _changed("a round on day 0", "bad-day", ROUND, day=0),
        _changed("a chain that begins before 1970", "bad-day", CHAIN, first_day=19691231),
        _changed("a challenge of a chain", "not-zero", DUEL.index, chain_id=bytes(15) + b"\1"),
        _changed("a challenge with a link", "not-zero", DUEL.index, i=1),
        _changed("a challenge with a day", "not-zero", DUEL.index, day=20280228),
        leaf_case(
            "a log that succeeds one of a false name", "bad-origin", 0, ["insert", 0, plain.leaf_bytes(succeed).hex()]
        ),
        leaf_case(
            "a log that succeeds one without a name",
            "bad-origin",
            0,
            ["insert", 0, plain.leaf_bytes({**succeed, "origin": ""}).hex()],
        ),
    ]


def _orders_of_fields() -> list[Case]:
    """Two things are wrong with a leaf: version before type; fields in order; then the end; then the rules."""
    round, run = TOLD.leaves[ROUND], TOLD.leaves[RUN]
    return [
        _edited("version and type are wrong", "unknown-version", RUN, b"\x02\x09" + run[2:]),
        _edited("the only byte is a wrong version", "too-short", RUN, b"\x02"),
        _edited("kind and mode are wrong", "unknown-kind", ROUND, round[:10] + b"\x03\x03" + round[12:]),
        _edited("a wrong kind, and nothing behind the mode", "unknown-kind", ROUND, round[:10] + b"\x03\x01"),
        _edited("a wrong round id, and nothing behind it", "bad-round-id", RUN, run[:10] + b"\x00\x01 "),
        _edited(
            "no day of the calendar, and a byte too much",
            "bad-day",
            CHAIN,
            TOLD.changed(CHAIN, first_day=20280230) + b"\0",
        ),
        _edited(
            "no day of the calendar, and a byte missing",
            "too-short",
            CHAIN,
            TOLD.changed(CHAIN, first_day=20280230)[:-1],
        ),
        _edited(
            "a reason that is none, and a byte too much",
            "unknown-reason",
            WITHDRAW,
            TOLD.changed(WITHDRAW, reason=5) + b"\0",
        ),
        _edited(
            "a run of no round, and a byte too much",
            "trailing-bytes",
            RUN,
            TOLD.changed(RUN, round_id="no-round") + b"\0",
        ),
    ]


def _rounds() -> list[Case]:
    return [
        _changed("a round that names link 0", "link-out-of-range", ROUND, i=0),
        _changed("a round that names link 6 of 5", "link-out-of-range", ROUND, i=6),
        _changed("a round that names the link of the day after", "day-mismatch", ROUND, i=2),
        _changed("a round on the day after its link", "day-mismatch", ROUND, day=20280229),
        _changed("a round with the id of the day before", "round-id-mismatch", ROUND, round_id="2028-02-27-classic"),
        _changed("a round with the id of another ruleset", "round-id-mismatch", ROUND, round_id="2028-02-28-digits"),
        _changed("a round with a capital letter", "round-id-mismatch", ROUND, round_id="2028-02-28-Classic"),
        leaf_case(
            "a sealed round with the id of an open one",
            "round-id-mismatch",
            ROUND,
            ["delete", OPEN_ROUND],
            TOLD.set(ROUND, round_id=OPEN),
        ),
        _changed(
            "an open round with the id of a sealed one", "round-id-mismatch", OPEN_ROUND, round_id="2028-02-28-open"
        ),
        _changed("a sealed round that is said to be open", "round-id-mismatch", ROUND, mode=2),
        _changed("a round that opens a millisecond late", "opens-mismatch", ROUND, opens=milliseconds(FIRST) + 1),
        _changed("a round that opens the day before", "opens-mismatch", ROUND, opens=milliseconds(FIRST) - 86_400_000),
        _changed(
            "a challenge with a capital letter",
            "round-id-mismatch",
            DUEL.index,
            round_id="challenge-" + DUEL.fields["round_id"][10:].upper(),
        ),
        _changed(
            "a challenge with the id of a daily round", "round-id-mismatch", DUEL.index, round_id="2028-03-02-classic"
        ),
        _changed(
            "a challenge with a practice round's id",
            "round-id-mismatch",
            DUEL.index,
            round_id=DUEL.fields["round_id"].replace("challenge", "practice"),
        ),
        leaf_case("a round before its ruleset", "ruleset-not-logged", 2, ["delete", RULESET]),
        _changed(
            "a round of a ruleset that is logged later",
            "ruleset-not-logged",
            ROUND,
            ruleset_hash=DUEL.fields["ruleset_hash"],
        ),
        leaf_case("a round before its chain", "chain-not-logged", ROUND - 1, ["delete", CHAIN]),
        _changed(
            "a round of a chain that is logged later", "chain-not-logged", ROUND, chain_id=TOLD.story.chains[1].chain_id
        ),
        leaf_case("an id with two rounds", "repeated-round", SIZE, TOLD.append(ROUND)),
        leaf_case("a challenge's id with two rounds", "repeated-round", SIZE, TOLD.append(DUEL.index, mode=2)),
    ]


def _rules() -> list[Case]:
    run = TOLD.story.fields[RUN]["run_id"]
    running = TOLD.round(RUNNING).runs
    succeed = {"type": "SUCCEED", "t": 0, "origin": "example.org/log", "size": 3, "root": bytes(32)}
    early: Edit = ["insert", 3, TOLD.leaves[RUN].hex()]
    withdraw_last = TOLD.changed(WITHDRAW, round_id=RUNNING, run_id=running[-1].run_id).hex()
    return [
        leaf_case("SUCCEED as the second leaf", "succeed-not-first", 1, ["insert", 1, plain.leaf_bytes(succeed).hex()]),
        leaf_case("a chain_id for two chains", "repeated-chain", SIZE, TOLD.append(CHAIN, c_0=bytes(32))),
        leaf_case("a run of a round that is logged later", "round-not-logged", 3, early),
        leaf_case(
            "a run of a round that is not logged",
            "round-not-logged",
            SIZE,
            TOLD.append(RUN, round_id="2028-02-28-digits"),
        ),
        leaf_case("a run after the close", "round-closed", SIZE, TOLD.append(RUN, run_id=bytes(16))),
        leaf_case(
            "a run between the close of its round and that of another",
            "round-closed",
            CLOSE + 1,
            TOLD.insert(CLOSE + 1, RUN, run_id=bytes(16)),
        ),
        leaf_case("a run_id twice in a round", "repeated-run", SIZE, TOLD.append(LAST_RUN, run_commitment=bytes(32))),
        leaf_case("a run_id in two rounds", None, None, TOLD.append(RUN, round_id=RUNNING)),
        leaf_case(
            "a withdrawn run logged again",
            "repeated-run",
            WITHDRAW + 1,
            TOLD.insert(WITHDRAW + 1, TOLD.round(SEALED).runs[17].index),
        ),
        leaf_case(
            "a close of a round that is not logged", "round-not-logged", 0, ["insert", 0, TOLD.leaves[CLOSE].hex()]
        ),
        leaf_case("a round with two closes", "repeated-close", SIZE, TOLD.append(CLOSE)),
        leaf_case(
            "WITHDRAW of a round that is not logged",
            "round-not-logged",
            SIZE,
            TOLD.append(WITHDRAW, round_id="2028-02-28-digits"),
        ),
        leaf_case(
            "WITHDRAW of a run that is not logged", "run-not-logged", SIZE, TOLD.append(WITHDRAW, run_id=bytes(16))
        ),
        leaf_case(
            "WITHDRAW of a run of another round",
            "run-not-logged",
            SIZE,
            TOLD.append(WITHDRAW, round_id=OPEN, run_id=run),
        ),
        leaf_case(
            "WITHDRAW before its RUN", "run-not-logged", running[-1].index, ["insert", running[-1].index, withdraw_last]
        ),
        leaf_case(
            "REINSTATE of a run that is not logged",
            "run-not-logged",
            SIZE,
            TOLD.append(TOLD.at("REINSTATE"), run_id=bytes(16)),
        ),
        leaf_case("REINSTATE of a run that is ranked", None, None, TOLD.append(TOLD.at("REINSTATE"), run_id=run)),
        leaf_case(
            "REINSTATE of a round that is not logged",
            "round-not-logged",
            SIZE,
            TOLD.append(TOLD.at("REINSTATE"), round_id="2028-02-28-digits"),
        ),
        leaf_case("a challenge closes between two days", None, None, ["delete", TOLD.at("CLOSE", c_i=bytes(32))]),
    ]


def _disclosures() -> list[Case]:
    """Day secrets, seeds and commitments that are replaced, alone and together."""
    round, link = TOLD.round(SEALED), TOLD.round(SEALED).secret
    hash = round.fields["ruleset_hash"]
    secret, seed = drawn("another secret"), drawn("another seed")
    derived = plain.day_seed(secret, 20280228, "sealed", hash)

    def both(name: str, fault: str, seed: bytes, secret: bytes) -> Case:
        committed = TOLD.set(ROUND, commitment=plain.commitment(hash, seed))
        return leaf_case(name, fault, CLOSE, committed, TOLD.set(CLOSE, seed=seed, c_i=secret))

    return [
        _changed("another day secret", "link-mismatch", CLOSE, c_i=secret),
        _changed("the day secret of the day before", "link-mismatch", NEXT_CLOSE, c_i=link),
        _changed("the day secret of the day after", "link-mismatch", CLOSE, c_i=TOLD.story.chains[0].links[2]),
        _changed("another day secret and the seed that it yields", "link-mismatch", CLOSE, c_i=secret, seed=derived),
        both("a day secret replaced together with its commitment", "link-mismatch", derived, secret),
        both("a commitment and a seed that are not from the chain", "seed-not-derived", seed, link),
        _changed("another seed", "seed-not-derived", CLOSE, seed=seed),
        _changed("the seed of the open round", "seed-not-derived", CLOSE, seed=TOLD.round(OPEN).seed),
        leaf_case("another commitment", "seed-mismatch", CLOSE, TOLD.set(ROUND, commitment=bytes(32))),
        leaf_case("another c_0", "link-mismatch", CLOSE, TOLD.set(CHAIN, c_0=bytes(32))),
        _changed("another seed of a challenge", "seed-mismatch", TOLD.at("CLOSE", c_i=bytes(32)), seed=seed),
        _changed("a challenge that discloses a day secret", "not-zero", TOLD.at("CLOSE", c_i=bytes(32)), c_i=link),
        leaf_case(
            "another commitment of a challenge",
            "seed-mismatch",
            TOLD.at("CLOSE", c_i=bytes(32)),
            TOLD.set(DUEL.index, commitment=bytes(32)),
        ),
        leaf_case(
            "another number of ranked runs: the bundle tells, not the log",
            None,
            None,
            TOLD.set(CLOSE, ranked=7, ranking_hash=bytes(32)),
        ),
    ]


def _chains() -> list[Case]:
    """The second chain rules from the third day on; the first one still has links for it."""
    first, second = TOLD.story.chains
    days = {number: FIRST + timedelta(days=number - 1) for number in range(1, 8)}
    third_chain = {"chain_id": drawn("third chain")[:16], "c_0": bytes(32)}

    def round_on(day: int, chain: Any, at: int = SIZE) -> Edit:
        named = {
            "round_id": daily_id(days[day], "two-to-go", "sealed"),
            "ruleset_hash": TOLD.round("2028-02-28-two-to-go").fields["ruleset_hash"],
        }
        i = day - (1 if chain is first else 3) + 1
        times = {"day": yyyymmdd(days[day]), "opens": milliseconds(days[day])}
        return TOLD.insert(at, ROUND, chain_id=chain.chain_id, i=i, **named, **times)

    later = TOLD.append(CHAIN, N=2, first_day=yyyymmdd(THIRD + timedelta(days=1)), **third_chain)
    return [
        leaf_case("the last link of a chain is a day", None, None, round_on(6, second)),
        leaf_case("the day after the last link", "link-out-of-range", SIZE, round_on(7, second)),
        leaf_case("a day before the first link", "link-out-of-range", SIZE, round_on(2, second)),
        leaf_case("a round names a chain that no longer rules its day", "chain-not-ruling", SIZE, round_on(3, first)),
        leaf_case("the last day of a chain that no longer rules it", "chain-not-ruling", SIZE, round_on(5, first)),
        leaf_case("a chain rules its days before a later one begins", None, None, round_on(2, first, FIRST_NEXT_CLOSE)),
        leaf_case(
            "a third chain leaves the days before it as they are", None, None, later, round_on(3, second, SIZE + 1)
        ),
        leaf_case(
            "a third chain rules from its first day on",
            "chain-not-ruling",
            SIZE + 1,
            later,
            round_on(4, second, SIZE + 1),
        ),
        leaf_case(
            "a third chain that has ended leaves no day to the one before",
            "chain-not-ruling",
            SIZE + 1,
            later,
            round_on(6, second, SIZE + 1),
        ),
        leaf_case(
            "a chain may begin before the one that is there",
            "chain-not-ruling",
            SIZE + 1,
            TOLD.append(CHAIN, N=2, first_day=20280229, **third_chain),
            round_on(2, first, SIZE + 1),
        ),
        leaf_case(
            "the chain of a round is looked for before its day",
            "chain-not-logged",
            RACE.index + 1,
            TOLD.insert(
                RACE.index + 1,
                ROUND,
                round_id="2028-02-28-digits",
                ruleset_hash=TOLD.round("2028-02-29-digits").fields["ruleset_hash"],
                chain_id=bytes(16),
                day=20280301,
            ),
        ),
    ]


def _unknown_rulesets() -> list[Case]:
    """A document that this program has no name for: the rounds are checked as far as they can be."""
    document = bytes.fromhex("03ff00000200000000000100")
    hash = plain.h(plain.tag("ruleset"), document)
    ruleset = TOLD.append(RULESET, document=document)

    def unknown(name: str, fault: str | None, round_id: str, **changes: Any) -> Case:
        at = None if fault is None else SIZE + 1
        return leaf_case(
            name,
            fault,
            at,
            ruleset,
            TOLD.insert(SIZE + 1, TOLD.round(RUNNING).index, ruleset_hash=hash, round_id=round_id, **changes),
        )

    return [
        leaf_case("a ruleset that nobody knows", None, None, ruleset),
        leaf_case("a ruleset of 12 zero bytes", None, None, TOLD.append(RULESET, document=bytes(12))),
        unknown("a round of a ruleset that nobody knows", None, "2028-03-01-ten-digits"),
        unknown("an open round of a ruleset that nobody knows", None, "2028-03-01-ten-digits-open", mode=2),
        unknown("an unknown ruleset and another day's id", "round-id-mismatch", "2028-03-02-ten-digits"),
        unknown(
            "an unknown ruleset and an open round with a sealed one's id",
            "round-id-mismatch",
            "2028-03-01-ten-digits",
            mode=2,
        ),
    ]
