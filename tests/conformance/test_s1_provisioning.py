"""S1, provisioning: six steps that may each be repeated, and what they leave to a tenant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, insert, select, text, update

from app.settings import ConsoleSettings
from app.split.shares import PRODUCT, PROVISIONER, Addresses, shares
from tests import factories
from tests.provisioned import provisioned
from tests.worker.provisioning.conftest import Mortals
from tests.worker.provisioning.mortal import work
from tests.worker.provisioning.rig import asked, claimed, deployment, history, is_open, place, strategy
from tests.worker.runtime.process import end_leases
from worker.database import connect
from worker.handlers.provision_tenant import provision
from worker.model import Status
from worker.provisioning import migrations
from worker.provisioning.steps import STEPS, run
from worker.queries.schema import platform_jobs, tenants
from worker.queries.tenant.role_profiles import PROFILES
from worker.queries.tenant.schema import metadata, role_profiles
from worker.tenancy import tenant_uow

LISTED = (
    "create_schema",
    "run_tenant_migrations",
    "grant_app_rw",
    "seed_role_profiles",
    "verify_object_storage",
    "activate_onboarding",
)
CATALOGUE = {
    "postgresql": """
        SELECT relname, relacl, relrowsecurity, relforcerowsecurity, pg_get_userbyid(relowner), nspacl, defaclacl
        FROM pg_namespace n LEFT JOIN pg_class ON relnamespace = n.oid
            LEFT JOIN pg_default_acl ON defaclnamespace = n.oid
        WHERE nspname = 'tenant_acme' ORDER BY relname, defaclobjtype
    """,
    "sqlite": "SELECT name, sql FROM sqlite_master ORDER BY name",
}
OF_THE_TENANT = {
    "postgresql": "SELECT set_config('app.tenant_id', CAST(id AS text), true) FROM control.tenants WHERE slug = 'acme'",
    "sqlite": "SELECT 1",
}
SESSION = "SELECT current_user, current_setting('search_path'), coalesce(current_setting('app.tenant_id', true), '')"


@pytest.fixture
def narrow(url: str) -> Iterator[Engine]:
    """An engine with one session, which everybody is given."""
    engine = connect(url, application_name="tests", pool_size=1)
    yield engine
    engine.dispose()


def left(engine: Engine) -> list[Any]:
    """What there is of the tenant by now: its place, its rows, and what is said of it."""
    with engine.connect() as conn:
        said = list(conn.execute(select(tenants)))
    with place(engine) as conn:
        catalogue = list(conn.execute(text(CATALOGUE[engine.dialect.name])))
        found = "role_profiles" in {each[0] for each in catalogue}
        conn.execute(text(OF_THE_TENANT[engine.dialect.name]))
        return [*said, *catalogue, *(conn.execute(select(role_profiles)) if found else ())]


def revision(engine: Engine, schema_name: str) -> str | None:
    """Which one the tenant's tables are at."""
    with place(engine, schema_name) as conn:
        return migrations.current(conn)


@pytest.mark.postgresql
def test_s1_68_app_rw_may_work_in_tables_that_are_there_and_in_those_of_later_revisions(
    engine: Engine, app_rw: Engine
) -> None:
    tenant_id, _ = asked(engine)
    steps = strategy(engine, tenant_id).steps()
    steps["create_schema"]()
    with place(engine) as conn:
        migrations.upgrade(conn, "t001")
    steps["grant_app_rw"]()
    row = {"name": "auditor", "tenant_id": tenant_id, "display_name": "Auditor", "permissions": ["datasets:read"]}
    with tenant_uow(app_rw, tenant_id=tenant_id) as conn:
        conn.execute(insert(role_profiles), row)
        assert conn.execute(select(role_profiles.c.name)).scalars().all() == ["auditor"]
    with place(engine) as conn:
        migrations.upgrade(conn)
    later = set(metadata.tables) - {"role_profiles"}
    assert later
    with tenant_uow(app_rw, tenant_id=tenant_id) as conn:
        for table in later:
            assert conn.execute(select(metadata.tables[table])).all() == []
            conn.execute(metadata.tables[table].delete())
    with app_rw.begin() as conn, pytest.raises(Exception, match="permission denied"):
        conn.execute(text("SELECT * FROM tenant_acme.alembic_version"))


@pytest.mark.postgresql
@pytest.mark.parametrize("commits", [True, False])
def test_s1_70_what_narrows_a_unit_ends_with_its_transaction(engine: Engine, narrow: Engine, commits: bool) -> None:
    tenant_id = provisioned(engine)
    with narrow.connect() as conn:
        session, before = conn.execute(text("SELECT pg_backend_pid()")).scalar_one(), conn.execute(text(SESSION)).one()
    with tenant_uow(narrow, tenant_id=tenant_id) as conn:
        assert conn.execute(text(SESSION)).one() == ("app_rw", "tenant_acme", str(tenant_id))
        if not commits:
            conn.rollback()
    with narrow.connect() as conn:
        assert conn.execute(text("SELECT pg_backend_pid()")).scalar_one() == session
        assert conn.execute(text(SESSION)).one() == before


