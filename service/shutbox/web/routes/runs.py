"""Runs: submitted to an open round, and shown."""

from uuid import UUID

from flask import Blueprint

from ...runs import get_run, submit
from ..auth import player, site, viewer
from ..represent import Json, run_json
from ..schemas import RunSchema, body

routes = Blueprint("runs", __name__)


@routes.post("/rounds/<round_id>/runs")
def submit_run(round_id: str) -> tuple[Json, int]:
    submitter = player()
    run, created = submit(site(), submitter, round_id, body(RunSchema)["turns"])
    return run_json(run), 201 if created else 200


@routes.get("/runs/<uuid:run_id>")
def show_run(run_id: UUID) -> Json:
    asking = viewer()
    return run_json(get_run(site(), run_id, asking.player_id if asking else None))
