"""The last hour, minute by minute."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random

from sqlalchemy import Connection

from tests.system.seed.clock import NOW, at
from tests.system.seed.tenants import TENANT_IDS
from tests.system.seed.work import FEEDS
from worker.model import AttemptOutcome
from worker.queries import statistics
from worker.queries.statistics import Measured

FLOWS = {
    ("send_email", "mail"): (260, 420, 90_000),
    ("invoice.render", "default"): (172, 48, 900),
    ("materialize_insights", "insights"): (17, 2_600, 9_000),
    ("intake.scan_upload", "intake"): (10, 12, 40),
    ("provision_tenant", "provision"): (1, 24_000, 300),
    ("render_report", FEEDS): (2, 6_200, 800),
}
"""Per minute: how many jobs, how long each ran, how long each waited, in milliseconds."""
OWNERS = (TENANT_IDS["acme"], TENANT_IDS["globex"], None, None)
"""Whose every fourth job is; the rest are nobody's."""


def insert_all(conn: Connection) -> None:
    """Completions that go up and down a little, and failures since the release."""
    dice = Random(4)
    for place in range(60):
        minute = NOW.replace(second=0) - timedelta(minutes=59 - place)
        share = 1.0 if place < 59 else NOW.second / 60
        statistics.add(conn, _completed(dice, place, share), now=minute)
        statistics.add(conn, _failed(dice, minute), now=minute)


def _completed(dice: Random, place: int, share: float) -> Iterator[Measured]:
    for (handler, queue), (jobs, run_ms, wait_ms) in FLOWS.items():
        for number in range(round(jobs * dice.uniform(0.85, 1.1) * share)):
            run, wait = run_ms * dice.lognormvariate(0, 0.7), wait_ms * dice.uniform(0.2, 0.4 + place / 60)
            owner = OWNERS[number % len(OWNERS)]
            yield Measured(handler, queue, AttemptOutcome.COMPLETED, run, wait, tenant_id=owner)


def _failed(dice: Random, minute: datetime) -> Iterator[Measured]:
    if minute < at("09:14:00"):
        return
    for number in range(dice.randrange(3, 15)):
        owner = OWNERS[number % len(OWNERS)]
        yield Measured("invoice.render", "default", AttemptOutcome.FAILED, 210, 900, tenant_id=owner)
    if minute >= at("09:19:00"):
        owner = None if minute.minute % 2 else TENANT_IDS["acme"]
        yield Measured("invoice.render", "default", AttemptOutcome.DEAD_LETTER, 221, 400_000, tenant_id=owner)
