"""S1, start-up: a worker that could not do what it would advertise never says that it lives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Connection, select

from tests.worker.runtime.bench import nothing, quick, registry
from worker.errors import ConfigurationError
from worker.queries.schema import runtime_heartbeats, worker_instances
from worker.runtime.hosting import start_job_worker
from worker.runtime.readiness import Readiness

Begin = Callable[..., None]


def lacks(setting: str) -> Callable[[], None]:
    """What is asked before a worker may take `send_email`, and finds this setting missing."""

    def ask() -> None:
        raise ConfigurationError(f"{setting}: not set")

    return ask


@pytest.fixture
def begin(url: str) -> Begin:
    """Starts a worker that has handlers for mail and other work, and stops it at once."""

    def begin(readiness: Readiness | None = None, **values: Any) -> None:
        known = registry(send_email=nothing, work=nothing)
        start_job_worker(quick(database_url=url, **values), known, readiness=readiness).stop()

    return begin


def advertised(conn: Connection) -> list[list[str]]:
    """The types that any worker ever said it runs, by instance and by component."""
    said = [row.job_types for row in conn.execute(select(worker_instances))]
    return said + [row.detail["job_types"] for row in conn.execute(select(runtime_heartbeats))]


@pytest.mark.parametrize(
    "values", [{"lease_seconds": 1}, {"worker_job_types": ["nope"]}, {"worker_job_types": ["provision_tenant"]}]
)
def test_s1_95_a_worker_that_is_refused_leaves_no_heartbeat(
    begin: Begin, conn: Connection, values: dict[str, Any]
) -> None:
    with pytest.raises(ConfigurationError):
        begin(**values)
    assert advertised(conn) == []


def test_s1_96_a_worker_for_mail_must_be_able_to_deliver_it(begin: Begin) -> None:
    with pytest.raises(ConfigurationError, match="WATCHFLOOR_MAIL_URI"):
        begin({"send_email": lacks("WATCHFLOOR_MAIL_URI")})


def test_s1_97_and_to_open_secrets(begin: Begin) -> None:
    with pytest.raises(ConfigurationError, match="WATCHFLOOR_SECRET_KEYS"):
        begin({"send_email": lacks("WATCHFLOOR_SECRET_KEYS")}, worker_job_types=["send_email"])


def test_s1_98_what_is_missing_ends_the_start_at_once_and_is_named(begin: Begin, conn: Connection) -> None:
    asked: list[str] = []
    readiness = {"send_email": lacks("WATCHFLOOR_MAIL_URI"), "work": lambda: asked.append("work")}
    with pytest.raises(ConfigurationError, match=r"^WATCHFLOOR_MAIL_URI: not set$"):
        begin(readiness)
    assert (asked, advertised(conn)) == ([], [])


def test_s1_99_a_worker_without_mail_is_asked_for_neither(begin: Begin, conn: Connection) -> None:
    begin({"send_email": lacks("WATCHFLOOR_MAIL_URI")}, worker_job_types=["work"])
    assert advertised(conn) == [["work"], ["work"]]


def test_s1_100_a_worker_that_cannot_deliver_mail_never_advertises_it(begin: Begin, conn: Connection) -> None:
    unready = {"send_email": lacks("WATCHFLOOR_SECRET_KEYS")}
    with pytest.raises(ConfigurationError):
        begin(unready)
    begin(unready, worker_job_types=["work"])
    assert "send_email" not in {name for types in advertised(conn) for name in types}
    begin({"send_email": lambda: None})
    assert ["send_email", "work"] in advertised(conn)
