"""`python -m tests.bench [GROUP …]`: all groups, or those that are named."""

import sys
from pathlib import Path

from tests.bench import boards, game, served, walks
from tests.bench.measuring import ROUNDS, group

GROUPS = {
    "game": (game.game, game.tables),
    "audit": (game.audit,),
    "start": (game.start,),
    "boards": (boards.in_redis, boards.rebuilding),
    "requests": (boards.requests,),
    "served": (served.throughput,),
    "walks": (walks.walks,),
}

if __name__ == "__main__":
    print(f"{Path(sys.executable).name} {sys.version.split()[0]}, medians of {ROUNDS} rounds")
    for name in sys.argv[1:] or GROUPS:
        group(name)
        for measure in GROUPS[name]:
            measure()
