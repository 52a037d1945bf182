"""Work on one tenant's own: who is let in, and what nobody brings out again."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, event, insert, select, text, update
from sqlalchemy.exc import DBAPIError, OperationalError

from tests import factories
from tests.provisioned import clear, provisioned
from worker.database import connect, read_only
from worker.database.tenancy import beside
from worker.errors import TenantNotReady, UnknownTenant
from worker.job_types import JobTypes
from worker.model import new_id
from worker.new_jobs import NewJob
from worker.queries import jobs
from worker.queries.schema import platform_jobs
from worker.queries.tenant.role_profiles import PROFILES
from worker.queries.tenant.schema import role_profiles
from worker.tenancy import tenant_uow

STATE = "SELECT current_user, current_setting('search_path'), coalesce(current_setting('app.tenant_id', true), '')"


@pytest.fixture
def narrow(url: str) -> Iterator[Engine]:
    """An engine with one session, so that everybody is given the same."""
    engine = connect(url, application_name="tests", pool_size=1)
    yield engine
    engine.dispose()


@pytest.fixture
def local(file: Path, tmp_path: Path) -> Iterator[Engine]:
    """The same on a file."""
    path = shutil.copyfile(file, tmp_path / "a.db")
    engine = connect(f"sqlite:///{path}", application_name="tests", pool_size=1)
    yield engine
    engine.dispose()


def names(conn: Connection) -> set[str]:
    """The roles of the tenant whose unit of work this is."""
    return set(conn.execute(select(role_profiles.c.name)).scalars())


def test_a_unit_finds_the_tenants_own_by_its_name_and_keeps_what_it_writes(engine: Engine) -> None:
    tenant_id = provisioned(engine)
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        conn.execute(update(role_profiles).values(display_name="Boss").where(role_profiles.c.name == "owner"))
    with tenant_uow(read_only(engine), tenant_id=tenant_id) as conn:
        assert names(conn) == set(PROFILES)
        assert conn.execute(select(role_profiles.c.display_name).filter_by(name="owner")).scalar_one() == "Boss"


def test_an_error_takes_everything_back_the_tenants_own_and_what_all_share(engine: Engine) -> None:
    tenant_id = provisioned(engine)

    def work() -> None:
        with tenant_uow(engine, tenant_id=tenant_id) as conn:
            conn.execute(update(role_profiles).values(display_name="Boss"))
            jobs.enqueue(conn, JobTypes(), NewJob("materialize_insights", tenant_id=tenant_id))
            raise KeyError

    with pytest.raises(KeyError):
        work()
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        assert conn.execute(select(role_profiles).filter_by(display_name="Boss")).all() == []
        assert conn.execute(select(platform_jobs)).all() == []


def test_nobody_works_for_a_tenant_that_is_not_there_or_not_provisioned(engine: Engine) -> None:
    with pytest.raises(UnknownTenant), tenant_uow(engine, tenant_id=new_id()):
        pytest.fail("there is no such tenant")
    clear(engine, "bolt")
    with engine.begin() as conn:
        tenant_id = factories.tenant(conn, "bolt")
    with pytest.raises(TenantNotReady), tenant_uow(engine, tenant_id=tenant_id):
        pytest.fail("there is no place yet")


@pytest.mark.postgresql
def test_a_schema_that_app_rw_was_not_let_into_is_not_ready(engine: Engine) -> None:
    clear(engine, "bolt")
    with engine.begin() as conn:
        tenant_id = factories.tenant(conn, "bolt")
        conn.execute(text("CREATE SCHEMA tenant_bolt"))
    with pytest.raises(TenantNotReady), tenant_uow(engine, tenant_id=tenant_id):
        pytest.fail("nothing would be found there")


def test_a_file_without_tables_is_not_ready(local: Engine) -> None:
    with local.begin() as conn:
        tenant_id = factories.tenant(conn)
    beside(local.url, "tenant_acme").touch()
    with pytest.raises(TenantNotReady), tenant_uow(local, tenant_id=tenant_id):
        pytest.fail("there are no tables yet")


@pytest.mark.postgresql
def test_no_row_of_another_tenant_is_seen_changed_or_made_though_its_schema_is_spelt_out(engine: Engine) -> None:
    one, other = provisioned(engine, "acme"), provisioned(engine, "bolt")
    row = {"name": "spy", "tenant_id": other, "display_name": "Spy", "permissions": []}
    with tenant_uow(engine, tenant_id=one) as conn:
        assert conn.execute(text("SELECT count(*) FROM tenant_bolt.role_profiles")).scalar_one() == 0
        assert conn.execute(text("UPDATE tenant_bolt.role_profiles SET display_name = ''")).rowcount == 0
        assert conn.execute(text("DELETE FROM tenant_bolt.role_profiles")).rowcount == 0
    for schema in ("tenant_acme", "tenant_bolt"):
        spelt_out = role_profiles.to_metadata(role_profiles.metadata.__class__(), schema=schema)
        with pytest.raises(DBAPIError, match="row-level security"), tenant_uow(engine, tenant_id=one) as conn:
            conn.execute(insert(spelt_out), row)
    with tenant_uow(engine, tenant_id=other) as conn:
        assert names(conn) == set(PROFILES)


@pytest.mark.postgresql
def test_one_statement_lets_a_unit_in(engine: Engine, narrow: Engine) -> None:
    tenant_id = provisioned(engine)
    sent: list[str] = []
    event.listen(narrow, "before_cursor_execute", lambda *about: sent.append(about[2]))
    with tenant_uow(narrow, tenant_id=tenant_id):
        assert len(sent) == 1


@pytest.mark.postgresql
def test_without_a_tenant_there_are_no_rows_and_no_error_even_for_the_owner(engine: Engine) -> None:
    provisioned(engine)
    for role in ("app_rw", "watchfloor_owner"):
        with engine.begin() as conn:
            conn.execute(text(f"SET LOCAL ROLE {role}"))
            assert conn.execute(text("SELECT count(*) FROM tenant_acme.role_profiles")).scalar_one() == 0


@pytest.mark.postgresql
def test_a_29_no_round_of_any_tenant_leaves_the_next_user_of_the_session_anything(
    engine: Engine, narrow: Engine
) -> None:
    tenants = [provisioned(engine, slug) for slug in ("acme", "bolt", "cork")]
    with narrow.connect() as conn:
        before = conn.execute(text(STATE)).one()
    for round_ in range(60):
        _visit(narrow, tenants[round_ % 3], ends=("well", "badly", "refused")[random.randrange(3)])
        with narrow.connect() as conn:
            assert conn.execute(text(STATE)).one() == before
            assert conn.execute(text("SELECT to_regclass('role_profiles')")).scalar_one() is None


def _visit(engine: Engine, tenant_id: UUID, *, ends: str) -> None:
    try:
        with tenant_uow(engine, tenant_id=tenant_id) as conn:
            assert set(conn.execute(select(role_profiles.c.tenant_id)).scalars()) == {tenant_id}
            if ends == "refused":
                conn.execute(text("SELECT 1 / 0"))
            if ends == "badly":
                raise KeyError
    except (KeyError, DBAPIError):
        assert ends != "well"


@pytest.mark.postgresql
def test_a_29_units_of_many_tenants_beside_each_other_see_their_own_rows_alone(engine: Engine) -> None:
    tenants = [provisioned(engine, slug) for slug in ("acme", "bolt", "cork")]
    with ThreadPoolExecutor(8) as pool:
        rounds = [pool.submit(_visit, engine, tenants[round_ % 3], ends="well") for round_ in range(90)]
        for each in rounds:
            each.result()


def test_a_file_is_let_go_of_though_its_rows_are_still_being_read(local: Engine) -> None:
    tenant_id = provisioned(local)
    with tenant_uow(local, tenant_id=tenant_id) as conn:
        rows = iter(conn.execution_options(stream_results=True).execute(select(role_profiles)))
        next(rows)
    with local.connect() as conn, pytest.raises(OperationalError, match="no such table"):
        conn.execute(select(role_profiles))
