"""`send_email`: run where it can be, opened for its own job alone, and asked for twice the same job."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import Connection, Engine

from tests.factories import stored, tenant
from tests.post import KEY, LETTER, Post, make_due
from tests.worker.runtime.bench import settings
from worker.deployment import Deployment
from worker.errors import EnvelopeError, InvalidInput, KeyReused
from worker.handlers import Registry, configured, send_email
from worker.mail.console import mailbox
from worker.mail_jobs import build_email_job_payload, enqueue_email_job, opened
from worker.model import Job, new_id
from worker.new_jobs import NewJob
from worker.queries.jobs import enqueue


@pytest.fixture(autouse=True)
def emptied() -> Iterator[None]:
    """The mailbox in memory is this test's."""
    mailbox().empty()
    yield
    mailbox().empty()


@pytest.mark.parametrize(
    ("values", "runs"),
    [
        ({"mail_uri": "memory://", "secret_keys": KEY}, True),
        ({"mail_uri": "memory://"}, False),
        ({"secret_keys": KEY}, False),
        ({"mail_uri": "pigeon://", "secret_keys": KEY}, False),
        ({"mail_uri": "memory://", "secret_keys": KEY, "job_worker_mode": "standalone"}, False),
    ],
)
def test_it_is_run_where_mail_can_be_sent_and_opened(values: dict[str, Any], runs: bool) -> None:
    assert ("send_email" in configured(settings(**values)).capabilities()) is runs


def test_a_host_that_sends_mail_itself_goes_on_doing_so() -> None:
    def own(_job: Job) -> None: ...

    known = Registry()
    known.job_types.register("send_email", own)
    send_email.register(known, Deployment(settings(mail_uri="memory://", secret_keys=KEY)))
    assert known.job_types.handler("send_email") is own


def test_a_mail_of_a_tenant_arrives(engine: Engine, conn: Connection) -> None:
    post = Post(engine)
    job_id = post.enqueue(tenant_id=tenant(conn))
    post.work()
    assert mailbox().all() == {job_id: LETTER}


def test_what_was_sealed_for_one_job_is_opened_for_no_other(engine: Engine, conn: Connection) -> None:
    post, ours, theirs = Post(engine), tenant(conn), tenant(conn, "globex")
    job_id = new_id()
    payload = build_email_job_payload(post.envelope, LETTER, job_id=job_id, tenant_id=ours)
    for other in ({"job_id": new_id(), "tenant_id": ours}, {"job_id": job_id, "tenant_id": theirs}):
        with pytest.raises(EnvelopeError):
            opened(post.envelope, payload, **other)
    enqueue(conn, post.registry.job_types, NewJob("send_email", payload, theirs))
    post.work()
    assert mailbox().all() == {}


def test_a_payload_that_is_no_envelope_is_not_repeated(engine: Engine) -> None:
    with pytest.raises(InvalidInput) as refusal:
        opened(Post(engine).envelope, {"to": "ada@shop.example"}, job_id=new_id(), tenant_id=None)
    assert "shop.example" not in str(refusal.value)


def test_a_mail_asked_for_again_under_its_key_is_the_same_job(engine: Engine, conn: Connection) -> None:
    post = Post(engine)
    first = post.enqueue(idempotency_key="reset:7")
    again = enqueue_email_job(conn, post.registry.job_types, post.envelope, LETTER, idempotency_key=" reset:7 ")
    assert (again.id, again.created, again.status) == (first, False, "queued")
    post.work()
    once_more = enqueue_email_job(conn, post.registry.job_types, post.envelope, LETTER, idempotency_key="reset:7")
    assert (once_more.id, once_more.status) == (first, "succeeded")
    assert list(mailbox().all()) == [first]


def test_a_57_another_mail_under_that_key_is_refused(engine: Engine, conn: Connection) -> None:
    post, acme = Post(engine), tenant(conn)
    post.enqueue(idempotency_key="reset:7")
    enqueue(conn, post.registry.job_types, NewJob("materialize_insights", {}, acme, idempotency_key="reset:7"))
    other = replace(LETTER, subject="Something else")
    for message, tenant_id in ((other, None), (LETTER, acme)):
        with pytest.raises(KeyReused) as refusal:
            enqueue_email_job(conn, post.registry.job_types, post.envelope, message, tenant_id=tenant_id,
                              idempotency_key="reset:7")  # fmt: skip
        assert "shop.example" not in str(refusal.value)


def test_a_42_with_another_key_nothing_is_sent_until_the_right_one_is_back(engine: Engine, conn: Connection) -> None:
    old, new = KEY, Fernet.generate_key().decode()
    job_id = Post(engine, secret_keys=old).enqueue()
    Post(engine, secret_keys=new).work()
    waiting = stored(conn, job_id)
    assert (waiting.status, waiting.attempts, waiting.error_detail) == (
        "queued",
        1,
        "Email delivery failed; provider detail withheld.",
    )
    rotated = Post(engine, secret_keys=f"{new},{old}")
    later = rotated.enqueue()
    make_due(conn)
    rotated.work()
    rotated.work()
    assert set(mailbox().all()) == {job_id, later}
