"""The test database, brought back to empty: only what a test has filled costs the next one anything."""

from __future__ import annotations

from sqlalchemy import Engine, text

from worker.queries.schema import metadata

_TABLES = tuple(str(table) for table in metadata.tables.values())
_LARGE_BYTES = 64 * 1024
"""What is larger is truncated, so that deleted rows never weigh on what a later test measures."""

_WAIT_FOR_WRITERS = text(f"LOCK TABLE {', '.join(_TABLES)} IN EXCLUSIVE MODE")
_FILLED = text(
    " UNION ALL ".join(
        f"SELECT '{table}' AS name, pg_relation_size('{table}') AS bytes WHERE EXISTS (SELECT FROM {table})"
        for table in _TABLES
    )
)
_FOLLOW_NO_KEYS = text("SET LOCAL session_replication_role = replica")
_COUNT_FROM_ONE = text(
    " UNION ALL ".join(
        f"SELECT setval(pg_get_serial_sequence('{table}', '{column.name}'), 1, false)"
        for table in metadata.tables.values()
        for column in table.c
        if column.identity
    )
)


def empty(engine: Engine) -> None:
    """Leave no row and no used number behind, whoever is still writing."""
    with engine.begin() as conn:
        conn.execute(_WAIT_FOR_WRITERS)
        filled = {row.name: row.bytes for row in conn.execute(_FILLED)}
        if large := [table for table, size in filled.items() if size > _LARGE_BYTES]:
            conn.execute(text(f"TRUNCATE {', '.join(large)} CASCADE"))
        conn.execute(_FOLLOW_NO_KEYS)  # for all of them go
        for table in filled.keys() - large:
            conn.execute(text(f"DELETE FROM {table}"))
        conn.execute(_COUNT_FROM_ONE)
