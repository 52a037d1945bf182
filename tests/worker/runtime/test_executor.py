"""The executor: whatever a handler does, its job has an outcome and its neighbours are left alone."""

import asyncio
import sys
import threading
import time
from collections.abc import Coroutine, Iterator
from typing import Any

import pytest

from tests.worker.runtime.bench import PATIENCE_SECONDS, until
from tests.worker.runtime.shop import Shop
from worker import JobCancelled, cancel_requested, lease_lost
from worker.job_types import Handler
from worker.model import AttemptOutcome, Job
from worker.runtime.executor import Executor


def raising(error: BaseException) -> Handler:
    def handler(_job: Job) -> None:
        raise error

    return handler


def test_a_handler_gets_its_job_and_ends_in_success() -> None:
    seen: list[Job] = []
    result = Shop(work=seen.append).outcome("work", payload_text='{"report": 7}')
    assert result.outcome == AttemptOutcome.COMPLETED
    assert seen[0].payload == {"report": 7}


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), MemoryError(), Exception()])
def test_a_37_anything_raised_is_an_ordinary_failure(error: BaseException) -> None:
    result = Shop(work=raising(error)).outcome("work")
    assert (result.outcome, result.retry_delay_seconds) == (AttemptOutcome.FAILED, 2)
    assert result.failure
    assert result.failure.error_type == type(error).__name__


@pytest.mark.parametrize("message", ["\ud800", "a\0b", b"\xff\xfe".decode(errors="surrogateescape"), "x" * 50_000])
def test_a_33_an_error_that_cannot_be_stored_as_it_is_becomes_text(message: str) -> None:
    failure = Shop(work=raising(ValueError(message))).outcome("work").failure
    assert failure
    assert len(failure.detail.encode()) <= 16_000
    assert "\0" not in failure.detail


def test_the_error_tells_the_handlers_own_lines_and_not_the_executors() -> None:
    failure = Shop(work=raising(ValueError("no"))).outcome("work").failure
    assert failure
    assert "test_executor.py" in failure.detail
    assert "runtime/executor.py" not in failure.detail


@pytest.mark.parametrize("text", ["[" * 1200 + "]" * 1200, "9" * 5000], ids=["deep", "long number"])
def test_a_35_an_unreadable_payload_fails_its_job_even_when_the_handler_ignores_it(text: str) -> None:
    if sys.version_info >= (3, 12) and text.startswith("["):
        pytest.skip("this Python reads it")
    failure = Shop(work=lambda job: None).outcome("work", payload_text=text).failure
    assert failure
    assert failure.summary.startswith("payload unreadable")


def test_a_45_a_job_without_a_handler_fails_and_names_the_key() -> None:
    failure = Shop(work=lambda job: None).outcome("gone", subscriber_id="orders.gone").failure
    assert failure
    assert failure.error_type == "NoHandler"
    assert "orders.gone" in failure.summary


def test_a_45_a_handler_that_is_a_generator_never_ran_and_says_so() -> None:
    def handler(_job: Job) -> Iterator[None]:
        yield

    failure = Shop(work=handler).outcome("work").failure
    assert failure
    assert failure.error_type == "TypeError"


def test_the_handler_hears_its_signals_and_nobody_else_does() -> None:
    heard: list[tuple[bool, bool]] = []
    shop = Shop(work=lambda job: heard.append((lease_lost(), cancel_requested())))
    shop.outcome("work")
    assert heard == [(False, False)]
    assert not lease_lost()


def test_s2_139_a_handler_told_between_two_units_stops_early() -> None:
    sent: list[int] = []

    def handler(_job: Job) -> None:
        for number in range(10):
            if lease_lost():
                return
            sent.append(number)
            run.signal.lease_lost = number == 2

    shop = Shop(work=handler)
    run = shop.claim("work")
    shop.executor.run(run)
    assert sent == [0, 1, 2]


def test_a_50_a_handler_that_obeys_a_cancel_ends_cancelled() -> None:
    def handler(_job: Job) -> None:
        run.signal.cancel_requested = True
        if cancel_requested():
            raise JobCancelled

    shop = Shop(work=handler)
    run = shop.claim("work")
    shop.executor.run(run)
    assert shop.endings.results[0].outcome == AttemptOutcome.CANCELLED


def test_a_51_a_job_cancelled_before_it_began_never_starts() -> None:
    ran: list[Job] = []
    shop = Shop(work=ran.append)
    run = shop.claim("work")
    run.signal.cancel_requested = True
    shop.executor.run(run)
    (result,) = shop.endings.results
    assert (result.outcome, result.run_ms, ran) == (AttemptOutcome.CANCELLED, None, [])


