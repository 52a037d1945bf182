"""The Tenants page's list: narrowed, paged, with each tenant's open work."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from worker.errors import InvalidInput
from worker.model import Status
from worker.queries.pages import tenants
from worker.queries.pages.provisioning import Stage
from worker.queries.pages.tenants import PAGE

_STOPPED: dict[str, Any] = {"failed": {"status": Status.FAILED}, "retrying": {"attempts": 1}}


def slugs(conn: Connection, **narrowed: Any) -> list[str]:
    return [line.row.slug for line in tenants.page(conn, now=NOON, **narrowed).lines]


def test_a_line_tells_state_provisioning_work_and_last_activity(conn: Connection) -> None:
    acme = factories.tenant(conn, "acme", onboarding_status="active")
    key = {"job_type": "provision_tenant", "idempotency_key": f"provision:{acme}"}
    factories.job(conn, tenant_id=acme, status=Status.SUCCEEDED, created_at=NOON - timedelta(days=3), **key)
    factories.job(conn, tenant_id=acme)
    factories.job(conn, tenant_id=acme, scheduled=True, available_at=NOON + timedelta(hours=1))
    factories.job(conn, tenant_id=acme, status=Status.FAILED)
    factories.job(conn, tenant_id=acme, status=Status.SUCCEEDED, created_at=NOON, updated_at=NOON)
    (line,) = tenants.page(conn, now=NOON).lines
    assert (line.row.display_name, line.row.onboarding_status, line.provisioning.stage) == (
        "Acme",
        "active",
        Stage.DONE,
    )
    assert (line.load.ready, line.load.scheduled, line.load.running, line.load.dead) == (1, 1, 0, 1)
    assert line.row.active_at == NOON


def test_a_tenant_without_any_job_is_listed_too(conn: Connection) -> None:
    factories.tenant(conn, "acme")
    (line,) = tenants.page(conn, now=NOON).lines
    assert (line.load, line.row.active_at, line.provisioning.stage) == (None, None, Stage.NOT_STARTED)


@pytest.mark.parametrize(
    ("text", "found"),
    [("lob", ["globex"]), ("GLO", ["globex"]), ("corp", ["acme"]), ("%", []), ("_", []), ("", ["acme", "globex"])],
)
def test_a_text_is_found_in_slug_and_name_literally(conn: Connection, text: str, found: list[str]) -> None:
    factories.tenant(conn, "acme", display_name="Acme Corp")
    factories.tenant(conn, "globex")
    assert slugs(conn, containing=text) == found


def test_an_id_finds_its_tenant(conn: Connection) -> None:
    factories.tenant(conn, "acme")
    wanted = factories.tenant(conn, "globex")
    assert slugs(conn, containing=str(wanted).upper()) == ["globex"]


def test_the_list_is_narrowed_by_state(conn: Connection) -> None:
    for state in ("created", "active", "suspended", "provisioning"):
        factories.tenant(conn, state, onboarding_status=state)
    for slug, columns in _STOPPED.items():
        tenant_id = factories.tenant(conn, slug, onboarding_status="provisioning")
        key = {"job_type": "provision_tenant", "tenant_id": tenant_id, "idempotency_key": f"provision:{tenant_id}"}
        factories.job(conn, **key | columns)
    for state in ("created", "active", "suspended"):
        assert slugs(conn, state=state) == [state]
    assert slugs(conn, state="provisioning") == ["failed", "provisioning", "retrying"]
    assert slugs(conn, state="stopped") == ["failed", "retrying"]


def test_each_tenant_is_on_one_page(conn: Connection) -> None:
    for place in range(PAGE + 2):
        factories.tenant(conn, f"t-{place}")
    first = tenants.page(conn, now=NOON)
    second = tenants.page(conn, cursor=first.older, now=NOON)
    assert (len(first.lines), len(second.lines), second.older) == (PAGE, 2, None)
    assert len({line.row.id for line in (*first.lines, *second.lines)}) == PAGE + 2


def test_a_page_that_is_just_full_is_the_last(conn: Connection) -> None:
    for place in range(PAGE):
        factories.tenant(conn, f"t-{place}")
    assert tenants.page(conn, now=NOON).older is None


def test_a_cursor_of_another_list_is_refused(conn: Connection) -> None:
    with pytest.raises(InvalidInput, match="cursor"):
        tenants.page(conn, cursor="WzFd", now=NOON)
