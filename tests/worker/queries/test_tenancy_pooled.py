"""Units of work through a pooler that lends its sessions by the transaction (S1-70, A-20, A-29)."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from sqlalchemy import Engine, select, text

from tests.bouncer import bouncing
from tests.pooler import pooling
from tests.provisioned import provisioned
from worker.database import connect, url_of
from worker.queries.tenant.schema import role_profiles
from worker.tenancy import tenant_uow

pytestmark = pytest.mark.postgresql

SLUGS = ("acme", "bolt", "cork")
STATE = "SELECT current_user, current_setting('search_path'), coalesce(current_setting('app.tenant_id', true), '')"


@pytest.fixture(params=["our own", "pgbouncer"])
def pooled(url: str, request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An engine whose many sessions are two of the server's."""
    with pooling(url, sessions=2) if request.param == "our own" else bouncing(url, role="app_rw", sessions=2) as door:
        address = door if isinstance(door, str) else door.url
        engine = connect(url_of(address, pooled=True), application_name="tests", pool_size=6)
        yield engine
        engine.dispose()


def test_s1_70_units_of_many_tenants_share_two_sessions_and_see_their_own_rows_alone(
    engine: Engine, pooled: Engine
) -> None:
    tenants = [provisioned(engine, slug) for slug in SLUGS]
    with pooled.connect() as conn:
        before = conn.execute(text(STATE)).one()

    sessions: set[int] = set()

    def visit(tenant_id: UUID) -> None:
        with tenant_uow(pooled, tenant_id=tenant_id) as conn:
            sessions.add(conn.execute(text("SELECT pg_backend_pid()")).scalar_one())
            assert conn.execute(text(STATE)).one()[::2] == ("app_rw", str(tenant_id))
            assert set(conn.execute(select(role_profiles.c.tenant_id)).scalars()) == {tenant_id}
        with pooled.connect() as conn:
            assert conn.execute(text(STATE)).one() == before
            assert conn.execute(text("SELECT to_regclass('role_profiles')")).scalar_one() is None

    with ThreadPoolExecutor(6) as threads:
        for each in [threads.submit(visit, tenants[number % 3]) for number in range(120)]:
            each.result()
    assert len(sessions) == 2
