"""Runs: submitted to an open round, shown, their analyses and their receipts."""

from uuid import UUID

from flask import Blueprint, Response

from ...analyses import get_analysis
from ...receipts import receipt
from ...runs import get_run, submit
from ..auth import player, site, viewer_id
from ..represent import Json, analysis_json, run_json
from ..schemas import RunSchema, body

routes = Blueprint("runs", __name__)


@routes.post("/rounds/<round_id>/runs")
def submit_run(round_id: str) -> tuple[Json, int]:
    submitter = player("play")
    run, created = submit(site(), submitter, round_id, body(RunSchema)["turns"])
    return run_json(run), 201 if created else 200


@routes.get("/runs/<uuid:run_id>")
def show_run(run_id: UUID) -> Json:
    return run_json(get_run(site(), run_id, viewer_id()))


@routes.get("/runs/<uuid:run_id>/analysis")
def show_analysis(run_id: UUID) -> Json:
    return analysis_json(get_analysis(site(), run_id, viewer_id()))


@routes.get("/runs/<uuid:run_id>/receipt")
def show_receipt(run_id: UUID) -> Response:
    response = Response(receipt(site(), run_id, viewer_id()), content_type="text/plain; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="run-{run_id}.tlog-proof"'
    return response
