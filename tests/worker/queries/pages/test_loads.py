"""Loads: how much there is to do on a queue, and whether it keeps up."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from tests.worker.queries.pages.rows import minute
from worker.model import Status
from worker.queries import queues
from worker.queries.audit import Actor
from worker.queries.pages import backlog, figures, loads
from worker.queries.pages.backlog import Backlog
from worker.queries.pages.flow import Flow
from worker.queries.pages.loads import Load, Pace


def load(*, since: datetime, ready: int = 600, arrived: float = 0, finished: float = 0, paused: bool = False) -> Load:
    work = Backlog("mail", "render_report", "render_report", ready=ready, ready_since=since)
    flow = Flow("mail", "render_report", arrived=arrived, finished=finished)
    return Load("mail", NOON, ready, (work,), (flow,), takers=(), unserved=(), paused=paused)


OLD = NOON - timedelta(minutes=6)


def test_a_backlog_clears_at_what_leaves_less_what_comes() -> None:
    clearing = load(since=OLD, arrived=100, finished=160)
    assert (clearing.pace, clearing.clears_in, clearing.doubles_in) == (Pace.CLEARING, 600.0, None)


def test_a_backlog_that_grows_doubles_and_never_clears() -> None:
    growing = load(since=OLD, arrived=410, finished=260)
    assert (growing.pace, growing.clears_in, growing.doubles_in) == (Pace.GROWING, None, 240.0)
    assert growing.late


def test_rates_that_differ_by_a_rounding_error_promise_nothing() -> None:
    level = load(since=OLD, arrived=0.1 + 0.2, finished=0.3)
    assert (level.gain, level.clears_in, level.doubles_in, level.pace) == (0, None, None, Pace.GROWING)


def test_a_backlog_that_nothing_leaves_stands_still() -> None:
    assert load(since=OLD).pace is Pace.STALLED


def test_a_young_backlog_is_normal_whatever_the_rates_of_the_moment() -> None:
    young = load(since=NOON - timedelta(seconds=59), arrived=410, finished=260)
    assert young.pace is Pace.STEADY
    assert not young.late


def test_a_pause_explains_every_wait() -> None:
    assert load(since=OLD, arrived=9, paused=True).pace is Pace.PAUSED


def test_nothing_ready_is_empty() -> None:
    idle = Load("mail", NOON, 0, (), (), takers=(), unserved=())
    assert (idle.pace, idle.since, idle.clears_in) == (Pace.EMPTY, None, None)


def by_queue(conn: Connection) -> dict[str, Load]:
    return {each.name: each for each in loads.by_queue(figures.sample(conn, now=NOON))}


def test_queues_come_fullest_first_and_the_idle_ones_too(conn: Connection) -> None:
    factories.worker_instance(conn, queues=["named"])
    queues.pause(conn, queue="paused", actor=Actor("dana"), reason="why", now=NOON)
    minute(conn, NOON, queue="moved")
    factories.job(conn, queue="running", status=Status.RUNNING)
    for _ in range(2):
        factories.job(conn, queue="full")
    factories.job(conn, queue="half")
    assert list(by_queue(conn)) == ["full", "half", "running", "moved", "named", "paused"]


def test_a_queue_is_served_by_who_takes_its_types_from_it(conn: Connection) -> None:
    factories.worker_instance(conn, "all", component="all", queues=None)
    factories.worker_instance(conn, "mail", component="mail", queues=["mail"])
    factories.worker_instance(conn, "other", component="other", job_types=["other"])
    factories.worker_instance(conn, "silent", component="silent", last_heartbeat_at=NOON - timedelta(minutes=1))
    factories.job(conn, queue="mail")
    factories.job(conn, queue="mail", job_type="train")
    mail = by_queue(conn)["mail"]
    assert [each.component for each in mail.takers] == ["all", "mail"]
    assert [each.job_type for each in mail.unserved] == ["train"]
    assert mail.pace is not Pace.UNSERVED


def test_a_queue_whose_work_nobody_takes_never_clears(conn: Connection) -> None:
    factories.job(conn, queue="mail", available_at=OLD)
    assert by_queue(conn)["mail"].pace is Pace.UNSERVED


def test_a_handler_gathers_its_work_from_every_queue(conn: Connection) -> None:
    for queue in ("mail", "bulk"):
        factories.job(conn, queue=queue)
        minute(conn, NOON - timedelta(minutes=30), queue=queue, jobs=2, runs={100: 2})
    seen = figures.sample(conn, now=NOON)
    (report,) = loads.by_handler(seen, backlog.read(conn, held=seen.held, in_full=True, now=NOON))
    assert (report.name, report.ready, report.queues) == ("render_report", 2, ["bulk", "mail"])
    assert report.runs_seen == 4
    assert report.run_seconds(0.5) == pytest.approx(0.065)


def test_run_times_are_given_to_two_digits(conn: Connection) -> None:
    minute(conn, NOON, runs={100: 3, 300: 4})
    assert by_queue(conn)["mail"].run_seconds(0.5) == 0.12
