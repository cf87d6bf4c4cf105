"""Cases of days that close in another order, and of leaves that follow the first CLOSE of their day."""

from tests.tlog.edits import Case
from tests.tlog.story import milliseconds
from tests.tlog.tampered_leaves import (
    CLOSE,
    DUEL,
    FIRST_NEXT_CLOSE,
    NEXT_CLOSE,
    OPEN_CLOSE,
    RACE,
    ROUND,
    RUN,
    SIZE,
    leaf_case,
)
from tests.tlog.tampering import DIGITS, LOST, NEXT, OPEN, TOLD
from tests.tlog.two_days import FIRST

LAST_CLOSE = TOLD.at("CLOSE", round_id=f"{LOST}-open")  # of the first day


def cases() -> list[Case]:
    """Days close in order, and the first CLOSE of a day ends it: what follows could be chosen with the dice known."""
    open_run = {"round_id": OPEN, "run_id": bytes(16)}
    next_run = {"round_id": NEXT, "run_id": bytes(16)}
    added = {
        "round_id": "2028-02-28-digits",
        "ruleset_hash": TOLD.round(DIGITS).fields["ruleset_hash"],
    }
    return [
        leaf_case("days close in another order", "days-out-of-order", CLOSE, ["swap", CLOSE, NEXT_CLOSE]),
        leaf_case("rounds of one day close in another order", None, None, ["swap", CLOSE, OPEN_CLOSE]),
        leaf_case("a day is passed over", "days-out-of-order", FIRST_NEXT_CLOSE - 1, ["delete", CLOSE]),
        leaf_case(
            "a day that is passed over closes later",
            "days-out-of-order",
            FIRST_NEXT_CLOSE - 1,
            ["delete", CLOSE],
            ["insert", SIZE - 1, TOLD.leaves[CLOSE].hex()],
        ),
        leaf_case(
            "the last round of a day closes between those of the next",
            "days-out-of-order",
            FIRST_NEXT_CLOSE - 1,
            ["delete", LAST_CLOSE],
            ["insert", FIRST_NEXT_CLOSE, TOLD.leaves[LAST_CLOSE].hex()],
        ),
        leaf_case(
            "the last round of a day closes just before the next day does",
            None,
            None,
            ["delete", LAST_CLOSE],
            ["insert", FIRST_NEXT_CLOSE - 1, TOLD.leaves[LAST_CLOSE].hex()],
        ),
        leaf_case("a run just before the first close of its day", None, None, TOLD.insert(CLOSE, RUN, **open_run)),
        leaf_case(
            "a run just behind the first close of its day",
            "days-out-of-order",
            CLOSE + 1,
            TOLD.insert(CLOSE + 1, RUN, **open_run),
        ),
        leaf_case(
            "a run just before the close of its round, when its day has been disclosed",
            "days-out-of-order",
            OPEN_CLOSE,
            TOLD.insert(OPEN_CLOSE, RUN, **open_run),
        ),
        leaf_case(
            "a run of the next day behind the close of a day", None, None, TOLD.insert(CLOSE + 1, RUN, **next_run)
        ),
        leaf_case(
            "a run_id twice in a round whose day has been disclosed",
            "repeated-run",
            CLOSE + 1,
            TOLD.insert(CLOSE + 1, TOLD.round(OPEN).runs[0].index),
        ),
        leaf_case(
            "a round that never closes, and the next day does",
            "days-out-of-order",
            FIRST_NEXT_CLOSE + 1,
            TOLD.insert(CLOSE, ROUND, **added),
        ),
        leaf_case(
            "a round just behind the first close of its day",
            "days-out-of-order",
            CLOSE + 1,
            TOLD.insert(CLOSE + 1, ROUND, **added),
        ),
        leaf_case("a round of a day that has closed", "days-out-of-order", SIZE, TOLD.append(ROUND, **added)),
        leaf_case(
            "a round of a day that has closed, which opens a millisecond late",
            "opens-mismatch",
            SIZE,
            TOLD.append(ROUND, opens=milliseconds(FIRST) + 1, **added),
        ),
        leaf_case(
            "a challenge between the closes of a day",
            None,
            None,
            TOLD.insert(CLOSE + 1, DUEL.index, round_id=f"{DUEL.fields['round_id'][:-12]}{'0' * 12}"),
        ),
        leaf_case(
            "a run of a challenge between the closes of a day",
            None,
            None,
            TOLD.insert(CLOSE + 1, RUN, round_id=RACE.fields["round_id"], run_id=bytes(16)),
        ),
    ]
