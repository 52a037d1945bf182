"""Signals: what a handler may ask about its own job."""

import contextvars
import threading

import pytest

from worker import cancel_requested, lease_lost
from worker.signals import Signal, enter, leave


@pytest.fixture
def signal() -> Signal:
    return Signal()


def heard_by(signal: Signal) -> tuple[bool, bool]:
    enter(signal)
    try:
        return lease_lost(), cancel_requested()
    finally:
        leave()


def test_s2_140_nothing_is_signalled_outside_a_job() -> None:
    assert not lease_lost()
    assert not cancel_requested()


def test_a_job_hears_its_own_signal(signal: Signal) -> None:
    assert heard_by(signal) == (False, False)
    signal.lease_lost = True
    assert heard_by(signal) == (True, False)
    signal.cancel_requested = True
    assert heard_by(signal) == (True, True)


def test_s2_141_a_thread_hears_the_signal_only_with_a_copied_context(signal: Signal) -> None:
    signal.lease_lost = True
    heard: list[bool] = []
    enter(signal)
    copied = contextvars.copy_context()
    for thread in (
        threading.Thread(target=lambda: heard.append(lease_lost())),
        threading.Thread(target=lambda: copied.run(lambda: heard.append(lease_lost()))),
    ):
        thread.start()
        thread.join()
    leave()
    assert heard == [False, True]
