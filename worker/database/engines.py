"""Engines: the address says which database it is."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from sqlalchemy import URL, Engine, create_engine, event, make_url

from worker.database import pooler, postgres, sqlite
from worker.database.faults import leave_a_read_only_server


def url_of(text: str, *, pooled: bool = False) -> str:
    """The SQLAlchemy URL for `postgres://` and `postgresql://` addresses; others pass unchanged.

    `pooled` says that a transaction pooler stands there, to all who are given the URL.
    """
    for prefix in ("postgres://", "postgresql://"):
        if text.startswith(prefix):
            text = "postgresql+psycopg://" + text.removeprefix(prefix)
    return pooler.marked(text) if pooled and not is_file(text) else text


def is_file(url: str) -> bool:
    """Whether the address names a file of this machine, which one process has for itself."""
    return url.startswith(("sqlite:", "sqlite+"))


def connect(
    url: str, *, application_name: str, pool_size: int = 5, pre_ping: bool = False, planned_once: bool = False
) -> Engine:
    """An engine whose sessions are bounded: statements by 30 s, idle transactions by 60 s, the pool by 5 s.

    Sessions that a pooler lends are bounded as their role is. `planned_once` is for few statements that are asked all
    the time: each session keeps their plans, by their indexes, for ten seconds.
    """
    address = make_url(url)
    engine = create_engine(
        pooler.unmarked(address),
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=5,
        pool_pre_ping=pre_ping,
        hide_parameters=True,  # an error must not carry payloads or addresses
        json_serializer=partial(json.dumps, allow_nan=False, ensure_ascii=False),
        **_options(address, application_name, planned_once=planned_once),
    )
    if is_file(url):
        sqlite.furnish(engine)
    else:
        postgres.furnish(engine, planned_once=planned_once)
    event.listen(engine, "handle_error", leave_a_read_only_server)
    return engine


def _options(address: URL, application_name: str, *, planned_once: bool) -> dict[str, Any]:
    if is_file(address.drivername + ":"):
        return sqlite.options()
    return postgres.options(application_name, lent=pooler.is_marked(address), planned_once=planned_once)


def autocommit(engine: Engine) -> Engine:
    """The same pool for single statements: one round trip instead of three."""
    return engine.execution_options(isolation_level="AUTOCOMMIT")


def read_only(engine: Engine) -> Engine:
    """The same pool for transactions that the server refuses to let write."""
    return engine.execution_options(postgresql_readonly=True)


def retire(engine: Engine) -> None:
    """Close the engine's sessions: those at rest now, those in use when they come back, whatever thread is late."""
    event.listen(engine.pool, "checkin", _close)
    engine.dispose()


def _close(_session: object, record: Any) -> None:
    record.close()
