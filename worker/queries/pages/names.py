"""What a worker is called where its id would say nothing to a person."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Text, func, select

from worker.queries.schema import worker_instances as instance


def worker_name(instance_id: ColumnElement[Any]) -> ColumnElement[str | None]:
    """Its label, else its component; the start of the id once the worker's row is pruned."""
    known = select(func.coalesce(instance.c.label, instance.c.component, type_=Text))
    name = known.where(instance.c.instance_id == instance_id).scalar_subquery()
    return func.coalesce(name, func.substr(instance_id, 1, 8), type_=Text)
