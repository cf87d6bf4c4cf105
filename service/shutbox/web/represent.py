"""Values as JSON objects: the shapes that programs rely on (openapi.yaml), built by hand since they are hot."""

from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from ..analyses import RunAnalysis
from ..attempts import Attempt
from ..audit import Act
from ..challenges import Challenge
from ..clock import rfc3339
from ..days import Day
from ..game.analysis import Analysis, Decision, grade
from ..game.encoding import tiles_of
from ..game.replay import Turn
from ..game.rules import Rules, rules_of
from ..game.rulesets import Ruleset
from ..game.solver import greatest_chance_to_shut, least_expected_penalty
from ..histories import OwnRun
from ..leaderboards import BoardRow, Page
from ..leagues import League
from ..period_boards import PeriodPage, PeriodRow
from ..players import Player, Token
from ..profiles import Profile, Result
from ..rounds import Round, State
from ..runs import Run, Withdrawal

Json = dict[str, Any]


def ruleset_json(ruleset: Ruleset) -> Json:
    """Return a ruleset with its exact values, fractions as text."""
    least = least_expected_penalty(ruleset).fraction(ruleset.opening)
    chance = greatest_chance_to_shut(ruleset).fraction(ruleset.opening)
    return {
        "id": ruleset.id,
        "name": ruleset.name,
        "box": tiles_of(ruleset.box),
        "start_shut": tiles_of(ruleset.start_shut),
        "dice": ruleset.dice,
        "one_die": {
            "mode": ruleset.one_die.name.lower(),
            "tiles_shut": tiles_of(ruleset.one_die_tiles_shut) or None,
            "open_sum_below": ruleset.one_die_open_sum_below or None,
        },
        "match": ruleset.match.name.lower(),
        "first_roll_must_shut": ruleset.first_roll_must_shut or None,
        "scoring": ruleset.scoring.name.lower(),
        "document": ruleset.document.hex(),
        "hash": ruleset.hash.hex(),
        "opening_penalty": rules_of(ruleset).opening_penalty,
        "min_expected_penalty": str(least),
        "min_expected_penalty_decimal": f"{float(least):.9f}",
        "max_shut_probability": str(chance),
        "max_shut_probability_decimal": f"{float(chance):.12f}",
    }


def round_json(round: Round, seed: bytes | None, started: int, finished: int) -> Json:
    """Return a round; the caller says whether its seed may be shown."""
    return {
        "round_id": round.round_id,
        "ruleset": round.ruleset.id,
        "mode": round.mode,
        "kind": round.kind,
        "state": round.state.name.lower(),
        "commitment": round.commitment.hex(),
        "seed": seed.hex() if seed else None,
        "opens_at": rfc3339(round.opens_at),
        "entries_until": rfc3339(round.entries_until),
        "closes_at": rfc3339(round.closes_at),
        "started": started,
        "finished": finished,
        "best_possible_penalty": round.best_possible_penalty,
    }


def challenge_json(challenge: Challenge, seed: bytes | None) -> Json:
    """Return a challenge as one of its players sees it; the caller says whether its seed may be shown."""
    return {
        "round": round_json(challenge.round, seed, challenge.started, challenge.finished),
        "maker": player_json(challenge.maker) if challenge.maker else None,
        "players": challenge.most_players,
        "entered": challenge.entered,
        "run_id": str(challenge.run_id) if challenge.run_id else None,
    }


def day_json(day: Day, rounds: list[Json]) -> Json:
    """Return a day with its rounds."""
    return {"date": day.day.isoformat(), "state": day.state.name.lower(), "rounds": rounds}


def player_json(player: Player) -> Json:
    """Return a player; `name` is what the viewer may see."""
    return {
        "player_id": str(player.player_id),
        "name": player.name,
        "guest": player.guest,
        "bot": player.bot,
        "hidden": player.hidden,
    }


