"""A database file of an earlier release: it is brought to the newest revision, with everything in it."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from tests import files
from worker import migrate
from worker.database import connect

OLD = sorted((Path(__file__).parent / "revisions").glob("*.sql"))
A_JOB = """
    INSERT INTO platform_jobs (id, job_type, status, queue, payload)
    VALUES ('019aa000-0000-7000-8000-000000000001', 'nothing', 'queued', 'default', '{"kept": 1}')
"""


@pytest.fixture(params=OLD, ids=lambda path: path.stem)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """An engine on a file as that revision left it, with a job in it."""
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as file:
        file.executescript(request.param.read_text())
        file.execute(A_JOB)
    file.close()
    engine = connect(f"sqlite:///{path}", application_name="tests")
    yield engine
    engine.dispose()


def test_an_earlier_file_comes_to_be_as_a_new_one(old: Engine, tmp_path: Path) -> None:
    migrate.upgrade(old)
    new = files.template(tmp_path / "new.db")
    assert shape(Path(str(old.url.database))) == shape(new)


def test_an_earlier_file_keeps_its_jobs_and_says_where_it_is(old: Engine) -> None:
    migrate.upgrade(old)
    with old.connect() as conn:
        assert migrate.current(conn) == migrate.head()
        jobs = conn.exec_driver_sql("SELECT status, payload FROM platform_jobs").all()
    assert [tuple(job) for job in jobs] == [("queued", '{"kept": 1}')]


def shape(path: Path) -> dict[str, Any]:
    """By table: its columns, its indexes and what refers to whom; by view, its query. The order of columns is free."""
    with sqlite3.connect(path) as file:
        names = file.execute("SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
        found = {name: _words(sql) if kind == "view" else _table(file, name) for name, kind, sql in names}
    file.close()
    return found


def _table(file: sqlite3.Connection, name: str) -> tuple[Any, ...]:
    columns = sorted(row[1:] for row in file.execute(f"PRAGMA table_xinfo({name})"))
    indexes = file.execute("SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ?", (name,))
    references = sorted(row[2:] for row in file.execute(f"PRAGMA foreign_key_list({name})"))
    return columns, sorted(_words(sql) for (sql,) in indexes if sql), references


def _words(sql: str) -> str:
    return " ".join(sql.split())
