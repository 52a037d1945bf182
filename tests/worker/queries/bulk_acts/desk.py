"""What the tests of acts do again and again: choose, press, and let a worker take what is due."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, select

from tests import factories
from tests.factories import NOON
from worker.database import Row
from worker.failures import Failure
from worker.model import AttemptOutcome, Job, Status
from worker.queries.audit import Actor
from worker.queries.bulk_acts import acts, members, work
from worker.queries.bulk_acts.acts import Action, Mode, Terms
from worker.queries.claims import claim
from worker.queries.outcomes import finish
from worker.queries.results import Result
from worker.queries.schema import bulk_act_jobs, operator_action_jobs

DANA, MIRA = Actor("dana", "10.0.0.7", "req-1"), Actor("mira")
SAME = Failure("ValueError", "no such template", "ValueError: no such template", "f" * 16)
NEW = Failure("KeyError", "'total'", "KeyError: 'total'", "0" * 16)


def die(conn: Connection, **columns: Any) -> UUID:
    """A dead letter of a minute ago."""
    return factories.job(conn, status=Status.FAILED, **{"finished_at": NOON - timedelta(minutes=1)} | columns)


def press(
    conn: Connection, ids: Sequence[UUID], *, now: datetime = NOON, who: Actor = DANA, shown: int = 0, **terms: Any
) -> Row:
    """Choose these jobs and confirm; a replay of all now, due after eight seconds, unless said otherwise."""
    given: dict[str, Any] = {"action": Action.REPLAY, "undo_seconds": 8} | terms
    chosen: dict[str, Any] = {"chosen": members.BY_ID, "values": {"of_ids": list(ids)}, "shown": shown}
    with conn.engine.begin() as mine:
        return work.begin(mine, terms=Terms(**given), **chosen, actor=who, reason="fixed", now=now)


def step(conn: Connection, now: datetime) -> Row | None:
    """The next step of an act that is due, in a transaction of its own."""
    with conn.engine.begin() as mine:
        return work.step(mine, now=now)


def steps(conn: Connection, now: datetime) -> None:
    """All steps that are due by then."""
    while step(conn, now):
        pass


def rated(conn: Connection, ids: Sequence[UUID], rate: int, **terms: Any) -> Row:
    """The same at so many a second, due at once."""
    return press(conn, ids, mode=Mode.RATE, rate=rate, undo_seconds=0, **terms)


def now_of(conn: Connection, act: Row) -> Row:
    """The act as it is by now."""
    found = acts.get(conn, act_id=act.id)
    assert found is not None
    return found


def claimed(conn: Connection, now: datetime, limit: int = 1000) -> list[Job]:
    """What a worker takes that looks at this time."""
    wanted: dict[str, Any] = {"job_types": ["render_report"], "queues": None, "after": ""}
    return claim(conn, instance_id="me", limit=limit, lease_seconds=300, now=now, **wanted)


def ran(conn: Connection, now: datetime, failure: Failure | None = None, limit: int = 1000) -> int:
    """Let a worker take and run all that is due: to success, or to its death by this error; how many those were."""
    outcome = AttemptOutcome.DEAD_LETTER if failure else AttemptOutcome.COMPLETED
    taken = claimed(conn, now, limit)
    finish(conn, instance_id="me", results=[Result(each, outcome, 1, failure=failure) for each in taken], now=now)
    return len(taken)


def states(conn: Connection, act: Row) -> list[tuple[str, str | None]]:
    """What became of each of its jobs, and why, in their order."""
    of = select(bulk_act_jobs.c.state, bulk_act_jobs.c.why).where(bulk_act_jobs.c.act_id == act.id)
    return [(row.state, row.why) for row in conn.execute(of.order_by(bulk_act_jobs.c.place))]


def told(conn: Connection, action_id: int) -> set[UUID]:
    """The jobs under a row of the audit trail."""
    of = select(operator_action_jobs.c.job_id).where(operator_action_jobs.c.action_id == action_id)
    return set(conn.execute(of).scalars())


def statuses(conn: Connection, ids: Sequence[UUID]) -> list[str]:
    """The states of some jobs."""
    return [factories.stored(conn, each).status for each in ids]
