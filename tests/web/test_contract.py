"""openapi.yaml is the app, and the app is openapi.yaml."""

import re

from flask import Flask
from openapi_spec_validator import validate
from shutbox.web.problems import PROBLEMS

from tests.contract import DOCUMENT
from tests.players import Api

PAGES = "pages."


def test_the_document_is_valid_openapi() -> None:
    validate(DOCUMENT)


def test_paths_and_methods_equal_the_url_map(app: Flask) -> None:
    served = {
        (re.sub(r"<(?:[a-z]+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        if PAGES not in rule.endpoint and rule.endpoint != "statics.static_file"
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    documented = {
        (path, method)
        for path, item in DOCUMENT["paths"].items()
        for method in item
        if method in ("get", "post", "put", "patch", "delete")
    }
    assert served == documented


def test_every_code_is_documented_and_no_other() -> None:
    assert DOCUMENT["components"]["schemas"]["ProblemCode"]["enum"] == list(PROBLEMS)


def test_the_document_is_served(nobody: Api) -> None:
    response = nobody.get("/openapi.yaml")
    assert response.mimetype == "application/yaml"
    assert response.data.startswith(b"openapi: 3.1.0")
