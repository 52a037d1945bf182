"""The column types: what PostgreSQL has of its own, SQLite keeps as text and integers (see `architecture.md`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import JSON, TIMESTAMP, BigInteger, Dialect, Float, Integer, Numeric, Text, TypeDecorator, Uuid
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.types import TypeEngine

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(instant: datetime) -> int:
    """An instant as SQLite keeps it: whole microseconds since the epoch, so that order and arithmetic are exact."""
    return (instant - _EPOCH) // _MICROSECOND


class _DashedId(TypeDecorator[UUID]):
    impl = Text
    cache_ok = True

    def process_bind_param(self, value: UUID | None, dialect: Dialect) -> str | None:
        return None if value is None else str(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> UUID | None:
        return None if value is None else UUID(value)


class _Microseconds(TypeDecorator[datetime]):
    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        return None if value is None else microseconds(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        return None if value is None else _EPOCH + timedelta(microseconds=value)


class _JsonText(sqlite.JSON[Any]):
    pass


class _ListText(TypeDecorator[Sequence[Any]]):
    """A list bound as one JSON text, its elements as the column keeps them."""

    impl = Text
    cache_ok = True

    def __init__(self, element: TypeEngine[Any]) -> None:
        super().__init__()
        self.element = element

    def process_bind_param(self, value: Sequence[Any] | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        keep = self.element.dialect_impl(dialect).bind_processor(dialect)
        return json.dumps([keep(each) for each in value] if keep else list(value))


@compiles(_JsonText, "sqlite")
def _as_text(*_: Any, **__: Any) -> str:
    return "TEXT"  # SQLAlchemy's own word, JSON, would have SQLite take a text of digits for a number


def listed(element: TypeEngine[Any]) -> TypeEngine[Any]:
    """The type of a bound list whose elements are of that type."""
    return postgresql.ARRAY(element).with_variant(_ListText(element), "sqlite")


Id = Uuid().with_variant(_DashedId(), "sqlite")
BigId = BigInteger().with_variant(Integer(), "sqlite")
Timestamp = TIMESTAMP(timezone=True).with_variant(_Microseconds(), "sqlite")
Json = (
    JSON(none_as_null=True)
    .with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
    .with_variant(_JsonText(none_as_null=True), "sqlite")
)
Names = (
    JSON(none_as_null=True)
    .with_variant(postgresql.ARRAY(Text), "postgresql")
    .with_variant(_JsonText(none_as_null=True), "sqlite")
)
Bytewise = Text(collation="C").with_variant(Text(), "sqlite")
Percent = Numeric(5, 2).with_variant(Float(asdecimal=True, decimal_return_scale=2), "sqlite")
