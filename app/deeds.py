"""What operators do, in words: what was done to what, where that is, and how many times somebody did it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from urllib.parse import quote

from app.search import address
from worker.database import Row
from worker.queries.audit import SYSTEM
from worker.queries.pages.hand_over import HandOver


class Deed(NamedTuple):
    """One action of the trail: the part of a hand-over it belongs to, and how it is said of one and of many."""

    part: str
    did: str
    one: str
    many: str


PARTS = {
    "groups": "Groups of dead letters",
    "queues": "Queues",
    "workers": "Workers",
    "tenants": "Tenants and provisionings",
    "jobs": "Jobs",
    "accounts": "Accounts",
}
DEEDS: Mapping[str, Deed] = {
    "take": Deed("groups", "took", "group taken", "groups taken"),
    "give-back": Deed("groups", "gave back", "group given back", "groups given back"),
    "snooze": Deed("groups", "snoozed", "group snoozed", "groups snoozed"),
    "resolve": Deed("groups", "resolved", "group resolved", "groups resolved"),
    "reopen": Deed("groups", "reopened", "group reopened", "groups reopened"),
    "note": Deed("groups", "wrote a note on", "note", "notes"),
    "merge": Deed("groups", "put together with another", "group merged", "groups merged"),
    "part": Deed("groups", "took out of another", "group parted", "groups parted"),
    "split": Deed("groups", "split by message", "group split", "groups split"),
    "rejoin": Deed("groups", "no longer splits", "group rejoined", "groups rejoined"),
    "return": Deed("groups", "saw come back", "group come back", "groups come back"),
    "pause": Deed("queues", "paused", "queue paused", "queues paused"),
    "pause-end": Deed("queues", "gave another end to the pause of", "end of a pause changed", "ends of pauses changed"),
    "resume": Deed("queues", "resumed", "queue resumed", "queues resumed"),
    "drain": Deed("workers", "drained", "worker drained", "workers drained"),
    "provision": Deed("tenants", "provisioned", "provisioning", "provisionings"),
    "try-now": Deed("tenants", "tried at once", "provisioning hurried", "provisionings hurried"),
    "tenant-add": Deed("tenants", "added", "tenant added", "tenants added"),
    "dataset-add": Deed("tenants", "added data to", "dataset", "datasets"),
    "model-train": Deed("tenants", "trained a model of", "training", "trainings"),
    "replay": Deed("jobs", "replayed", "replay", "replays"),
    "cancel": Deed("jobs", "cancelled", "cancellation", "cancellations"),
    "run": Deed("jobs", "made due", "run now", "runs now"),
    "reassign": Deed("jobs", "reassigned", "reassignment", "reassignments"),
    "undo": Deed("jobs", "undid", "act undone", "acts undone"),
    "abort": Deed("jobs", "aborted", "act aborted", "acts aborted"),
    "go-on": Deed("jobs", "went on with", "act gone on with", "acts gone on with"),
    "copy": Deed("jobs", "ran an edited copy of", "edited copy", "edited copies"),
    "reveal": Deed("jobs", "revealed the payload of", "payload revealed", "payloads revealed"),
    "enqueue": Deed("jobs", "put in", "job put in", "jobs put in"),
    "publish": Deed("jobs", "published", "event published", "events published"),
    "operator-add": Deed("accounts", "added", "account added", "accounts added"),
    "operator-invite": Deed("accounts", "invited", "invitation", "invitations"),
    "operator-role": Deed("accounts", "set the role of", "role set", "roles set"),
    "operator-disable": Deed("accounts", "disabled", "account disabled", "accounts disabled"),
    "operator-enable": Deed("accounts", "enabled", "account enabled", "accounts enabled"),
    "operator-address": Deed("accounts", "set the address of", "address set", "addresses set"),
    "operator-identity": Deed("accounts", "linked the identity of", "identity linked", "identities linked"),
    "invitation-accept": Deed("accounts", "accepted the invitation of", "invitation accepted", "invitations accepted"),
    "password": Deed("accounts", "set the password of", "password set", "passwords set"),
    "password-reset": Deed("accounts", "set the password of", "password set", "passwords set"),
    "second-factor": Deed("accounts", "set up the second factor of", "second factor set up", "second factors set up"),
    "second-factor-off": Deed("accounts", "removed the second factor of", "second factor off", "second factors off"),
    "second-factor-reset": Deed(
        "accounts", "reset the second factor of", "second factor reset", "second factors reset"
    ),
    "token-add": Deed("accounts", "made the token", "token made", "tokens made"),
    "token-revoke": Deed("accounts", "revoked the token", "token revoked", "tokens revoked"),
}
"""What the next shift wants to know of; who came and went is told by the trail alone, and releases for themselves."""

AFTERWARDS = ("undo", "abort", "go-on")
"""What is done to an act, which the act itself tells."""


@dataclass(frozen=True, slots=True)
class Line:
    """One act of the trail: who did what to what, and where that is."""

    at: datetime
    actor: str
    did: str
    name: str
    href: str
    remark: str | None


def lines(shift: HandOver) -> dict[str, list[Line]]:
    """What was done, by part, without the sets of jobs that the shift tells apart."""
    found: dict[str, list[Line]] = {title: [] for title in PARTS.values()}
    for row in _rest(shift):
        found[PARTS[DEEDS[row.action].part]].append(_line(row))
    return {title: told for title, told in found.items() if told}


def told(trail: Iterable[Row]) -> list[Line]:
    """What was done, as rows of the trail have it."""
    return [_line(row) for row in _done(trail)]


def people(shift: HandOver) -> dict[str, str]:
    """What each person did, in a sentence, whoever did most first."""
    times: dict[str, Counter[str]] = {}
    jobs: Counter[tuple[str, str]] = Counter()
    for actor, action, moved in _tallied(shift):
        if actor != SYSTEM.name:
            times.setdefault(actor, Counter())[action] += 1
            jobs[actor, action] += moved
    said = {
        actor: "; ".join(_said(action, count, jobs[actor, action]) for action, count in found.most_common())
        for actor, found in times.items()
    }
    return dict(sorted(said.items(), key=lambda item: (-times[item[0]].total(), item[0])))


def number(count: int, one: str, many: str) -> str:
    """`1 replay`, `2 replays`."""
    return f"{count:,} {one if count == 1 else many}"


def _rest(shift: HandOver) -> list[Row]:
    told = {str(each.id) for each in shift.acts}
    return [row for row in _done(shift.trail) if row.detail.get("act") not in told]


def _done(trail: Iterable[Row]) -> list[Row]:
    return [row for row in trail if row.outcome == "done" and row.action in DEEDS]


def _tallied(shift: HandOver) -> Iterator[tuple[str, str, int]]:
    """Who did what, and to how many jobs; what became of an act later counts once, and moves none of its own."""
    for act in shift.acts:
        yield act.actor, act.action, act.done + act.undone
    told = {str(each.id) for each in shift.acts}
    for row in _done(shift.trail):
        of_act = row.detail.get("act")
        if of_act not in told or row.action in AFTERWARDS:
            yield row.actor, row.action, row.jobs if DEEDS[row.action].part == "jobs" and not of_act else 0


def _said(action: str, times: int, jobs: int) -> str:
    deed = DEEDS[action]
    return number(times, deed.one, deed.many) + (f", {number(jobs, 'job', 'jobs')}" if jobs else "")


def _line(row: Row) -> Line:
    name, href = _TARGETS[DEEDS[row.action].part](row)
    return Line(row.at, row.actor, DEEDS[row.action].did, name, href, row.reason)


def _of_group(row: Row) -> tuple[str, str]:
    name = row.detail.get("error") or row.target
    return name, address("/dead-letters", [("view", "all"), ("group", row.target)])


def _of_queue(row: Row) -> tuple[str, str]:
    return row.target, f"/queues/{quote(row.target, safe='')}"


def _of_worker(row: Row) -> tuple[str, str]:
    return row.detail.get("component") or row.target, f"/workers/{quote(row.target, safe='')}"


def _of_tenant(row: Row) -> tuple[str, str]:
    slug = row.tenant or row.target
    return (slug, f"/tenants/{quote(slug, safe='')}") if row.tenant else (slug or "a tenant", "/tenants")


def _of_jobs(row: Row) -> tuple[str, str]:
    if "act" in row.detail:
        return "an act", f"/acts/{row.detail['act']}"
    if row.action == "copy":
        return "a job", f"/jobs/{row.detail['copy']}"
    if row.jobs == 1 and row.job_id:
        return row.target or "1 job", f"/jobs/{row.job_id}"
    return row.target or number(row.jobs, "job", "jobs"), address("/jobs", [("action", str(row.id))])


def _of_account(row: Row) -> tuple[str, str]:
    return row.target or row.actor, address("/audit", [("actor", row.actor), ("action", row.action)])


_TARGETS = {
    "groups": _of_group,
    "queues": _of_queue,
    "workers": _of_worker,
    "tenants": _of_tenant,
    "jobs": _of_jobs,
    "accounts": _of_account,
}
