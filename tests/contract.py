"""openapi.yaml as the judge of answers: every response of the suite is documented and has its documented shape."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012
from werkzeug.test import TestResponse

DOCUMENT: dict[str, Any] = yaml.safe_load((Path(__file__).parents[1] / "openapi.yaml").read_text())
_URI = "urn:shutbox:openapi"
_REGISTRY: Registry[Any] = Registry().with_resource(_URI, Resource.from_contents(DOCUMENT, DRAFT202012))
_CHECKED = ("application/json", "application/problem+json")


def operation_at(method: str, path: str) -> tuple[str, dict[str, Any]] | None:
    """Return the template and the operation that a request meets; literal steps win over parameters."""
    steps = path.strip("/").split("/")
    found = [
        (template, item[method.lower()])
        for template, item in DOCUMENT["paths"].items()
        if method.lower() in item and _meets(template.strip("/").split("/"), steps)
    ]
    return min(found, key=lambda one: one[0].count("{")) if found else None


def check(method: str, path: str, response: TestResponse) -> None:
    """Fail if the response is not documented, has another shape than documented, or says another length than it has."""
    assert response.content_length in (None, len(response.data)) or method == "HEAD"
    found = operation_at(method, path)
    if found is None or response.status_code == 405:
        assert response.mimetype == "application/problem+json", f"{method} {path}: {response.status}"
        _validator("#/components/schemas/Problem").validate(response.get_json())
        return
    template, operation = found
    documented = operation["responses"].get(str(response.status_code))
    assert documented is not None, f"{method} {template} answers {response.status}: not in openapi.yaml"
    if "$ref" in documented:
        documented = DOCUMENT["components"]["responses"][documented["$ref"].rsplit("/", 1)[1]]
    content = documented.get("content")
    if content is None:
        assert not response.data
        return
    assert response.mimetype in content, f"{method} {template} answers {response.mimetype}"
    if response.mimetype in _CHECKED:
        _schema_validator(content[response.mimetype]["schema"]).validate(response.get_json())


def _meets(template: list[str], steps: list[str]) -> bool:
    if template[-1] == "{tile_path}":  # the one parameter that has slashes
        steps = [*steps[: len(template) - 1], "/".join(steps[len(template) - 1 :])]
    return len(template) == len(steps) and all(
        part == step or (part.startswith("{") and step) for part, step in zip(template, steps, strict=True)
    )


def _schema_validator(schema: dict[str, Any]) -> Draft202012Validator:
    if set(schema) == {"$ref"}:
        return _validator(schema["$ref"])
    return Draft202012Validator(_absolute(schema), registry=_REGISTRY, format_checker=FormatChecker())


@cache
def _validator(pointer: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": _URI + pointer}, registry=_REGISTRY, format_checker=FormatChecker())


def _absolute(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {key: _URI + value if key == "$ref" else _absolute(value) for key, value in schema.items()}
    return [_absolute(value) for value in schema] if isinstance(schema, list) else schema
