"""The only place that knows which database this is: engines, column types, the SQL clock, and wake-ups."""

from __future__ import annotations

from typing import Any, TypeAlias

from sqlalchemy import Connection, Engine
from sqlalchemy import Row as AnyRow

from worker.database.addresses import is_server, signing_in
from worker.database.aggregates import earliest, slot_of, tally
from worker.database.breaking import break_off
from worker.database.clock import (
    ahead_ms,
    bin_of,
    clock_default,
    elapsed_ms,
    epoch_of,
    minute_of,
    moment,
    optional,
    seconds,
)
from worker.database.ddl import bounded, check, schema_of
from worker.database.engines import autocommit, connect, is_file, read_only, retire, url_of
from worker.database.faults import code_of, is_busy, is_forbidden, is_outage, is_retryable, is_strained
from worker.database.hints import HINTED, hint, serialise, wait_briefly
from worker.database.insert import insert, takes_what_moved
from worker.database.listener import Listener
from worker.database.migration import alone, at_leisure, index_at_leisure
from worker.database.pooler import is_lent
from worker.database.roles import APP_RW, CONSOLE_RW, OWNER, Passwords, Privileges, confine, hand_over, make_roles
from worker.database.rows import EitherRows, for_each, grouped_by, of_server
from worker.database.seat import Seat
from worker.database.sets import among, array_text, arrays, holds, one_of, records
from worker.database.texts import (
    append_recent,
    digest,
    greatest,
    inside,
    items_in,
    json_of,
    least,
    lowered,
    octets,
    position,
    text_of,
)
from worker.database.types import BigId, Bytewise, Id, Json, Names, Percent, Timestamp

Row: TypeAlias = AnyRow[*tuple[Any, ...]]
"""One row of an answer; its columns are attributes."""

__all__ = (
    "APP_RW",
    "CONSOLE_RW",
    "HINTED",
    "OWNER",
    "BigId",
    "Bytewise",
    "Connection",
    "EitherRows",
    "Engine",
    "Id",
    "Json",
    "Listener",
    "Names",
    "Passwords",
    "Percent",
    "Privileges",
    "Row",
    "Seat",
    "Timestamp",
    "ahead_ms",
    "alone",
    "among",
    "append_recent",
    "array_text",
    "arrays",
    "at_leisure",
    "autocommit",
    "bin_of",
    "bounded",
    "break_off",
    "check",
    "clock_default",
    "code_of",
    "confine",
    "connect",
    "digest",
    "earliest",
    "elapsed_ms",
    "epoch_of",
    "for_each",
    "greatest",
    "grouped_by",
    "hand_over",
    "hint",
    "holds",
    "index_at_leisure",
    "insert",
    "inside",
    "is_busy",
    "is_file",
    "is_forbidden",
    "is_lent",
    "is_outage",
    "is_retryable",
    "is_server",
    "is_strained",
    "items_in",
    "json_of",
    "least",
    "lowered",
    "make_roles",
    "minute_of",
    "moment",
    "octets",
    "of_server",
    "one_of",
    "optional",
    "position",
    "read_only",
    "records",
    "retire",
    "schema_of",
    "seconds",
    "serialise",
    "signing_in",
    "slot_of",
    "takes_what_moved",
    "tally",
    "text_of",
    "url_of",
    "wait_briefly",
)
