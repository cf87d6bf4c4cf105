"""What the game costs: replay, analysis, tables, the audit of a big day; and the start of the service."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path

from shutbox.game.analysis import analysis, best_possible_penalty, given_away_milli
from shutbox.game.dice import deal
from shutbox.game.replay import Turn, replay
from shutbox.game.rules import RollTable, Rules, rules_of
from shutbox.game.rulesets import CATALOGUE
from shutbox.game.solver import least_expected_penalty

from tests.bench.measuring import per_call, told
from tests.bigday import DAY, write_day
from tests.faults.served import free_port
from tests.players import any_of, as_turns, legal_turns
from tests.vectors import turns_of, vectors


def classic_runs() -> list[tuple[Rules, RollTable, list[Turn]]]:
    """Return the classic runs of the vectors and 100 random ones, each with its dice."""
    rules = rules_of(CATALOGUE["classic"])
    runs = [
        (rules, deal(rules, bytes.fromhex(vector["seed"])), turns_of(vector))
        for vector in vectors("runs-valid")
        if vector["ruleset"] == "classic"
    ]
    for number in range(100):
        seed = f"{number:064x}"
        runs.append((rules, deal(rules, bytes.fromhex(seed)), as_turns(legal_turns("classic", seed, any_of(number)))))
    return runs


def game() -> None:
    runs = classic_runs()
    turns = statistics.mean(len(run[2]) for run in runs)

    def replay_all() -> None:
        for rules, table, run in runs:
            replay(rules, table, run)

    each = per_call(replay_all, 200) / len(runs)
    told(f"replay of a classic run ({turns:.1f} turns), dice cached", f"{each:.2f} µs", "goal ≤ 2 µs")
    told("re-verification, replay alone, per core", f"{1e6 / each:,.0f} runs/s", "goal ≥ 500,000, stretch 1,500,000")
    rules, table, run = runs[0]
    told("given away of a classic run", f"{per_call(lambda: given_away_milli(rules, table, run), 5000):.1f} µs", "")
    told("analysis of a classic run", f"{per_call(lambda: analysis(rules, table, run), 2000):.1f} µs", "")
    told("roll table of a round from its seed", f"{per_call(lambda: deal(rules, bytes(32)), 2000):.1f} µs", "")
    told("best possible with foresight", f"{per_call(lambda: best_possible_penalty(rules, table), 200):.0f} µs", "")


def tables() -> None:
    """Time what a process builds once, at the first use of a ruleset."""
    for id in ("classic", "twelve-three-dice", "crafthouse-multiply"):
        begun = time.perf_counter()
        rules_of.__wrapped__(CATALOGUE[id])
        built = time.perf_counter()
        least_expected_penalty.__wrapped__(CATALOGUE[id])
        solved = time.perf_counter()
        told(f"tables of {id}: rules, solver", f"{(built - begun) * 1e3:.0f}, {(solved - built) * 1e3:.0f} ms", "")


def audit(runs: int = 100_000) -> None:
    """Time the command that verifies a closed day of that many runs from files, start of the program included."""
    with tempfile.TemporaryDirectory() as folder:
        # in another process: a child begins with the memory of its parent
        writing = get_context("spawn").Process(target=write_day, args=(Path(folder), runs))
        writing.start()
        writing.join()
        command = [sys.executable, "-m", "shutbox_client.cli", "verify", "day", DAY, "--files", folder]
        taken = []
        for number in range(3):
            begun = time.perf_counter()
            process = subprocess.Popen(
                [*command, "--state", f"{folder}/state-{number}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            _, status, used = os.wait4(process.pid, 0)
            taken.append(time.perf_counter() - begun)
            assert status == 0
    whole = statistics.median(taken)
    told(f"verify day with {runs:,} runs, {os.cpu_count()} cores", f"{whole:.2f} s", "")
    told("  the same, for each run", f"{whole / runs * 1e6:.1f} µs", "")
    cpu = (used.ru_utime + used.ru_stime) / runs
    told("full audit, per core", f"{1 / cpu:,.0f} runs/s", "goal ≥ 250,000, stretch 400,000")
    told("  memory of its largest process", f"{used.ru_maxrss / 1024:.0f} MiB", "")


def start() -> None:
    """Time `serve` from an empty folder to the line that says it is ready."""
    taken = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            begun = time.perf_counter()
            process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "shutbox.cli",
                    "serve",
                    "--data-dir",
                    folder,
                    "--bind",
                    f"127.0.0.1:{free_port()}",
                ],
                stdout=subprocess.PIPE,
                text=True,
            )
            assert process.stdout is not None
            process.stdout.readline()
            taken.append(time.perf_counter() - begun)
            process.terminate()
            process.communicate()
    told("ready to serve from an empty folder", f"{statistics.median(taken):.2f} s", "goal ≤ 2 s, stretch 1 s")
