"""Time: the database's clock, and arithmetic with instants."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, BindParameter, ColumnElement, Integer, bindparam, func, literal, literal_column
from sqlalchemy import cast as sql_cast

from worker.database.either import Either
from worker.database.types import Timestamp

_SECOND = 1_000_000
_MINUTE = 60 * _SECOND


def moment(name: str = "at_now") -> ColumnElement[datetime]:
    """The time of the statement by the database's clock, unless the caller binds `at_now` (tests do)."""
    clock = Either(postgresql=func.statement_timestamp(), sqlite=func.statement_instant(), type_=Timestamp)
    return func.coalesce(optional(name, Timestamp), clock)


def clock_default() -> ColumnElement[datetime]:
    """The time as a column's default: any program may write, so SQLite's own words, which know milliseconds."""
    seconds_now = sql_cast(func.strftime(literal("%s"), literal("now")), Integer)
    thousandths = sql_cast(func.substr(func.strftime(literal("%f"), literal("now")), 4), Integer)
    return Either(postgresql=func.now(), sqlite=seconds_now * _SECOND + thousandths * 1000, type_=Timestamp)


def optional(name: str, type_: Any) -> BindParameter[Any]:
    """A bind parameter that is NULL when the caller leaves it out."""
    return bindparam(name, value=None, type_=type_)


def seconds(amount: ColumnElement[Any] | BindParameter[Any]) -> ColumnElement[Any]:
    """An interval of so many seconds."""
    return Either(
        postgresql=func.make_interval(*[literal_column("0")] * 6, amount),
        sqlite=sql_cast(func.round(amount * _SECOND), BigInteger),
    )


def elapsed_ms(start: ColumnElement[datetime], end: ColumnElement[datetime]) -> ColumnElement[float]:
    """Milliseconds from start to end, never negative."""
    return Either(
        postgresql=func.greatest(func.extract("epoch", end - start) * 1000.0, 0),
        sqlite=func.max(_plain(end - start) / 1000.0, 0),
    )


def ahead_ms(instant: ColumnElement[datetime], of: ColumnElement[datetime]) -> ColumnElement[int]:
    """By how many whole milliseconds one instant is after the other; fewer than none when it is before."""
    return Either(
        postgresql=sql_cast(func.round(func.extract("epoch", instant - of) * 1000), BigInteger),
        sqlite=sql_cast(func.round(_plain(instant - of) / 1000.0), BigInteger),
    )


def epoch_of(instant: ColumnElement[datetime]) -> ColumnElement[int]:
    """Whole seconds since the epoch."""
    return Either(
        postgresql=sql_cast(func.extract("epoch", instant), BigInteger),
        sqlite=sql_cast(func.round(_plain(instant) / float(_SECOND)), BigInteger),
    )


def minute_of(instant: ColumnElement[datetime]) -> ColumnElement[datetime]:
    """The start of the minute."""
    plain = _plain(instant)
    return Either(postgresql=func.date_trunc("minute", instant), sqlite=plain - plain % _MINUTE, type_=Timestamp)


def bin_of(
    instant: ColumnElement[datetime], length: ColumnElement[Any] | BindParameter[Any]
) -> ColumnElement[datetime]:
    """The start of the slice of so many seconds that the instant lies in; slices are aligned to the epoch."""
    plain, slice_ = _plain(instant), sql_cast(length * _SECOND, BigInteger)
    return Either(
        postgresql=func.date_bin(seconds(length), instant, func.to_timestamp(0)),
        sqlite=plain - plain % slice_,
        type_=Timestamp,
    )


def _plain(instant: ColumnElement[Any]) -> ColumnElement[int]:
    """An instant, or the time between two, as the integer that SQLite keeps."""
    return sql_cast(instant, BigInteger)
