"""One file per resource; `API` and `ROOT` are what the app serves."""

from . import (
    attempts,
    days,
    health,
    leaderboards,
    log,
    pages,
    play_pages,
    players,
    rounds,
    rulesets,
    runs,
    verify_pages,
)

API = (rulesets.routes, days.routes, rounds.routes, runs.routes, attempts.routes, leaderboards.routes, players.routes)
ROOT = (health.routes, log.routes, pages.routes, play_pages.routes, verify_pages.routes)
