"""The notifier: hints ring bells, and a dead connection is replaced without anybody noticing."""

import os
import signal
from collections.abc import Iterator
from threading import Event

import pytest
from sqlalchemy import Connection, text

from tests.worker.runtime.bench import PATIENCE_SECONDS, captured, until
from worker.runtime.notifier import Notifier


@pytest.fixture
def bell() -> Event:
    return Event()


@pytest.fixture
def notifier(url: str, bell: Event, conn: Connection) -> Iterator[Notifier]:
    until(lambda: not listeners(conn))  # the server may still be about to see the last test's off
    log, _ = captured()
    notifier = Notifier(url, {"watchfloor_jobs": bell}, log=log)
    yield notifier
    notifier.stop()


def listeners(conn: Connection) -> list[int]:
    rows = conn.execute(
        text(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'watchfloor listener' AND state = 'idle'"
            " AND query ILIKE 'listen%' AND datname = current_database()"
        )
    )
    return list(rows.scalars())


def test_a_hint_rings_the_bell_of_its_channel(notifier: Notifier, bell: Event, conn: Connection) -> None:
    notifier.start()
    until(lambda: listeners(conn))
    conn.execute(text("NOTIFY watchfloor_outbox"))
    conn.execute(text("NOTIFY watchfloor_jobs"))
    assert bell.wait(PATIENCE_SECONDS)


def test_a_connection_that_is_cut_is_opened_anew(notifier: Notifier, bell: Event, conn: Connection) -> None:
    notifier._listening._retry_seconds = 0.01
    notifier.start()
    until(lambda: listeners(conn))
    (before,) = listeners(conn)
    conn.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": before})
    until(lambda: listeners(conn) not in ([], [before]))
    conn.execute(text("NOTIFY watchfloor_jobs"))
    assert bell.wait(PATIENCE_SECONDS)


def test_a_17_a_connection_that_has_died_silently_is_given_up_and_replaced(
    notifier: Notifier, bell: Event, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.runtime.notifier._QUIET_SECONDS", 0.05)
    monkeypatch.setattr("worker.runtime.notifier._PATIENCE_SECONDS", 0.5)
    notifier._listening._retry_seconds = 0.01
    notifier.start()
    until(lambda: listeners(conn))
    (silent,) = listeners(conn)
    os.kill(silent, signal.SIGSTOP)  # from here on the server neither answers nor closes
    try:
        until(lambda: notifier.check() or listeners(conn) not in ([], [silent]))
        conn.execute(text("NOTIFY watchfloor_jobs"))
        assert bell.wait(PATIENCE_SECONDS)
    finally:
        os.kill(silent, signal.SIGCONT)


def test_the_stop_does_not_wait_for_a_hint(url: str, conn: Connection) -> None:
    until(lambda: not listeners(conn))
    log, said = captured()
    notifier = Notifier(url, {"watchfloor_jobs": Event()}, log=log)
    notifier.start()
    until(lambda: listeners(conn))
    notifier.stop()
    until(lambda: not listeners(conn))
    assert said.entries == []
