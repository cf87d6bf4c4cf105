"""The client has one method for each operation of openapi.yaml, and the examples of the document call it."""

import ast
import inspect
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import httpx
import pytest
from shutbox_client import Client, Problem, Retries, Turn, analyses, values

from tests.contract import DOCUMENT

ID = "0199d2f0-0000-7000-8000-000000000001"
NAMES = {name: ID for name in ("round_id", "run_id", "attempt_id", "token_id", "player_id")}
OPERATIONS: dict[str, tuple[str, str, str]] = {
    operation["operationId"]: (method.upper(), path, operation.get("x-python", ""))
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
    if isinstance(operation, dict) and "operationId" in operation
}


def method_of(example: str) -> str:
    """Return the name of the method that an example calls."""
    (call,) = [node for node in ast.walk(ast.parse(example)) if isinstance(node, ast.Call) and is_of_client(node)]
    assert isinstance(call.func, ast.Attribute)
    return call.func.attr


def is_of_client(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "client"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_method_of_an_operation_sends_its_request(operation: str, tmp_path: Path) -> None:
    method, path, example = OPERATIONS[operation]
    sent: list[httpx.Request] = []

    def refuse(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(500, json={"code": "internal_error"})

    with (
        Client("http://shutbox.test", "t", httpx.MockTransport(refuse), retries=Retries(tries=1)) as client,
        pytest.raises(Problem),
    ):
        eval(example, {"client": client, "Turn": Turn, "Path": lambda name: tmp_path / name, **NAMES})
    (request,) = sent
    template = re.sub(r"\{\w+\}", "[^/]+" if operation != "showTile" else ".+", path)
    assert request.method == method
    assert re.fullmatch(template, request.url.path), request.url.path


def test_no_operation_shares_its_method_and_no_method_is_without_one() -> None:
    called = [method_of(example) for _, _, example in OPERATIONS.values()]
    assert sorted(called) == sorted(set(called))
    public = {name for name, member in inspect.getmembers(Client, callable) if not name.startswith("_")}
    rest = {name for name in public - set(called) if not name.startswith(("iter_", "save_"))}
    assert rest == {"close", "download", "for_app"}


VALUES: list[type[Any]] = [
    values.Attempt,
    values.Challenge,
    values.Day,
    values.Leaderboard,
    values.League,
    values.NewToken,
    values.OwnRuns,
    values.Player,
    values.Profile,
    values.RecoveryCode,
    values.Result,
    values.Round,
    values.Ruleset,
    values.Run,
    values.Token,
    values.TransferCode,
    analyses.Analysis,
    analyses.AnalysisStep,
    analyses.ExactValue,
    values.Act,
]


@pytest.mark.parametrize("value", VALUES)
def test_a_value_has_the_members_of_its_schema(value: type[Any]) -> None:
    schema = DOCUMENT["components"]["schemas"][value.__name__]
    known = {"min_expected_penalty_decimal", "max_shut_probability_decimal"}  # the fractions say it exactly
    assert {field.name for field in fields(value)} == set(schema["properties"]) - known


@pytest.mark.parametrize(
    ("value", "schema", "steps"),
    [
        (values.Period, "PeriodLeaderboard", []),
        (values.PeriodRow, "PeriodLeaderboard", ["items", "items"]),
        (values.LeaderboardRow, "Leaderboard", ["items", "items"]),
        (values.OwnRun, "OwnRuns", ["items", "items"]),
    ],
)
def test_a_row_has_the_members_of_its_schema(value: type[Any], schema: str, steps: list[str]) -> None:
    found = DOCUMENT["components"]["schemas"][schema]
    for step in steps:
        found = found["properties"][step] if step == steps[0] and "properties" in found else found[step]
    assert {field.name.removesuffix("_") for field in fields(value)} == set(found["properties"])


def test_every_method_says_what_it_does() -> None:
    for name, member in inspect.getmembers(Client, callable):
        if not name.startswith("_"):
            assert inspect.getdoc(member), name


def test_each_client_has_a_state_of_its_own() -> None:
    clients: list[Any] = [Client("http://one.test", "a"), Client("http://two.test")]
    assert [(client.base_url, client.token) for client in clients] == [
        ("http://one.test", "a"),
        ("http://two.test", None),
    ]
    for client in clients:
        client.close()
