"""Lists as files: CSV and NDJSON, written while they are read, and the choice between them and JSON."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import orjson
from flask import Response, request, stream_with_context

from ..cursors import Wanted
from .represent import Json

FORMATS = {"json": "application/json", "csv": "text/csv", "ndjson": "application/x-ndjson"}
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")  # what spreadsheets take for the begin of one
_ROWS_AT_ONCE = 500


class _Part(Protocol):
    @property
    def next(self) -> str | None: ...


AnyPart = TypeVar("AnyPart", bound=_Part)


def chosen_format(named: str | None) -> str:
    """Return the format that is asked for: by its name, or else by the header Accept; json if neither says so."""
    if named is not None:
        return named
    best = request.accept_mimetypes.best_match(list(FORMATS.values()), "application/json")
    return next(name for name, mimetype in FORMATS.items() if mimetype == best)


def file_of(name: str, format: str, columns: Sequence[str], items: Iterable[Json]) -> Response:
    """Return items as a file in CSV or NDJSON. The first item is asked for at once, so that its refusal is told."""
    lines = _csv_lines(columns, items) if format == "csv" else (orjson.dumps(item) + b"\n" for item in items)
    content_type = "text/csv; charset=utf-8; header=present" if format == "csv" else FORMATS[format]
    response = Response(stream_with_context(lines), content_type=content_type)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.{format}"'
    response.headers["Cache-Control"] = "no-cache"
    return response


def parts(read: Callable[[Wanted], AnyPart], wanted: Wanted, whole: bool) -> Iterator[AnyPart]:
    """Yield the part that is wanted; with `whole` that and, one after the other, all parts behind it.

    The first part is read at once, so that a refusal is an answer of its own. Between two parts results can come in:
    who moves meanwhile can be missed or told twice, who stays where he is is told once.
    """
    goes_on = whole and wanted.before is None and wanted.around is None
    first = read(replace(wanted, limit=_ROWS_AT_ONCE) if goes_on else wanted)
    return _following(read, wanted, first) if goes_on else iter((first,))


def _following(read: Callable[[Wanted], AnyPart], wanted: Wanted, first: AnyPart) -> Iterator[AnyPart]:
    part = first
    while True:
        yield part
        if part.next is None:
            return
        part = read(replace(wanted, limit=_ROWS_AT_ONCE, after=part.next))


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
    """Return a value as text; a spreadsheet takes none for a formula, since a name can look like one."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    text = str(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(_FORMULA) else text
