"""Values and JSON: `read` makes a value of JSON, `plain` makes JSON of a value."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from fractions import Fraction
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from shutbox.game.replay import Turn

T = TypeVar("T")


class Unreadable(ValueError):
    """JSON that has not the shape of the value; the text says where."""


def read(kind: type[T], content: object) -> T:
    """Return the value that JSON stands for. Raises Unreadable."""
    return cast(T, _read(kind, content, ""))


def plain(value: Any) -> Any:
    """Return a value as what JSON can hold: the same as the service wrote, without what this version passes over."""
    if is_dataclass(value):
        return {_member(one.name): plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Turn):
        return {"dice": value.dice, "shut": list(value.shut)}
    if isinstance(value, tuple):
        return [plain(one) for one in value]
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if isinstance(value, Fraction) else value


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("it has no time zone")
    return moment


_FROM_TEXT: MappingProxyType[Any, tuple[str, Callable[[str], Any]]] = MappingProxyType(
    {
        datetime: ("a moment", _moment),
        date: ("a day", date.fromisoformat),
        bytes: ("hex", bytes.fromhex),
        Fraction: ("a fraction", Fraction),
    }
)
_NAMES = MappingProxyType({str: "text", int: "a whole number", bool: "true or false"})


def _read(kind: Any, content: Any, where: str) -> Any:
    origin = get_origin(kind)
    if origin is UnionType:
        present = next(one for one in get_args(kind) if one is not NoneType)
        return None if content is None else _read(present, content, where)
    if origin is tuple:
        if not isinstance(content, list):
            raise Unreadable(f"{where} must be a list")
        return tuple(_read(get_args(kind)[0], one, f"{where}/{index}") for index, one in enumerate(content))
    if kind in _FROM_TEXT:
        name, parse = _FROM_TEXT[kind]
        try:
            return parse(content)
        except (ValueError, TypeError, ZeroDivisionError):
            raise Unreadable(f"{where} must be {name}") from None
    if kind in _NAMES:
        if type(content) is not kind:  # true is an int to isinstance
            raise Unreadable(f"{where} must be {_NAMES[kind]}")
        return content
    if not isinstance(content, dict):
        raise Unreadable(f"{where or 'it'} must be an object")
    members = {name: _member(name) for name in _hints(kind)}
    missing = [member for member in members.values() if member not in content]
    if missing:
        raise Unreadable(f"{where}/{missing[0]} is missing")
    return kind(
        **{name: _read(hint, content[members[name]], f"{where}/{members[name]}") for name, hint in _hints(kind).items()}
    )


def _member(name: str) -> str:
    """Return what a field is called in JSON: `from_` would be a word of Python without its underscore."""
    return name.removesuffix("_")


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
