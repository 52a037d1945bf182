"""A mail is planted, and looked for everywhere but in the mailbox: no row, page or log may have a word of it."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from click.testing import CliRunner
from cryptography.fernet import Fernet
from sqlalchemy import Connection, Engine, make_url, text
from sqlalchemy.exc import DBAPIError
from starlette.testclient import TestClient

from app import sessions
from app.cli import main as command
from app.main import create_app
from app.settings import ConsoleSettings
from tests import factories, files, mail_servers
from tests.app.conftest import browser
from tests.app.program import program, until
from tests.cluster import HASTY, throwaway
from tests.factories import stored
from tests.nursery import child
from tests.post import KEY, LETTER, SECRET, TO, Post, make_due
from tests.worker.runtime.process import end_leases
from worker import migrate
from worker.database import autocommit, connect
from worker.errors import InvalidInput
from worker.job_types import JobTypes
from worker.new_jobs import NewJob
from worker.postgres_programs import find
from worker.queries import sessions as kept
from worker.queries.jobs import enqueue
from worker.queries.recovery import recover

PLANTED = ("planted", "shop.example", SECRET)
PLAIN = {"to": TO, "subject": LETTER.subject, "body": LETTER.body}
BY_HAND = (
    "SELECT control.enqueue_job('send_email', CAST(:payload AS jsonb))",
    (
        "INSERT INTO control.platform_jobs (id, job_type, payload, available_at, created_at, updated_at)"
        " VALUES (gen_random_uuid(), 'send_email', CAST(:payload AS jsonb), now(), now(), now())"
    ),
)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A server that keeps its log."""
    with throwaway((*HASTY, "logging_collector=on", "log_filename=server.log")) as url:
        yield url


@pytest.fixture(scope="module")
def engine(server: str) -> Iterator[Engine]:
    """Its own database, with all that happens to a mail already over."""
    maintenance = connect(server, application_name="tests")
    with autocommit(maintenance).connect() as conn:
        conn.execute(text("CREATE DATABASE watchfloor"))
    maintenance.dispose()
    url = make_url(server).set(database="watchfloor").render_as_string(hide_password=False)
    engine = connect(url, application_name="tests")
    migrate.upgrade(engine)
    yield engine
    engine.dispose()


@pytest.fixture(scope="module")
def url(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False)


@pytest.fixture
def console(engine: Engine, conn: Connection, url: str) -> TestClient:
    """An operator's browser."""
    token, now = secrets.token_hex(8), datetime.now(UTC)
    operator = factories.operator(conn, f"dana-{token}")
    kept.open_session(conn, operator_id=operator, token_hash=sessions.digest(token), idle_seconds=3600,
                      length_seconds=3600, address="127.0.0.1", user_agent="tests", now=now)  # fmt: skip
    return browser(create_app(ConsoleSettings.model_validate({"database_url": url}), engine=engine), token)


def send_and_die(arguments: list[str]) -> None:
    """Claim a mail, send it if told to, and be killed before that is written down."""
    url, uri, is_sent = arguments
    post = Post(connect(url, application_name="mortal"), uri)
    (run,) = post.bench.claim()
    handler = post.registry.handler(run.job)
    assert handler
    if is_sent == "sent":
        handler(run.job)
    os.kill(os.getpid(), signal.SIGKILL)


def leaks(said: str) -> list[str]:
    """What of the mail is in it."""
    return [each for each in PLANTED if each in said]


def dump(url: str) -> str:
    """The whole database."""
    address = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    return subprocess.check_output([find() / "pg_dump", "--dbname", address], text=True)


def server_log(url: str) -> str:
    """What the server wrote since it started."""
    return Path(str(make_url(url).query["host"]), "data", "log", "server.log").read_text()


def pages(console: TestClient, *jobs: UUID) -> str:
    """Everything that is shown."""
    paths = [
        "/",
        "/jobs",
        "/jobs?status=failed",
        "/dead-letters",
        "/queues",
        "/workers",
        "/audit",
        "/audit?action=replay",
    ]
    paths += [
        path.format(job) for job in jobs for path in ("/jobs/{}", "/replays/new?job={}", "/cancellations/new?job={}")
    ]
    answers = [console.get(path) for path in paths]
    assert {answer.status_code for answer in answers} == {200}
    return "\n".join(answer.text for answer in answers)


def worked(url: str, uri: str, conn: Connection, job: UUID, status: str, **more: str) -> str:
    """What a worker logs until the job has come to that."""
    named = {"DATABASE_URL": url, "WATCHFLOOR_MAIL_URI": uri, "WATCHFLOOR_SECRET_KEYS": KEY, "LOG_LEVEL": "DEBUG"}
    named |= {"WATCHFLOOR_WORKER_JOB_TYPES": "send_email", "WATCHFLOOR_POLL_INTERVAL_SECONDS": "0.1"}
    with program("worker", **named | more) as worker:
        until(lambda: stored(conn, job).status == status)
        worker.signal(signal.SIGTERM)
        code, log = worker.end()
        log += worker.process.said()
    assert code == 0
    assert "send_email" in log
    return log


