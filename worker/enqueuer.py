"""Group commit: producers that come at the same time share one INSERT and one commit."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Lock
from typing import TypeAlias
from weakref import ref

from worker.batches import joined, portions
from worker.database import Engine, autocommit
from worker.errors import EnqueuerFull
from worker.job_types import JobTypes
from worker.new_jobs import Admitted, Enqueued, NewJob, door
from worker.queries.jobs import enqueue_each
from worker.tracing import Piece, tracing

Turn: TypeAlias = "Lock | asyncio.Future[None]"
"""What a caller waits at: a thread at a lock that others open, a coroutine at a future."""


class Enqueuer:
    """For processes with many producers at once that need no transaction of their own, on threads or on event loops.

    A call returns once its job is durable. Whoever finds nobody writing writes at once, alone; those who come meanwhile
    are the next batch, and the first of them writes it. So a lone caller never waits for company, and a hundred pay
    for one commit. It has no connection of its own, and a thread only for coroutines: nothing is to be closed.
    """

    def __init__(self, engine: Engine, job_types: JobTypes, *, most_waiting: int = 10_000) -> None:
        self._engine = autocommit(engine)
        self._checks = door(job_types)
        self._most_waiting = most_waiting
        self._begin()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=partial(_begin_anew, ref(self)))

    def _begin(self) -> None:
        """With nobody in the line; also in a forked child, where the parent's callers and threads are not."""
        self._door = Lock()
        self._waiting: list[_Place] = []
        self._is_led = False
        # Writes for coroutines, whose event loop may be blocked by a caller who waits for them, or gone, and whose own
        # threads may all wait here. It ends with this object
        self._hand = ThreadPoolExecutor(1, thread_name_prefix="watchfloor enqueuer")

    def enqueue(self, new: NewJob, *, retry_terminal: bool = False) -> Enqueued:
        """As `worker.enqueue`, committed; EnqueuerFull when too many wait already.

        An error of the database goes to the caller whose job it refused. When the database is out of reach it goes to
        the whole batch: then nobody knows whether the jobs are there, and a repeat with the same key, or the same id,
        finds out.
        """
        turn = Lock()
        turn.acquire()
        with tracing().sending() as sending:
            place = self._place(new, turn, sending, retry_terminal=retry_terminal)
            try:
                self._join(place)
                turn.acquire()
                if place.answer is None:
                    self._lead()
            except BaseException:
                self._leave(place)
                raise
            return place.result(sending)

    async def enqueue_async(self, new: NewJob, *, retry_terminal: bool = False) -> Enqueued:
        """The same for a coroutine; the writing itself is done on a thread."""
        turn = asyncio.get_running_loop().create_future()
        with tracing().sending() as sending:
            place = self._place(new, turn, sending, retry_terminal=retry_terminal)
            try:
                self._join(place)
                await turn
            except BaseException:
                self._leave(place)
                raise
            return place.result(sending)

    def _place(self, new: NewJob, turn: Turn, sending: Piece, *, retry_terminal: bool) -> _Place:
        admitted = self._checks.admit([new], traceparent=sending.traceparent)
        return _Place(admitted, turn, retry_terminal=retry_terminal)

    def _join(self, place: _Place) -> None:
        """Wait in line; who finds nobody writing has the turn."""
        with self._door:
            if len(self._waiting) >= self._most_waiting:
                raise EnqueuerFull(f"{self._most_waiting:,} jobs wait to be enqueued already")
            self._waiting.append(place)
            if not self._is_led:
                self._pass_on()

    def _leave(self, place: _Place) -> None:
        """Give up: what is not being written yet is not, and the turn to write passes on."""
        with self._door:
            if place in self._waiting:
                self._waiting.remove(place)
                if place.leads:
                    self._pass_on()

    def _lead(self) -> None:
        """Write what waits, as much as one INSERT takes, and let the first of the others write the rest."""
        with self._door:
            sizes = [each.admitted.sizes[0] for each in self._waiting]  # none, if all have left
            _, most = next(iter(portions(sizes)), (0, 0))
            batch, self._waiting = self._waiting[:most], self._waiting[most:]
        try:
            for retry_terminal in (False, True):
                self._write([each for each in batch if each.retry_terminal == retry_terminal])
        except BaseException as error:
            for each in batch:
                each.answer = each.answer or error
            if not isinstance(error, Exception):
                raise
        finally:
            with self._door:
                self._pass_on()
            _wake(batch)

    def _write(self, batch: Sequence[_Place]) -> None:
        if batch:
            with self._engine.connect() as conn:
                jobs = joined([each.admitted for each in batch])
                answers = enqueue_each(conn, jobs, retry_terminal=batch[0].retry_terminal)
            for place, answer in zip(batch, answers, strict=True):
                place.answer = answer

    def _pass_on(self) -> None:
        """Let the first in the line write for all: on its own thread, unless that is an event loop's."""
        self._is_led = False
        for first in self._waiting[:1]:
            if isinstance(first.turn, asyncio.Future):
                self._hand.submit(self._lead)
            else:
                first.leads = True
                first.turn.release()
            self._is_led = True


class _Place:
    """One caller in the line."""

    def __init__(self, admitted: Admitted, turn: Turn, *, retry_terminal: bool) -> None:
        self.admitted = admitted
        self.turn = turn
        self.retry_terminal = retry_terminal
        self.leads = False  # a thread that has the turn, and passes it on if it leaves
        self.answer: Enqueued | BaseException | None = None

    def result(self, sending: Piece) -> Enqueued:
        """What the call comes to."""
        assert self.answer
        if isinstance(self.answer, BaseException):
            raise self.answer
        sending.sent(self.admitted.queue, message_id=self.answer.id)
        return self.answer


def _begin_anew(enqueuer: ref[Enqueuer]) -> None:
    if alive := enqueuer():
        alive._begin()


def _wake(places: Sequence[_Place]) -> None:
    """Let go those who wait: threads one by one, coroutines a loop at a time, which is cheaper."""
    loops: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
    for each in places:
        if isinstance(each.turn, asyncio.Future):
            loops.setdefault(each.turn.get_loop(), []).append(each.turn)
        else:
            each.turn.release()
    for loop, turns in loops.items():
        with contextlib.suppress(RuntimeError):  # the loop is gone, and its coroutines with it
            loop.call_soon_threadsafe(_let_go, turns)


def _let_go(turns: Sequence[asyncio.Future[None]]) -> None:
    for each in turns:
        if not each.done():
            each.set_result(None)
