"""Where provisioning is run, and that nobody is asked for it by default."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from tests.worker.runtime.bench import settings
from worker.deployment import Deployment
from worker.handlers import configured
from worker.job_types import PROVISION_JOB_TYPE

OWNER = {"migrations_database_url": SecretStr("postgresql://owner@db/floor")}


@pytest.mark.parametrize(
    ("values", "runs_it"),
    [
        ({}, True),  # one process that does everything
        ({"job_worker_mode": "standalone"}, False),
        ({"job_worker_mode": "standalone", **OWNER}, True),
    ],
)
def test_it_is_run_where_the_owners_rights_are(values: dict[str, Any], runs_it: bool) -> None:
    assert (PROVISION_JOB_TYPE in configured(settings(**values)).capabilities()) is runs_it


def test_what_is_built_in_is_told_from_what_the_deployments_modules_bring() -> None:
    registry = configured(settings(handlers=("app.demo",)))
    assert PROVISION_JOB_TYPE in registry.built_in
    assert "charge_card" in registry.capabilities() - registry.built_in


def test_a_deployment_opens_nothing_before_it_is_asked_and_closes_it_after(tmp_path: Path) -> None:
    file = tmp_path / "floor.db"
    known = Deployment(settings(database_url=SecretStr(f"sqlite:///{file}")))
    assert not file.exists()
    with known.engine() as engine, engine.connect():
        pool = engine.pool
    assert engine.pool is not pool  # which an engine that is disposed of has given up
