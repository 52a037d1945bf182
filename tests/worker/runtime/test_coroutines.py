"""Coroutines: `async def` handlers share one event loop that none of them can end."""

import asyncio
import threading

import pytest

from tests.worker.runtime.bench import until
from tests.worker.runtime.shop import Shop
from worker import lease_lost
from worker.model import AttemptOutcome, Job
from worker.runtime.executor import Executor


def test_coroutines_share_one_event_loop_and_hear_their_own_signals(started: list[Executor]) -> None:
    threads: set[int] = set()
    heard: list[tuple[str, bool]] = []

    async def handler(job: Job) -> None:
        await asyncio.sleep(0)
        threads.add(threading.get_ident())
        heard.append((job.payload["name"], lease_lost()))

    shop = Shop(work=handler)
    started.append(shop.executor)
    shop.executor.start()
    for name in ("a", "b"):
        shop.executor.submit(shop.claim("work", payload_text=f'{{"name": "{name}"}}'))
    until(lambda: len(shop.endings.results) == 2)
    assert sorted(heard) == [("a", False), ("b", False)]
    assert len(threads) == 1


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(1), asyncio.CancelledError(), KeyboardInterrupt()])
def test_a_coroutine_that_raises_fails_its_job_and_the_event_loop_goes_on(
    started: list[Executor], error: BaseException
) -> None:
    async def bad(_job: Job) -> None:
        await asyncio.sleep(0)
        raise error

    async def good(_job: Job) -> None:
        await asyncio.sleep(0)

    shop = Shop(threads=1, bad=bad, good=good)
    started.append(shop.executor)
    shop.executor.start()
    for name in ("bad", "good"):
        shop.executor.submit(shop.claim(name))
    until(lambda: len(shop.endings.results) == 2)
    first, second = shop.endings.results
    assert (first.outcome, second.outcome) == (AttemptOutcome.FAILED, AttemptOutcome.COMPLETED)
    assert first.failure
    assert first.failure.error_type == type(error).__name__
