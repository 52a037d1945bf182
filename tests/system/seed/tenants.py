"""The tenants: most are active, three are being set up, and one of those does not get on."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, insert

from tests.system.seed import rows, steps
from tests.system.seed.clock import NOW, ago, identity
from tests.system.seed.staff import PROVISIONER_1
from tests.system.seed.steps import History
from worker.provisioning.steps import STEPS
from worker.queries.schema import tenants

NAMES = {
    "acme": "Acme Corporation",
    "globex": "Globex",
    "initech": "Initech",
    "umbrella": "Umbrella <script>alert(1)</script> & Söhne",
    "hooli": "Hooli",
    "stark": "Stark Industries",
    "wonka": "Wonka Chocolates",
    "association-of-tenants-with-remarkably-long-names-overseas": "The Association of Tenants with Remarkably "
    "Long Names, Overseas Division, North",
    "northwind": "Northwind Traders",
    "acme-eu": "Acme Europe",
    "globex-labs": "Globex Laboratories",
    "tyrell": "Tyrell",
}
STATUSES = {"northwind": "provisioning", "acme-eu": "provisioning", "globex-labs": "provisioning"}
STATUSES |= {"wonka": "suspended", "tyrell": "created"}
TENANT_IDS = {slug: identity("tenant", number, ago(days=200 - 9 * number)) for number, slug in enumerate(NAMES)}
DENIED = "permission denied for schema tenant_northwind"
TIMED_OUT = "PUT of tenants/hooli/provisioning-check: no answer from s3.eu-west-1.example within 10 s"


def insert_all(conn: Connection) -> None:
    """All of them, and the jobs that set them up."""
    under_way = [_stuck(), _under_way("acme-eu", 4, seconds=12, pace=0.5), _under_way("globex-labs", 1, seconds=4)]
    set_up = {slug: _set_up(number, slug) for number, slug in enumerate(NAMES) if _status(slug) in _SET_UP}
    conn.execute(insert(tenants), [_tenant(number, slug, set_up.get(slug)) for number, slug in enumerate(NAMES)])
    rows.write(conn, [each.job for each in (*under_way, *set_up.values())])
    steps.write(conn, [*under_way, *set_up.values()])


_SET_UP = ("active", "suspended")


def _status(slug: str) -> str:
    return STATUSES.get(slug, "active")


def _created_at(number: int, slug: str) -> datetime:
    return ago(minutes=14 - number) if _status(slug) == "provisioning" else ago(days=200 - 9 * number)


def _tenant(number: int, slug: str, set_up: History | None) -> dict[str, Any]:
    return {
        "id": TENANT_IDS[slug],
        "slug": slug,
        "display_name": NAMES[slug],
        "schema_name": f"tenant_{slug.replace('-', '_')}"[:63],
        "onboarding_status": _status(slug),
        "created_at": _created_at(number, slug),
        "activated_at": set_up.at if set_up else None,
    }


def _provisioning(slug: str, done: int) -> dict[str, Any]:
    tenant_id = TENANT_IDS[slug]
    about = {"job_type": "provision_tenant", "queue": "provision", "tenant_id": tenant_id, "payload": {"slug": slug}}
    progress = round(100 * done / len(STEPS), 2)
    key = f"provision:{tenant_id}"
    return {**about, "idempotency_key": key, "steps_completed": list(STEPS[:done]), "progress": progress}


def _set_up(number: int, slug: str) -> History:
    """Done long ago, at a pace of its own; at one tenant the storage did not answer at first."""
    asked_at = _created_at(number, slug)
    columns = _provisioning(slug, len(STEPS))
    job = rows.succeeded(f"set up {slug}", 0, asked_at, timedelta(), **columns)
    history = History(job, asked_at, pace=0.8 + 0.1 * (number % 5))
    if slug == "hooli":
        history.tried(0, until=4, error=TIMED_OUT).tried(4, until=4, error=TIMED_OUT, wait=2).tried(4, wait=4)
    else:
        history.tried(0)
    tried = {"attempts": history.generation, "generation": history.generation}
    job |= {"finished_at": history.at, "updated_at": history.at, **tried}
    return history


def _stuck() -> History:
    error = {"error_type": "InsufficientPrivilege", "error_summary": DENIED, "error_fingerprint": "5b1e0cf6a7d20c11"}
    due_at = NOW + timedelta(seconds=38)
    job = rows.scheduled("stuck", 0, ago(minutes=5), due_at, attempts=2, generation=2, **_provisioning("northwind", 2))
    job |= error | {"error_detail": f"InsufficientPrivilege: {DENIED}"}
    return History(job, ago(minutes=5)).tried(0, until=2, error=DENIED).tried(2, until=2, error=DENIED, wait=60)


def _under_way(slug: str, done: int, *, seconds: int, pace: float = 1) -> History:
    asked_at, columns = ago(seconds=seconds + 1), _provisioning(slug, done)
    job = rows.running(f"set up {slug}", 0, asked_at, ago(seconds=seconds), PROVISIONER_1, **columns)
    return History(job, asked_at, pace=pace).tried(0, until=done)
