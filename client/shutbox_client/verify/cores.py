"""The runs of a large round, judged on all cores."""

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from multiprocessing import get_context

from shutbox.tlog.audit import Chunk, JudgedChunk, judge_chunk, one_by_one
from shutbox.tlog.leaves import RoundLeaf
from shutbox.tlog.standings import Judge

FEW_CHUNKS = 8
"""Fewer are judged here: starting processes takes longer."""

_AHEAD = 4  # chunks that wait for each process, so that memory stays bounded

_judge: Judge | None = None  # in a process of the pool: made once, for it remembers what turns are worth


def on_all_cores(judge: Judge, chunks: Iterable[Chunk]) -> Iterator[JudgedChunk]:
    """Judge chunks in as many processes as there are cores, if it is worth it; results come in order."""
    reading = iter(chunks)
    first = list(islice(reading, FEW_CHUNKS))
    cores = os.cpu_count() or 1
    if len(first) < FEW_CHUNKS or cores == 1:
        return one_by_one(judge, chain(first, reading))
    return _spread(judge, chain(first, reading), cores)


def _spread(judge: Judge, chunks: Iterator[Chunk], cores: int) -> Iterator[JudgedChunk]:
    pool = ProcessPoolExecutor(cores, get_context("spawn"), _prepare, (judge.round, judge.seed))
    waiting: deque[Future[JudgedChunk]] = deque()
    try:
        for chunk in chunks:
            waiting.append(pool.submit(_judged, chunk))
            if len(waiting) >= cores * _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _prepare(round: RoundLeaf, seed: bytes) -> None:
    global _judge  # noqa: PLW0603 - a process of the pool has no other place for what is made once
    _judge = Judge(round, seed)


def _judged(chunk: Chunk) -> JudgedChunk:
    if _judge is None:
        raise RuntimeError("the process was not prepared")
    return judge_chunk(_judge, chunk)
