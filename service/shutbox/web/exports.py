"""Lists as files: CSV and NDJSON, written while they are read, and the choice between them and JSON."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson
from flask import Response, request, stream_with_context

from .represent import Json

FORMATS = {"json": "application/json", "csv": "text/csv", "ndjson": "application/x-ndjson"}
_SIGNS = "=+@＝＋－＠-"  # what spreadsheets take for the begin of a formula
_MAYBE_FORMULA = re.compile(rf"(?<![\w{_SIGNS}])(?=[{_SIGNS}])")


def chosen_format(named: str | None) -> str:
    """Return the format that is asked for: by its name, or else by the header Accept; json if neither says so."""
    if named is not None:
        return named
    best = request.accept_mimetypes.best_match(list(FORMATS.values()), "application/json")
    return next(name for name, mimetype in FORMATS.items() if mimetype == best)


def file_of(name: str, format: str, columns: Sequence[str], items: Iterable[Json]) -> Response:
    """Return items as a file in CSV or NDJSON. They are asked for while it is sent, so none is refused any more."""
    lines = _csv_lines(columns, items) if format == "csv" else (orjson.dumps(item) + b"\n" for item in items)
    content_type = "text/csv; charset=utf-8; header=present" if format == "csv" else FORMATS[format]
    response = Response(stream_with_context(lines), content_type=content_type)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.{format}"'
    response.headers["Cache-Control"] = "no-cache"
    return response


def _csv_lines(columns: Sequence[str], items: Iterable[Json]) -> Iterator[str]:
    yield _csv_line(columns)
    for item in items:
        flat = _flat(item)
        yield _csv_line([_cell(flat[column]) for column in columns])


def _csv_line(cells: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()


def _flat(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item with what stands in its player beside the rest."""
    return {**{key: value for key, value in item.items() if key != "player"}, **item.get("player", {})}


def _cell(value: Any) -> str:
    """Return a value as text of which a spreadsheet takes nothing for a formula, since a name can look like one.

    An apostrophe stands before each sign that no word and no other sign ends before: a spreadsheet can separate cells
    by something else than a comma, so that one begins in the middle of a name.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    return _MAYBE_FORMULA.sub("'", value) if isinstance(value, str) else str(value)
