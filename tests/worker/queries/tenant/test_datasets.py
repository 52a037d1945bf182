"""What a tenant put in and what is derived from it, as rows: kept in order, read in portions, seen by nobody else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, delete, func, select, text
from sqlalchemy.exc import DBAPIError

from tests.factories import NOON
from tests.provisioned import provisioned
from worker.insights.summary import Insight
from worker.queries.tenant import datasets, insights, models, records, trainings
from worker.queries.tenant.datasets import NewDataset
from worker.queries.tenant.models import Trained
from worker.queries.tenant.schema import metadata
from worker.tenancy import tenant_uow

FIRST = UUID(int=0)
HASH = "a" * 64


@pytest.fixture
def tenant_id(engine: Engine) -> UUID:
    return provisioned(engine)


@pytest.fixture
def unit(engine: Engine, tenant_id: UUID) -> Iterator[Connection]:
    """A unit of the tenant's work."""
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        yield conn


def add(unit: Connection, tenant_id: UUID, name: str = "sales", content: str = HASH, minutes: int = 0) -> UUID:
    new = NewDataset(name, "csv", ["b", "a"], 3, content)
    return datasets.add(
        unit, tenant_id=tenant_id, new=new, created_by="tests", now=NOON + timedelta(minutes=minutes)
    ).id  # fmt: skip


def train(unit: Connection, dataset_id: UUID, config_hash: str = HASH, minutes: int = 0) -> UUID | None:
    trained = Trained("a", config_hash, {"target": "a"}, f"key of {config_hash[:1]}", HASH, {"task": "regression"})
    return models.put(unit, dataset_id=dataset_id, trained=trained, now=NOON + timedelta(minutes=minutes))


def test_a_name_may_be_used_again_for_other_content_alone(unit: Connection, tenant_id: UUID) -> None:
    first = add(unit, tenant_id)
    assert add(unit, tenant_id) == first
    assert len({first, add(unit, tenant_id, content="b" * 64), add(unit, tenant_id, "other")}) == 3
    row = datasets.get(unit, dataset_id=first)
    assert row
    assert (row.columns, row.row_count, row.created_at) == (["b", "a"], 3, NOON)
    assert datasets.get(unit, dataset_id=FIRST) is None


def test_the_newest_datasets_come_first_with_the_time_of_their_insights(unit: Connection, tenant_id: UUID) -> None:
    old, new = add(unit, tenant_id, "old"), add(unit, tenant_id, "new", minutes=5)
    add(unit, tenant_id, "oldest", minutes=-5)
    insights.replace(unit, dataset_id=old, row_count=3, found=[], now=NOON)
    found = [(row.id, row.computed_at) for row in datasets.listed(unit, limit=2)]
    assert found == [(new, None), (old, NOON)]


def test_records_come_back_in_order_whatever_the_portions(
    unit: Connection, tenant_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "_PORTION", 7)
    monkeypatch.setattr(records, "MAX_DOCUMENT", 100)
    kept = [{"a": place, "b": "x" * (place % 40)} for place in range(30)]
    mine, other = add(unit, tenant_id), add(unit, tenant_id, "other")
    records.add(unit, tenant_id=tenant_id, dataset_id=mine, texts=[json.dumps(record) for record in kept])
    records.add(unit, tenant_id=tenant_id, dataset_id=other, texts=['{"a": "other"}'])
    portions = list(records.portions(unit, dataset_id=mine))
    assert [len(portion) for portion in portions] == [7, 7, 7, 7, 2]
    assert [record for portion in portions for record in portion] == kept


def test_numbers_and_texts_are_kept_as_they_are(unit: Connection, tenant_id: UUID) -> None:
    record = {"i": 10**40, "f": 0.1, "small": 1e-300, "big": 10**300, "t": "ß\u2028\"'", "yes": True}
    dataset_id = add(unit, tenant_id)
    records.add(unit, tenant_id=tenant_id, dataset_id=dataset_id, texts=[json.dumps(record)])
    ((read,),) = records.portions(unit, dataset_id=dataset_id)
    assert read == record


