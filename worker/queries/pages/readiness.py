"""What the database says of itself: its version and clock, and whether this role may do the work."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Boolean, Integer, Text, and_, column, func, or_, select, table
from sqlalchemy import cast as sql_cast

from worker.database import Connection, moment

_roles = table("pg_roles", column("rolname", Text), column("rolsuper", Boolean), column("rolbypassrls", Boolean))
_jobs = func.to_regclass("control.platform_jobs")
CLOCK = select(moment())
LOOK = select(
    sql_cast(func.current_setting("server_version_num"), Integer).label("version"),
    moment().label("now"),
    or_(func.pg_is_in_recovery(), func.current_setting("transaction_read_only") == "on").label("read_only"),
    _roles.c.rolname.label("role"),
    or_(_roles.c.rolsuper, _roles.c.rolbypassrls).label("bypasses"),
    and_(*(func.has_table_privilege(_jobs, right) for right in ("SELECT", "INSERT", "UPDATE"))).label("may_work"),
).where(_roles.c.rolname == func.current_user())


@dataclass(frozen=True, slots=True)
class Server:
    """A database as one session finds it; `version` is 150018 for 15.18, `may_work` is None without the schema."""

    version: int
    now: datetime
    read_only: bool
    role: str
    bypasses: bool
    may_work: bool | None


def look(conn: Connection) -> Server:
    """Ask the server; works before the schema is there."""
    return Server(**conn.execute(LOOK).one()._mapping)


def clock(conn: Connection) -> datetime:
    """The database's time, which everything that is stored follows (A-48)."""
    now: datetime = conn.execute(CLOCK).scalar_one()
    return now
