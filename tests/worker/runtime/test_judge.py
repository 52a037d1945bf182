"""The judge: from what a handler did to what becomes of its job."""

from typing import Any

import pytest

from tests.worker.runtime.bench import claim_of, registry, settings
from worker import JobCancelled
from worker.backoff import Backoff
from worker.handlers import Registry
from worker.model import AttemptOutcome, Status
from worker.runtime.held import Run
from worker.runtime.judge import INTERRUPTED, Judge


def nothing(job: object) -> None:
    """A handler."""


@pytest.fixture
def judge() -> Judge:
    return Judge(registry(render_report=nothing), settings())


def started(**fields: Any) -> Run:
    run = claim_of(**fields)
    run.started_at = run.renewed_at
    return run


def test_a_normal_return_completes(judge: Judge) -> None:
    result = judge.result(started(), None)
    assert (result.outcome, result.status, result.failure) == (AttemptOutcome.COMPLETED, Status.SUCCEEDED, None)
    assert result.run_ms is not None


def test_s2_137_and_a_50_a_normal_return_counts_whatever_was_signalled(judge: Judge) -> None:
    run = started()
    run.overran = run.signal.lease_lost = run.signal.cancel_requested = True
    assert judge.result(run, None).outcome == AttemptOutcome.COMPLETED


@pytest.mark.parametrize(("attempts", "delay"), [(1, 2), (2, 4), (7, 128), (8, 256), (20, 256)])
def test_s1_104_and_105_a_direct_job_waits_by_its_type(judge: Judge, attempts: int, delay: float) -> None:
    result = judge.result(started(attempts=attempts, max_attempts=50), ValueError("no"))
    assert (result.outcome, result.status, result.retry_delay_seconds) == ("failed", "queued", delay)


def test_a_job_type_may_have_a_backoff_of_its_own() -> None:
    known = Registry()
    known.job_types.register("slow_api", nothing, backoff=Backoff(30, 90, 8, jitter=False))
    result = Judge(known, settings()).result(started(job_type="slow_api", attempts=3), ValueError("no"))
    assert result.retry_delay_seconds == 90


@pytest.mark.parametrize(("attempts", "whole"), [(1, 60), (2, 120), (3, 240), (7, 3600), (999, 3600)])
def test_s2_47_to_49_an_event_job_waits_by_the_settings_with_jitter(judge: Judge, attempts: int, whole: float) -> None:
    run = started(attempts=attempts, max_attempts=1000, subscriber_id="orders.mail", event_id="e", event_type="x")
    delays = [judge.result(run, ValueError("no")).retry_delay_seconds or 0 for _ in range(300)]
    assert whole / 2 <= min(delays) < whole * 0.6
    assert whole * 0.9 < max(delays) <= whole


@pytest.mark.parametrize("attempts", [2, 3])
def test_s1_103_and_a_44_at_the_ceiling_or_beyond_it_is_a_dead_letter(judge: Judge, attempts: int) -> None:
    result = judge.result(started(attempts=attempts, max_attempts=2), ValueError("no"))
    assert (result.outcome, result.status, result.retry_delay_seconds) == ("dead_letter", "failed", None)
    assert result.failure
    assert result.failure.error_type == "ValueError"


def test_an_unknown_job_type_fails_by_the_common_backoff(judge: Judge) -> None:
    assert judge.result(started(job_type="of_a_newer_release"), ValueError("no")).retry_delay_seconds == 2


@pytest.mark.parametrize("subscriber", [None, "orders.mail"])
def test_s1_108_words_of_a_mail_provider_are_withheld_in_either_kind(judge: Judge, subscriber: str | None) -> None:
    run = started(job_type="send_email", subscriber_id=subscriber)
    failure = judge.result(run, ValueError("550 no such user dana@example.test")).failure
    assert failure
    assert failure.detail == failure.summary == "Email delivery failed; provider detail withheld."


def test_a_handler_that_gives_up_is_cancelled_and_not_tried_again(judge: Judge) -> None:
    run = started()
    run.signal.cancel_requested = True
    result = judge.result(run, JobCancelled())
    assert (result.outcome, result.status, result.failure) == ("cancelled", "cancelled", None)


def test_giving_up_because_the_lease_is_lost_is_not_a_cancel(judge: Judge) -> None:
    run = started()
    run.signal.lease_lost = True
    assert judge.result(run, JobCancelled()).status == Status.QUEUED


def test_a_50_an_exception_after_a_request_to_cancel_is_no_reason_to_retry(judge: Judge) -> None:
    run = started()
    run.signal.cancel_requested = True
    result = judge.result(run, ConnectionError("closed under me"))
    assert (result.outcome, result.retry_delay_seconds) == ("cancelled", None)
    assert result.failure
    assert "closed under me" in result.failure.detail


def test_s2_138_a_failure_past_the_runtime_limit_is_abandoned_and_retried_with_backoff(judge: Judge) -> None:
    run = started()
    run.overran = True
    result = judge.result(run, RuntimeError("lease lost"))
    assert (result.outcome, result.status, result.retry_delay_seconds) == ("abandoned", "queued", 2)


def test_an_interrupted_attempt_is_spent_and_the_next_may_start_at_once(judge: Judge) -> None:
    result = judge.interrupted(started(attempts=1))
    assert (result.outcome, result.status, result.retry_delay_seconds) == ("failed", "queued", 0)
    assert result.failure
    assert result.failure.detail == INTERRUPTED
    assert judge.interrupted(started(attempts=5)).outcome == AttemptOutcome.DEAD_LETTER
