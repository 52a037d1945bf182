"""Trainings: which models a tenant asked for, so that one that is gone can be told from one that nobody wants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Integer, and_, bindparam, select, tuple_

from worker.database import Connection, Id, Json, Row, insert, moment
from worker.queries.tenant.schema.datasets import models, trainings

ADD = (
    insert(trainings)
    .values(
        dataset_id=bindparam("of_dataset"),
        config_hash=bindparam("with_hash"),
        tenant_id=bindparam("of_tenant"),
        config=bindparam("with_config", type_=Json),
        requested_at=moment(),
        requested_by=bindparam("by_actor"),
    )
    .on_conflict_do_nothing(index_elements=["dataset_id", "config_hash"])
)
_has_model = and_(models.c.dataset_id == trainings.c.dataset_id, models.c.config_hash == trainings.c.config_hash)
AFTER = (
    select(
        trainings.c.dataset_id,
        trainings.c.config_hash,
        trainings.c.config,
        models.c.artefact_key,
        models.c.artefact_hash,
    )
    .join_from(trainings, models, _has_model, isouter=True)
    .where(
        tuple_(trainings.c.dataset_id, trainings.c.config_hash)
        > tuple_(bindparam("after_dataset", type_=Id), bindparam("after_hash"))
    )
    .order_by(trainings.c.dataset_id, trainings.c.config_hash)
    .limit(bindparam("at_most", type_=Integer))
)


def add(
    conn: Connection,
    *,
    tenant_id: UUID,
    dataset_id: UUID,
    config_hash: str,
    config: Mapping[str, Any],
    requested_by: str,
    now: datetime | None = None,
) -> None:
    """Remember that a model is wanted; asked again, it is remembered already."""
    values = {"of_dataset": dataset_id, "with_hash": config_hash, "of_tenant": tenant_id, "with_config": dict(config)}
    conn.execute(ADD, {**values, "by_actor": requested_by, "at_now": now})


def after(conn: Connection, *, dataset_id: UUID, config_hash: str, limit: int) -> Sequence[Row]:
    """The next trainings, by dataset and configuration, each with where its model's artefact lies (None: no model)."""
    return conn.execute(AFTER, {"after_dataset": dataset_id, "after_hash": config_hash, "at_most": limit}).all()
