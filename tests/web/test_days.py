"""Days and rounds over HTTP: what is shown ahead, the close, and a clock that moves both ways."""

import time
from datetime import date, timedelta

import pytest
from shutbox.clock import day_at
from shutbox.days import advance, make_days, rulesets_of
from shutbox.game.dice import deal
from shutbox.game.rules import rules_of
from shutbox.game.rulesets import CATALOGUE
from shutbox.rounds import close_due_rounds
from shutbox.seeds import Chain, Secrets, commits_to, day_seed
from shutbox.site import Site
from shutbox.store.database import writing
from shutbox.store.rows import ChainRow, DayRow, RoundRow
from shutbox.tlog.disclosure import commitment
from sqlalchemy import delete, select

from tests.conftest import LOG_KEY, Closer, MovableClock
from tests.players import Api, first, legal_turns


def test_a_day_has_classic_and_the_variant_sealed_and_open(nobody: Api) -> None:
    day = nobody.get("/days/today").get_json()
    assert (day["date"], day["state"]) == ("2026-11-30", "open")
    variant = day["rounds"][2]["ruleset"]
    assert variant != "classic"
    assert [(one["round_id"], one["mode"]) for one in day["rounds"]] == [
        ("2026-11-30-classic", "sealed"),
        ("2026-11-30-classic-open", "open"),
        (f"2026-11-30-{variant}", "sealed"),
        (f"2026-11-30-{variant}-open", "open"),
    ]
    for one in day["rounds"]:
        assert (one["kind"], one["opens_at"]) == ("daily", "2026-11-30T00:00:00.000Z")
        assert (one["entries_until"], one["closes_at"]) == ("2026-12-01T00:00:00.000Z", "2026-12-01T02:00:00.000Z")
        assert (one["seed"] is None) == (one["mode"] == "sealed")
    assert nobody.get("/days/2026-11-30").get_json() == day


def test_every_ruleset_is_a_variant_in_turn(site: Site) -> None:
    variants = [rulesets_of(site, date(2026, 11, 30) + timedelta(days=ahead))[1].id for ahead in range(16)]
    assert sorted(variants) == sorted(set(CATALOGUE) - {"classic"})


def test_coming_days_show_commitments_and_nothing_else(nobody: Api) -> None:
    for ahead in range(1, 8):
        day = nobody.get(f"/days/{date(2026, 11, 30) + timedelta(days=ahead)}").get_json()
        assert day["state"] == "upcoming"
        assert all(one["seed"] is None and len(one["commitment"]) == 64 for one in day["rounds"])
    assert nobody.get("/days/2026-12-08").status_code == 404


def test_rounds_open_by_time_without_a_worker(nobody: Api, clock: MovableClock) -> None:
    tomorrow = "/rounds/2026-12-01-classic-open"
    clock.set("2026-11-30T23:59:59")
    assert (nobody.get(tomorrow).get_json()["state"], nobody.get(tomorrow).get_json()["seed"]) == ("upcoming", None)
    clock.set("2026-12-01T00:00:00")
    assert nobody.get(tomorrow).get_json()["state"] == "open"
    assert nobody.get(tomorrow).get_json()["seed"] is not None
    assert nobody.get("/days/today").get_json()["date"] == "2026-12-01"


