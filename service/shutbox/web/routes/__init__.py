"""One file per resource; `ALL` is what the app serves."""

from . import attempts, days, health, leaderboards, pages, players, rounds, rulesets, runs

API = (rulesets.routes, days.routes, rounds.routes, runs.routes, attempts.routes, leaderboards.routes, players.routes)
ROOT = (health.routes, pages.routes)
