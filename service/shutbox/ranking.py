"""Redis: a sorted set for each round and period, a view of SQL that can be lost and rebuilt, and is never believed.

    shutbox:<name>:{<board id>}:board     sorted set   run id (16 bytes) → rank key
    shutbox:<name>:{<board id>}:players   hash         player id (16 bytes) → the run id that ranks the player

The id of a round's board is that of the round. On a period's board the player's id stands for the run id too.

Once the board holds everything that SQL held, the hash has a field with an empty name: the identity of that server. A
board without it, or with that of an earlier server, is not read: a server that was killed, or a replica that took over,
can have lost the last placements while it kept the rest. Nor is one whose two parts have not the same length. The name
is that of the installation, so that two of them can share a server.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any
from uuid import UUID

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from .game.rules import Rules

_GIVEN_AWAY_BITS = 40


def rank_key(rules: Rules, penalty: int, given_away_milli: int) -> int:
    """Return the number by which runs are ordered, lower is better; below 2^53, so exact as a score of a sorted set."""
    distinct = rules.distinct_penalties
    return distinct[penalty] << _GIVEN_AWAY_BITS | min(given_away_milli, (1 << _GIVEN_AWAY_BITS) - 1)


class RankingUnavailable(Exception):
    """Redis does not answer: ask SQL."""


class BoardMissing(RankingUnavailable):
    """Redis answers but does not hold this board: merge it from SQL, or ask SQL."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's rank, the run that gives it, how many share it, the player included, and how many are ranked."""

    run_id: UUID
    rank: int
    tied: int
    total: int


