"""A tenant's file beside the database's own: whoever enters it waits for another writer instead of failing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from worker.database import connect
from worker.database.tenancy import beside, leave, open_place


def test_who_enters_a_tenants_file_has_read_nothing_of_it_and_so_waits_for_another_writer(tmp_path: Path) -> None:
    engine = connect(f"sqlite:///{tmp_path / 'queue.db'}", application_name="tests")
    path = beside(engine.url, "tenant_acme")
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other, engine.connect() as conn:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("CREATE TABLE datasets (id INTEGER)")
        with conn.begin():
            assert open_place(conn, "tenant_acme")
            other.execute("INSERT INTO datasets VALUES (1)")
            (waits_for_readers, *_) = other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        leave(conn)
    engine.dispose()
    assert not waits_for_readers


def test_a_file_without_tables_is_no_place_yet(tmp_path: Path) -> None:
    engine = connect(f"sqlite:///{tmp_path / 'queue.db'}", application_name="tests")
    path = beside(engine.url, "tenant_acme")
    with engine.connect() as conn:
        with conn.begin():
            assert not open_place(conn, "tenant_acme")
            path.touch()
            assert not open_place(conn, "tenant_acme")
        leave(conn)
    engine.dispose()
