"""What a tenant has, read in its own place; and what is shown where that is not to be had."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, text

from tests import factories
from tests.factories import NOON
from tests.provisioned import clear, provisioned
from worker.database import connect
from worker.insights.summary import Insight
from worker.model import new_id
from worker.queries.pages import holdings
from worker.queries.pages.holdings import Holdings
from worker.queries.tenant import datasets, insights, models
from worker.queries.tenant.datasets import NewDataset
from worker.queries.tenant.models import Trained
from worker.tenancy import tenant_uow

FOUND = [Insight("field", "price", {"count": 3}), Insight("correlations", None, {"pairs": []})]


def put(engine: Engine, tenant_id: UUID, name: str, *, minute: int = 0, insights_of: bool = False) -> UUID:
    """A dataset of that name, with insights or without."""
    new = NewDataset(name, "csv", ["price"], 3, f"{minute:064}")
    now = NOON + timedelta(minutes=minute)
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        added = datasets.add(conn, tenant_id=tenant_id, new=new, created_by="tests", now=now)
        if insights_of:
            insights.replace(conn, dataset_id=added.id, row_count=3, found=FOUND, now=now)
    return added.id


def test_datasets_come_with_what_is_known_of_them(engine: Engine) -> None:
    tenant_id = provisioned(engine)
    plain, known = put(engine, tenant_id, "plain"), put(engine, tenant_id, "known", minute=1, insights_of=True)
    found = holdings.read(engine, tenant_id=tenant_id)
    assert [row.name for row in found.datasets] == ["known", "plain"]
    assert [(row.kind, row.field) for row in found.insights[known]] == [("field", "price"), ("correlations", None)]
    assert plain not in found.insights
    assert (found.is_there, found.is_known, found.models) == (True, True, [])


def test_models_come_with_the_name_of_their_dataset(engine: Engine) -> None:
    tenant_id = provisioned(engine)
    dataset_id = put(engine, tenant_id, "sales")
    trained = Trained("price", "a" * 64, {}, "models/1", "b" * 64, {"r2": 0.9})
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        models.put(conn, dataset_id=dataset_id, trained=trained, now=NOON)
    (model,) = holdings.read(engine, tenant_id=tenant_id).models
    assert (model.target, model.dataset_name, model.metrics) == ("price", "sales", {"r2": 0.9})


def test_only_the_newest_are_read(engine: Engine) -> None:
    tenant_id = provisioned(engine)
    for minute in range(holdings.DATASETS + 2):
        put(engine, tenant_id, f"d{minute}", minute=minute)
    assert [row.name for row in holdings.read(engine, tenant_id=tenant_id).datasets] == ["d6", "d5", "d4", "d3", "d2"]


def test_before_its_place_is_made_there_is_nothing(engine: Engine, conn: Connection) -> None:
    clear(engine)
    assert holdings.read(engine, tenant_id=factories.tenant(conn)) == Holdings(is_there=False)
    assert holdings.read(engine, tenant_id=new_id()) == Holdings(is_there=False)


@pytest.mark.postgresql
def test_a_migration_of_its_tables_is_not_waited_for(engine: Engine) -> None:
    tenant_id = provisioned(engine)
    with engine.begin() as migrating:
        migrating.execute(text("LOCK TABLE tenant_acme.datasets IN ACCESS EXCLUSIVE MODE"))
        assert holdings.read(engine, tenant_id=tenant_id) == Holdings(is_known=False)
    assert holdings.read(engine, tenant_id=tenant_id) == Holdings([], {}, [])


@pytest.mark.postgresql
def test_tables_that_are_not_there_yet_are_out_of_reach_and_no_more(engine: Engine) -> None:
    tenant_id = provisioned(engine)
    with engine.begin() as conn:
        conn.execute(text("DROP TABLE tenant_acme.models"))
    assert holdings.read(engine, tenant_id=tenant_id) == Holdings(is_known=False)


@pytest.mark.postgresql
def test_a_server_that_is_gone_is_out_of_reach(engine: Engine) -> None:
    nowhere = connect("postgresql+psycopg://nobody@127.0.0.1:1/nothing", application_name="tests")
    assert holdings.read(nowhere, tenant_id=new_id()) == Holdings(is_known=False)
