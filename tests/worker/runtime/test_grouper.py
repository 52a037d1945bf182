"""The grouper: letters go where people decided, returns are kept."""

from sqlalchemy import Connection, Engine, select

from tests import factories
from tests.worker.runtime.bench import captured
from worker.failures import exact_fingerprint
from worker.model import Status
from worker.queries import grouping, groups
from worker.queries.audit import Actor
from worker.queries.schema import dead_letter_groups, platform_jobs
from worker.runtime.grouper import Grouper

LEE = Actor("lee")


def test_a_turn_moves_what_died_since_and_keeps_what_came_back(
    engine: Engine, app_rw: Engine, conn: Connection
) -> None:
    grouping.merge(conn, fingerprint="a", into="b", actor=LEE)
    groups.resolve(conn, fingerprint="c", actor=LEE)
    conn.commit()
    now = conn.execute(
        select(dead_letter_groups.c.state_at).where(dead_letter_groups.c.fingerprint == "c")
    ).scalar_one()
    for group in ("a", "c"):
        factories.job(conn, status=Status.FAILED, error_fingerprint=group, finished_at=now.replace(year=now.year + 1))
    conn.commit()
    log, said = captured()
    assert not Grouper(app_rw, log).tick()
    found = conn.execute(select(platform_jobs.c.error_fingerprint).order_by(platform_jobs.c.error_fingerprint))
    assert list(found.scalars()) == ["b", "c"]
    state = conn.execute(select(dead_letter_groups.c.state).where(dead_letter_groups.c.fingerprint == "c"))
    assert state.scalar_one() == "returned"
    assert [entry["event"] for entry in said.entries] == ["groups.returned"]


def test_a_turn_makes_a_group_of_a_message_that_is_new(engine: Engine, app_rw: Engine, conn: Connection) -> None:
    grouping.split(conn, fingerprint="a", actor=LEE)
    said = {"error_type": "Timeout", "error_summary": "host 3 is down", "error_fingerprint": "a"}
    factories.job(conn, status=Status.FAILED, job_type="send_digest", **said)
    conn.commit()
    assert not Grouper(app_rw, captured()[0]).tick()
    home = exact_fingerprint("send_digest", "Timeout", "host 3 is down")
    assert list(conn.execute(select(platform_jobs.c.error_fingerprint)).scalars()) == [home]
