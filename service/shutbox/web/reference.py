"""What the page for programs shows of each call: made of openapi.yaml, with an example for curl and one for Python."""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any

import yaml

from ..shipped import shipped
from .problems import PROBLEMS

_METHODS = ("get", "post", "patch", "put", "delete")
_DEEPEST = 3  # levels of a body or an answer that are listed


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, a member of a body or one of an answer: `turns[].dice`."""

    name: str
    where: str
    kind: str
    required: bool
    description: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One status; for a refusal the codes that it can have."""

    status: int
    description: str
    kinds: tuple[str, ...]
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call as the page shows it."""

    id: str
    method: str
    path: str
    tag: str
    summary: str
    paragraphs: tuple[str, ...]
    fields: tuple[Field, ...]
    answer_fields: tuple[Field, ...]
    answers: tuple[Answer, ...]
    curl: str
    python: str


@cache
def problems() -> Mapping[int, tuple[tuple[str, str], ...]]:
    """Return every code with its title, by status."""
    statuses = sorted({status for status, _ in PROBLEMS.values()})
    return {
        status: tuple((code, title) for code, (of_code, title) in PROBLEMS.items() if of_code == status)
        for status in statuses
    }


@cache
def calls() -> Mapping[str, tuple[Call, ...]]:
    """Return the calls of the API by tag, in the order of the document. What they need of it never changes."""
    document = yaml.load(shipped("openapi.yaml").read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    found: dict[str, list[Call]] = {tag["name"]: [] for tag in document["tags"]}
    for path, item in document["paths"].items():
        for method in _METHODS:
            if method in item:
                call = _call(document, path, method, item)
                found[call.tag].append(call)
    return {tag: tuple(of_tag) for tag, of_tag in found.items() if of_tag}


def _call(document: Any, path: str, method: str, item: Any) -> Call:
    operation = item[method]
    parameters = [_resolved(document, one) for one in (*item.get("parameters", ()), *operation.get("parameters", ()))]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    answered: Any = next((answer for status, answer in operation["responses"].items() if status.startswith("2")), {})
    schema = answered.get("content", {}).get("application/json", {}).get("schema")
    return Call(
        operation["operationId"],
        method.upper(),
        path,
        operation["tags"][0],
        operation["summary"],
        tuple(" ".join(text.split()) for text in operation.get("description", "").split("\n\n")),
        (*(_parameter(document, one) for one in parameters), *_body_fields(document, body)),
        tuple(_fields(document, schema, "answer")) if schema else (),
        tuple(_answer(int(status), answer) for status, answer in operation["responses"].items()),
        _curl(method, path, parameters, operation, body),
        operation["x-python"],
    )


def _resolved(document: Any, part: Any) -> Any:
    """Return a part of the document with its reference followed; what stands beside the reference counts."""
    if "$ref" not in part:
        return part
    found = document
    for step in part["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return {**_resolved(document, found), **{key: value for key, value in part.items() if key != "$ref"}}


def _parameter(document: Any, parameter: Any) -> Field:
    schema = _resolved(document, parameter["schema"])
    required = parameter.get("required", False)
    return Field(
        parameter["name"], parameter["in"], _kind(document, schema), required, parameter.get("description", "")
    )


def _body_fields(document: Any, body: Any) -> Iterator[Field]:
    return _fields(document, body["schema"], "body") if body else iter(())


def _fields(document: Any, schema: Any, where: str, before: str = "", depth: int = 0) -> Iterator[Field]:
    """Yield the members of an object, and those of the objects in it."""
    schema = _resolved(document, schema)
    for name, member in schema.get("properties", {}).items():
        resolved = _resolved(document, member)
        required = name in schema.get("required", ())
        yield Field(before + name, where, _kind(document, resolved), required, resolved.get("description", ""))
        if depth < _DEEPEST:
            inner = _present(document, resolved)
            many = "[]" if inner.get("type") == "array" else ""
            yield from _fields(document, inner.get("items", inner), where, f"{before}{name}{many}.", depth + 1)


def _present(document: Any, schema: Any) -> Any:
    """Return what a schema is when it is not null."""
    for one in schema.get("anyOf", ()):
        resolved = _resolved(document, one)
        if resolved.get("type") != "null":
            return resolved
    return schema


def _kind(document: Any, schema: Any) -> str:
    if "enum" in schema:
        return " or ".join(str(value) for value in schema["enum"])
    if "const" in schema:
        return str(schema["const"])
    if "anyOf" in schema:
        return " or ".join(_kind(document, _resolved(document, one)) for one in schema["anyOf"])
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_kind(document, _resolved(document, schema.get('items', {})))}"
    name = " or ".join(kind) if isinstance(kind, list) else str(kind)
    return f"{name} ({schema['format']})" if "format" in schema else name


def _answer(status: int, answer: Any) -> Answer:
    if status < HTTPStatus.BAD_REQUEST:
        return Answer(status, answer["description"], tuple(answer.get("content", ())), ())
    codes = tuple(code for code, (of_code, _) in PROBLEMS.items() if of_code == status)
    return Answer(status, HTTPStatus(status).phrase, (), codes)


def _curl(method: str, path: str, parameters: list[Any], operation: Any, body: Any) -> str:
    """Return a command for a shell in which SERVER, TOKEN and the ids are set."""
    for parameter in parameters:
        if parameter["in"] == "path":
            name, example = parameter["name"], parameter.get("example")
            is_variable = name.endswith(("_id", "code", "_path")) and name != "ruleset_id"
            path = path.replace(f"{{{name}}}", f"${name.upper()}" if is_variable or example is None else str(example))
    words = [f'curl -sS {f"-X {method.upper()} " if method != "get" else ""}"$SERVER{path}"']
    if {"token": []} in operation.get("security", ()):
        words.append('-H "Authorization: Bearer $TOKEN"')
    if body:
        content = json.dumps(body["example"], ensure_ascii=False)
        words += ["-H 'Content-Type: application/json'", f"-d {shlex.quote(content)}"]
    return " \\\n  ".join(words)
