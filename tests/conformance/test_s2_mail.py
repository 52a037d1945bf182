"""S2, mail: a job like any other, on a queue of its own, sent by the process that runs it, at least once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, Engine

from app.main import create_app, new_maintenance, new_worker
from app.settings import ConsoleSettings
from tests import mail_servers
from tests.app.shell import Shell
from tests.compose import services
from tests.conformance.acts import clock, jobs, relay, sweep
from tests.factories import attempts, stored
from tests.mail_servers import MailServer
from tests.post import KEY, LETTER, Post, make_due
from tests.worker.runtime.bench import Bench, Gate, nothing, put, quick, registry, settings, until
from worker import Event, publish
from worker.deployment import Deployment
from worker.errors import MailError, MailNotConfiguredError, TopologyRefused
from worker.handlers import Registry
from worker.handlers.send_email import deliver_email_job
from worker.mail import open_mailer
from worker.mail.console import mailbox
from worker.model import Job, Status, new_id
from worker.runtime.hosting import start_job_worker
from worker.settings import WorkerSettings
from worker.signals import Signal, enter, leave

MAIL = {"mail_uri": "memory://", "secret_keys": KEY}
CAPPED = {"lease_seconds": 30, "heartbeat_interval_seconds": 10, "max_runtime_seconds": 60}


@pytest.fixture(autouse=True)
def emptied() -> Iterator[None]:
    """The mailbox in memory is this test's."""
    mailbox().empty()
    yield
    mailbox().empty()


def test_s2_116_an_event_becomes_a_subscribers_job_and_that_a_mail(engine: Engine, conn: Connection) -> None:
    known = Registry()
    known.subscribers.register(
        "order.paid", "mail.thanks", lambda job: open_mailer(settings(**MAIL)).send(LETTER, delivery_id=job.id)
    )
    with engine.begin() as mine:
        publish(mine, Event("order.paid", {"order_id": 7}))
    relay(conn, known)
    bench = Bench(engine, known)
    bench.run(*bench.claim())
    (row,) = jobs(conn)
    assert (row.status, mailbox().all()) == ("succeeded", {row.id: LETTER})


def test_s2_117_a_mail_that_failed_is_tried_again_after_a_while(engine: Engine, conn: Connection) -> None:
    with mail_servers.refusing() as down, mail_servers.keeping() as up:
        job_id = Post(engine, up.uri()).enqueue()
        Post(engine, down.uri()).work()
        failed = stored(conn, job_id)
        assert (failed.status, failed.error_type) == ("queued", "MailError")
        assert failed.available_at > clock(conn)
        make_due(conn)
        Post(engine, up.uri()).work()
    assert stored(conn, job_id).status == "succeeded"
    assert up.deliveries == [str(job_id)]


def test_s2_117_and_a_dead_letter_in_the_end(engine: Engine, conn: Connection) -> None:
    with mail_servers.refusing() as server:
        job_id = _spent(Post(engine, server.uri()), conn)
    assert stored(conn, job_id).status == "failed"


def test_s2_118_mail_waits_on_a_queue_of_its_own(engine: Engine, conn: Connection) -> None:
    stuck = Post(engine)
    mail = stuck.enqueue()
    assert stored(conn, mail).queue == "mail"
    assert len(stuck.bench.claim()) == 1  # and is not over
    others = Bench(engine, registry(work=nothing), worker_queues=("default",))
    ids = put(engine, "work", "work")
    others.run(*others.claim())
    assert [stored(conn, each).status for each in ids] == ["succeeded"] * 2
    assert stored(conn, mail).status == "running"


def test_s2_119_the_serial_local_consumer_sends_it_in_turn_with_the_rest(
    engine: Engine, conn: Connection, url: str
) -> None:
    gate, post = Gate(), Post(engine)
    ran: list[Job] = []
    mail = post.enqueue()
    worker = start_job_worker(quick(database_url=url), registry(send_email=gate, work=ran.append))
    gate.await_entry()
    (other,) = put(engine, "work")
    until(lambda: stored(conn, other).status == "running")  # it is held beside the mail, and waits
    assert ran == []
    gate.free.set()
    until(lambda: {stored(conn, each).status for each in (mail, other)} == {Status.SUCCEEDED})
    worker.stop()


def test_s2_120_the_process_that_runs_it_sends_with_its_own_settings(engine: Engine) -> None:
    with mail_servers.keeping() as of_the_console, mail_servers.keeping() as of_the_worker:
        Post(engine, of_the_console.uri()).enqueue()
        Post(engine, of_the_worker.uri()).work()
    assert (len(of_the_console.mails), len(of_the_worker.mails)) == (0, 1)


