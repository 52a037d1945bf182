"""One of several migrators at once, of which the first to come to a certain table dies there."""

from __future__ import annotations

import os
import signal
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from tests.nursery import Child, child
from worker import migrate
from worker.database import connect

FATAL = "TABLE control.subscriptions"


def migrator(engine: Engine, number: int, died: Path) -> AbstractContextManager[Child]:
    """A process of its own, for Alembic is for one migration at a time in each; whoever dies leaves that file."""
    address = engine.url.render_as_string(hide_password=False)
    return child(take_part, address, str(number), str(died), environment={})


def take_part(arguments: list[str]) -> None:
    """Migrate, unless it is our lot to die of it."""
    address, number, died = arguments
    engine = connect(address, application_name=f"migrator {number}")

    def die(_conn: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if FATAL in statement:
            try:
                Path(died).touch(exist_ok=False)
            except FileExistsError:
                return
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(engine, "before_cursor_execute", die)
    migrate.upgrade(engine)
