"""Engines that all tests of a run share, whatever outage one of them makes."""

from __future__ import annotations

import select
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.exc import DisconnectionError

from worker.database import connect


def shared(url: str) -> Engine:
    """One whose pool replaces what was cut off, at the cost of a look at a socket instead of a ping."""
    engine = connect(url, application_name="tests", pool_size=20)
    event.listen(engine, "checkout", _refuse_the_dead)
    return engine


def _refuse_the_dead(session: Any, _record: Any, _proxy: Any) -> None:
    """Nobody has asked a session in the pool for anything, so if it has something to say, that is goodbye."""
    if select.select([session.fileno()], [], [], 0)[0]:
        raise DisconnectionError
