"""Where the server stands says nothing about its days: tests of days and closes in two time zones far apart.

The tests that are run again cannot see this themselves: they run in the time zone of whoever runs them.
"""

import os
import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
from shutbox.clock import day_at, system_clock
from shutbox.seeds import load_secrets

from tests.faults.served import served

ROOT = Path(__file__).parents[2]
AGAIN = ("tests/faults/test_clock.py", "tests/service/test_worker.py", "tests/web/test_days.py")
ZONES = {"Pacific/Kiritimati": 14, "America/Los_Angeles": -8}
"""Time zones and their hours ahead of UTC in winter."""
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp()


def hours_ahead(zone: str) -> float:
    """Return what another process in that zone thinks of it: a name that the system does not know would mean UTC."""
    code = f"import time; print(time.localtime({NOON}).tm_gmtoff / 3600)"
    said = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "TZ": zone}, capture_output=True, text=True, check=True
    )
    return float(said.stdout)


def test_days_and_closes_are_the_same_in_every_time_zone() -> None:
    assert {zone: hours_ahead(zone) for zone in ZONES} == ZONES, "install tzdata"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "not postgresql", *AGAIN]
    running = {
        zone: subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "TZ": zone},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for zone in ZONES
    }
    said = {zone: process.communicate()[0] for zone, process in running.items()}
    for zone, process in running.items():
        assert process.returncode == 0, f"{zone}:\n{said[zone]}"
        passed = re.search(r"(\d+) passed", said[zone])
        assert passed, said[zone]
        assert int(passed[1]) > 30, "the tests are still there"


def test_a_service_whose_local_date_is_always_tomorrow_plays_todays_rounds(short_tmp: Path) -> None:
    """A zone 24 hours ahead: what reads local time anywhere, in any process, is a day off at every hour of the day."""
    zone = "<+24>-24"
    assert hours_ahead(zone) == 24
    data_dir = Path(tempfile.mkdtemp(dir=short_tmp))
    earliest = day_at(system_clock())
    with served(data_dir, {"TZ": zone}) as service:
        ready = httpx.get(f"http://127.0.0.1:{service.port}/readyz").json()
        days = [service.client.get(f"/days/{day_at(system_clock()) + timedelta(days=ahead)}") for ahead in (0, 7, 8)]
        today = service.client.get("/days/today").json()
        page = httpx.get(f"http://127.0.0.1:{service.port}/").text
    latest = day_at(system_clock())
    assert earliest.isoformat() <= ready["today"] <= latest.isoformat()
    assert [day.status_code for day in days] == [200, 200, 404]
    assert (days[0].json()["state"], today["state"]) == ("open", "open")
    assert f"/play/{today['date']}-classic" in page
    chain = load_secrets(*(data_dir / f"{name}.json" for name in ("chain", "round-key", "log-key"))).chains[0]
    assert earliest <= chain.first_day <= latest
