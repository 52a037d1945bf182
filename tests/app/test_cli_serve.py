"""The console without a worker: it relays and answers, whether or not the database does."""

from __future__ import annotations

import signal
import urllib.error

import pytest
from sqlalchemy import Connection, func, select

from tests.app.program import get, interpreter, program, until
from tests.app.shell import HANDLERS, Shell
from worker.queries import schema

NOWHERE = "postgresql://nobody@127.0.0.1:9/none"
SERVE = ("serve", "--json", "--port", "0")


def test_events_are_fanned_out_and_nothing_is_run(url: str, conn: Connection) -> None:
    jobs = select(schema.platform_jobs.c.subscriber_id, schema.platform_jobs.c.status)
    with interpreter(*SERVE, DATABASE_URL=url, WATCHFLOOR_HANDLERS=HANDLERS) as console:
        assert get(console.document()["url"] + "/health/live")[0] == 200
        Shell(url).ok("publish", "order.created")
        until(lambda: len(conn.execute(jobs).all()) == 3)
        console.signal(signal.SIGTERM)
        assert console.end()[0] == 0
    assert set(conn.execute(jobs)) == {
        ("crm.sync", "queued"),
        ("invoice.render", "queued"),
        ("stock.reserve", "queued"),
    }
    assert conn.execute(select(func.count()).select_from(schema.worker_instances)).scalar() == 0


def test_without_its_database_it_says_so_instead_of_ending() -> None:
    with program(*SERVE, DATABASE_URL=NOWHERE) as console:
        url = console.document()["url"]
        assert get(url + "/health/live")[0] == 200
        with pytest.raises(urllib.error.HTTPError, match="503"):
            get(url + "/sign-in")
        console.signal(signal.SIGTERM)
        assert console.end()[0] == 0
