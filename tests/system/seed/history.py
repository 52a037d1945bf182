"""What the charts show: the day before the last hour, the backlog as it was counted every minute, and releases."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import timedelta
from random import Random

from sqlalchemy import Connection, bindparam, insert, update

from tests.system.seed.clock import NOW, ago, at
from tests.system.seed.statistics import OWNERS
from tests.system.seed.tenants import TENANT_IDS
from worker.database import Timestamp
from worker.model import AttemptOutcome
from worker.queries import samples, statistics
from worker.queries.samples import Pair, Sample, TenantPair
from worker.queries.schema import releases, statistics_minutes, tenant_statistics_minutes
from worker.queries.statistics import Measured

STEP = timedelta(minutes=20)
RELEASES = (
    {"name": "2026.11.2", "component": "product-worker", "at": ago(days=2), "told_by": "worker"},
    {"name": "2026.11.3", "component": "product-worker", "at": at("09:12:00"), "told_by": "worker"},
)
# What one minute of each step tells, twenty did
MORE = tuple(
    update(table)
    .where(table.c.minute < bindparam("last_hour", type_=Timestamp))
    .values({column: column * 20 for column in table.c if not column.primary_key})
    for table in (statistics_minutes, tenant_statistics_minutes)
)


def insert_all(conn: Connection) -> None:
    """A quiet night, a busy morning with a release, and the mail that falls behind since half an hour."""
    dice = Random(7)
    conn.execute(insert(releases), list(RELEASES))
    last_hour = NOW.replace(second=0) - timedelta(minutes=59)
    for step in range(69):
        minute = last_hour - STEP * (step + 1)
        statistics.add(conn, _ended(dice, minute.hour + minute.minute / 60), now=minute)
    for more in MORE:
        conn.execute(more, {"last_hour": last_hour})
    for place in range(60):
        sample = _looked(dice, place)
        samples.write(conn, sample, now=last_hour + timedelta(minutes=place))


def _ended(dice: Random, hour: float) -> Iterator[Measured]:
    share = 0.15 + 0.85 * max(math.sin((hour - 5) / 24 * 2 * math.pi), 0)
    for handler, queue, jobs, run_ms, wait_ms in (
        ("invoice.render", "default", 150, 48, 500),
        ("send_email", "mail", 200, 420, 60_000),
    ):
        for number in range(round(jobs * share * dice.uniform(0.8, 1.2))):
            run, wait = run_ms * dice.lognormvariate(0, 0.7), wait_ms * dice.uniform(0.1, 0.9)
            owner = OWNERS[number % len(OWNERS)]
            yield Measured(handler, queue, AttemptOutcome.COMPLETED, run, wait, tenant_id=owner)
        if dice.random() < 0.15:
            yield Measured(handler, queue, AttemptOutcome.FAILED, 2 * run_ms, wait_ms)


def _looked(dice: Random, place: int) -> Sample:
    """Since the thirtieth minute more mail comes than goes; one minute nobody counted is not there."""
    waiting = dice.randrange(20, 90) + max(place - 30, 0) * 82
    mail = Pair("mail", "send_email", ready=waiting, oldest_seconds=8 + max(place - 30, 0) * 12, running=8)
    ready = dice.randrange(10, 60)
    invoices = Pair("default", "invoice.render", ready=ready, oldest_seconds=ready // 4, running=5, dead=12)
    pairs = (mail, invoices)
    acme = Pair("mail", "send_email", ready=waiting // 12, oldest_seconds=mail.oldest_seconds, running=1)
    return Sample(
        tenants=(TenantPair(TENANT_IDS["acme"], acme),),
        ready=sum(pair.ready for pair in pairs),
        oldest_seconds=max(pair.oldest_seconds for pair in pairs),
        running=sum(pair.running for pair in pairs),
        dead=14,
        pairs=pairs,
    )
