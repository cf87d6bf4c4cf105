"""A service that dies: real writers and workers, each in a process that tells what it has answered until it is killed.

A process can be told to kill itself at a statement of a step. Which step it is in, it reads from its own stack: the
service knows nothing of this.
"""

import logging
import os
import random
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from select import select
from types import FrameType
from typing import Any
from uuid import UUID

from shutbox import attempts, runs
from shutbox.attempts import Attempt
from shutbox.config import Settings
from shutbox.days import daily_round_id, today
from shutbox.errors import Conflict
from shutbox.game.play import DiceChoice, ShutChoice
from shutbox.game.rulesets import CATALOGUE
from shutbox.game.solver import solve_all
from shutbox.journal import checkpoint
from shutbox.players import Player
from shutbox.ranking import Ranking
from shutbox.rounds import Mode, get_round, seed_of
from shutbox.seeds import Secrets
from shutbox.site import Site
from shutbox.store.database import prepare_engine
from shutbox.worker import Worker
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.orm import Session

from tests.players import any_of, as_turns, legal_turns

DAY_MS = 86_400_000
RUNS_AT_A_TIME = 4
VARIANT = "odds"
solve_all((CATALOGUE["classic"], CATALOGUE[VARIANT]))  # once, before processes are forked from this one


class Step(StrEnum):
    """What a process is in the middle of."""

    QUEUE = "queue"  # a run is accepted: it then waits for the log
    INTEGRATE = "integrate"
    SIGN = "sign"
    CLOSE = "close"


class Role(StrEnum):
    """What a process does."""

    WRITER = "writer"
    WORKER = "worker"


_DOING = {
    ("shutbox.runs", "submit"): Step.QUEUE,
    ("shutbox.attempts", "start_attempt"): Step.QUEUE,
    ("shutbox.attempts", "make_move"): Step.QUEUE,
    ("shutbox.journal", "integrate"): Step.INTEGRATE,
    ("shutbox.days", "_close_next"): Step.CLOSE,
}
ROLE_OF = {
    Step.QUEUE: Role.WRITER,
    Step.INTEGRATE: Role.WORKER,
    Step.SIGN: Role.WORKER,
    Step.CLOSE: Role.WORKER,
}


@dataclass(frozen=True)
class Fate:
    """Where a process kills itself: just before or behind a statement or a commit of a step, counted from its start."""

    step: Step
    number: int


@dataclass(frozen=True)
class Installation:
    """What all processes share. The clock is a file, so that it outlives them."""

    settings: Settings
    secrets: Secrets
    players: tuple[UUID, ...]

    @property
    def clock_file(self) -> Path:
        return self.settings.data_dir / "clock"

    def clock(self) -> int:
        return int.from_bytes(self.clock_file.read_bytes(), "big")

    def set_clock(self, now: int) -> None:
        descriptor = os.open(self.clock_file, os.O_WRONLY | os.O_CREAT, 0o600)
        os.pwrite(descriptor, now.to_bytes(8, "big"), 0)
        os.close(descriptor)

    def engine(self) -> Engine:
        engine = create_engine(self.settings.sql_url, hide_parameters=True)
        prepare_engine(engine)
        return engine

    def site(self, session: Session) -> Site:
        ranking = Ranking.at(self.settings.redis_url, self.secrets.log_key.verifier.key_id.hex())
        return Site(self.settings, self.secrets, session, ranking, self.clock)


# In the processes


