"""What one tenant has in its own place: two datasets, one of them explored, and a model."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from uuid import UUID

from sqlalchemy import Engine, select

from tests.provisioned import no_storage
from tests.system.seed.clock import ago
from worker.insights.cells import Cell, field
from worker.insights.summary import insights_of
from worker.provisioning.strategies import strategy_for
from worker.queries.schema import tenants
from worker.queries.tenant import datasets, insights, models
from worker.queries.tenant.datasets import NewDataset
from worker.queries.tenant.models import Trained
from worker.tenancy import tenant_uow

OWNER = "globex"
ROWS = 4_812
NAMES = ("basket_value", "items", "country", "delivered_days", "returned", "coupon")


def furnish(engine: Engine) -> None:
    """Make the tenant's place and put them there."""
    with engine.connect() as conn:
        tenant_id: UUID = conn.execute(select(tenants.c.id).where(tenants.c.slug == OWNER)).scalar_one()
    for step, take in strategy_for(tenant_id, engine=engine, owner=engine, storage=no_storage).steps().items():
        if step not in ("verify_object_storage", "activate_onboarding"):
            take()
    fresh = NewDataset(
        "returns <2026> with a name as long as people make them, week 48", "jsonl", ["a", "b"], 9, "b" * 64
    )
    explored = NewDataset("orders-2026-q4", "csv", NAMES, ROWS, "a" * 64)
    metrics = {"train_rows": 3849, "test_rows": 963, "scores": {"r2": 0.8731, "mae": 4.182}}
    metrics |= {"baseline": {"r2": -0.0012, "mae": 18.4}}
    trained = Trained("basket_value", "c" * 64, {}, "models/1", "d" * 64, metrics)
    fields = [field(name, cells, spelled=False) for name, cells in zip(NAMES, _columns(), strict=True)]
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        datasets.add(conn, tenant_id=tenant_id, new=fresh, created_by="token:nightly-import", now=ago(minutes=2))
        orders = datasets.add(conn, tenant_id=tenant_id, new=explored, created_by="dana", now=ago(hours=3)).id
        insights.replace(conn, dataset_id=orders, row_count=ROWS, found=insights_of(fields), now=ago(hours=3))
        models.put(conn, dataset_id=orders, trained=trained, now=ago(hours=2))


def _columns() -> list[Sequence[Cell]]:
    dice = Random(7)
    items = [min(1 + int(dice.expovariate(0.6)), 12) for _ in range(ROWS)]
    return [
        [round(each * dice.lognormvariate(3, 0.4), 2) for each in items],
        items,
        dice.choices(["Germany", "France", "Österreich", "Italy"], [48, 22, 17, 13], k=ROWS),
        [dice.choice([1, 2, 2, 3, 3, 3, 4, 9]) if dice.random() > 0.04 else None for _ in range(ROWS)],
        [dice.random() < 0.07 for _ in range(ROWS)],
        [None] * ROWS,
    ]