@pytest.mark.postgresql
def test_s2_121_mail_in_memory_is_refused_where_there_are_several_processes(url: str) -> None:
    several: dict[str, Any] = {"database_url": url, "job_worker_mode": "standalone", **MAIL}
    console = ConsoleSettings.model_validate(several)
    starts: list[Callable[[], object]] = [
        lambda: create_app(console),
        lambda: new_worker(settings(**several), registry(work=nothing)),
        lambda: new_maintenance(settings(**several), Registry()),
    ]
    for start in starts:
        with pytest.raises(TopologyRefused, match=r"WATCHFLOOR_MAIL_URI=memory://.*JOB_WORKER_MODE=standalone"):
            start()


@pytest.mark.postgresql
@pytest.mark.parametrize("process", ["serve", "worker"])
def test_s2_121_and_so_it_is_by_each_command_that_is_one_of_several(url: str, process: str) -> None:
    said = Shell(url).refused(process, code=78, WATCHFLOOR_MAIL_URI="memory://", WATCHFLOOR_SECRET_KEYS=KEY)
    assert "WATCHFLOOR_MAIL_URI=memory:// keeps mail in one process" in said


def test_s2_122_mail_that_is_not_configured_is_retried_to_the_end(engine: Engine, conn: Connection) -> None:
    assert issubclass(MailNotConfiguredError, MailError)
    post = Post(engine)
    post.bench.registry.job_types._types.pop("send_email")
    post.bench.registry.job_types.register("send_email", partial(deliver_email_job, _without_mail()))
    job_id = _spent(post, conn)
    row = stored(conn, job_id)
    assert (row.status, row.error_type, len(attempts(conn, job_id))) == ("failed", "MailNotConfiguredError", 5)


def test_s2_123_a_lost_acknowledgement_sends_twice(engine: Engine, conn: Connection) -> None:
    with mail_servers.dropping() as server:
        post = Post(engine, server.uri())
        post.enqueue()
        post.work()
        make_due(conn)
        post.work()
    assert len(server.mails) == 2


def test_s2_124_one_send_is_bounded_however_slow_the_server(engine: Engine, conn: Connection) -> None:
    assert WorkerSettings.model_fields["mail_deadline_seconds"].default == 90
    with mail_servers.dripping(0.02) as server:
        post = Post(engine, server.uri(), mail_deadline_seconds=0.2)
        job_id = post.enqueue()
        began = time.monotonic()
        post.work()
    assert time.monotonic() - began < 10
    assert stored(conn, job_id).error_type == "MailError"


def test_s2_125_past_the_limit_the_lease_ends_and_another_delivers_it_again(engine: Engine, conn: Connection) -> None:
    with mail_servers.keeping() as server:
        first = Post(engine, server.uri(), **CAPPED)
        job_id = first.enqueue()
        (run,) = first.bench.claim()
        first.bench.held.begin(run)
        assert run.started_at
        run.started_at -= 61
        _send(first, run.job)  # it came through, but so late that nobody was waiting
        first.bench.fence.tick()
        assert run.signal.lease_lost
        sweep(conn, now=clock(conn) + timedelta(seconds=31))
        make_due(conn)
        Post(engine, server.uri(), **CAPPED).work()
    assert server.deliveries == [str(job_id)] * 2


@pytest.mark.parametrize("uri", ["memory://", "smtp", "ses://eu-central-1?{}", "azure://127.0.0.1:9?{}"])
def test_s2_126_a_lost_lease_stops_the_send_before_it_connects(uri: str) -> None:
    with mail_servers.keeping() as server:
        mailer = open_mailer(settings(mail_uri=_filled(uri, server)))
        enter(Signal(lease_lost=True))
        try:
            with pytest.raises(MailError, match="lease"):
                mailer.send(LETTER, delivery_id=new_id())
        finally:
            leave()
    assert (server.mails, mailbox().all()) == ([], {})


def test_s2_127_the_mail_group_of_the_sample_takes_few_at_a_time() -> None:
    groups = [each["environment"] for each in services().values() if "WATCHFLOOR_WORKER_JOB_TYPES" in str(each)]
    sizes = [int(each["WATCHFLOOR_BATCH_SIZE"]) for each in groups if "send_email" in str(each)]
    assert sizes
    assert max(sizes) <= 5


def _spent(post: Post, conn: Connection) -> Any:
    """A mail whose every attempt was made."""
    job_id = post.enqueue()
    for _ in range(5):
        post.work()
        make_due(conn)
    return job_id


def _send(post: Post, job: Job) -> None:
    handler = post.registry.handler(job)
    assert handler
    handler(job)


def _without_mail() -> Deployment:
    return Deployment(settings(secret_keys=KEY))


def _filled(uri: str, server: MailServer) -> str:
    return server.uri() if uri == "smtp" else uri.format("from=floor@example.org")
