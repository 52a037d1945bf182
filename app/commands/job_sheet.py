"""One job on a terminal: its row, error, payload, attempts and trail."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from app import payload_edit, payload_parts, traces
from app.commands.output import counted, facts, table
from app.settings import ConsoleSettings
from app.text import age, escaped
from worker.database import Connection, Row
from worker.failures import last_line
from worker.handlers import Registry
from worker.job_types import EMAIL_JOB_TYPE
from worker.queries import copies
from worker.queries.pages import job
from worker.queries.pages.states import State
from worker.redaction import OPEN

WORDS = {State.DEAD: "dead letter"}
HEADINGS = ("ID", "STATE", "HANDLER", "QUEUE", "TENANT", "TRIES", "AGE", "ERROR")
SEALED = "(encrypted)"


def read(
    conn: Connection, job_id: UUID, registry: Registry, settings: ConsoleSettings, *, revealed: bool = False
) -> dict[str, Any] | None:
    """Everything about the job as one document, what its handler closes revealed or not; None when there is no such."""
    row = job.read(conn, job_id=job_id)
    if row is None:
        return None
    closed = OPEN if revealed else registry.redaction(job_type=row.job_type, subscriber_id=row.subscriber_id)
    shown = payload_edit.text_of(payload_parts.of(row.payload, closed)) if closed else row.payload
    known = {name: value for name, value in row._mapping.items() if name != "now"}
    return {
        **known,
        **traces.of(settings, row),
        "payload": SEALED if row.job_type == EMAIL_JOB_TYPE else _parsed(shown),
        "copies": [dict(each._mapping) for each in copies.of(conn, job_id=job_id)],
        "attempts_made": [dict(each._mapping) for each in job.attempts(conn, job_id=job_id)],
        "actions": [dict(each._mapping) for each in job.actions(conn, job_id=job_id)],
        "at": row.now,
    }


def text(document: dict[str, Any]) -> str:
    """The same for a person."""
    return "\n\n".join(_parts(document))


def _parts(known: dict[str, Any]) -> Iterator[str]:
    yield facts(_row(known))
    if known["error_detail"]:
        yield "error\n" + "\n".join(f"  {escaped(line)}" for line in known["error_detail"].split("\n"))
    yield f"payload ({known['payload_bytes']:,} bytes)\n  {escaped(_compact(known['payload']))}"
    if known["attempts_made"]:
        yield table(("TRY", "OUTCOME", "FROM", "UNTIL", "WORKER", "ERROR"), map(_attempt, known["attempts_made"]))
    if known["actions"]:
        lines = [(each["at"], each["actor"], each["action"], each["reason"]) for each in known["actions"]]
        yield table(("AT", "WHO", "DID", "WHY"), lines)


def _row(known: dict[str, Any]) -> dict[str, object]:
    return {
        "job": known["id"],
        "state": WORDS.get(known["state"], known["state"]),
        "handler": known["handler_key"],
        "queue": known["queue"],
        "tenant": known["tenant"],
        "event": known["event_id"] and f"{known['event_type']} {known['event_id']}",
        "key": known["idempotency_key"],
        "copy of": _others(known, "original_id"),
        "copied as": _others(known, "copy_id"),
        "attempts": f"{known['attempts']} of {known['max_attempts']}, replayed {counted(known['replays'], 'time')}",
        "trace": known["trace_url"] or known["trace_id"],
        "put in": f"{age(known['created_at'], known['at'])} ago by {known['source']}",
        "due": known["available_at"],
        "held by": known["locked_by"],
        "lease until": known["lease_expires_at"],
        "stop asked": known["cancel_requested_at"],
        "ended": known["finished_at"],
        "group": known["error_fingerprint"],
    }


def _others(known: dict[str, Any], name: str) -> str | None:
    """The jobs on the other end of its copies, by their ids."""
    return ", ".join(str(each[name]) for each in known["copies"] if each[name] != known["id"]) or None


def _attempt(made: dict[str, Any]) -> Sequence[object]:
    error = made["error"] and last_line(made["error"])
    started = made["started_at"] or made["claimed_at"]
    return made["attempt"], made["outcome"], started, made["finished_at"], made["worker_id"], error


def _parsed(text: str) -> Any:
    """The payload; as the text that it is where it was cut or Python cannot read it."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _compact(payload: Any) -> str:
    return payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False)


def line(row: Row, now: Any) -> Sequence[object]:
    """One row of a list of jobs."""
    return (
        row.id,
        WORDS.get(row.state, row.state),
        row.handler_key,
        row.queue,
        row.tenant,
        f"{row.attempts}/{row.max_attempts}",
        age(row.created_at, now),
        f"{row.error_type}: {row.error_summary}" if row.error_type else None,
    )
