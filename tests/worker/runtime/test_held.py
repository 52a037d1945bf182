"""Held claims: each has one owner at a time."""

from tests.worker.runtime.bench import claim_of
from worker.runtime.held import Held


def test_a_claim_takes_a_slot_until_its_handler_is_over() -> None:
    held, run = Held(2, threads=2), claim_of()
    assert held.add([run])
    assert held.idle() == 1
    assert held.begin(run)
    assert held.idle() == 1
    assert held.end(run)
    assert held.idle() == 2


def test_an_ended_claim_is_held_until_it_is_written() -> None:
    held, run = Held(2, threads=2), claim_of()
    held.add([run])
    held.end(run)
    assert held.all() == [run]
    held.forget([run])
    assert held.all() == []


def test_results_that_cannot_be_written_hold_new_claims_back() -> None:
    held = Held(2, threads=2)
    for _ in range(3):
        run = claim_of()
        held.add([run])
        held.end(run)
    assert held.idle() == 1


def test_a_08_no_claim_is_added_once_no_more_are_wanted() -> None:
    held = Held(2, threads=2)
    held.close()
    assert held.idle() == 0
    assert not held.add([claim_of()])
    assert held.all() == []


def test_what_waits_is_taken_once_and_then_cannot_begin() -> None:
    held, waiting, running = Held(2, threads=2), claim_of(), claim_of()
    held.add([waiting, running])
    held.begin(running)
    assert held.take_waiting() == [waiting]
    assert held.take_waiting() == []
    assert not held.begin(waiting)
    assert not held.end(waiting)


def test_what_runs_is_taken_once_and_its_handler_comes_too_late() -> None:
    held, run = Held(1, threads=1), claim_of()
    held.add([run])
    held.begin(run)
    assert held.take_running() == [run]
    assert not held.end(run)
    assert held.idle() == 1


def test_a_later_claim_of_the_same_job_is_another_claim() -> None:
    held, first = Held(2, threads=2), claim_of()
    second = claim_of(id=first.job.id, generation=2)
    held.add([first, second])
    held.forget([first])
    assert held.all() == [second]


def test_waiting_for_the_end_needs_every_claim_written() -> None:
    held, run = Held(1, threads=1), claim_of()
    assert held.wait_until_empty(0)
    held.add([run])
    assert not held.wait_until_empty(0)
    held.forget([run])
    assert held.wait_until_empty(0)


def test_a_worker_is_drained_when_nothing_is_left_and_nothing_comes() -> None:
    held, run = Held(1, threads=1), claim_of()
    held.add([run])
    assert not held.drained
    held.close()
    assert not held.drained
    held.forget([run])
    assert held.drained
