"""How figures are taken and told: medians of several rounds, each beside its goal."""

import statistics
import time
from collections.abc import Callable, Mapping

ROUNDS = 7


def per_call(work: Callable[[], object], calls: int) -> float:
    """Return the median time of a call, in microseconds."""
    taken = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        for _ in range(calls):
            work()
        taken.append((time.perf_counter() - begun) / calls * 1e6)
    return statistics.median(taken)


def interleaved(works: Mapping[str, Callable[[], object]], calls: int) -> dict[str, float]:
    """Return the median time of a call of each, in microseconds.

    They take turns call by call, and a call during which something else had the core does not count: so ratios can be
    read also where the machine is busy.
    """
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(calls):
        for name, work in works.items():
            begun = time.perf_counter()
            work()
            taken[name].append((time.perf_counter() - begun) * 1e6)
    return {name: statistics.median(times) for name, times in taken.items()}


def processor(work: Callable[[], object], calls: int = 5) -> float:
    """Return the processor time of a call in this process, the median, in milliseconds; no other process counts."""
    taken = []
    for _ in range(calls):
        begun = time.process_time()
        work()
        taken.append((time.process_time() - begun) * 1e3)
    return statistics.median(taken)


def group(name: str) -> None:
    print(f"\n{name}")


def told(what: str, figure: str, goal: str = "") -> None:
    print(f"  {what:<64} {figure:>22}   {goal}".rstrip(), flush=True)
