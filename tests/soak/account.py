"""The books after a storm: what was promised against what the record and the ledger say."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import func, select, text

from tests.soak.harms import Yard
from worker.database import Connection
from worker.model import AttemptOutcome, Status
from worker.queries import audit
from worker.queries.schema import job_attempts as attempt
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import statistics_minutes as minutes

SUBSCRIBERS = 2
OVER = select(func.count()).where(job.c.status.in_((Status.SUCCEEDED, Status.CANCELLED)))
BROKEN = text(
    "SELECT count(*) FROM control.platform_jobs WHERE locked_by IS NOT NULL OR attempts > max_attempts OR"
    " attempts > generation OR generation <> (SELECT count(*) FROM control.job_attempts WHERE job_id = id) OR"
    " (status = 'cancelled') <> (idempotency_key LIKE 'far-%' AND idempotency_key IS NOT NULL)"
)
Key = tuple[str, int]
"""A job's id and the generation of one attempt."""


@dataclass
class Account:
    """Figures of a run, and each way in which a promise was broken, by how often."""

    figures: dict[str, int] = field(default_factory=dict)
    faults: dict[str, int] = field(default_factory=dict)

    @property
    def is_clean(self) -> bool:
        """Whether every promise was kept."""
        return not any(self.faults.values())


def promised(yard: Yard) -> int:
    """How many jobs there must be."""
    sent = yard.traffic.sent
    return sent["jobs"] + SUBSCRIBERS * sent["events"] + sent["cancels"]


def unfinished(yard: Yard) -> int:
    """How many of them are not over yet."""
    with yard.admin.connect() as conn:
        return promised(yard) - int(conn.execute(OVER).scalar_one())


def settle(yard: Yard) -> Account:
    """Close the books."""
    starts, ends = read(yard.ledger)
    with yard.admin.connect() as conn:
        outcomes = {(str(row.job_id), row.generation): row.outcome for row in conn.execute(select(attempt))}
        faults = {"rows that make no sense": int(conn.execute(BROKEN).scalar_one())}
        faults["a broken trail"] = int(audit.verify(conn) is not None)
        faults["attempts counted wrongly"] = _uncounted(conn, outcomes)
        existing = conn.execute(select(func.count()).select_from(job)).scalar_one()
    completed = Counter(key[0] for key, outcome in outcomes.items() if outcome == AttemptOutcome.COMPLETED)
    faults |= {
        "lost": unfinished(yard),
        "jobs nobody sent": existing - promised(yard),
        "duplicates in the record": sum(count > 1 for count in completed.values()),
        "completed but never run": len(completed.keys() - {key[0] for key in ends}),
        "starts without an attempt": len(starts - outcomes.keys()),
    }
    return Account(_figures(yard, outcomes, starts), faults)


def read(ledger: Path) -> tuple[set[Key], set[Key]]:
    """What began and what ended, as the handlers saw it; a line that a kill cut short is none."""
    lines = [line.split() for line in ledger.read_text().splitlines() if line.count(" ") == 2]
    keys = {word: {(each[1], int(each[2])) for each in lines if each[0] == word} for word in ("start", "end")}
    return keys["start"], keys["end"]


def _uncounted(conn: Connection, outcomes: dict[Key, str]) -> int:
    ended = Counter(outcomes.values())
    # one that came back late is counted when its lease ends and when its result comes; one given back is not
    expected = ended.total() + ended[AttemptOutcome.SUPERSEDED] - ended[AttemptOutcome.RELEASED]
    return abs(expected - int(conn.execute(select(func.coalesce(func.sum(minutes.c.jobs), 0))).scalar_one()))


def _figures(yard: Yard, outcomes: dict[Key, str], starts: set[Key]) -> dict[str, int]:
    ended = Counter(outcomes.values())
    expired = ended[AttemptOutcome.LEASE_EXPIRED] + ended[AttemptOutcome.SUPERSEDED]
    return {
        "jobs": promised(yard),
        **yard.done,
        "answers lost": yard.wire.robbed,
        "attempts": len(outcomes),
        "handlers started": len(starts),
        "recovered": expired,
        "superseded": ended[AttemptOutcome.SUPERSEDED],
        "released": ended[AttemptOutcome.RELEASED],
        "failed": ended[AttemptOutcome.FAILED] + ended[AttemptOutcome.DEAD_LETTER],
    }