def test_the_close_discloses_seeds_that_give_every_roll(
    mara: Api, nobody: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    shown: dict[int, list[int]] = {}
    state = mara.post("/rounds/2026-11-30-classic/attempt").get_json()
    while state["state"].startswith("choose"):
        shown[state["roll"]] = state["faces"] or []
        state = mara.move(state, first).get_json()
    shown[state["roll"]] = state["faces"]
    before = nobody.get("/days/2026-11-30").get_json()
    clock.set("2026-12-01T02:00:00")
    assert close_days() == [date(2026, 11, 30)]
    after = nobody.get("/days/2026-11-30").get_json()
    assert after["state"] == "closed"
    link = site.session.scalars(select(DayRow).where(DayRow.day == date(2026, 11, 30))).one().day_secret
    assert link is not None
    for one, earlier in zip(after["rounds"], before["rounds"], strict=True):
        seed, ruleset = bytes.fromhex(one["seed"]), CATALOGUE[one["ruleset"]]
        assert one["commitment"] == earlier["commitment"] == commitment(ruleset.hash, seed).hex()
        assert seed == day_seed(link, date(2026, 11, 30), one["mode"], ruleset.hash)
        assert one["best_possible_penalty"] is not None
        assert earlier["best_possible_penalty"] is None
    classic = bytes.fromhex(after["rounds"][0]["seed"])
    rolls = deal(rules_of(CATALOGUE["classic"]), classic).rolls
    assert shown == {number: list(rolls[number][: len(faces)]) for number, faces in shown.items()}
    run = mara.get(f"/runs/{state['run_id']}").get_json()
    practice = mara.issue("classic", seed=classic.hex())
    assert mara.submit(practice["round_id"], run["turns"]).get_json()["score"] == run["score"]


def test_days_close_in_order_after_the_worker_slept(
    nobody: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    clock.set("2026-12-04T01:59:59")
    assert nobody.get("/days/2026-12-03").get_json()["state"] == "closing"
    assert close_days() == [date(2026, 11, 30), date(2026, 12, 1), date(2026, 12, 2)]
    assert close_days() == []
    clock.forward(1)
    assert close_days() == [date(2026, 12, 3)]
    assert nobody.get("/days/2026-12-04").get_json()["state"] == "open"
    make_days(site)
    assert nobody.get("/days/2026-12-11").get_json()["state"] == "upcoming"


def test_days_that_nobody_made_are_passed_over(
    nobody: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    """Everything was off for three weeks: the days that were made ahead close, the gap has no rounds."""
    clock.set("2026-12-20T12:00:00")
    make_days(site)
    assert close_days() == [date(2026, 11, 30) + timedelta(days=ahead) for ahead in range(8)]
    assert nobody.get("/days/2026-12-15").status_code == 404
    assert nobody.get("/days/today").get_json()["state"] == "open"


def test_a_clock_that_steps_back_reopens_nothing(
    mara: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    seed = mara.get("/rounds/2026-11-30-classic-open").get_json()["seed"]
    clock.set("2026-12-01T00:00:01")
    advance(site)
    clock.set("2026-11-30T23:00:00")
    assert mara.get("/rounds/2026-11-30-classic").get_json()["state"] == "closing"
    assert mara.post("/rounds/2026-11-30-classic/attempt").get_json()["code"] == "round_closed"
    assert mara.submit("2026-11-30-classic-open", legal_turns("classic", seed)).get_json()["code"] == "round_closed"
    clock.set("2026-12-01T02:00:00")
    close_days()
    clock.set("2026-11-30T12:00:00")
    for round_id in ("2026-11-30-classic", "2026-11-30-classic-open"):
        assert mara.get(f"/rounds/{round_id}").get_json()["state"] == "closed"
    assert mara.post("/rounds/2026-11-30-classic/attempt").get_json()["code"] == "round_closed"
    assert mara.get("/rounds/2026-12-01-classic").get_json()["state"] == "open", "it had opened"


def test_a_running_attempt_ends_with_the_grace_even_before_a_worker_closes(mara: Api, clock: MovableClock) -> None:
    state = mara.post("/rounds/2026-11-30-classic/attempt").get_json()
    clock.set("2026-12-01T02:00:00")
    late = mara.move(state, first)
    assert (late.status_code, late.get_json()["code"]) == (409, "round_closed")


def test_a_practice_round_ends_after_its_days(mara: Api, site: Site, clock: MovableClock) -> None:
    sealed, opened = mara.issue("classic", "sealed"), mara.issue("classic", "open")
    state = mara.post(f"/rounds/{sealed['round_id']}/attempt").get_json()
    assert state["state"] == "choose_tiles"
    clock.forward(30 * 24 * 3600)
    late = mara.submit(opened["round_id"], legal_turns("classic", opened["seed"]))
    assert late.get_json()["code"] == "round_closed"
    assert close_due_rounds(site) == 2
    assert close_due_rounds(site) == 0
    assert mara.get(f"/attempts/{state['attempt_id']}").get_json()["state"] == "abandoned"
    assert mara.get(f"/rounds/{sealed['round_id']}").get_json()["seed"] is not None


def test_a_challenge_waits_for_no_practice_to_close(mara: Api, site: Site, clock: MovableClock) -> None:
    for _ in range(20):
        mara.issue()
    clock.forward(29 * 24 * 3600)
    challenge = mara.post("/challenges", {"ruleset": "classic", "players": 2, "hours": 1}).get_json()
    clock.forward(24 * 3600)
    assert close_due_rounds(site, limit=1) == 2
    assert mara.get(f"/rounds/{challenge['round_id']}").get_json()["state"] == "closed"


def test_a_practice_round_of_an_idempotency_key_is_one(mara: Api, finn: Api) -> None:
    asked = {"ruleset": "odds", "mode": "open"}
    key = {"Idempotency-Key": "once"}
    made = mara.post("/rounds", asked, headers=key).get_json()
    assert mara.post("/rounds", asked, headers=key).get_json() == made
    assert finn.post("/rounds", asked, headers=key).get_json()["round_id"] != made["round_id"]
    other = mara.post("/rounds", {"ruleset": "evens", "mode": "open"}, headers=key)
    assert (other.status_code, other.get_json()["code"]) == (422, "idempotency_key_reused")
    assert mara.post("/rounds", asked).get_json()["round_id"] != made["round_id"]


def test_a_seed_of_ones_own_gives_its_dice(mara: Api) -> None:
    seed = "6898cf836587d764e02319b821720951a8ee50a301c142776b5d0598fb126301"
    issued = mara.issue("classic", "open", seed)
    assert issued["seed"] == seed
    assert commits_to(bytes.fromhex(issued["commitment"]), CATALOGUE["classic"].hash, bytes.fromhex(seed))
    sealed = mara.issue("classic", "sealed", seed)
    assert mara.post(f"/rounds/{sealed['round_id']}/attempt").get_json()["faces"] == [4, 1]


@pytest.mark.parametrize("broken", ["another chain", "a link too early"])
def test_a_node_without_the_secret_of_a_day_refuses(
    mara: Api, site: Site, broken: str, monkeypatch: pytest.MonkeyPatch, clock: MovableClock
) -> None:
    (chain,) = site.secrets.chains
    if broken == "another chain":
        wrong = Chain(chain.chain_id, chain.first_day, 60, 60, b"x" * 32)
    else:
        wrong = Chain(chain.chain_id, chain.first_day, 60, 3, chain.link(3))
    other = Site(
        site.settings,
        Secrets((wrong,), site.secrets.round_key, site.secrets.log_key),
        site.session,
        site.ranking,
        site.clock,
    )
    monkeypatch.setitem(mara.app.extensions, "shutbox", other)
    for method, path in (("POST", "/rounds/2026-11-30-classic/attempt"), ("GET", "/rounds/2026-11-30-classic-open")):
        answer = mara.request(method, path)
        assert (answer.status_code, answer.get_json()["code"]) == (503, "seed_unavailable")
        assert "Retry-After" in answer.headers


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/Los_Angeles"])
def test_the_day_is_utc_wherever_the_server_stands(
    nobody: Api, clock: MovableClock, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        for moment, day in (("2026-11-30T00:00:00", "2026-11-30"), ("2026-11-30T23:59:59", "2026-11-30")):
            clock.set(moment)
            assert nobody.get("/days/today").get_json()["date"] == day == day_at(clock()).isoformat()
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_leap_day_is_a_day(site: Site, nobody: Api, clock: MovableClock, monkeypatch: pytest.MonkeyPatch) -> None:
    with writing(site.session):  # another installation, which begins with another chain
        for row in (RoundRow, DayRow, ChainRow):
            site.session.execute(delete(row))
    other = Secrets((Chain(bytes(16), date(2028, 2, 20), 60, 60, b"y" * 32),), b"k" * 32, LOG_KEY)
    leap = Site(site.settings, other, site.session, site.ranking, site.clock)
    monkeypatch.setitem(nobody.app.extensions, "shutbox", leap)
    clock.set("2028-02-28T23:59:59")
    make_days(leap)
    clock.set("2028-02-29T12:00:00")
    day = nobody.get("/days/today").get_json()
    assert (day["date"], day["rounds"][0]["closes_at"]) == ("2028-02-29", "2028-03-01T02:00:00.000Z")
