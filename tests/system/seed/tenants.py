"""The tenants: most are active, three are being set up, and one of those does not get on."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, insert

from tests.system.seed import rows
from tests.system.seed.clock import NOW, ago, identity
from tests.system.seed.staff import PROVISIONER_1
from worker.queries.pages.provisioning import STEPS
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


def insert_all(conn: Connection) -> None:
    """All of them, and the jobs that set three of them up."""
    conn.execute(insert(tenants), [_tenant(number, slug) for number, slug in enumerate(NAMES)])
    rows.write(conn, [_stuck(), _under_way("acme-eu", 4, seconds=12), _under_way("globex-labs", 1, seconds=4)])


def _tenant(number: int, slug: str) -> dict[str, Any]:
    status = STATUSES.get(slug, "active")
    created_at = ago(minutes=14 - number) if status == "provisioning" else ago(days=200 - 9 * number)
    return {
        "id": TENANT_IDS[slug],
        "slug": slug,
        "display_name": NAMES[slug],
        "schema_name": f"tenant_{slug.replace('-', '_')}"[:63],
        "onboarding_status": status,
        "created_at": created_at,
        "activated_at": created_at + timedelta(seconds=41) if status in ("active", "suspended") else None,
    }


def _provisioning(slug: str, done: int) -> dict[str, Any]:
    tenant_id = TENANT_IDS[slug]
    about = {"job_type": "provision_tenant", "queue": "provision", "tenant_id": tenant_id, "payload": {"slug": slug}}
    return {**about, "idempotency_key": f"provision:{tenant_id}", "steps_completed": list(STEPS[:done])}


def _stuck() -> rows.Row:
    error = {"error_type": "InsufficientPrivilege", "error_summary": DENIED, "error_fingerprint": "5b1e0cf6a7d20c11"}
    due_at = NOW + timedelta(seconds=38)
    job = rows.scheduled("stuck", 0, ago(minutes=5), due_at, attempts=2, generation=2, **_provisioning("northwind", 2))
    return job | error | {"error_detail": f"InsufficientPrivilege: {DENIED}"}


def _under_way(slug: str, done: int, *, seconds: int) -> rows.Row:
    columns = _provisioning(slug, done) | {"progress": round(100 * done / len(STEPS), 2)}
    return rows.running(f"set up {slug}", 0, ago(seconds=seconds + 1), ago(seconds=seconds), PROVISIONER_1, **columns)
