"""A database that refuses some rows, as a full disk or a constraint of tomorrow would."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from sqlalchemy import Engine, text

_POSTGRESQL = """
CREATE FUNCTION control.refuse() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE 'refused' USING ERRCODE = '23514'; END $$;
CREATE TRIGGER refuse BEFORE {verb} ON control.{table} FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION control.refuse()
"""
_SQLITE = "CREATE TRIGGER refuse BEFORE {verb} ON {table} WHEN {when} BEGIN SELECT RAISE(ABORT, 'refused'); END"


@contextlib.contextmanager
def refusing(engine: Engine, verb: str, table: str, *, when: str) -> Iterator[None]:
    """Let the database refuse to `INSERT` or `UPDATE` the rows of a table that a condition on `new` picks."""
    on_file = engine.dialect.name == "sqlite"
    with engine.begin() as conn:
        conn.execute(text((_SQLITE if on_file else _POSTGRESQL).format(verb=verb, table=table, when=when)))
    try:
        yield
    finally:
        with engine.begin() as conn:
            conn.execute(text("DROP TRIGGER refuse" if on_file else "DROP FUNCTION control.refuse CASCADE"))