@dataclass(frozen=True, slots=True)
class Ranked:
    """A row of a board: the run that ranks a player."""

    rank: int
    run_id: UUID
    rank_key: int


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a board. `start` is the place of the first row, counted from 0; `total` counts players.

    `tied` is how many players share the rank of the first row, and `last_tied` that of the last; 0 where there is none.
    """

    total: int
    start: int
    tied: int
    last_tied: int
    rows: list[Ranked]

    @property
    def more_before(self) -> bool:
        """Whether rows stand before these."""
        return self.start > 0

    @property
    def more_after(self) -> bool:
        """Whether rows stand behind these."""
        return self.start + len(self.rows) < self.total


@dataclass(frozen=True, slots=True)
class Place:
    """A place between rows: behind, or before, where the run with this rank key stands or would stand."""

    rank_key: int
    run_id: UUID
    before: bool = False


@dataclass(frozen=True, slots=True)
class Around:
    """The rows around a player."""

    player_id: UUID


Where = Place | Around | None
"""Which part of a board is wanted; None: its top."""


class Ranking:
    """The boards in Redis. Every method raises RankingUnavailable where SQL has to be asked instead.

    Rank = 1 + the number of players with a lower key, so equal keys share a rank: 1, 2, 2, 4.
    """

    def __init__(self, client: Redis, name: str, patience: float = 1.0) -> None:
        """`patience`: for how many seconds Redis is left alone after it did not answer."""
        self._client = client
        self._name = name
        self._patience = patience
        self._alone_until = 0.0
        self._merge = client.register_script(_MERGE)
        self._place = client.register_script(_PLACE)
        self._slice = client.register_script(_SLICE)
        self._remove = client.register_script(_REMOVE)
        self._holds = client.register_script(_HOLDS)
        self._identity = client.register_script(_IDENTITY)
        self._mark = client.register_script(_MARK)

    @classmethod
    def at(cls, url: str, name: str) -> "Ranking":
        """Return the boards at a URL; nothing is connected yet."""
        client = Redis.from_url(url, socket_timeout=1.0, socket_connect_timeout=0.5, retry=Retry(NoBackoff(), 1))
        return cls(client, name)

    def keys(self, round_id: str) -> tuple[str, str]:
        """Return the names of a board's sorted set and hash, which one hash tag keeps on one node."""
        prefix = f"shutbox:{self._name}:{{{round_id}}}"
        return f"{prefix}:board", f"{prefix}:players"

    def answers(self) -> bool:
        """Tell whether Redis answers."""
        try:
            return bool(self._ask(self._client.ping))
        except RankingUnavailable:
            return False

    def place(self, round_id: str, player_id: UUID, run_id: UUID, key: int) -> Standing:
        """Rank a player by this run, unless an earlier one is as good; return where the player stands."""
        placed = self._ask(lambda: self._place(self.keys(round_id), (player_id.bytes, run_id.bytes, str(key))))
        if placed is None:
            raise BoardMissing
        kept, rank, tied, total = placed
        return Standing(UUID(bytes=kept), rank, tied, total)

    def slice(self, round_id: str, where: Where, limit: int) -> Slice:
        """Return at most `limit` rows; around a player who is not on the board, none."""
        match where:
            case None:
                arguments: tuple[bytes | str, ...] = ("top",)
            case Around(player_id):
                arguments = ("around", player_id.bytes)
            case Place(key, run_id, before):
                arguments = ("before" if before else "after", run_id.bytes, str(key))
        found = self._ask(lambda: self._slice(self.keys(round_id), (str(limit), *arguments)))
        if found is None:
            raise BoardMissing
        total, start, first_rank, tied, last_tied, flat = found
        rows: list[Ranked] = []
        for place, (run_id, score) in enumerate(zip(flat[::2], flat[1::2], strict=True), start=start):
            key = int(float(score))
            if not rows:
                rank = first_rank
            elif key != rows[-1].rank_key:
                rank = place + 1
            rows.append(Ranked(rank, UUID(bytes=run_id), key))
        return Slice(total, start, tied, last_tied, rows)

    def merge(self, round_id: str, best: Iterable[tuple[UUID, UUID, int]], seconds: int = 0) -> None:
        """Merge all the (player id, run id, rank key) rows that SQL holds; from then on the board is read.

        With `seconds` the board is gone after that time, also if this ends in the middle.
        """
        rows, keys = iter(best), self.keys(round_id)
        identity = self._ask(lambda: self._identity(keys))
        while batch := list(islice(rows, 1000)):
            flat = [part for player, run, key in batch for part in (player.bytes, run.bytes, str(key))]
            self._ask(partial(self._merge, keys, (str(seconds), *flat)))
        self._ask(lambda: self._mark(keys, (str(seconds), identity)))

    def holds(self, round_id: str) -> bool:
        """Tell whether this board is read from Redis."""
        return self._ask(lambda: self._holds(self.keys(round_id))) is not None

    def rows(self, round_id: str) -> Iterator[tuple[UUID, UUID, int]]:
        """Yield (player id, run id, rank key) in the order of the board, as Redis holds it."""
        board, players = self.keys(round_id)
        held: dict[bytes, bytes] = self._ask(lambda: self._client.hgetall(players))
        placed: list[tuple[bytes, float]] = self._ask(lambda: self._client.zrange(board, 0, -1, withscores=True))
        player_of = {run: player for player, run in held.items() if player}
        for run, score in placed:
            yield UUID(bytes=player_of.pop(run, bytes(16))), UUID(bytes=run), int(score)
        for run, player in player_of.items():
            yield UUID(bytes=player), UUID(bytes=run), -1

    def remove(self, round_id: str, player_id: UUID, run_id: UUID) -> None:
        """Take a row off the board that SQL does not know."""
        self._ask(lambda: self._remove(self.keys(round_id), (player_id.bytes, run_id.bytes)))

    def forget(self, round_id: str) -> None:
        """Drop a board; it is read from SQL until it is merged again."""
        self._ask(lambda: self._client.delete(*self.keys(round_id)))

    def _ask(self, question: Callable[[], Any]) -> Any:
        if time.monotonic() < self._alone_until:
            raise RankingUnavailable
        try:
            return question()
        except RedisError as error:
            self._alone_until = time.monotonic() + self._patience
            raise RankingUnavailable from error


# Ids are compared byte by byte: Lua's own `<` on strings follows the locale of the server. Rank keys are handed to
# commands as the strings that came in, since Lua would write only 14 digits of them.
_KEYS = """
local board, players = KEYS[1], KEYS[2]
"""

_SERVER = """
local function server() return string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') end
"""