def profile_json(profile: Profile) -> Json:
    """Return a profile; the caller says whether it is the own one."""
    return {
        "player": player_json(profile.player),
        "days_played": profile.days_played,
        "streak": profile.streak,
        "longest_streak": profile.longest_streak,
        "best": None if profile.best is None else _result_json(profile.best),
        "boxes_shut": profile.boxes_shut,
        "histogram": [{"penalty": penalty, "times": times} for penalty, times in profile.histogram.items()],
        "results": [_result_json(result) for result in profile.results],
        "until": None if profile.until is None else profile.until.isoformat(),
    }


def _result_json(result: Result) -> Json:
    return {
        "date": result.day.isoformat(),
        "round_id": result.round_id,
        "run_id": str(result.run_id),
        "score": result.score,
        "penalty": result.penalty,
        "given_away_milli": result.given_away_milli,
    }


def league_json(league: League) -> Json:
    """Return a league as far as its viewer may see it."""
    members = league.members
    return {
        "code": league.code,
        "name": league.name,
        "owner": player_json(league.owner),
        "size": league.size,
        "most": league.most,
        "created_at": rfc3339(league.created_at),
        "members": None
        if members is None
        else [{"player": player_json(member.player), "joined_at": rfc3339(member.joined_at)} for member in members],
    }


def token_json(token: Token, current: bool) -> Json:
    """Return a token without its secret; the caller says whether it is the one that asks."""
    return {
        "token_id": str(token.token_id),
        "label": token.label,
        "scopes": list(token.scopes),
        "browser": token.browser,
        "current": current,
        "created_at": rfc3339(token.created_at),
        "last_used": None if token.last_used is None else token.last_used.isoformat(),
    }


def act_json(act: Act) -> Json:
    """Return an act of the audit trail."""
    return {"audit_id": str(act.audit_id), "at": rfc3339(act.at), "by": act.actor, "act": act.act, "note": act.note}


def run_json(run: Run) -> Json:
    """Return a run as far as its viewer may see it."""
    return {
        "run_id": str(run.run_id),
        "round_id": run.round_id,
        "player": player_json(run.player) if run.player else None,
        "score": run.score,
        "penalty": run.penalty,
        "open": run.open,
        "shut_the_box": run.shut_the_box,
        "given_away_milli": run.given_away_milli,
        "turns": None if run.turns is None else _turns_json(run.turns),
        "ranked": run.ranked,
        "rank": run.rank,
        "total": run.total,
        "accepted_at": rfc3339(run.accepted_at),
        "withdrawn": None if run.withdrawn is None else _withdrawal_json(run.withdrawn),
        "gated": run.gated,
    }


def _withdrawal_json(withdrawal: Withdrawal) -> Json:
    return {"reason": withdrawal.reason.word, "note": withdrawal.note, "at": rfc3339(withdrawal.at)}


def _turns_json(turns: Sequence[Turn]) -> list[Json]:
    return [{"dice": dice, "shut": shut} for dice, shut in turns]


def analysis_json(found: RunAnalysis) -> Json:
    """Return the analysis of a run as far as its viewer may see it: gated, it says nothing but that."""
    parts, rules = found.analysis, rules_of(found.round.ruleset)
    line = found.best_line
    return {
        "run_id": str(found.run.run_id),
        "round_id": found.round.round_id,
        "ruleset": found.round.ruleset.id,
        "gated": found.gated,
        "penalty": found.run.penalty if parts else None,
        "expected": exact_json(parts.expected, parts.denominator) if parts else None,
        "luck": exact_json(parts.luck, parts.denominator) if parts else None,
        "given_away": exact_json(parts.given_away, parts.denominator) if parts else None,
        "steps": _steps_json(rules, parts) if parts else None,
        "best_possible": {"penalty": found.round.best_possible_penalty, "turns": _turns_json(line)} if line else None,
        "better_than": found.better_than,
        "total": found.total,
    }


