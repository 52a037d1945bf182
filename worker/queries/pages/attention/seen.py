"""What the kinds of trouble are looked for in, each source read once however many ask it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from uuid import UUID

from sqlalchemy import Connection

from worker.queries.pages import groups, provisioning
from worker.queries.pages.figures import Figures
from worker.queries.pages.groups import Group
from worker.queries.pages.provisioning import Provisioning


@dataclass(frozen=True, slots=True)
class Limits:
    """From when on each trouble is told; a field is called as its setting is."""

    finding_unserved_seconds: float = 30
    finding_dead_per_hour: float = 1
    finding_unreaped_seconds: float = 120
    finding_unrelayed_seconds: float = 60
    finding_idle_duty_seconds: float = 300
    finding_behind_seconds: float = 120
    finding_far_behind_seconds: float = 900
    finding_still_seconds: float = 120
    finding_transaction_seconds: float = 300
    finding_clock_seconds: float = 5
    finding_late_share: float = 0.1
    finding_slower_times: float = 2
    finding_paused_seconds: float = 900
    max_runtime_seconds: float = 1800
    stuck_after_seconds: float = 300


@dataclass(frozen=True)
class Seen:
    """The figures of the moment, and beside them what only some kinds need."""

    conn: Connection
    figures: Figures
    limits: Limits

    @property
    def tenant_id(self) -> UUID | None:
        """Whose trouble is looked for; everybody's where it is None."""
        return self.figures.tenant_id

    @cached_property
    def groups(self) -> list[Group]:
        """The dead letters by error."""
        if not self.figures.dead:
            return []
        return groups.read(self.conn, tenant_id=self.tenant_id, now=self.figures.at)

    @cached_property
    def in_flight(self) -> tuple[list[Provisioning], int]:
        """The tenants that are being provisioned, a few of them, and how many there are."""
        return provisioning.in_flight(self.conn, tenant_id=self.tenant_id)

    def age(self, since: datetime) -> float:
        """Seconds since that time; what began while the figures were read is new."""
        return max((self.figures.at - since).total_seconds(), 0.0)
