"""The only parser: marshmallow schemas that turn a body or a query into frozen values, and refuse every other shape.

Shapes are refused here; everything about the rules, a tile named twice included, is replay's to refuse.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn
from uuid import UUID

from flask import request
from marshmallow import RAISE, Schema, ValidationError, fields, post_load, validate, validates_schema

from ..challenges import FEWEST_PLAYERS, MOST_HOURS, MOST_PLAYERS
from ..cursors import Wanted
from ..game.play import Decision, DiceChoice, ShutChoice
from ..game.replay import Turn
from ..players import SCOPES
from ..rounds import Mode
from .problems import MalformedRequest

MOST_TURNS = 32
MOST_TILES = 32
GREATEST_TILE = 99
HEX_SEED = re.compile(r"[0-9a-f]{64}\Z")
IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,255}\Z")
_SURROGATE = re.compile("[\ud800-\udfff]")  # half of a pair, which no text has
DIGITS = re.compile(r"[0-9]{1,9}\Z")


def _integer(value: Any, least: int, most: int) -> int:
    """Return a JSON integer; 3.0, "3" and true are none."""
    if type(value) is not int:
        raise ValidationError(f"must be a whole number from {least} to {most}")
    if not least <= value <= most:
        raise ValidationError(f"must be from {least} to {most}, not {value if abs(value) < 10**9 else 'that'}")
    return value


def _tiles(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise ValidationError("must be a list of tiles")
    if len(value) > MOST_TILES:
        raise ValidationError(f"at most {MOST_TILES} tiles, not {len(value)}")
    tiles, mistakes = [], {}
    for index, tile in enumerate(value):
        try:
            tiles.append(_integer(tile, 1, GREATEST_TILE))
        except ValidationError as mistake:
            mistakes[index] = mistake.messages
    if mistakes:
        raise ValidationError(mistakes)
    return tuple(sorted(tiles))


class TilesField(fields.Field[tuple[int, ...]]):
    """A list of tiles 1…99 → the tiles, ascending, repetitions kept."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> tuple[int, ...]:
        return _tiles(value)


class WholeField(fields.Field[int]):
    """A whole number within a range."""

    def __init__(self, least: int, most: int, **options: Any) -> None:
        super().__init__(**options)
        self.least, self.most = least, most

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> int:
        return _integer(value, self.least, self.most)


class TurnsField(fields.Field[tuple[Turn, ...]]):
    """A list of `{dice, shut}` → turns, checked in one pass since it is the hottest part of a submission."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> tuple[Turn, ...]:
        if not isinstance(value, list):
            raise ValidationError("must be a list of turns")
        if len(value) > MOST_TURNS:
            raise ValidationError(f"at most {MOST_TURNS} turns, not {len(value)}")
        turns, mistakes = [], {}
        for index, item in enumerate(value):
            try:
                turns.append(self._turn(item))
            except ValidationError as mistake:
                mistakes[index] = mistake.messages
        if mistakes:
            raise ValidationError(mistakes)
        return tuple(turns)

    @staticmethod
    def _turn(item: Any) -> Turn:
        if not isinstance(item, dict):
            raise ValidationError("must be an object with dice and shut")
        mistakes: dict[str, Any] = {name: ["unknown field"] for name in item if name not in ("dice", "shut")}
        mistakes |= {name: ["required"] for name in ("dice", "shut") if name not in item}
        read: dict[str, Any] = {}
        for name, reader in (("dice", lambda dice: _integer(dice, 0, GREATEST_TILE)), ("shut", _tiles)):
            if name in item:
                try:
                    read[name] = reader(item[name])
                except ValidationError as mistake:
                    mistakes[name] = mistake.messages
        if mistakes:
            raise ValidationError(mistakes)
        return Turn(read["dice"], read["shut"])


class _StrictSchema(Schema):
    class Meta:
        unknown = RAISE

    error_messages = {"unknown": "unknown field", "type": "must be an object"}  # noqa: RUF012


class StrictString(fields.String):
    """Text that can be stored: no NUL and no half of a surrogate pair."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        text: str = super()._deserialize(value, attr, data, **kwargs)
        if _SURROGATE.search(text) or "\0" in text:
            raise ValidationError("must be Unicode text without NUL")
        return text


