"""Models: what was trained on a dataset, how good it is, and where its artefact lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Integer, Text, bindparam, select

from worker.database import Connection, Id, Json, Row, insert, moment
from worker.model import new_id
from worker.queries.tenant.schema.datasets import datasets, models

_VALUES = {
    models.c.id: bindparam("new_id", type_=Id),
    models.c.tenant_id: datasets.c.tenant_id,
    models.c.dataset_id: datasets.c.id,
    models.c.target: bindparam("of_target", type_=Text),
    models.c.config_hash: bindparam("with_hash", type_=Text),
    models.c.config: bindparam("with_config", type_=Json),
    models.c.artefact_key: bindparam("under_key", type_=Text),
    models.c.artefact_hash: bindparam("with_artefact", type_=Text),
    models.c.metrics: bindparam("with_metrics", type_=Json),
    models.c.trained_at: moment(),
}
_put = insert(models).from_select([*_VALUES], select(*_VALUES.values()).where(datasets.c.id == bindparam("of_dataset")))
PUT = _put.on_conflict_do_update(
    index_elements=["dataset_id", "config_hash"],
    set_={name: _put.excluded[name] for name in ("artefact_key", "artefact_hash", "metrics", "trained_at")},
).returning(models.c.id)
LISTED = (
    select(*(column for column in models.c if column.name != "tenant_id"), datasets.c.name.label("dataset_name"))
    .join_from(models, datasets)
    .order_by(models.c.trained_at.desc(), models.c.id.desc())
    .limit(bindparam("at_most", type_=Integer))
)


@dataclass(frozen=True, slots=True)
class Trained:
    """A model as it is to be remembered; the artefact lies in the object storage already."""

    target: str
    config_hash: str
    config: dict[str, Any]
    artefact_key: str
    artefact_hash: str
    metrics: dict[str, Any]


def put(conn: Connection, *, dataset_id: UUID, trained: Trained, now: datetime | None = None) -> UUID | None:
    """Remember the model in the place of the one with that configuration; None when the dataset is gone."""
    values = {
        "new_id": new_id(),
        "of_dataset": dataset_id,
        "of_target": trained.target,
        "with_hash": trained.config_hash,
        "with_config": trained.config,
        "under_key": trained.artefact_key,
        "with_artefact": trained.artefact_hash,
        "with_metrics": trained.metrics,
        "at_now": now,
    }
    made: UUID | None = conn.execute(PUT, values).scalar()
    return made


def listed(conn: Connection, *, limit: int) -> Sequence[Row]:
    """The models trained last, each with the name of its dataset."""
    return conn.execute(LISTED, {"at_most": limit}).all()
