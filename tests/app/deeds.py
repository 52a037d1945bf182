"""The acts of an operator in three ways: the form of the page, the document for the API, and the command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, insert, update

from tests import factories
from worker.failures import fingerprint
from worker.model import Status
from worker.queries import grouping, groups, provisioning, schema
from worker.queries.audit import Actor
from worker.queries.bulk_acts import work
from worker.queries.bulk_acts.acts import Action, ActState, Mode, Terms
from worker.queries.pages import readiness, selection

TYPE = "send_digest"
BEFORE = Actor("cli:before")


@dataclass(frozen=True)
class Subject:
    """What is acted on."""

    id: str
    name: str = ""

    @property
    def uuid(self) -> UUID:
        """The id as one."""
        return UUID(self.id)

    def named(self, text: str) -> str:
        """The text with the subject where it belongs."""
        return text.replace("{id}", self.id).replace("{name}", self.name)

    def fills(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The same of the fields of a form or a document."""
        return {key: self._fills(value) for key, value in fields.items()}

    def _fills(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._fills(each) for each in value]
        return self.named(value) if isinstance(value, str) else value


Make = Callable[[Connection, str], Subject]
Fields = Mapping[str, Any]


@dataclass(frozen=True)
class Deed:
    """One act on a subject; the address below /api/v1 is the page's unless `api` says otherwise.

    `seen` is a page that a person has before them, and that has to know of the subject.
    """

    make: Make
    path: str
    form: Fields
    body: Fields | None
    command: str
    api: str | None = None
    seen: str | None = None


WHY = {"reason": "a test"}
BECAUSE = "--reason 'a test'"


def job(**columns: Any) -> Make:
    """A job."""
    return lambda conn, _: Subject(str(factories.job(conn, job_type=TYPE, payload={"to": "ada"}, **columns)))


def later(conn: Connection, _: str) -> Subject:
    """A job that is due in an hour."""
    due = readiness.clock(conn) + timedelta(hours=1)
    return Subject(str(factories.job(conn, job_type=TYPE, available_at=due, scheduled=True)))


def act(mode: Mode, *, stopped: bool = False) -> Make:
    """Replays of some dead letters, which stand still or not."""

    def make(conn: Connection, _: str) -> Subject:
        chosen = selection.by_id([factories.job(conn, status=Status.FAILED, job_type=TYPE) for _ in range(2)])
        terms = Terms(Action.REPLAY, mode, rate=1 if mode == Mode.RATE else None)
        whose: dict[str, Any] = {"actor": BEFORE, "reason": None, "now": readiness.clock(conn)}
        with conn.engine.begin() as mine:
            begun = work.begin(mine, terms=terms, chosen=chosen.rows, values=chosen.values, **whose)
            if stopped:
                mine.execute(update(schema.bulk_acts).values(state=ActState.STOPPED))
        return Subject(str(begun.id))

    return make


FAILED = job(status=Status.FAILED)
TICKED, IDS = {"job": "{id}", "back": "/jobs", **WHY}, {"jobs": ["{id}"], **WHY}
ELSEWHERE = {"to": "slow"}
ONE = {"back": "/jobs", **WHY}
EDITED = '{"to":"lee"}'

JOBS = {
    "replay": Deed(FAILED, "/replays", TICKED, IDS, f"jobs replay {{id}} {BECAUSE}"),
    "replay-one": Deed(FAILED, "/dead-letters/{id}/replays", ONE, WHY, f"dead-letters replay {{id}} {BECAUSE}"),
    "cancel": Deed(job(), "/cancellations", TICKED, IDS, f"jobs cancel {{id}} --yes {BECAUSE}"),
    "cancel-one": Deed(job(), "/jobs/{id}/cancellations", ONE, WHY, f"jobs cancel {{id}} --yes {BECAUSE}"),
    "run": Deed(later, "/runs", TICKED, IDS, f"jobs run {{id}} {BECAUSE}"),
    "run-one": Deed(later, "/jobs/{id}/runs", ONE, WHY, f"jobs run {{id}} {BECAUSE}"),
    "reassign": Deed(
        job(), "/reassignments", TICKED | ELSEWHERE, IDS | ELSEWHERE, f"jobs reassign {{id}} --to slow {BECAUSE}"
    ),
    "reveal": Deed(FAILED, "/jobs/{id}/reveals", WHY, WHY, f"jobs show {{id}} --reveal {BECAUSE}"),
    "copy": Deed(
        FAILED,
        "/jobs/{id}/copies",
        {"payload": EDITED, "queue": "default", **WHY},
        {"payload": {"to": "lee"}, **WHY},
        f"jobs copy {{id}} --payload '{EDITED}' {BECAUSE}",
    ),
    "abort": Deed(act(Mode.RATE), "/acts/{id}/aborts", {}, None, "acts abort {id}"),
    "go-on": Deed(act(Mode.RATE, stopped=True), "/acts/{id}/continuations", {}, None, "acts go-on {id}"),
    "undo": Deed(act(Mode.ALL), "/acts/{id}/undos", {}, None, "acts undo {id}"),
}


