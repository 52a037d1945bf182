"""Many rows told as one value, and the slots that times are counted by."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Integer, Text, case, func, type_coerce
from sqlalchemy import cast as sql_cast
from sqlalchemy.dialects.postgresql import aggregate_order_by

from worker.database.either import Either
from worker.database.types import Json

_SECOND = 1_000_000


def earliest(value: ColumnElement[Any], at: ColumnElement[datetime]) -> ColumnElement[Any]:
    """The value of the row whose time comes first."""
    dated = func.printf("%020d", type_coerce(at, Integer)).concat(value)  # a text whose order is that of time
    return Either(
        postgresql=func.array_agg(aggregate_order_by(value, at))[1],
        sqlite=func.substr(func.min(dated), 21),
        type_=value.type,
    )


def tally(name: ColumnElement[Any], amount: ColumnElement[Any]) -> ColumnElement[Any]:
    """A JSON object of the amounts by name; NULL or empty when there are none."""
    return Either(
        postgresql=func.jsonb_object_agg(sql_cast(name, Text), amount),
        sqlite=func.json_group_object(name, amount),
        type_=Json,
    )


def slot_of(
    at: ColumnElement[datetime], begin: ColumnElement[datetime], end: ColumnElement[datetime], *, slots: int
) -> ColumnElement[int]:
    """Which of so many equal slots a time falls in, from 1, `end` still in the last; 0 before them all."""
    since, whole = type_coerce(at - begin, Integer), func.max(type_coerce(end - begin, Integer), _SECOND)
    then, first, last = (func.extract("epoch", each) for each in (at, begin, end))
    return Either(
        postgresql=func.least(func.width_bucket(then, first, func.greatest(last, first + 1), slots), slots),
        sqlite=case((since < 0, 0), else_=func.min(since * slots // whole + 1, slots)),
        type_=Integer(),
    )
