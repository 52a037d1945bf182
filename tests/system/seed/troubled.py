"""A fleet in trouble: the storage does not answer, so a column is red; one tenant fails wherever it can, a row."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, insert

from tests.system.seed import people, rows, staff, steps
from tests.system.seed.clock import NOW, ago, identity
from tests.system.seed.rows import Row
from tests.system.seed.staff import PROVISIONER_1
from tests.system.seed.steps import History
from worker.provisioning.steps import STEPS
from worker.queries.schema import tenants

SET_UP = {"ashgrove": 0.9, "bergamot": 1.0, "cinder": 1.1, "dunmore": 4.2, "elderfield": 1.0, "foxglove": 0.8}
STORAGE = "no answer from s3.eu-west-1.example within 10 s"
UNREACHED = {"harrow": 5, "iveson": 5, "juno-press": 2, "kelp-co": 1}
"""Tenants that the storage keeps from getting on, and how often each has been tried."""
MISFIT = "schema tenant_larkspur belongs to another role"


def insert_all(conn: Connection) -> None:
    """Everybody, at half past nine."""
    people.insert_all(conn)
    staff.insert_all(conn)
    tried = {
        **{slug: _set_up(slug, pace) for slug, pace in SET_UP.items()},
        **{slug: _unreached(slug, tries) for slug, tries in UNREACHED.items()},
        "larkspur": _misfit(),
        "mistral": _idle(),
        "nightjar": _queued("nightjar", "provision-eu"),
        "oakhurst": _queued("oakhurst", "provision"),
        "pinnace": _cancelled(),
        "quill": _running(),
    }
    conn.execute(insert(tenants), [*(_tenant(slug, each) for slug, each in tried.items()), _tenant("rowan", None)])
    rows.write(conn, [each.job for each in tried.values()])
    steps.write(conn, [each for each in tried.values() if each.steps])


def _tenant(slug: str, history: History | None) -> Row:
    status = "created" if history is None else "active" if slug in SET_UP else "provisioning"
    return {
        "id": _id(slug),
        "slug": slug,
        "display_name": slug.replace("-", " ").title(),
        "schema_name": f"tenant_{slug.replace('-', '_')}",
        "onboarding_status": status,
        "created_at": ago(days=1),
        "activated_at": history.at if history and status == "active" else None,
    }


def _id(slug: str) -> Any:
    return identity(f"troubled {slug}")


def _columns(slug: str, done: int, tries: int = 1) -> Row:
    about = {"job_type": "provision_tenant", "queue": "provision", "tenant_id": _id(slug), "attempts": tries}
    done_steps = {"steps_completed": list(STEPS[:done]), "progress": round(100 * done / len(STEPS), 2)}
    return {**about, **done_steps, "generation": tries, "idempotency_key": f"provision:{_id(slug)}"}


def _failed(error: str) -> Row:
    about = {"error_type": "StorageError", "error_summary": error, "error_fingerprint": "9c0d4f1be2a36b75"}
    return {"error_detail": f"StorageError: {error}", **about}


def _set_up(slug: str, pace: float) -> History:
    job = rows.succeeded(f"troubled {slug}", 0, ago(days=1), timedelta(), **_columns(slug, len(STEPS)))
    history = History(job, ago(days=1), pace=pace).tried(0)
    job |= {"finished_at": history.at, "updated_at": history.at}
    return history


def _unreached(slug: str, tries: int) -> History:
    """Tried and tried again, until the budget is used up."""
    asked_at, columns = ago(minutes=6), {**_columns(slug, 4, tries), **_failed(STORAGE)}
    due_at = NOW + timedelta(seconds=8 * tries)
    job = rows.scheduled(f"troubled {slug}", 0, asked_at, due_at, **columns)
    history = History(job, asked_at).tried(0, until=4, error=STORAGE)
    for number in range(1, tries):
        history.tried(4, until=4, error=STORAGE, wait=2**number)
    if tries == job["max_attempts"]:
        job |= {"status": "failed", "scheduled": False, "finished_at": history.at}
    return history


def _misfit() -> History:
    job = rows.scheduled(
        "troubled larkspur", 0, ago(minutes=9), NOW, **{**_columns("larkspur", 3, 5), **_failed(MISFIT)}
    )
    history = History(job, ago(minutes=9)).tried(0, until=0, error=MISFIT).tried(0, until=1, error=MISFIT, wait=2)
    history.tried(1, until=1, error=MISFIT, wait=4).tried(1, until=2, error=MISFIT, wait=8)
    history.tried(2, until=3, error=MISFIT, wait=16)
    job |= {"status": "failed", "scheduled": False, "finished_at": history.at}
    return history


def _idle() -> History:
    job = rows.running("troubled mistral", 0, ago(minutes=13), ago(minutes=13), PROVISIONER_1, **_columns("mistral", 1))
    return History(job, ago(minutes=13)).tried(0, until=1)


def _queued(slug: str, queue: str) -> History:
    columns = _columns(slug, 0, 0) | {"queue": queue}
    return History(rows.queued(f"troubled {slug}", 0, ago(seconds=40), **columns), NOW)


def _cancelled() -> History:
    columns = _columns("pinnace", 2) | {"status": "cancelled", "finished_at": ago(minutes=2)}
    job = rows.queued("troubled pinnace", 0, ago(minutes=3), **columns)
    return History(job, ago(minutes=3)).tried(0, until=2, error="asked to stop")


def _running() -> History:
    job = rows.running("troubled quill", 0, ago(seconds=21), ago(seconds=20), PROVISIONER_1, **_columns("quill", 2))
    return History(job, ago(seconds=21)).tried(0, until=2)