def group(conn: Connection, name: str) -> Subject:
    """A dead letter with an error of its own."""
    said = f"no answer from {name}"
    made = fingerprint(TYPE, "Timeout", said)
    factories.job(
        conn, status=Status.FAILED, job_type=TYPE, error_type="Timeout", error_summary=said, error_fingerprint=made
    )
    return Subject(made, name)


def with_another(conn: Connection, name: str) -> Subject:
    """Two groups, the second of which it is to join."""
    other = group(conn, f"{name} and the others")
    return Subject(group(conn, name).id, other.id)


def after(transition: Callable[..., Any], **how: Any) -> Make:
    """A group to which something was done before."""

    def make(conn: Connection, name: str) -> Subject:
        made = group(conn, name)
        transition(conn, fingerprint=made.id, actor=BEFORE, **how)
        return made

    return make


def merged(conn: Connection, name: str) -> Subject:
    """A group that has joined another one."""
    made = with_another(conn, name)
    grouping.merge(conn, fingerprint=made.id, into=made.name, actor=BEFORE)
    return made


G, FORM = {"group": "{id}"}, {"group": "{id}", "back": "/dead-letters"}
HAS = {"seen_with": BEFORE.name}
RELEASE, NOTE, INTO = {"release": "2.0"}, {"note": "ask them"}, {"into": "{name}"}

GROUPS = {
    "take": Deed(group, "/dead-letters/owners", FORM, G, "dead-letters take {id}"),
    "give-back": Deed(
        after(groups.take), "/dead-letters/owners/removals", FORM | HAS, G | HAS, "dead-letters give-back {id}"
    ),
    "snooze": Deed(
        group,
        "/dead-letters/snoozes",
        {"way": "next", **FORM, **WHY},
        G | WHY,
        f"dead-letters snooze {{id}} --next {BECAUSE}",
    ),
    "resolve": Deed(
        group,
        "/dead-letters/resolutions",
        {"way": "release", **RELEASE, **FORM, **WHY},
        G | RELEASE | WHY,
        f"dead-letters resolve {{id}} --release 2.0 {BECAUSE}",
    ),
    "reopen": Deed(after(groups.snooze), "/dead-letters/reopenings", FORM, G, "dead-letters reopen {id}"),
    "note": Deed(group, "/dead-letters/notes", FORM | NOTE, G | NOTE, "dead-letters note {id} 'ask them'"),
    "merge": Deed(with_another, "/dead-letters/merges", FORM | INTO, G | INTO, "dead-letters merge {id} {name}"),
    "part": Deed(merged, "/dead-letters/merges/removals", FORM, G, "dead-letters part {id}"),
    "split": Deed(group, "/dead-letters/splits", FORM, G, "dead-letters split {id}"),
    "rejoin": Deed(after(grouping.split), "/dead-letters/splits/removals", FORM, G, "dead-letters rejoin {id}"),
}


def queue(conn: Connection, name: str) -> Subject:
    """A queue's name."""
    return Subject(name, name)


def paused(conn: Connection, name: str) -> Subject:
    """A queue that somebody paused."""
    pause = {"queue": name, "paused_at": factories.NOON, "paused_by": "lee", "reason": "a test"}
    conn.execute(insert(schema.queue_controls), pause)
    return Subject(name, name)


def worker(conn: Connection, name: str) -> Subject:
    """A worker that beats."""
    return Subject(factories.worker_instance(conn, name, last_heartbeat_at=readiness.clock(conn)), name)


def tenant(conn: Connection, name: str) -> Subject:
    """A tenant that nobody had provisioned."""
    return Subject(str(factories.tenant(conn, name)), name)


def provisioned(conn: Connection, name: str) -> Subject:
    """A tenant whose provisioning waits for its next try."""
    made = tenant(conn, name)
    due = readiness.clock(conn) + timedelta(hours=1)
    key: dict[str, Any] = {"job_type": "provision_tenant", "idempotency_key": provisioning.key_of(made.uuid)}
    factories.job(conn, tenant_id=made.uuid, attempts=1, available_at=due, scheduled=True, **key)
    return made


def of_tenant(noun: str) -> dict[str, str]:
    """Where the page has it, which names the tenant by its slug, and the API, which has ids."""
    return {"path": f"/tenants/{{name}}/{noun}", "api": f"/tenants/{{id}}/{noun}"}


PLACES = {
    "pause": Deed(queue, "/queues/{id}/pause", {"until": "", **WHY}, WHY, f"queues pause {{id}} {BECAUSE}"),
    "pause-end": Deed(
        paused, "/queues/{id}/pause/end", {"until": "", **WHY}, WHY, f"queues pause-end {{id}} {BECAUSE}"
    ),
    "resume": Deed(paused, "/queues/{id}/resume", WHY, WHY, f"queues resume {{id}} {BECAUSE}"),
    "drain": Deed(worker, "/workers/{id}/drain", WHY, WHY, f"workers drain {{id}} --yes {BECAUSE}", seen="/workers"),
    "provision": Deed(tenant, form={}, body={}, command="tenants provision {name}", **of_tenant("provisionings")),
    "try-now": Deed(provisioned, form={}, body=None, command="tenants try-now {name}", **of_tenant("tries")),
    "stop": Deed(
        provisioned,
        form=WHY,
        body=WHY,
        command=f"tenants cancel {{name}} --yes {BECAUSE}",
        **of_tenant("cancellations"),
    ),
}