def exact_json(part: int, denominator: int) -> Json:
    """Return a value as its fraction in lowest terms, and rounded to nine decimals."""
    value = Fraction(part, denominator)
    rounded = round(value * 10**9)
    whole, decimals = divmod(abs(rounded), 10**9)
    return {"fraction": str(value), "decimal": f"{'-' if rounded < 0 else ''}{whole}.{decimals:09}"}


def _steps_json(rules: Rules, parts: Analysis) -> list[Json]:
    return [
        {
            "open": tiles_of(step.board),
            "dice": _decision_json(rules, parts, "dice", step.dice),
            "faces": step.faces,
            "luck": exact_json(step.luck, parts.denominator),
            "shut": _decision_json(rules, parts, "shut", step.shut),
        }
        for step in parts.steps
    ]


def _decision_json(rules: Rules, parts: Analysis, kind: str, decision: Decision[Any] | None) -> Json | None:
    if decision is None:
        return None
    return {
        "chosen": decision.chosen,
        "best": decision.best,
        "lost": exact_json(decision.lost, parts.denominator),
        "grade": grade(rules, decision.lost, parts.denominator),
        "ways": [{kind: way, "value": exact_json(value, parts.denominator)} for way, value in decision.ways.items()],
    }


def attempt_json(attempt: Attempt) -> Json:
    """Return the state of an attempt."""
    return {
        "attempt_id": str(attempt.attempt_id),
        "round_id": attempt.round_id,
        "move": attempt.move,
        "open": attempt.open,
        "roll": attempt.roll,
        "faces": attempt.faces,
        "legal": list(attempt.legal),
        "dice_allowed": attempt.dice_allowed,
        "state": attempt.state,
        "run_id": str(attempt.run_id) if attempt.run_id else None,
    }


def leaderboard_json(page: Page) -> Json:
    """Return a part of a round's leaderboard."""
    return {
        "round_id": page.round.round_id,
        "state": "final" if page.round.state is State.CLOSED else "provisional",
        "gated": page.gated,
        "total": page.total,
        "items": [board_row_json(row) for row in page.rows],
        "next": page.next,
        "previous": page.previous,
    }


def board_row_json(row: BoardRow) -> Json:
    """Return a row of a round's leaderboard."""
    return {
        "rank": row.rank,
        "player": player_json(row.player),
        "score": row.score,
        "penalty": row.penalty,
        "given_away_milli": row.given_away_milli,
        "run_id": str(row.run_id),
        "accepted_at": rfc3339(row.accepted_at),
    }


def period_json(page: PeriodPage) -> Json:
    """Return a part of a period's leaderboard."""
    season = page.season
    return {
        "period": season.period.id,
        "from": season.first.isoformat(),
        "to": None if season.period.last == date.max else season.period.last.isoformat(),
        "until": None if season.until is None else season.until.isoformat(),
        "state": "final" if season.final else "provisional",
        "ruleset": season.ruleset.id,
        "mode": season.mode,
        "total": page.total,
        "items": [period_row_json(row) for row in page.rows],
        "next": page.next,
        "previous": page.previous,
    }


def period_row_json(row: PeriodRow) -> Json:
    """Return a row of a period's leaderboard."""
    return {
        "rank": row.rank,
        "player": player_json(row.player),
        "score": row.score,
        "given_away_milli": row.given_away_milli,
        "days": row.days,
    }


def own_run_json(run: OwnRun) -> Json:
    """Return a run of the one who asks, in a list."""
    return {
        "run_id": str(run.run_id),
        "round_id": run.round_id,
        "ruleset": run.ruleset,
        "mode": run.mode,
        "kind": run.kind,
        "score": run.score,
        "penalty": run.penalty,
        "open": run.open,
        "given_away_milli": run.given_away_milli,
        "turns": _turns_json(run.turns),
        "accepted_at": rfc3339(run.accepted_at),
        "withdrawn": run.withdrawn,
    }