class _Counting:
    """Counts the points of each step, and dies at the one that is this process's fate."""

    def __init__(self, engine: Engine, session: Session, fate: Fate | None) -> None:
        self.points: Counter[Step] = Counter()
        self._fate = fate
        self._signing = False
        for name in ("before_cursor_execute", "after_cursor_execute"):
            event.listen(engine, name, self._statement)
        event.listen(engine, "commit", lambda _: self._point())
        event.listen(session, "after_commit", lambda _: self._committed())

    def _statement(self, _connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        self._signing |= statement.startswith("INSERT INTO checkpoints")
        self._point()

    def _committed(self) -> None:
        self._point()
        self._signing = False

    def _point(self) -> None:
        step = Step.SIGN if self._signing else _step_of_stack()
        if step is not None:
            self.points[step] += 1
            if self._fate is not None and self._fate == Fate(step, self.points[step]):
                os.kill(os.getpid(), signal.SIGKILL)


def _step_of_stack() -> Step | None:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        doing = _DOING.get((frame.f_globals.get("__name__", ""), frame.f_code.co_name))
        if doing is not None:
            return doing
        frame = frame.f_back
    return None


class _Telling(logging.Handler):
    """Tells of every error that the service logs: nothing that a killed process left may disturb the next one."""

    def __init__(self, told: "Connection[Any, Any]") -> None:
        super().__init__(logging.ERROR)
        self._told = told

    def emit(self, record: logging.LogRecord) -> None:
        self._told.send(("error", record.getMessage()))


def live(installation: Installation, role: Role, first: int, until: int, fate: Fate | None, told: Any) -> None:
    """Work until the clock says so and end, unless killed before; `first` is the number of the writer's first run."""
    logging.getLogger("shutbox").addHandler(_Telling(told))
    engine = installation.engine()
    with Session(engine) as session:
        counting = _Counting(engine, session, fate)
        site = installation.site(session)
        if role is Role.WORKER:
            _work(installation, site, until, told)
        else:
            _write(installation, site, first, until, told)
        told.send(("points", counting.points))


def _work(installation: Installation, site: Site, until: int, told: Any) -> None:
    """Tick once a day, so that each tick closes a day; tell what was signed, as a reader sees it."""
    worker = Worker(site)
    while installation.clock() < until:
        installation.set_clock(installation.clock() + DAY_MS)
        worker.tick()
        note = checkpoint(site)
        site.session.rollback()
        told.send(("signed", note))
        select([], [], [], 0.1)  # as a worker waits for a second


def _write(installation: Installation, site: Site, first: int, until: int, told: Any) -> None:
    """Submit a few runs, or play, each time that the clock has moved; tell each accepted run."""
    number = first
    while True:
        now = installation.clock()
        for _ in range(RUNS_AT_A_TIME):
            player = Player(installation.players[number % len(installation.players)], None, guest=True, bot=False)
            try:
                run_id = _play(site, player, number) if number % 3 == 0 else _submit(site, player, number)
            except Conflict:  # its day has ended meanwhile
                run_id = None
            told.send(("run", number, run_id))
            number += 1
        if now >= until:
            return
        while installation.clock() == now:
            select([], [], [], 0.01)


def _submit(site: Site, player: Player, number: int) -> UUID:
    round_id = daily_round_id(today(site), CATALOGUE["classic"], Mode.OPEN)
    seed = seed_of(site, get_round(site, round_id)).hex()
    run, _ = runs.submit(site, player, round_id, as_turns(legal_turns("classic", seed, any_of(number))))
    return run.run_id


def _play(site: Site, player: Player, number: int) -> UUID | None:
    round_id, choose = daily_round_id(today(site), CATALOGUE["classic"], Mode.SEALED), any_of(number)
    state, _ = attempts.start_attempt(site, player.player_id, round_id)
    while state.state.startswith("choose"):
        state = _move(site, player, state, choose)
    return state.run_id


def _move(site: Site, player: Player, state: Attempt, choose: Any) -> Attempt:
    decision = ShutChoice(choose(list(state.legal))) if state.legal else DiceChoice(choose(list(state.dice_allowed)))
    return attempts.make_move(site, player.player_id, state.attempt_id, state.move, decision)


# In the test


@dataclass
class Lives:
    """A writer and a worker at once, and what they have told: the runs that they answered, and what was signed."""

    installation: Installation
    answered: dict[UUID, int] = field(default_factory=dict)
    signed: set[bytes] = field(default_factory=set)
    points: Counter[Step] = field(default_factory=Counter)
    processes: dict[Role, BaseProcess] = field(default_factory=dict)
    _pipes: "dict[Role, Connection[Any, Any]]" = field(default_factory=dict)
    _next: int = 1

    def __enter__(self) -> "Lives":
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes.values():
            process.kill()

    def start(self, role: Role, fate: Fate | None = None, days: int = 10_000) -> None:
        """Start a process in a role that nobody has."""
        context = get_context("forkserver")
        context.set_forkserver_preload([__name__, "pytest"])  # what a process needs is imported once for all
        hear, tell = context.Pipe(duplex=False)
        until = self.installation.clock() + days * DAY_MS
        process = context.Process(
            target=live, args=(self.installation, role, self._next, until, fate, tell), daemon=True
        )
        process.start()
        tell.close()
        self.processes[role], self._pipes[role] = process, hear

    def listen(self, role: Role, seconds: float) -> bool:
        """Take in what both tell until one has ended, or for some seconds; tell whether it has ended."""
        deadline = time.monotonic() + seconds
        while role in self._pipes:
            ready = wait(list(self._pipes.values()), max(0.0, deadline - time.monotonic()))
            if not ready:
                return False
            for each in [each for each, pipe in self._pipes.items() if pipe in ready]:
                try:
                    self._take(*self._pipes[each].recv())
                except EOFError:
                    self._pipes.pop(each).close()
        return True

    def kill(self, role: Role) -> None:
        """`kill -9`."""
        self.processes[role].kill()
        assert self.listen(role, 20)

    def end_of(self, role: Role) -> int | None:
        """Return the exit code of a process that has ended."""
        process = self.processes.pop(role)
        process.join(20)
        return process.exitcode

    def _take(self, kind: str, *what: Any) -> None:
        if kind == "run":
            number, run_id = what
            self._next = max(self._next, number + 1)
            if run_id is not None:
                self.answered[run_id] = number
        elif kind == "signed":
            self.signed.add(what[0])
        elif kind == "points":
            self.points += what[0]
        else:
            raise AssertionError(f"the service logged an error: {what}")


def fates(points: Counter[Step], counts: dict[Step, int], seed: int) -> list[Fate]:
    """Draw where processes die: so many in each step, anywhere among the points that the step has in a day."""
    chosen = random.Random(seed)
    drawn = [Fate(step, chosen.randint(1, points[step])) for step, count in counts.items() for _ in range(count)]
    chosen.shuffle(drawn)
    return drawn
