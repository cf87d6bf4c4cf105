"""One file per resource; `API` and `ROOT` are what the app serves."""

from . import (
    archive_pages,
    attempts,
    days,
    health,
    leaderboards,
    log,
    offline_pages,
    pages,
    people_pages,
    play_pages,
    players,
    practice_pages,
    rounds,
    rulesets,
    run_pages,
    runs,
    statics,
    transfers,
    verify_pages,
)

API = (
    rulesets.routes,
    days.routes,
    rounds.routes,
    runs.routes,
    attempts.routes,
    leaderboards.routes,
    players.routes,
    transfers.routes,
)
ROOT = (
    health.routes,
    log.routes,
    pages.routes,
    people_pages.routes,
    archive_pages.routes,
    play_pages.routes,
    run_pages.routes,
    practice_pages.routes,
    verify_pages.routes,
    offline_pages.routes,
    offline_pages.files,
    statics.routes,
)