_HELD = (
    _SERVER
    + """
if redis.call('HGET', players, '') ~= server() then return nil end
if redis.call('HLEN', players) - 1 ~= redis.call('ZCARD', board) then return nil end
"""
)

_MERGING = """
local function earlier(one, other)
  for i = 1, #one do
    local a, b = one:byte(i), other:byte(i)
    if a ~= b then return a < b end
  end
  return false
end

local function merge(player, run, key)
  local kept = redis.call('HGET', players, player)
  if kept then
    local kept_key = tonumber(redis.call('ZSCORE', board, kept) or 'inf')
    if kept_key < tonumber(key) or (kept_key == tonumber(key) and not earlier(run, kept)) then return kept end
    redis.call('ZREM', board, kept)
  end
  redis.call('ZADD', board, key, run)
  redis.call('HSET', players, player, run)
  return run
end
"""

_HOLDS = _KEYS + _HELD + "return 1"

_IDENTITY = _SERVER + "return server()"

_LIFETIME = """
if ARGV[1] ~= '0' then
  for i = 1, 2 do redis.call('EXPIRE', KEYS[i], ARGV[1]) end
end
"""

# A server that was started anew in the middle of a merge has lost the rows before.
_MARK = (
    _KEYS
    + _SERVER
    + """
if server() == ARGV[2] then redis.call('HSET', players, '', ARGV[2]) end
"""
    + _LIFETIME
)

_MERGE = (
    _KEYS
    + _MERGING
    + """
for i = 2, #ARGV, 3 do merge(ARGV[i], ARGV[i + 1], ARGV[i + 2]) end
"""
    + _LIFETIME
)

_PLACE = (
    _KEYS
    + _HELD
    + _MERGING
    + """
local kept = merge(ARGV[1], ARGV[2], ARGV[3])
local key = redis.call('ZSCORE', board, kept)
local rank = 1 + redis.call('ZCOUNT', board, '-inf', '(' .. key)
return {kept, rank, redis.call('ZCOUNT', board, key, key), redis.call('ZCARD', board)}
"""
)

_REMOVE = """
redis.call('ZREM', KEYS[1], ARGV[2])
if redis.call('HGET', KEYS[2], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[2], ARGV[1]) end
"""

# Returns total, place of the first row, its rank, how many share that and the last row's, and the rows. A place between
# rows is found by halving within the tie, so that a cursor holds when its own run has left the board.
_SLICE = (
    _KEYS
    + _HELD
    + """
local limit, wanted, id, key = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
local total = redis.call('ZCARD', board)

local function passed(member)
  for i = 1, 16 do
    local a, b = member:byte(i), id:byte(i)
    if a ~= b then return a < b end
  end
  return wanted == 'after'
end

local function place()
  local low = redis.call('ZCOUNT', board, '-inf', '(' .. key)
  local high = low + redis.call('ZCOUNT', board, key, key)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if passed(redis.call('ZRANGE', board, middle, middle)[1]) then low = middle + 1 else high = middle end
  end
  return low
end

local start = 0
if wanted == 'around' then
  local run = redis.call('HGET', players, id)
  if not run then return {total, 0, 0, 0, 0, {}} end
  local own = redis.call('ZRANK', board, run)
  if not own then return nil end
  start = math.max(0, math.min(own - math.floor(limit / 2), total - limit))
elseif wanted == 'after' then
  start = place()
elseif wanted == 'before' then
  local stop = place()
  start = math.max(0, stop - limit)
  limit = stop - start
end
if limit == 0 then return {total, start, 0, 0, 0, {}} end
local rows = redis.call('ZRANGE', board, start, start + limit - 1, 'WITHSCORES')
local rank, tied, last_tied = 0, 0, 0
if rows[2] then
  local last = rows[#rows]
  rank = 1 + redis.call('ZCOUNT', board, '-inf', '(' .. rows[2])
  tied = redis.call('ZCOUNT', board, rows[2], rows[2])
  last_tied = redis.call('ZCOUNT', board, last, last)
end
return {total, start, rank, tied, last_tied, rows}
"""
)