class StrictBoolean(fields.Boolean):
    """true or false, and nothing that looks like them."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise ValidationError("must be true or false")
        return value


class RunSchema(_StrictSchema):
    """POST /rounds/{id}/runs → turns."""

    turns = TurnsField(required=True)


class MoveSchema(_StrictSchema):
    """POST /attempts/{id}/moves → (move, decision)."""

    move = WholeField(0, 999, required=True)
    dice = WholeField(0, GREATEST_TILE)  # whether the board allows it is for the rules to say
    shut = TilesField()

    @validates_schema
    def _one_decision(self, data: dict[str, Any], **_: Any) -> None:
        if ("dice" in data) == ("shut" in data):
            raise ValidationError("a decision has either dice or shut")

    @post_load
    def _decision(self, data: dict[str, Any], **_: Any) -> tuple[int, Decision]:
        decision = DiceChoice(data["dice"]) if "dice" in data else ShutChoice(data["shut"])
        return data["move"], decision


class PracticeSchema(_StrictSchema):
    """POST /rounds → what to practise."""

    ruleset = StrictString(required=True, validate=validate.Length(max=64))
    mode = StrictString(required=True, validate=validate.OneOf([mode.value for mode in Mode]))
    seed = StrictString(validate=validate.Regexp(HEX_SEED, error="must be 64 digits of lower-case hex"))

    @post_load
    def _values(self, data: dict[str, Any], **_: Any) -> tuple[str, Mode, bytes | None]:
        return data["ruleset"], Mode(data["mode"]), bytes.fromhex(data["seed"]) if "seed" in data else None


class ChallengeSchema(_StrictSchema):
    """POST /challenges → (ruleset id, players, hours)."""

    ruleset = StrictString(required=True, validate=validate.Length(max=64))
    players = WholeField(FEWEST_PLAYERS, MOST_PLAYERS, required=True)
    hours = WholeField(1, MOST_HOURS, required=True)

    @post_load
    def _values(self, data: dict[str, Any], **_: Any) -> tuple[str, int, int]:
        return data["ruleset"], data["players"], data["hours"]


class PlayerSchema(_StrictSchema):
    """POST /players and PATCH /players/me. What a name may be is for players to say."""

    name = StrictString()
    bot = StrictBoolean()


def _printable(text: str) -> None:
    if not text.isprintable():
        raise ValidationError("must have no control or invisible characters")


class TokenSchema(_StrictSchema):
    """POST /players/me/tokens."""

    label = StrictString(validate=[validate.Length(min=1, max=64), _printable])
    scopes = fields.List(StrictString(validate=validate.OneOf(SCOPES)), validate=validate.Length(1, len(SCOPES)))

    @post_load
    def _ordered(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        if "scopes" in data:
            data["scopes"] = tuple(scope for scope in SCOPES if scope in data["scopes"])
        return data


class AuditQuery(_StrictSchema):
    """The query of GET /players/me/audit → (limit, before)."""

    limit = fields.String(validate=validate.Regexp(DIGITS, error="must be a whole number from 1 to 200"))
    before = fields.UUID()

    @post_load
    def _values(self, data: dict[str, Any], **_: Any) -> tuple[int, UUID | None]:
        limit = int(data.get("limit", 50))
        if not 1 <= limit <= 200:
            raise ValidationError("must be a whole number from 1 to 200", "limit")
        return limit, data.get("before")


class LeagueSchema(_StrictSchema):
    """POST /leagues and PATCH /leagues/{code}. What a name may be is for players to say."""

    name = StrictString(required=True)


class CodeSchema(_StrictSchema):
    """POST /transfers. How a code is written is for codes to say."""

    code = StrictString(required=True, validate=validate.Length(max=64))


@dataclass(frozen=True, slots=True)
class AskedPart:
    """Which part of a list is asked for, and how: `around_me` and `league` are not looked up yet."""

    wanted: Wanted
    around_me: bool
    league: str | None
    format: str | None
    whole: bool  # neither a limit nor where it ends is given, so that a file has everything


class PartQuery(_StrictSchema):
    """The query of a list that is given in parts → AskedPart."""

    limit = fields.String(validate=validate.Regexp(DIGITS, error="must be a whole number from 1 to 200"))
    after = fields.String(validate=validate.Length(max=64))
    before = fields.String(validate=validate.Length(max=64))
    format = fields.String(validate=validate.OneOf(["json", "csv", "ndjson"]))

    @validates_schema
    def _one_place(self, data: dict[str, Any], **_: Any) -> None:
        if len(data.keys() & {"after", "before", "around"}) > 1:
            raise ValidationError("only one of after, before and around can be asked for")
        if not 1 <= int(data.get("limit", 50)) <= 200:
            raise ValidationError("must be a whole number from 1 to 200", "limit")

    @post_load
    def _asked(self, data: dict[str, Any], **_: Any) -> Any:
        around, own = data.get("around"), data.get("around") == "me"
        try:
            player_id = None if own or around is None else UUID(around)
        except ValueError:
            raise ValidationError({"around": ["must be a player_id or me"]}) from None
        bots = {"exclude": False, "only": True}.get(data.get("bots", ""))
        wanted = Wanted(int(data.get("limit", 50)), data.get("after"), data.get("before"), player_id, bots)
        whole = not data.keys() & {"limit", "before", "around"}
        return AskedPart(wanted, own, data.get("league"), data.get("format"), whole)


class LeaderboardQuery(PartQuery):
    """The query of a round's leaderboard → AskedPart."""

    around = fields.String()
    bots = fields.String(validate=validate.OneOf(["exclude", "only"]))
    league = fields.String(validate=validate.Length(max=64))


