"""The audit trail: who did what to which rows, why, when and from where."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from starlette.responses import Response

from app import job_list
from app.search import Pairs, address, terms
from app.templating import render, see_other
from app.web import Call
from worker.database import Connection
from worker.queries.pages import audit
from worker.queries.pages.audit import AuditFilters
from worker.queries.pages.keyset import WINDOW, Page

ACTIONS = (
    "replay", "cancel", "run", "reassign", "undo", "abort", "go-on", "stop",
    "pause", "resume", "drain", "provision", "sign-in", "sign-out", "cross-site",
    "second-factor", "second-factor-off", "second-factor-reset", "recovery-codes", "operator-identity",
    "operator-add", "operator-invite", "operator-role", "operator-disable", "operator-enable", "operator-address",
    "invitation-accept", "password", "password-link", "password-request", "password-reset",
    "sign-in-link", "sign-in-step", "session-end", "sign-out-everywhere",
)  # fmt: skip
OUTCOMES = ((None, "All"), ("done", "Done"), ("refused", "Refused"))


def index(call: Call, conn: Connection) -> Response:
    """The trail, or its live region."""
    if "q" in call.query:
        return see_other(_searched(call))
    wanted = _wanted(call, audit.parse(call.query.multi_items()))
    tenant_id = job_list.tenant(call, conn, wanted)
    before, after = call.query.get("before"), call.query.get("after")
    unknown = wanted.tenant is not None and tenant_id is None
    acts = Page([]) if unknown else audit.read(conn, wanted, tenant_id=tenant_id, before=before, after=after)
    pairs = wanted.pairs()
    return render(
        call,
        "audit/index.html",
        block="acts" if call.region == "acts" else None,
        wanted=wanted,
        acts=acts,
        unknown=unknown,
        window=WINDOW,
        outcomes=[(key, label, _without(pairs, "outcome", key)) for key, label in OUTCOMES],
        chips=[(name, value, _without(pairs, name)) for name, value in pairs if name != "outcome"],
        url=address("/audit", pairs, (("before", before), ("after", after))),
        first=address("/audit", pairs),
        newer=acts.newer and address("/audit", pairs, [("after", acts.newer)]),
        older=acts.older and address("/audit", pairs, [("before", acts.older)]),
    )


def _without(pairs: Pairs, name: str, value: str | None = None) -> str:
    return address("/audit", [pair for pair in pairs if pair[0] != name], [(name, value)])


def _searched(call: Call) -> str:
    """Where the search box leads: a word is a job's id, an action, or else a name."""
    known = _wanted(call, audit.parse(call.query.multi_items())).pairs()
    named, words = terms(call.query["q"], names=AuditFilters.__slots__)
    found = [(_kind(word), word) for word in words]
    return address("/audit", _wanted(call, audit.parse([*known, *named, *found])).pairs())


def _wanted(call: Call, asked: AuditFilters) -> AuditFilters:
    """What is asked for; of whom, in a lens, goes without saying, and another's is refused."""
    return replace(asked, tenant=job_list.whose(call, asked.tenant))


def _kind(word: str) -> str:
    try:
        UUID(word)
    except ValueError:
        return "action" if word in ACTIONS else "actor"
    return "job"
