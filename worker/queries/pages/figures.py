"""The figures that every viewer shares, read in a handful of statements at most once a second (see `app.sampler`)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, func, select

from worker.database import moment
from worker.queries import queues
from worker.queries.operators import Role
from worker.queries.pages import backlog, fleet, flow, releases
from worker.queries.pages.backlog import COUNTED, SHEET, Backlog, Depths
from worker.queries.pages.fleet import State, Worker
from worker.queries.pages.flow import Hour
from worker.queries.pages.outbox import OUTBOX
from worker.queries.pages.provisioning import PROVISION_TENANT
from worker.queries.pages.releases import Release
from worker.queries.pages.transactions import OLDEST
from worker.queries.schema import bulk_acts, operator_actions, tenants

RELEASES_WITHIN = timedelta(days=8)
TENANTS = select(tenants.c.onboarding_status, func.count().label("tenants")).group_by(tenants.c.onboarding_status)
_done = bulk_acts.c.done + bulk_acts.c.skipped + bulk_acts.c.failed + bulk_acts.c.undone
_told = bulk_acts.c.passed + bulk_acts.c.same_error + bulk_acts.c.new_error
CLOCK = select(
    moment().label("now"),
    select(func.max(operator_actions.c.id)).scalar_subquery().label("audit_id"),
    select(func.coalesce(func.sum(_done + _told), 0))
    .where(bulk_acts.c.next_at.is_not(None))
    .scalar_subquery()
    .label("acts"),
)


@dataclass(frozen=True, slots=True)
class NavItem:
    """One line of the rail of whoever may open it; `count`, a number or words, alarms when it needs a person."""

    key: str
    label: str
    href: str
    count: str | None = None
    alarm: bool = False
    role: Role = "viewer"


@dataclass(frozen=True, slots=True)
class Unserved:
    """A job type that waits on queues where no live worker takes it; at least `ready` of them."""

    job_type: str
    queues: tuple[str, ...]
    ready: int
    since: datetime
    more: bool


@dataclass(frozen=True)
class Figures:
    """What one sample found; what follows from it is computed when it is asked for."""

    at: datetime
    backlog: tuple[Backlog, ...]
    depths: Depths
    held: tuple[Any, ...]
    workers: tuple[Worker, ...]
    hour: Hour
    paused: dict[str, Row[Any]]
    outbox: Row[Any]
    tenants: dict[str, int]
    audit_id: int
    acts: int
    transaction: Any
    releases: list[Release]
    progress: float
    tenant_id: UUID | None = None
    """Whose they are; of everybody where it is None. Workers, pauses and events are everybody's in any case."""

    @cached_property
    def ready(self) -> int:
        """Jobs that are due now."""
        return sum(self.depths.ready.values())

    @cached_property
    def running(self) -> int:
        """Jobs that some worker holds."""
        return sum(each.running for each in self.backlog)

    @cached_property
    def dead(self) -> int:
        """Dead letters."""
        return self.depths.dead

    @cached_property
    def arrived(self) -> float:
        """New jobs per minute."""
        return sum(each.arrived for each in self.hour.flows)

    @cached_property
    def finished(self) -> float:
        """Jobs per minute that came to an end."""
        return sum(each.finished for each in self.hour.flows)

    @cached_property
    def failed(self) -> float:
        """Attempts per minute that failed, whether or not they are tried again."""
        return sum(each.failed for each in self.hour.flows)

    @cached_property
    def attempts(self) -> float:
        """Attempts per minute that ended."""
        return sum(each.attempts for each in self.hour.flows)

    @property
    def partial(self) -> bool:
        """Whether there are more scheduled or dead jobs than were told apart by queue."""
        more_scheduled = self.depths.scheduled > sum(each.scheduled for each in self.backlog)
        more_dead = self.depths.dead > sum(each.dead for each in self.backlog)
        return max(self.depths.scheduled, self.depths.dead) > SHEET and (more_scheduled or more_dead)

    @cached_property
    def ready_since(self) -> datetime | None:
        """When the oldest ready job came due."""
        return min((each.ready_since for each in self.backlog if each.ready_since), default=None)

    @cached_property
    def live(self) -> tuple[Worker, ...]:
        """Workers that beat, the draining among them."""
        return tuple(each for each in self.workers if each.state in (State.LIVE, State.DRAINING))

    @cached_property
    def silent(self) -> tuple[Worker, ...]:
        """Workers that fell silent within the hour, or hold jobs still."""
        return tuple(
            each
            for each in self.workers
            if each.state is State.SILENT and (each.held or self.at - each.heartbeat_at < fleet.GONE_AFTER)
        )

    @cached_property
    def busy(self) -> int:
        """How many jobs the live workers hold."""
        return sum(each.busy for each in self.live)

    @cached_property
    def slots(self) -> int:
        """How many jobs the live workers can run at once."""
        return sum(each.concurrency for each in self.live if each.state is State.LIVE)

    def takers(self, job_type: str, queue: str) -> list[Worker]:
        """The live workers that would claim such a job."""
        return [each for each in self.workers if each.takes(job_type, queue)]

    @cached_property
    def unserved(self) -> tuple[Unserved, ...]:
        """What is ready and nobody live can run, the longest waiting first."""
        found: dict[str, list[Backlog]] = {}
        for each in self.backlog:
            if each.ready and not self.takers(each.job_type, each.queue):
                found.setdefault(each.job_type, []).append(each)
        return tuple(sorted((self._unserved(*item) for item in found.items()), key=lambda each: each.since))

    @cached_property
    def provisioned_queues(self) -> frozenset[str] | None:
        """The queues from which a live worker takes provisionings; None when one takes them from any."""
        able = [each for each in self.workers if each.state is State.LIVE and PROVISION_TENANT in each.job_types]
        if any(each.queues is None for each in able):
            return None
        return frozenset(queue for each in able for queue in each.queues or ())

    def is_deeper(self, queue: str) -> bool:
        """Whether more is ready on the queue than was told apart by handler."""
        return self.depths.ready.get(queue, 0) > sum(each.ready for each in self.backlog if each.queue == queue)

    def _unserved(self, job_type: str, rows: Sequence[Backlog]) -> Unserved:
        since = min(each.ready_since for each in rows if each.ready_since)
        queues = tuple(sorted({each.queue for each in rows}))
        more = any(self.is_deeper(queue) for queue in queues)
        return Unserved(job_type, queues, sum(each.ready for each in rows), since, more)

    def topics(self) -> dict[str, str]:
        """What each live region watches: a digest per topic that changes when the region must be drawn anew."""
        open_work = tuple((each, each.ready_since, each.next_due) for each in self.backlog)
        states = tuple((each.instance_id, each.state, each.busy) for each in self.workers)
        dead = tuple((each.queue, each.handler_key, each.dead, each.died_at) for each in self.backlog if each.dead)
        flows = tuple((each.queue, each.handler_key, each.finished, each.failed) for each in self.hour.flows)
        troubles = (self.unserved, tuple(self.paused), tuple(self.outbox), [each.instance_id for each in self.silent])
        provisioning = [each for each in self.backlog if each.job_type == PROVISION_TENANT]
        served = None if self.provisioned_queues is None else sorted(self.provisioned_queues)
        minute = self.at.replace(second=0, microsecond=0)
        facts: dict[str, Any] = {
            "overview": (dead, troubles, provisioning, minute),
            "queues": (open_work, flows, tuple(self.paused)),
            "jobs": (open_work, flows, self.hour.newest_at),
            "dead-letters": dead,
            "workers": (states, self.unserved, int(self.at.timestamp() // 10)),
            "tenants": (self.tenants, provisioning, self.progress, served),
            "audit": None,
            "acts": self.acts,
            "minutes": minute,
        }
        return {topic: _digest(fact, self.audit_id) for topic, fact in facts.items()}

    def nav(self) -> list[NavItem]:
        """The rail: where something waits, how much; where something is wrong, in red."""
        silent = f"{len(self.silent)} silent" if self.silent else None
        return [
            NavItem("overview", "Overview", "/"),
            NavItem("queues", "Queues", "/queues", count_text(self.ready)),
            NavItem("jobs", "Jobs", "/jobs"),
            NavItem("dead-letters", "Dead letters", "/dead-letters", count_text(self.dead), self.dead > 0),
            NavItem("workers", "Workers", "/workers", silent, bool(silent)),
            NavItem("tenants", "Tenants", "/tenants", count_text(self.tenants.get("provisioning"))),
            NavItem("audit", "Audit trail", "/audit"),
            NavItem("operators", "Operators", "/operators", role="admin"),
        ]


def sample(conn: Connection, *, now: datetime | None = None) -> Figures:
    """Read them all, at the cost of the open work and of the last hour, however long the history."""
    clock = conn.execute(CLOCK, {"at_now": now}).one()
    held = fleet.held(conn)
    return Figures(
        at=clock.now,
        backlog=backlog.read(conn, held=held, now=clock.now),
        depths=backlog.depths(conn, now=clock.now),
        held=tuple(held),
        workers=fleet.read(conn, held=held, now=clock.now),
        hour=flow.read(conn, now=clock.now),
        paused=queues.paused(conn, now=clock.now),
        outbox=conn.execute(OUTBOX).one(),
        tenants={row.onboarding_status: row.tenants for row in conn.execute(TENANTS)},
        audit_id=clock.audit_id or 0,
        acts=int(clock.acts),
        transaction=conn.execute(OLDEST).first(),
        releases=releases.between(conn, since=clock.now - RELEASES_WITHIN, until=clock.now),
        progress=float(sum(row.progress for row in held if row.job_type == PROVISION_TENANT)),
    )


def count_text(number: int | None) -> str | None:
    """A number as it is written beside a name; nothing for none, and a plus where counting stopped."""
    if not number:
        return None
    return f"{number:,}" + ("+" if number >= COUNTED else "")


def _digest(*facts: Any) -> str:
    return hashlib.blake2s(repr(facts).encode(), digest_size=8).hexdigest()
