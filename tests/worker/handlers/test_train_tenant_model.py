"""A model of a dataset: trained by a job, kept with its metrics, and trained again when it is gone."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import joblib
import pytest
from sqlalchemy import Connection, Engine, delete

from tests.conformance.acts import clock, end, jobs, take
from tests.worker.handlers.conftest import Ingest
from tests.worker.runtime.bench import settings
from worker.deployment import Deployment
from worker.errors import JobCancelled, NotTrainable
from worker.handlers import Registry, configured, train_tenant_model
from worker.job_types import JobTypes
from worker.model import Job
from worker.product_jobs import training_job
from worker.queries.jobs import enqueue
from worker.queries.tenant import models, schema, trainings
from worker.signals import Signal, enter, leave
from worker.tenancy import tenant_uow
from worker.training import training
from worker.training.config import TrainingConfig


def houses(rows: int = 120) -> bytes:
    """Prices that follow from size and town, with gaps."""
    chance = Random(7)
    lines = ["size,town,price,dear"]
    for place in range(rows):
        size, town = chance.randint(20, 200), chance.choice(["Rome", "Oslo"])
        price = size * 10 + (500 if town == "Rome" else 0)
        lines.append(f"{'' if place % 20 == 3 else size},{town},{price},{str(price > 1500).lower()}")
    return "\n".join(lines).encode()


@pytest.fixture
def registry(deployment: Deployment) -> Registry:
    registry = Registry()
    train_tenant_model.register(registry, deployment)
    return registry


def wanted(engine: Engine, tenant_id: UUID, dataset_id: UUID, **config: Any) -> TrainingConfig:
    """A training that was asked for as the API does."""
    asked = TrainingConfig.model_validate(config)
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        trainings.add(
            conn,
            tenant_id=tenant_id,
            dataset_id=dataset_id,
            config_hash=asked.hash,
            config=asked.document(),
            requested_by="tests",
        )
        enqueue(conn, JobTypes(), training_job(tenant_id=tenant_id, dataset_id=dataset_id, config=asked))
    return asked


def claimed(conn: Connection) -> Job:
    """The next job for a model."""
    return take(conn, "train_tenant_model", now=clock(conn))[0]


def run(registry: Registry, job: Job) -> None:
    handler = registry.handler(job)
    assert handler
    handler(job)


def the_model(engine: Engine, tenant_id: UUID) -> Any:
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        (model,) = models.listed(conn, limit=9)
    return model


def restore(registry: Registry) -> None:
    (net,) = registry.nets
    assert net.backfill
    net.backfill()


def test_a_model_is_stored_whole_with_what_it_is_worth(
    engine: Engine, conn: Connection, tenant_id: UUID, deployment: Deployment, ingest: Ingest, registry: Registry
) -> None:
    dataset_id = ingest(houses()).dataset_id
    config = wanted(engine, tenant_id, dataset_id, target="price", learner="linear")
    run(registry, claimed(conn))
    model = the_model(engine, tenant_id)
    assert (model.dataset_id, model.dataset_name, model.target) == (dataset_id, "sales", "price")
    assert (model.config_hash, model.config) == (config.hash, config.document())
    assert (model.metrics["task"], model.metrics["train_rows"], model.metrics["test_rows"]) == ("regression", 90, 30)
    assert model.metrics["scores"]["mae"] < model.metrics["baseline"]["mae"] / 4
    assert model.artefact_key.startswith(f"tenants/{tenant_id}/models/{dataset_id}/")
    artefact = deployment.storage().get(model.artefact_key)
    assert hashlib.sha256(artefact).hexdigest() == model.artefact_hash
    (price,) = joblib.load(io.BytesIO(artefact)).predict([[100.0, "Rome", 0.0]])
    assert price == pytest.approx(1500, abs=200)


def test_two_trainings_of_one_configuration_leave_one_model_with_the_same_metrics(
    engine: Engine, conn: Connection, tenant_id: UUID, ingest: Ingest, registry: Registry
) -> None:
    wanted(engine, tenant_id, ingest(houses()).dataset_id, target="dear")
    job = claimed(conn)
    run(registry, job)
    first = the_model(engine, tenant_id)
    run(registry, job)
    again = the_model(engine, tenant_id)
    assert (again.id, again.metrics) == (first.id, first.metrics)
    assert first.metrics["scores"]["accuracy"] > first.metrics["baseline"]["accuracy"]


def test_it_stops_when_somebody_asks_and_stores_nothing(
    engine: Engine,
    conn: Connection,
    tenant_id: UUID,
    ingest: Ingest,
    registry: Registry,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    wanted(engine, tenant_id, ingest(houses()).dataset_id, target="dear")
    enter(Signal(cancel_requested=True))
    try:
        with pytest.raises(JobCancelled):
            run(registry, claimed(conn))
    finally:
        leave()
    assert not (tmp_path / "objects").exists()


def test_what_cannot_be_learned_is_said(
    engine: Engine, conn: Connection, tenant_id: UUID, ingest: Ingest, registry: Registry
) -> None:
    wanted(engine, tenant_id, ingest(houses(12)).dataset_id, target="price")
    with pytest.raises(NotTrainable, match="12 rows have a target; it takes 20"):
        run(registry, claimed(conn))


def test_a_dataset_that_is_gone_leaves_no_artefact_behind(
    engine: Engine, conn: Connection, tenant_id: UUID, ingest: Ingest, registry: Registry, tmp_path: Path
) -> None:
    wanted(engine, tenant_id, ingest(houses()).dataset_id, target="price")
    with tenant_uow(engine, tenant_id=tenant_id) as unit:
        unit.execute(delete(schema.datasets))
    run(registry, claimed(conn))
    assert not (tmp_path / "objects").exists()


@pytest.mark.parametrize("lost", ["row", "artefact", "whole artefact"])
def test_a_model_that_is_gone_comes_back_by_the_net(
    engine: Engine,
    conn: Connection,
    tenant_id: UUID,
    deployment: Deployment,
    ingest: Ingest,
    registry: Registry,
    lost: str,
) -> None:
    wanted(engine, tenant_id, ingest(houses()).dataset_id, target="price", learner="linear")
    job = claimed(conn)
    run(registry, job)
    end(conn, job, now=clock(conn))
    before = the_model(engine, tenant_id)
    restore(registry)
    assert len(jobs(conn, job_type="train_tenant_model")) == 1
    if lost == "row":
        with tenant_uow(engine, tenant_id=tenant_id) as unit:
            unit.execute(delete(schema.models))
    elif lost == "artefact":
        deployment.storage().delete(before.artefact_key)
    else:
        deployment.storage().put(before.artefact_key, b"something else")
    restore(registry)
    restore(registry)
    assert len(jobs(conn, job_type="train_tenant_model")) == 2
    run(registry, claimed(conn))
    after = the_model(engine, tenant_id)
    assert after.metrics == before.metrics
    assert hashlib.sha256(deployment.storage().get(after.artefact_key)).hexdigest() == after.artefact_hash


def test_only_a_process_that_has_scikit_learn_and_a_storage_advertises_it(monkeypatch: pytest.MonkeyPatch) -> None:
    able = settings(object_storage_uri="file:///srv/objects")
    assert "train_tenant_model" in configured(able).capabilities()
    assert "train_tenant_model" not in configured(settings()).capabilities()
    find = importlib.util.find_spec
    monkeypatch.setattr(train_tenant_model, "find_spec", lambda name: None if name == "sklearn" else find(name))
    without = configured(able)
    assert "train_tenant_model" not in without.capabilities()
    assert [net.subscriber_id for net in without.nets] == ["materialize_insights", "train_tenant_model"]


def test_a_model_of_a_dataset_that_went_meanwhile_is_not_left_behind(
    engine: Engine,
    conn: Connection,
    tenant_id: UUID,
    ingest: Ingest,
    registry: Registry,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    wanted(engine, tenant_id, ingest(houses()).dataset_id, target="price", learner="linear")
    job = claimed(conn)

    def forget() -> None:
        with tenant_uow(engine, tenant_id=tenant_id) as unit:
            unit.execute(delete(schema.datasets))

    monkeypatch.setattr(training, "require_wanted", forget)
    run(registry, job)
    assert [path for path in (tmp_path / "objects").rglob("*") if path.is_file()] == []


def test_scikit_learn_is_not_loaded_before_there_is_a_job() -> None:
    code = "import sys; from worker.handlers import configured; from worker.settings import WorkerSettings; "
    code += "configured(WorkerSettings()); sys.exit('sklearn' in sys.modules)"
    assert importlib.util.find_spec("sklearn")
    subprocess.run([sys.executable, "-c", code], check=True)
