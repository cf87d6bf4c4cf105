"""Players for tests: a client of the API whose every answer is held to openapi.yaml, and ways to play."""

import random
from collections.abc import Callable
from contextvars import Context
from typing import Any

from flask import Flask
from shutbox.game import play
from shutbox.game.dice import deal
from shutbox.game.replay import End, Turn
from shutbox.game.rules import RollTable, Rules, rules_of
from shutbox.game.rulesets import CATALOGUE
from werkzeug.test import TestResponse

from tests import contract

Json = dict[str, Any]
Policy = Callable[[list[Any]], Any]


class Api:
    """Requests to the app as one player, or as nobody."""

    def __init__(self, app: Flask, token: str | None = None, player_id: str = "") -> None:
        self.app = app
        self.player_id = player_id
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def request(self, method: str, path: str, **options: Any) -> TestResponse:
        """Send a request; the answer is checked against openapi.yaml."""
        headers = {**self._headers, **options.pop("headers", {})}
        full = path if path.startswith(("/healthz", "/readyz", "/openapi", "/log/")) else f"/api/v1{path}"
        client = self.app.test_client()
        # An empty context: with a test's own app context around it, a request would share that one's session and g.
        # Buffered: an answer that is written while it is read must be read in there, too.
        response = Context().run(lambda: client.open(full, method=method, headers=headers, buffered=True, **options))
        contract.check(method, full.split("?")[0], response)
        return response

    def get(self, path: str, **options: Any) -> TestResponse:
        return self.request("GET", path, **options)

    def slowly(self, path: str, look: Callable[[], object]) -> bytes:
        """Return an answer that is read piece by piece as it is written; `look` is called between any two."""

        def read() -> bytes:
            answer = self.app.test_client().get(f"/api/v1{path}", headers=self._headers)
            pieces = []
            for piece in answer.iter_encoded():
                look()
                pieces.append(piece)
            answer.close()
            return b"".join(pieces)

        return Context().run(read)

    def post(self, path: str, body: Any = None, **options: Any) -> TestResponse:
        return self.request("POST", path, **({"json": body} if body is not None else {}), **options)

    def patch(self, path: str, body: Any) -> TestResponse:
        return self.request("PATCH", path, json=body)

    def delete(self, path: str) -> TestResponse:
        return self.request("DELETE", path)

    def join(self, **wanted: Any) -> "Api":
        """Return a new player's client."""
        made = self.post("/players", wanted).get_json()
        return Api(self.app, made["token"], made["player"]["player_id"])

    def issue(self, ruleset: str = "classic", mode: str = "open", seed: str | None = None) -> Json:
        """Issue a practice round."""
        response = self.post("/rounds", {"ruleset": ruleset, "mode": mode, **({"seed": seed} if seed else {})})
        assert response.status_code == 201, response.text
        return response.get_json()  # type: ignore[no-any-return]

    def submit(self, round_id: str, turns: list[Json]) -> TestResponse:
        return self.post(f"/rounds/{round_id}/runs", {"turns": turns})

    def play_sealed(self, round_id: str, choose: Policy | None = None) -> Json:
        """Play a sealed round to its end; return the last state of the attempt."""
        state: Json = self.post(f"/rounds/{round_id}/attempt").get_json()
        while state["state"].startswith("choose"):
            state = self.move(state, choose or first).get_json()
        return state

    def move(self, state: Json, choose: Policy) -> TestResponse:
        """Make the next decision."""
        decision = (
            {"shut": choose(state["legal"])}
            if state["state"] == "choose_tiles"
            else {"dice": choose(state["dice_allowed"])}
        )
        return self.post(f"/attempts/{state['attempt_id']}/moves", {"move": state["move"], **decision})


def first(choices: list[Any]) -> Any:
    """The policy that takes the first choice: the fewest tiles."""
    return choices[0]


def last(choices: list[Any]) -> Any:
    """The policy that takes the last choice: the most tiles, all dice."""
    return choices[-1]


def any_of(seed: int) -> Policy:
    """A policy that takes any choice."""
    return random.Random(seed).choice


def table_of(ruleset: str, seed: str) -> tuple[Rules, RollTable]:
    rules = rules_of(CATALOGUE[ruleset])
    return rules, deal(rules, bytes.fromhex(seed))


def legal_turns(ruleset: str, seed: str, choose: Policy = first) -> list[Json]:
    """Return the turns of a legal run on known dice."""
    rules, table = table_of(ruleset, seed)
    position = play.start(rules, table)
    while not isinstance(position.state, End):
        decision: play.Decision = (
            play.DiceChoice(choose(list(rules.dice_allowed[position.open])))
            if position.state is play.Awaits.CHOOSE_DICE
            else play.ShutChoice(choose(play.legal_ways(rules, table, position)))
        )
        following = play.decide(rules, table, position, decision)
        assert isinstance(following, play.Position)
        position = following
    return as_json(position.turns)


def as_json(turns: Any) -> list[Json]:
    return [{"dice": turn.dice, "shut": list(turn.shut)} for turn in turns]


def as_turns(turns: list[Json]) -> list[Turn]:
    return [Turn(turn["dice"], tuple(turn["shut"])) for turn in turns]