def test_a_job_whose_lease_is_in_doubt_before_it_began_goes_back() -> None:
    ran: list[Job] = []
    shop = Shop(work=ran.append)
    run = shop.claim("work")
    run.signal.lease_lost = True
    shop.executor.run(run)
    assert (shop.endings.released, shop.endings.results, ran) == ([run], [], [])


def test_what_was_given_back_before_a_thread_came_to_it_never_starts() -> None:
    ran: list[Job] = []
    shop = Shop(work=ran.append)
    run = shop.claim("work")
    shop.held.take_waiting()
    shop.executor.run(run)
    assert (shop.endings.results, ran) == ([], [])


def test_a_result_that_comes_after_the_claim_was_handed_back_is_not_written() -> None:
    shop = Shop(work=lambda job: shop.held.take_running() and None)
    shop.executor.run(shop.claim("work"))
    assert shop.endings.results == []


def test_as_many_handlers_run_at_once_as_there_are_threads(started: list[Executor]) -> None:
    together = threading.Barrier(2, timeout=PATIENCE_SECONDS)
    shop = Shop(threads=2, work=lambda job: together.wait() and None)
    started.append(shop.executor)
    shop.executor.start()
    for run in [shop.claim("work"), shop.claim("work")]:
        shop.executor.submit(run)
    until(lambda: len(shop.endings.results) == 2)
    assert {result.outcome for result in shop.endings.results} == {AttemptOutcome.COMPLETED}


def test_a_handler_that_hangs_keeps_only_its_own_thread(started: list[Executor]) -> None:
    free = threading.Event()
    shop = Shop(threads=2, hang=lambda job: free.wait(2 * PATIENCE_SECONDS) and None, work=lambda job: None)
    started.append(shop.executor)
    shop.executor.start()
    for name in ("hang", "work", "work"):
        shop.executor.submit(shop.claim(name))
    until(lambda: len(shop.endings.results) == 2)
    free.set()
    until(lambda: len(shop.endings.results) == 3)


def test_the_stop_does_not_wait_for_a_handler_that_hangs() -> None:
    free = threading.Event()
    shop = Shop(threads=2, hang=lambda job: free.wait(2 * PATIENCE_SECONDS) and None)
    shop.executor.start()
    shop.executor.submit(shop.claim("hang"))
    started_at = time.monotonic()
    shop.executor.stop()
    assert time.monotonic() - started_at < PATIENCE_SECONDS
    free.set()


def test_nothing_begins_after_the_stop() -> None:
    free = threading.Event()
    begun: list[Job] = []

    async def later(job: Job) -> None:
        begun.append(job)

    shop = Shop(threads=1, hang=lambda job: free.wait(2 * PATIENCE_SECONDS) and None, later=later)
    shop.executor.start()
    hanging = shop.claim("hang")
    shop.executor.submit(hanging, shop.claim("later"))
    until(lambda: hanging.started_at)
    shop.executor.stop()
    free.set()
    until(lambda: not any(thread.is_alive() for thread in shop.executor._threads._all))
    assert begun == []


async def later(_job: Job) -> None:
    await asyncio.sleep(0.005)


@pytest.mark.parametrize("places", [1, 3])
def test_no_more_handlers_run_at_once_than_there_are_places_of_whatever_kind(
    started: list[Executor], places: int
) -> None:
    running: list[int] = []
    most: list[int] = []

    def note(change: int) -> None:
        running.append(change)
        most.append(sum(running))

    def waits(_job: Job) -> None:
        note(1)
        until(lambda: max(most) >= places)  # nobody is over before all places were taken at once
        time.sleep(0.005)  # a handler's own work
        note(-1)

    async def awaits(job: Job) -> None:
        note(1)
        await later(job)
        while max(most) < places:
            await later(job)
        note(-1)

    shop = Shop(threads=places, waits=waits, awaits=awaits)
    started.append(shop.executor)
    shop.executor.start()
    shop.executor.submit(*(shop.claim(name) for name in ("waits", "awaits") * 10))
    until(lambda: len(shop.endings.results) == 20)
    assert max(most) == places


def test_what_is_submitted_before_the_start_waits_for_it(started: list[Executor]) -> None:
    shop = Shop(work=lambda job: None)
    started.append(shop.executor)
    shop.executor.submit(shop.claim("work"))
    assert shop.endings.results == []
    shop.executor.start()
    until(lambda: len(shop.endings.results) == 1)


def test_a_callable_that_returns_a_coroutine_is_awaited_too(started: list[Executor]) -> None:
    ran: list[Job] = []

    async def work(job: Job) -> None:
        await asyncio.sleep(0)
        ran.append(job)

    def wrapped(job: Job) -> Coroutine[Any, Any, None]:
        return work(job)

    shop = Shop(work=wrapped)
    started.append(shop.executor)
    shop.executor.start()
    shop.executor.submit(shop.claim("work"))
    until(lambda: len(shop.endings.results) == 1)
    assert len(ran) == 1