def test_insights_are_replaced_whole_and_read_for_several_datasets_at_once(unit: Connection, tenant_id: UUID) -> None:
    one, other = sorted([add(unit, tenant_id), add(unit, tenant_id, "other")])
    for found in ([Insight("field", "x", {"count": 1})] * 5, [Insight("field", "b", {}), Insight("field", "a", {})]):
        correlations = Insight("correlations", None, {"pairs": []})
        assert insights.replace(unit, dataset_id=one, row_count=3, found=[*found, correlations])
    insights.replace(unit, dataset_id=other, row_count=9, found=[Insight("field", "a", {"count": 9})])
    read = insights.of_datasets(unit, dataset_ids=[one, other])
    assert [(row.dataset_id, row.kind, row.field, row.row_count) for row in read] == [
        (one, "field", "b", 3),
        (one, "field", "a", 3),
        (one, "correlations", None, 3),
        (other, "field", "a", 9),
    ]
    assert insights.of_datasets(unit, dataset_ids=[]) == []


def test_what_is_derived_goes_with_its_dataset_and_is_not_made_without_it(unit: Connection, tenant_id: UUID) -> None:
    dataset_id = add(unit, tenant_id)
    records.add(unit, tenant_id=tenant_id, dataset_id=dataset_id, texts=["{}"])
    insights.replace(unit, dataset_id=dataset_id, row_count=1, found=[Insight("field", "a", {})])
    train(unit, dataset_id)
    unit.execute(delete(metadata.tables["datasets"]))
    kept = {
        name
        for name, table in metadata.tables.items()
        if unit.execute(select(func.count()).select_from(table)).scalar()
    }
    assert kept == {"role_profiles"}
    assert not insights.replace(unit, dataset_id=dataset_id, row_count=1, found=[])
    assert train(unit, dataset_id) is None


def test_datasets_without_insights_are_found_portion_by_portion(unit: Connection, tenant_id: UUID) -> None:
    made = sorted(add(unit, tenant_id, f"set {place}") for place in range(5))
    insights.replace(unit, dataset_id=made[1], row_count=3, found=[])
    bare = [made[0], *made[2:]]
    assert datasets.without_insights(unit, after=FIRST, limit=2) == bare[:2]
    assert datasets.without_insights(unit, after=bare[1], limit=9) == bare[2:]


def test_a_model_takes_the_place_of_the_one_with_its_configuration(unit: Connection, tenant_id: UUID) -> None:
    dataset_id = add(unit, tenant_id)
    first = train(unit, dataset_id)
    assert train(unit, dataset_id, minutes=9) == first
    other = train(unit, dataset_id, "b" * 64, minutes=5)
    found = [(row.id, row.dataset_name, row.trained_at) for row in models.listed(unit, limit=9)]
    assert found == [(first, "sales", NOON + timedelta(minutes=9)), (other, "sales", NOON + timedelta(minutes=5))]
    assert len(models.listed(unit, limit=1)) == 1


def test_trainings_are_read_in_portions_with_the_model_each_has(unit: Connection, tenant_id: UUID) -> None:
    made = sorted([add(unit, tenant_id), add(unit, tenant_id, "other")])
    keys = [(dataset_id, letter * 64) for dataset_id in made for letter in "ab"]
    for dataset_id, config_hash in [*keys, keys[0]]:
        trainings.add(
            unit,
            tenant_id=tenant_id,
            dataset_id=dataset_id,
            config_hash=config_hash,
            config={"target": "a"},
            requested_by="tests",
        )
    train(unit, made[0], "b" * 64)
    read = trainings.after(unit, dataset_id=FIRST, config_hash="", limit=3)
    assert [(row.dataset_id, row.config_hash) for row in read] == keys[:3]
    assert [row.artefact_key for row in read] == [None, "key of b", None]
    (last,) = trainings.after(unit, dataset_id=keys[2][0], config_hash=keys[2][1], limit=3)
    assert (last.dataset_id, last.config_hash, last.config) == (*keys[3], {"target": "a"})


@pytest.mark.postgresql
def test_no_other_tenant_sees_or_makes_such_rows(engine: Engine, tenant_id: UUID) -> None:
    other = provisioned(engine, "bolt")
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        dataset_id = add(conn, tenant_id)
        records.add(conn, tenant_id=tenant_id, dataset_id=dataset_id, texts=["{}"])
        insights.replace(conn, dataset_id=dataset_id, row_count=1, found=[Insight("field", "a", {})])
        train(conn, dataset_id)
    with tenant_uow(engine, tenant_id=other) as conn:
        for table in metadata.tables:
            assert conn.execute(text(f"SELECT count(*) FROM tenant_acme.{table}")).scalar_one() == 0
    with pytest.raises(DBAPIError, match="row-level security"), tenant_uow(engine, tenant_id=tenant_id) as conn:
        add(conn, other, "smuggled")
