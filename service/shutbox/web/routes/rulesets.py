"""The catalogue of rulesets."""

from flask import Blueprint

from ...errors import RulesetNotFound
from ...game.rulesets import CATALOGUE
from ..represent import Json, ruleset_json

routes = Blueprint("rulesets", __name__)


@routes.get("/rulesets")
def list_rulesets() -> Json:
    return {"items": [ruleset_json(ruleset) for ruleset in CATALOGUE.values()]}


@routes.get("/rulesets/<ruleset_id>")
def show_ruleset(ruleset_id: str) -> Json:
    if ruleset_id not in CATALOGUE:
        raise RulesetNotFound(f"there is no ruleset {ruleset_id!r}; there are: {', '.join(CATALOGUE)}")
    return ruleset_json(CATALOGUE[ruleset_id])
