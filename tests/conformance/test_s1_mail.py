"""S1, mail: sealed in the outbox, opened at the moment of sending, and sent under one id however often that takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, select

from tests import mail_servers
from tests.azure_mail import azure_mail
from tests.certificates import certificate
from tests.conformance.acts import SEALED, clock, jobs, sweep
from tests.factories import attempts, stored
from tests.post import LETTER, SECRET, SUBJECT, TO, Post, make_due
from tests.worker.runtime.bench import settings
from worker.errors import InvalidInput
from worker.job_types import JobTypes
from worker.mail import email_delivery_readiness
from worker.mail.console import mailbox
from worker.mail_jobs import build_email_job_payload
from worker.model import Job, new_id
from worker.new_jobs import NewJob
from worker.queries.jobs import enqueue
from worker.queries.schema import metadata


@pytest.fixture(autouse=True)
def emptied() -> Iterator[None]:
    """The mailbox in memory is this test's."""
    mailbox().empty()
    yield
    mailbox().empty()


def everything(conn: Connection) -> str:
    """Every row of every table, as text."""
    rows = {table.name: [tuple(row) for row in conn.execute(select(table))] for table in metadata.sorted_tables}
    return json.dumps(rows, default=str)


def test_s1_119_recipient_subject_and_body_are_never_stored_as_text(engine: Engine, conn: Connection) -> None:
    post = Post(engine)
    post.enqueue()
    before = everything(conn)
    post.work()
    for said in (before, everything(conn)):
        assert not any(each in said for each in (TO, SUBJECT, SECRET, "shop.example"))


def test_s1_120_what_is_sealed_is_recipient_subject_and_body(engine: Engine) -> None:
    envelope, job_id = Post(engine).envelope, new_id()
    payload = build_email_job_payload(envelope, LETTER, job_id=job_id, tenant_id=None)
    plain = envelope.open(payload["ciphertext"], bound_to=f"job {job_id} of tenant nobody")
    assert json.loads(plain) == {"to": TO, "subject": SUBJECT, "body": LETTER.body}


def test_s1_121_the_payload_is_the_schemas_name_and_the_ciphertext(engine: Engine, conn: Connection) -> None:
    post = Post(engine)
    row = stored(conn, post.enqueue())
    assert row.payload.keys() == {"schema", "ciphertext"}
    assert row.payload["schema"] == "watchfloor.email.v1"


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"to": TO, "subject": SUBJECT, "body": SECRET},
        SEALED | {"to": TO},
        SEALED | {"schema": "causeloop.email.v2"},
        SEALED | {"schema": TO},
        SEALED | {"ciphertext": TO},
        SEALED | {"ciphertext": ""},
        SEALED | {"ciphertext": "c2Vh="},
        SEALED | {"ciphertext": ["c2VhbGVk"]},
        SEALED | {"ciphertext": "c2VhbGVk\n"},
        [TO],
        TO,
        None,
    ],
)
def test_s1_123_any_other_shape_is_refused_and_not_repeated(conn: Connection, payload: Any) -> None:
    with pytest.raises(InvalidInput) as refusal:
        enqueue(conn, JobTypes(), NewJob("send_email", payload))
    assert "shop.example" not in str(refusal.value) + repr(refusal.value)
    assert jobs(conn) == []


def test_s1_124_it_is_opened_at_the_moment_of_sending_and_not_before(engine: Engine) -> None:
    post = Post(engine)
    job_id = post.enqueue()
    (run,) = post.bench.claim()
    assert TO not in repr(run) + repr(run.job.__dict__)
    post.bench.run(run)
    assert mailbox().all() == {job_id: LETTER}
    assert TO not in repr(run) + repr(run.job.__dict__)


def test_s1_125_there_are_four_ways_to_send(engine: Engine) -> None:
    sender = "from=floor@example.org"
    for uri in ("memory://", f"smtp://mail?{sender}", f"ses://eu-central-1?{sender}", f"azure://floor?{sender}"):
        assert email_delivery_readiness(settings(mail_uri=uri)) is None
    unknown = email_delivery_readiness(settings(mail_uri=f"pigeon://mail?{sender}"))
    assert unknown
    assert unknown.startswith("WATCHFLOOR_MAIL_URI")


def test_s1_126_the_id_of_a_delivery_is_the_jobs_and_stays(engine: Engine, conn: Connection) -> None:
    with mail_servers.dropping() as server:
        post = Post(engine, server.uri())
        job_id = post.enqueue()
        post.work()
        make_due(conn)
        post.work()
    assert server.deliveries == [str(job_id)] * 2
    assert [each.attempt for each in attempts(conn, job_id)] == [1, 2]


def test_s1_127_the_mailbox_in_memory_holds_a_delivery_once(engine: Engine) -> None:
    post = Post(engine)
    job_id = post.enqueue()
    (run,) = post.bench.claim()
    handler = post.registry.handler(run.job)
    assert handler
    handler(run.job)
    post.bench.run(run)
    assert mailbox().all() == {job_id: LETTER}


def test_s1_128_a_mail_has_the_id_in_a_header(engine: Engine) -> None:
    with mail_servers.keeping() as server:
        post = Post(engine, server.uri())
        job_id = post.enqueue()
        post.work()
    (mail,) = server.mails
    assert mail["X-CauseLoop-Delivery-ID"] == str(job_id)


def test_s1_129_to_azure_it_is_the_operations_id(
    engine: Engine, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = certificate(tmp_path_factory.mktemp("certificate"))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(pair.chain))
    with azure_mail(pair.context()) as azure:
        post = Post(engine, azure.uri())
        job_id = post.enqueue()
        post.work()
    assert [headers["Operation-Id"] for headers in azure.asked] == [str(job_id)]


def test_s1_130_a_mail_that_was_sent_before_a_crash_is_sent_again_under_its_id(
    engine: Engine, conn: Connection
) -> None:
    with mail_servers.keeping() as server:
        post = Post(engine, server.uri())
        job_id = post.enqueue()
        _sent_and_not_written_down(post)
        sweep(conn, now=clock(conn) + timedelta(hours=1))
        make_due(conn)
        Post(engine, server.uri()).work()
    assert server.deliveries == [str(job_id)] * 2
    assert [each.outcome for each in attempts(conn, job_id)] == ["lease_expired", "completed"]


def _sent_and_not_written_down(post: Post) -> Job:
    """What a process did that died after the server's answer."""
    (run,) = post.bench.claim()
    handler = post.registry.handler(run.job)
    assert handler
    handler(run.job)
    return run.job