def test_s1_72_the_two_workers_have_what_their_types_need_and_nothing_else() -> None:
    around = {"WATCHFLOOR_MAIL_URI": "smtp://mail", "WATCHFLOOR_SECRET_KEYS": "key", "AWS_ACCESS_KEY_ID": "objects"}
    settings = ConsoleSettings(object_storage_uri="s3://objects")
    split = shares(settings, Addresses("owner", "work", "pages"), around)
    provisioner, product = ({each.name: each.environment for each in split}[name] for name in (PROVISIONER, PRODUCT))
    assert provisioner["WATCHFLOOR_WORKER_COMPONENT"] == "provisioner-worker"
    assert provisioner["WATCHFLOOR_WORKER_JOB_TYPES"] == "provision_tenant"
    assert product["WATCHFLOOR_WORKER_COMPONENT"] == "product-worker"
    assert {"materialize_insights", "train_tenant_model"} <= set(product["WATCHFLOOR_WORKER_JOB_TYPES"].split(","))
    assert "provision_tenant" not in product["WATCHFLOOR_WORKER_JOB_TYPES"]
    assert (provisioner["DATABASE_URL"], product["DATABASE_URL"]) == ("work", "work")
    assert provisioner["MIGRATIONS_DATABASE_URL"] == "owner"
    assert "MIGRATIONS_DATABASE_URL" not in product
    assert {"WATCHFLOOR_MAIL_URI", "WATCHFLOOR_SECRET_KEYS"} <= product.keys() - provisioner.keys()
    assert provisioner["AWS_ACCESS_KEY_ID"] == product["AWS_ACCESS_KEY_ID"]


def test_s1_73_the_six_steps_are_taken_in_their_order(
    engine: Engine, url: str, conn: Connection, tmp_path: Path
) -> None:
    tenant_id, job_id = asked(engine)
    provision(deployment(url, tmp_path), claimed(engine, job_id))
    assert history(conn, job_id) == [(1, step, "done") for step in LISTED]
    assert is_open(engine, tenant_id)


def test_s1_74_a_kill_after_the_third_step_leaves_the_first_three(
    engine: Engine, conn: Connection, mortals: Mortals
) -> None:
    _, job_id = asked(engine)
    assert mortals(work, "grant_app_rw", "recorded") == "killed"
    assert factories.stored(conn, job_id).steps_completed == list(LISTED[:3])


def test_s1_75_progress_is_the_share_of_the_steps_that_are_done(engine: Engine, conn: Connection) -> None:
    _, job_id = asked(engine)
    seen: list[float] = []

    def look() -> None:
        with engine.connect() as apart:
            seen.append(float(factories.stored(apart, job_id).progress))

    run(claimed(engine, job_id), engine, dict.fromkeys(STEPS, look))
    assert [*seen, float(factories.stored(conn, job_id).progress)] == [0, 16.67, 33.33, 50, 66.67, 83.33, 100]


def test_s1_76_a_run_skips_the_steps_that_are_listed(
    engine: Engine, url: str, conn: Connection, tmp_path: Path
) -> None:
    tenant_id, job_id = asked(engine)
    for step in LISTED[:3]:
        strategy(engine, tenant_id).steps()[step]()
    conn.execute(update(platform_jobs).values(steps_completed=list(LISTED[:3])))
    provision(deployment(url, tmp_path), claimed(engine, job_id))
    assert [outcome for _, _, outcome in history(conn, job_id)] == ["skipped"] * 3 + ["done"] * 3


def test_s1_77_each_step_may_be_repeated_by_itself(engine: Engine, tmp_path: Path, url: str) -> None:
    tenant_id, _ = asked(engine)
    storage = deployment(url, tmp_path).storage
    for step, take in strategy(engine, tenant_id, storage).steps().items():
        take()
        once = left(engine)
        take()
        assert left(engine) == once, step
    assert [path for path in (tmp_path / "objects").rglob("*") if path.is_file()] == []
    assert is_open(engine, tenant_id)


def test_s1_78_a_schema_that_is_there_is_left_as_it_is(engine: Engine) -> None:
    tenant_id = provisioned(engine)
    strategy(engine, tenant_id).create_schema()
    assert is_open(engine, tenant_id)


def test_s1_79_seeding_again_adds_nothing_and_takes_nothing_back(engine: Engine) -> None:
    tenant_id = provisioned(engine)
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        conn.execute(update(role_profiles).values(display_name="Boss").where(role_profiles.c.name == "owner"))
        conn.execute(role_profiles.delete().where(role_profiles.c.name == "viewer"))
    strategy(engine, tenant_id).seed_role_profiles()
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        found = {row.name: row.display_name for row in conn.execute(select(role_profiles))}
    assert found == {name: display_name for name, (display_name, _) in PROFILES.items()} | {"owner": "Boss"}


def test_s1_80_two_tenants_may_be_at_different_revisions(engine: Engine) -> None:
    for slug, wanted in (("acme", "t001"), ("bolt", "head")):
        tenant_id, _ = asked(engine, slug)
        strategy(engine, tenant_id).create_schema()
        with place(engine, f"tenant_{slug}") as conn:
            migrations.upgrade(conn, wanted)
    assert (revision(engine, "tenant_acme"), revision(engine, "tenant_bolt")) == ("t001", migrations.head())
    assert migrations.head() != "t001"


def test_s1_81_grants_may_be_repeated(engine: Engine) -> None:
    tenant_id = provisioned(engine)
    before = left(engine)
    strategy(engine, tenant_id).grant_app_rw()
    assert left(engine) == before


def test_s1_82_a_crash_between_a_step_and_its_record_is_safe(
    engine: Engine, conn: Connection, mortals: Mortals
) -> None:
    tenant_id, job_id = asked(engine, max_attempts=10)
    for number, step in enumerate(STEPS):
        assert mortals(work, step, "done") == "killed"
        assert factories.stored(conn, job_id).steps_completed == list(STEPS[:number])
        end_leases(conn)
    assert mortals(work, "nowhere") == "lived"
    assert factories.stored(conn, job_id).status == Status.SUCCEEDED
    assert is_open(engine, tenant_id)
