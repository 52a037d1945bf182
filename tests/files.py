"""Fresh SQLite files for tests: migrated once, then copied."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event

from worker import migrate
from worker.database import connect


def template(path: Path) -> Path:
    """A file at the newest revision, complete without its log."""
    engine = connect(f"sqlite:///{path}", application_name="tests")
    migrate.upgrade(engine)
    engine.dispose()
    return path


def fresh(template: Path, path: Path) -> Engine:
    """An engine on a copy, which need not survive a power cut; SQL written in a test may name the schema there too."""
    shutil.copyfile(template, path)
    engine = connect(f"sqlite:///{path}", application_name="tests", pool_size=20)
    event.listen(engine, "connect", _hasty)
    event.listen(engine, "before_cursor_execute", _without_schema, retval=True)
    return engine


def _hasty(session: Any, _: Any) -> None:
    session.execute("PRAGMA synchronous = OFF").close()


def _without_schema(_: Connection, __: Any, statement: str, parameters: Any, *___: Any) -> tuple[str, Any]:
    return statement.replace("control.", ""), parameters
