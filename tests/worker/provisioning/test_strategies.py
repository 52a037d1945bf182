"""Making places: by the roles of a split deployment, by several at once, under odd names, and what may go wrong."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import UUID

import pytest
from pydantic import SecretStr
from sqlalchemy import Connection, Engine, select, text, update
from sqlalchemy.exc import DBAPIError

from tests import factories
from tests.provisioned import clear, provisioned
from tests.worker.provisioning.rig import SCHEMA, asked, claimed, deployment, history, is_open, strategy
from tests.worker.runtime.bench import settings
from worker.database.tenancy import create_schema, grant_schema, owning
from worker.deployment import Deployment
from worker.errors import ClaimLost, ConfigurationError, StorageError, UnknownTenant
from worker.handlers.provision_tenant import provision
from worker.model import new_id
from worker.object_storage import ObjectStorage
from worker.provisioning import postgres
from worker.queries.schema import job_steps, tenants
from worker.signals import Signal, enter, leave

ODD = 'we"ird %s :name; DROP SCHEMA control --'
STATE = "SELECT nspacl, pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = :name"


class Forgetful:
    """A storage that gives back something else than was put in."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def put(self, key: str, data: bytes) -> None:
        self.kept[key] = data

    def get(self, key: str) -> bytes:
        return self.kept[key][:-1]

    def delete(self, key: str) -> None:
        del self.kept[key]


class Broken(Forgetful):
    """A storage that cannot read."""

    def get(self, key: str) -> bytes:
        raise StorageError("object storage: access denied")


@pytest.mark.postgresql
def test_a_split_deployment_provisions_by_its_two_roles(
    engine: Engine, conn: Connection, owner: Engine, app_rw: Engine, tmp_path: Path
) -> None:
    tenant_id, job_id = asked(engine)
    addresses = {
        "database_url": SecretStr(app_rw.url.render_as_string(hide_password=False)),
        "migrations_database_url": SecretStr(owner.url.render_as_string(hide_password=False)),
    }
    split = Deployment(settings(**addresses, object_storage_uri=(tmp_path / "objects").as_uri()))
    provision(split, claimed(engine, job_id))
    assert {outcome for _, _, outcome in history(conn, job_id)} == {"done"}
    assert is_open(app_rw, tenant_id)


@pytest.mark.postgresql
def test_a_26_four_at_one_tenant_make_one_correct_place(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "_PAUSE_SECONDS", 0.01)

    def take(tenant_id: UUID) -> None:
        for step, act in strategy(engine, tenant_id).steps().items():
            if step != "verify_object_storage":
                act()

    for number in range(5):
        tenant_id, _ = asked(engine, f"acme-{number}")
        with ThreadPoolExecutor(4) as pool:
            for each in [pool.submit(take, tenant_id) for _ in range(4)]:
                each.result()
        assert is_open(engine, tenant_id)


@pytest.mark.postgresql
def test_a_schema_that_another_works_on_is_waited_for(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    tenant_id = provisioned(engine)
    waits: list[float] = []
    with owning(engine, SCHEMA) as other:

        def end(seconds: float) -> None:
            waits.append(seconds)
            other.rollback()

        monkeypatch.setattr(postgres, "sleep", end)
        strategy(engine, tenant_id).grant_app_rw()
    assert len(waits) == 1


@pytest.mark.postgresql
def test_who_waits_for_a_schema_stops_when_the_job_is_anothers(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    tenant_id = provisioned(engine)
    monkeypatch.setattr(postgres, "sleep", lambda _: pytest.fail("there is nothing to wait for"))
    enter(Signal(lease_lost=True))
    try:
        with owning(engine, SCHEMA), pytest.raises(ClaimLost):
            strategy(engine, tenant_id).grant_app_rw()
    finally:
        leave()


@pytest.mark.postgresql
def test_it_waits_as_long_as_a_migrator_and_then_says_what_is_locked(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenant_id = provisioned(engine)
    waits: list[float] = []
    monkeypatch.setattr(postgres, "sleep", waits.append)
    monkeypatch.setattr(postgres, "_TRIES", 2)
    with owning(engine, SCHEMA), pytest.raises(DBAPIError, match="lock timeout"):
        strategy(engine, tenant_id).grant_app_rw()
    assert len(waits) == 1


@pytest.mark.postgresql
def test_names_are_quoted_whatever_they_are(engine: Engine, conn: Connection) -> None:
    with owning(engine, ODD) as there:
        create_schema(there, ODD)
        there.execute(text("CREATE TABLE alembic_version (); CREATE TABLE role_profiles ()"))
        grant_schema(there, ODD)
    acl, owned_by = conn.execute(text(STATE), {"name": ODD}).one()
    assert owned_by == "watchfloor_owner"
    assert "app_rw=U/watchfloor_owner" in acl
    with owning(engine, ODD) as there:
        there.execute(text("SELECT * FROM role_profiles"))
        there.exec_driver_sql(f"DROP SCHEMA {there.dialect.identifier_preparer.quote_identifier(ODD)} CASCADE")


def test_a_tenant_that_is_gone_is_unknown(engine: Engine) -> None:
    with pytest.raises(UnknownTenant):
        strategy(engine, new_id())


def test_a_suspended_tenant_stays_suspended(engine: Engine, conn: Connection) -> None:
    tenant_id = provisioned(engine)
    conn.execute(update(tenants).values(onboarding_status="suspended"))
    strategy(engine, tenant_id).activate_onboarding()
    assert conn.execute(select(tenants.c.onboarding_status)).scalar_one() == "suspended"


@pytest.mark.parametrize(("kind", "words"), [(Forgetful, "not what had been written"), (Broken, "access denied")])
def test_a_storage_that_does_not_work_is_told_and_keeps_nothing(
    engine: Engine, kind: type[Forgetful], words: str
) -> None:
    tenant_id, _ = asked(engine)
    storage = kind()

    def opened() -> ObjectStorage:
        return storage

    with pytest.raises(StorageError, match=words):
        strategy(engine, tenant_id, opened).verify_object_storage()
    assert storage.kept == {}


def test_a_deployment_without_object_storage_is_told_which_setting_lacks(
    engine: Engine, url: str, conn: Connection, tmp_path: Path
) -> None:
    _, job_id = asked(engine)
    known = deployment(url, tmp_path).settings.model_copy(update={"object_storage_uri": None})
    with pytest.raises(ConfigurationError, match="WATCHFLOOR_OBJECT_STORAGE_URI"):
        provision(Deployment(known), claimed(engine, job_id))
    assert history(conn, job_id)[-1] == (1, "verify_object_storage", "failed")
    error = conn.execute(select(job_steps.c.error).where(job_steps.c.outcome == "failed")).scalar_one()
    assert error == "ConfigurationError: WATCHFLOOR_OBJECT_STORAGE_URI is not set"


@pytest.mark.postgresql
def test_an_owner_that_may_not_make_schemas_is_told_so_without_secrets(
    engine: Engine, conn: Connection, app_rw: Engine, tmp_path: Path
) -> None:
    _, job_id = asked(engine)
    address = app_rw.url.set(password="hunter2").render_as_string(hide_password=False)
    with pytest.raises(DBAPIError):
        provision(deployment(address, tmp_path), claimed(engine, job_id))
    clear(engine)
    error = conn.execute(select(job_steps.c.error).where(job_steps.c.outcome == "failed")).scalar_one()
    assert "permission denied" in error
    assert "hunter2" not in error
    assert factories.stored(conn, job_id).steps_completed == []
