"""What people ask of a service in a day: they play, read everything, and send everything that is refused."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

from shutbox.moderation import ban
from shutbox.store.database import writing

from tests.faults.week import Week, look_at
from tests.players import any_of, first, last, legal_turns

NOWHERE = "01900000-0000-7000-8000-000000000000"


def look(week: Week, *names: str) -> None:
    """Let some, or all, read everything that there is."""
    for name in names or week.readers:
        week.log += look_at(week.readers[name], week.addresses)


def play(week: Week, number: int) -> None:
    """Sealed rounds finished and left, puzzles, and every kind of practice round; receipts that are not there yet."""
    mara, finn, eva = (week.readers[name] for name in ("mara", "finn", "eva"))
    rounds = [one["round_id"] for one in mara.get("/days/today").get_json()["rounds"]]
    week.attempts += [mara.play_sealed(rounds[0], any_of(number)), eva.play_sealed(rounds[2], first)]
    week.attempts.append(finn.post(f"/rounds/{rounds[0]}/attempt").get_json())
    for player in (mara, finn, eva):
        seed = player.get(f"/rounds/{rounds[1]}").get_json()["seed"]
        for choose in (any_of(number), last):
            run = player.submit(rounds[1], legal_turns("classic", seed, choose)).get_json()
    assert finn.get(f"/runs/{run['run_id']}/receipt").status_code in (403, 404)
    assert eva.get(f"/runs/{run['run_id']}/receipt").status_code in (404, 503)
    own_seed = sha256(f"a seed for day {number}".encode()).hexdigest()
    week.practice += [
        mara.issue("classic", "sealed"),
        finn.issue("odds", "open"),
        eva.issue("evens", "sealed", own_seed),
        finn.issue("classic", "open", own_seed[::-1]),
    ]
    started = mara.post(f"/rounds/{week.practice[-4]['round_id']}/attempt")
    week.attempts.append(started.get_json())
    finn.play_sealed(finn.issue("classic", "sealed")["round_id"])


def finish(week: Week, number: int) -> None:
    """In the grace Finn ends his round on every other day; else it is abandoned."""
    (state,) = [
        one for one in week.attempts[-4:] if one["state"].startswith("choose") and "practice" not in one["round_id"]
    ]
    while number % 2 and state["state"].startswith("choose"):
        state = week.readers["finn"].move(state, last).get_json()


def refusals(week: Week) -> None:
    """Ask for everything that is refused."""
    mara, finn, eva, nobody = (week.readers[name] for name in ("mara", "finn", "eva", "nobody"))
    sealed, opened = (f"/rounds/{week.today}-classic{end}" for end in ("", "-open"))
    attempt = mara.post(f"{sealed}/attempt").get_json()
    running = week.attempts[-2]
    moves = f"/attempts/{running['attempt_id']}/moves"
    tomorrow = f"/rounds/{week.today + timedelta(days=1)}-classic"
    json = {"content_type": "application/json"}
    for reader, method, path, options in (
        (mara, "POST", f"{opened}/runs", {"data": b"{", **json}),
        (mara, "POST", f"{opened}/runs", {"json": {"turns": 3}}),
        (mara, "POST", f"{opened}/runs", {"data": b"x", "content_type": "text/plain"}),
        (mara, "POST", f"{opened}/runs", {"json": {"turns": [{"dice": 2, "shut": []}]}}),
        (mara, "POST", f"{opened}/runs", {"data": b"[" * 70_000, **json}),
        (mara, "POST", f"{opened}/runs", {"data": b"{}", "headers": {"Transfer-Encoding": "chunked"}}),
        (mara, "POST", f"{opened}/runs", {"data": b"{}", **json, "environ_overrides": {"CONTENT_LENGTH": "99"}}),
        (mara, "POST", f"{sealed}/runs", {"json": {"turns": [{"dice": 2, "shut": [1]}]}}),
        (mara, "GET", f"{opened}/leaderboard?after=AAAA", {}),
        (finn, "GET", f"{sealed}/leaderboard?around={NOWHERE}", {}),
        (mara, "GET", f"{opened}/leaderboard?around={NOWHERE}", {}),
        (mara, "PATCH", "/players/me", {"json": {"name": "me"}}),
        (mara, "PATCH", "/players/me", {"json": {"name": "Mara"}}),
        (finn, "PATCH", "/players/me", {"json": {"name": "mara"}}),
        (mara, "PUT", "/players/me", {}),
        (mara, "GET", "/nothing", {}),
        (mara, "GET", "/rulesets/nothing", {}),
        (mara, "GET", "/days/never", {}),
        (mara, "GET", "/rounds/nothing", {}),
        (mara, "GET", f"/runs/{NOWHERE}", {}),
        (mara, "GET", f"/attempts/{NOWHERE}", {}),
        (mara, "DELETE", f"/players/me/tokens/{NOWHERE}", {}),
        (mara, "GET", "/players/Nobody", {}),
        (nobody, "POST", "/transfers", {"json": {"code": "0000-0000-0000"}}),
        (nobody, "GET", "/players/me", {}),
        (nobody, "GET", "/players/me", {"headers": {"Authorization": "Bearer nonsense"}}),
        (eva, "POST", f"{sealed}/attempt", {"headers": {"Origin": "https://elsewhere.example"}}),
        (finn, "GET", f"/attempts/{attempt['attempt_id']}", {}),
        (finn, "POST", moves, {"json": {"move": 0, "shut": [1]}}),
        (finn, "POST", moves, {"json": {"move": running["move"], "shut": [1, 1]}}),
        (finn, "POST", moves, {"json": {"move": running["move"] + 9, "shut": [1]}}),
        (mara, "POST", f"/attempts/{attempt['attempt_id']}/moves", {"json": {"move": 0, "shut": [9, 8]}}),
        (mara, "POST", f"/attempts/{attempt['attempt_id']}/moves", {"json": {"move": attempt["move"], "shut": [1]}}),
        (mara, "POST", f"{tomorrow}/attempt", {}),
        (mara, "GET", f"{tomorrow}/bundle", {}),
    ):
        answer = reader.request(method, path, **options)
        assert answer.status_code != 500, (method, path)
    repeat = {"headers": {"Idempotency-Key": f"the-key-of-{week.today}"}}
    for ruleset in ("odds", "evens"):
        finn.post("/rounds", {"ruleset": ruleset, "mode": "open"}, **repeat)
    token = mara.get("/players/me/tokens").get_json()["items"][0]["token_id"]
    mara.request("DELETE", f"/players/me/tokens/{token}")
    week.move_somebody()


def crowd(week: Week) -> None:
    """Have people ask for everything that is refused among them: leagues of two, challenges, scopes, a ban, limits."""
    ada, ben, cleo = (week.join(name) for name in ("ada", "ben", "cleo"))
    challenge = ada.post("/challenges", {"ruleset": "classic", "players": 2, "hours": 1}).get_json()
    for reader in (ada, ben, cleo):
        reader.post(f"/rounds/{challenge['round_id']}/attempt")
    for _ in range(20):
        ada.post("/challenges", {"ruleset": "odds", "players": 2, "hours": 1})
    code, other = (ada.post("/leagues", {"name": name}).get_json()["code"] for name in ("One", "Two"))
    for path in (f"/leagues/{code}/members", f"/leagues/{other}/members"):
        ben.post(path)
        cleo.post(path)
    for period in ("ruleset=digits", "of=2000-01-01", f"league={code}"):
        cleo.get(f"/leaderboards/week?{period}")
    cleo.get(f"/rounds/{week.today}-classic/leaderboard?format=csv")
    ada.post(f"/leagues/{code}/codes")
    ada.delete(f"/leagues/{other}")
    for gone in (code, other, "ABCDE12345"):
        cleo.get(f"/leagues/{gone}")
    for number in range(61):
        ada.post("/leagues", {"name": f"League {number}"})
    lesser = ada.post("/players/me/tokens", {"scopes": ["read"]}).get_json()["token"]
    ben.request("GET", "/players/me", headers={"Authorization": f"Bearer {lesser}"})
    ben.request("POST", "/players/me/transfer-codes", headers={"Authorization": f"Bearer {lesser}"})
    with week.site() as site:
        ban(site, UUID(cleo.player_id), "seen to look ahead")
    cleo.post("/players/me/recovery-codes")


def play_on(week: Week) -> None:
    """Try to play and to submit, whatever becomes of it."""
    day = week.today
    for player in (week.readers["finn"], week.readers["eva"]):
        for path, body in (
            (f"/rounds/{day}-classic/attempt", None),
            (f"/attempts/{week.attempts[-2]['attempt_id']}/moves", {"move": week.attempts[-2]["move"], "shut": [12]}),
            (f"/rounds/{day}-classic-open/runs", {"turns": [{"dice": 2, "shut": [9]}]}),
            ("/rounds", {"ruleset": "odds", "mode": "open"}),
        ):
            player.post(path, body)


@contextmanager
def changed(week: Week, away: list[Any], back: list[Any]) -> Iterator[None]:
    """Change what is stored, behind the back of the service, until the block ends."""
    try:
        with week.site() as site, writing(site.session):
            for statement in away:
                site.session.execute(statement)
        yield
    finally:
        with week.site() as site, writing(site.session):
            for statement in back:
                site.session.execute(statement)
