"""JSON and text, in the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Integer, LargeBinary, Text, case, func, literal, literal_column
from sqlalchemy import cast as sql_cast
from sqlalchemy.dialects import postgresql

from worker.database.either import Either
from worker.database.types import Json

_BEATS_KEPT = 40


def json_of(text: ColumnElement[Any] | BindParameter[Any]) -> ColumnElement[Any]:
    """The stored form of a JSON text: equal documents have equal forms, whatever the order of their keys."""
    return Either(postgresql=sql_cast(text, postgresql.JSONB), sqlite=func.stored_json(text), type_=Json)


def text_of(value: ColumnElement[Any]) -> ColumnElement[str]:
    """The text of a JSON column, so that an unreadable one hurts nobody else (A-35)."""
    return sql_cast(value, Text)


def inside(value: ColumnElement[Any], path: Sequence[str]) -> ColumnElement[str]:
    """The text of what a JSON document has at a path, every digit of a number kept; NULL where it has nothing there.

    A name of digits is a place in a list, and on PostgreSQL a key too. No name may hold a quote or a backslash.
    """
    here = literal(f"${''.join(map(_step, path))}", Text)
    unquoted = value.op("->>", return_type=Text())(here)
    stored = value.op("->", return_type=Text())(here)
    return Either(
        postgresql=value.op("#>>", return_type=Text())(literal(list(path), postgresql.ARRAY(Text))),
        sqlite=case((func.json_type(value, here) == "text", unquoted), else_=func.nullif(stored, "null")),
        type_=Text(),
    )


def _step(name: str) -> str:
    return f"[{name}]" if name.isascii() and name.isdigit() else f'."{name}"'


def items_in(value: ColumnElement[Any]) -> ColumnElement[int]:
    """How many items a JSON list has."""
    return Either(postgresql=func.jsonb_array_length(value), sqlite=func.json_array_length(value), type_=Integer())


def octets(text: ColumnElement[str]) -> ColumnElement[int]:
    """How many bytes the text takes."""
    return Either(postgresql=func.octet_length(text), sqlite=func.length(sql_cast(text, LargeBinary)), type_=Integer())


def append_recent(beats: ColumnElement[Any] | None, beat: ColumnElement[int]) -> ColumnElement[Any]:
    """A JSON list of the last 40 values, `beat` the newest."""
    newest = func.jsonb_build_array(beat)
    if beats is None:
        return Either(postgresql=newest, sqlite=func.json_array(beat), type_=Json)
    last = sql_cast(f"$[last - {_BEATS_KEPT - 2} to last]", postgresql.JSONPATH)
    full = func.json_array_length(beats) >= _BEATS_KEPT
    kept = case((full, func.json_remove(beats, "$[0]")), else_=beats)
    return Either(
        postgresql=func.jsonb_path_query_array(beats, last).op("||")(newest),
        sqlite=func.json_insert(kept, "$[#]", beat),
        type_=Json,
    )


def digest(value: ColumnElement[str]) -> ColumnElement[str]:
    """The SHA-256 of a text, in hex."""
    return Either(
        postgresql=func.encode(func.sha256(func.convert_to(value, literal_column("'UTF8'"))), literal_column("'hex'")),
        sqlite=func.sha256_hex(value),
        type_=Text(),
    )


def lowered(text: ColumnElement[str] | BindParameter[str]) -> ColumnElement[str]:
    """The text in small letters, to be found whatever its case."""
    return Either(postgresql=func.lower(text), sqlite=func.small_letters(text), type_=Text())


def position(haystack: ColumnElement[str], needle: ColumnElement[str] | BindParameter[str]) -> ColumnElement[int]:
    """Where the needle begins in the text, from 1; 0 when it is not in it."""
    return Either(postgresql=func.strpos(haystack, needle), sqlite=func.instr(haystack, needle), type_=Integer())


def greatest(*values: Any) -> ColumnElement[Any]:
    """The largest of the values."""
    return _extreme(func.greatest(*values), func.max(*values))


def least(*values: Any) -> ColumnElement[Any]:
    """The smallest of the values."""
    return _extreme(func.least(*values), func.min(*values))


def _extreme(here: ColumnElement[Any], there: ColumnElement[Any]) -> ColumnElement[Any]:
    return Either(postgresql=here, sqlite=there, type_=there.type)