@pytest.mark.postgresql
def test_s1_109_a_mail_that_was_sent_leaves_no_word_behind(
    url: str, engine: Engine, conn: Connection, console: TestClient
) -> None:
    with mail_servers.keeping() as mails:
        job = Post(engine).enqueue()
        log = worked(url, mails.uri(), conn, job, "succeeded")
    (mail,) = mails.mails
    assert leaks(mail.as_string()) == [*PLANTED]
    assert leaks(dump(url) + log + pages(console, job) + server_log(url)) == []


@pytest.mark.postgresql
def test_s1_109_nor_does_one_that_was_refused_replayed_and_refused_again(
    url: str, engine: Engine, conn: Connection, console: TestClient
) -> None:
    with mail_servers.refusing() as mails:
        job = Post(engine, max_attempts=1).enqueue()
        log = worked(url, mails.uri(), conn, job, "failed")
        said = pages(console, job)
        form = {"reason": "provider is back", "back": "/dead-letters"}
        assert console.post(f"/dead-letters/{job}/replays", data=form).status_code == 303
        assert stored(conn, job).status == "queued"
        log += worked(url, mails.uri(), conn, job, "failed")
    assert mails.connections == 2
    assert stored(conn, job).error_detail == "Email delivery failed; provider detail withheld."
    assert "Email delivery failed; provider detail withheld." in said
    assert "This sends e-mail." in said
    assert leaks(dump(url) + log + said + pages(console, job) + server_log(url)) == []


@pytest.mark.postgresql
def test_s1_109_nor_does_one_that_no_key_opens(url: str, engine: Engine, conn: Connection, console: TestClient) -> None:
    job = Post(engine, secret_keys=Fernet.generate_key().decode(), max_attempts=1).enqueue()
    with mail_servers.keeping() as mails:
        log = worked(url, mails.uri(), conn, job, "failed")
    assert mails.mails == []
    ciphertext = stored(conn, job).payload["ciphertext"]
    assert leaks(dump(url) + log + pages(console, job) + server_log(url)) == []
    assert ciphertext not in log + pages(console, job)


@pytest.mark.postgresql
@pytest.mark.parametrize("payload", [PLAIN, {"schema": "watchfloor.email.v1", "ciphertext": TO}])
def test_s1_123_nor_does_one_that_was_never_sealed(
    url: str, conn: Connection, monkeypatch: pytest.MonkeyPatch, payload: dict[str, str]
) -> None:
    with pytest.raises(InvalidInput) as in_python:
        enqueue(conn, JobTypes(), NewJob("send_email", payload))
    said = repr(in_python.value)
    for statement in BY_HAND:
        with pytest.raises(DBAPIError, match="takes only the encrypted envelope") as in_sql:
            conn.execute(text(statement), {"payload": json.dumps(payload)})
        said += str(in_sql.value.orig)
    monkeypatch.setenv("DATABASE_URL", url)
    by_command = CliRunner().invoke(command, ["enqueue", "send_email", "--payload", json.dumps(payload)])
    assert by_command.exit_code == 2
    assert leaks(said + by_command.output + dump(url) + server_log(url)) == []


@pytest.mark.postgresql
@pytest.mark.parametrize("moment", ["sent", "claimed"])
def test_a_62_nor_does_a_crash_and_the_second_copy_has_the_first_ones_id(
    url: str, engine: Engine, conn: Connection, console: TestClient, moment: str
) -> None:
    with mail_servers.keeping() as mails:
        job = Post(engine).enqueue()
        with child(send_and_die, url, mails.uri(), moment, environment={}) as mortal:
            assert mortal.wait() == -signal.SIGKILL
            log = mortal.said() + mortal.complained()
        end_leases(conn)
        with engine.begin() as mine:
            recover(mine, stale_after_seconds=900)
        make_due(conn)
        log += worked(url, mails.uri(), conn, job, "succeeded")
    assert mails.deliveries == [str(job)] * (2 if moment == "sent" else 1)
    assert [each.outcome for each in factories.attempts(conn, job)] == ["lease_expired", "completed"]
    assert leaks(dump(url) + log + pages(console, job) + server_log(url)) == []


def test_s1_119_nor_is_a_word_of_it_in_the_file_of_a_sqlite_database(file: Path, tmp_path: Path) -> None:
    engine = files.fresh(file, tmp_path / "watchfloor.db")
    with mail_servers.refusing() as down, mail_servers.keeping() as up, autocommit(engine).connect() as conn:
        Post(engine).enqueue()
        Post(engine, down.uri()).work()
        make_due(conn)
        Post(engine, up.uri()).work()
    assert len(up.mails) == 1
    engine.dispose()
    written = [path.read_bytes() for path in tmp_path.iterdir() if path.is_file()]
    assert written
    assert [each for each in PLANTED for part in written if each.encode() in part] == []