class PeriodQuery(LeaderboardQuery):
    """The query of a period's leaderboard → (AskedPart, id of the ruleset, mode, which period)."""

    ruleset = fields.String(load_default="classic", validate=validate.Length(max=64))
    mode = fields.String(load_default=Mode.SEALED.value, validate=validate.OneOf([mode.value for mode in Mode]))
    of = fields.String(validate=validate.Length(max=16))

    @post_load
    def _asked(self, data: dict[str, Any], **_: Any) -> Any:
        return super()._asked(data), data["ruleset"], Mode(data["mode"]), data.get("of")


def body(schema: type[Schema], required: bool = True) -> Any:
    """Return what a schema makes of the JSON body; without `required`, no body is an empty object."""
    content = request.get_data()
    if not content and not required:
        return _loaded(schema, {})
    if request.mimetype != "application/json":
        raise MalformedRequest(
            "unsupported_media_type", "send the body as JSON with the header Content-Type: application/json"
        )
    return _loaded(schema, _json(content))


def query(schema: type[Schema]) -> Any:
    """Return what a schema makes of the query; a name may be given once."""
    twice = [name for name, values in request.args.lists() if len(values) > 1]
    if twice:
        _invalid([{"pointer": f"/{name}", "message": "given more than once"} for name in twice])
    return _loaded(schema, request.args.to_dict())


def invalid_query(name: str, message: str) -> NoReturn:
    """Refuse a value of the query that only a use case could read."""
    _invalid([{"pointer": f"/{name}", "message": message}])


def idempotency_key() -> str | None:
    """Return the Idempotency-Key header."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not IDEMPOTENCY_KEY.match(key):
        _invalid([{"pointer": "", "message": "Idempotency-Key must have 1 to 255 visible ASCII characters"}])
    return key


def _loaded(schema: type[Schema], content: Any) -> Any:
    try:
        return schema().load(content)
    except ValidationError as mistake:
        _invalid(list(_pointed(mistake.messages, "")))


def _invalid(mistakes: list[dict[str, str]]) -> NoReturn:
    detail = "; ".join(f"{mistake['pointer'] or 'the request'}: {mistake['message']}" for mistake in mistakes[:3])
    raise MalformedRequest("invalid_request", detail, mistakes[:20])


def _pointed(messages: Any, pointer: str) -> Any:
    """Yield marshmallow's tree of messages as JSON pointers."""
    if isinstance(messages, dict):
        for name, below in messages.items():
            step = "" if name == "_schema" else "/" + str(name).replace("~", "~0").replace("/", "~1")[:64]
            yield from _pointed(below, pointer + step)
    else:
        for message in messages if isinstance(messages, list) else [messages]:
            yield {"pointer": pointer, "message": message.rstrip(".")}


def _json(content: bytes) -> Any:
    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise MalformedRequest("invalid_json", "the body is not UTF-8") from None
    except RecursionError:
        raise MalformedRequest("invalid_json", "the body is nested too deeply") from None
    except json.JSONDecodeError as mistake:
        place = f"line {mistake.lineno}, column {mistake.colno}"
        raise MalformedRequest("invalid_json", f"{mistake.msg} at {place}") from None
    except ValueError:
        raise MalformedRequest("invalid_json", "a number in the body is too long") from None


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if _SURROGATE.search(name):
            raise MalformedRequest("invalid_json", "a key in the body is not Unicode text")
        if name in found:
            raise MalformedRequest("invalid_json", f"the key {name[:64]!r} is given twice in one object")
        found[name] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise MalformedRequest("invalid_json", f"{name} is not JSON")
