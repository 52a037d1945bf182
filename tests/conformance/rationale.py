"""Rows that no test of their own holds: what is rationale, and what waits for the tenants and the mail."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rationale:
    """A row that states a reason rather than a behaviour; `sentence` stands in `file`, whatever its line breaks."""

    reason: str
    file: str
    sentence: str


RATIONALE: dict[str, Rationale] = {
    "S2-39": Rationale(
        "advice on deployment; S2-30 and S2-87 test what it rests on",
        "README.md",
        "any number of `watchfloor worker`, each with the job types it is able and allowed to run"
        " and the queues it gives its capacity to",
    ),
    "S2-62": Rationale(
        "why there are nets; S2-63 tests what follows from it",
        "worker/nets.py",
        "Durable is not guaranteed: a broker before the outbox can drop a message,"
        " a provider can be down until every attempt is spent, and some paths write rows without publishing anything.",
    ),
    "S2-128": Rationale(
        "what an event carries is its producer's to decide; S1-123 tests what can be refused",
        "README.md",
        "Put ids into an event and have the handler build the mail: events are stored as they are, and their dead"
        " letters stay",
    ),
}

# With the tenants and the mail: who enqueues these jobs is not built yet. A row that is here and has a test
# promises only what its test holds; one without a test promises nothing yet.
AWAITED: dict[str, str] = {
    "S1-01": "the requests that make these jobs come with the tenants and the mail",
    "S1-28": "the import of a data set comes with the tenants",
    "S1-62": "the route that enqueues it comes with the tenants",
    "S1-63": "the import that enqueues it comes with the tenants",
}

AWAITED_OF_CASES: dict[str, str] = {}
