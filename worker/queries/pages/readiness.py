"""What the database says of itself: its version and clock, and whether this role may do the work."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Boolean, Integer, Text, and_, column, false, func, literal, or_, select, table, true
from sqlalchemy import cast as sql_cast

from worker.database import Connection, EitherRows, moment

_roles = table("pg_roles", column("rolname", Text), column("rolsuper", Boolean), column("rolbypassrls", Boolean))
_tables = table("pg_class", column("oid"), column("relowner"))
_jobs = func.to_regclass("control.platform_jobs")
OLDEST_SERVER = 150000
LIMITS = ("statement_timeout", "idle_in_transaction_session_timeout")

CLOCK = select(moment())
_number = sql_cast(func.current_setting("server_version_num"), Integer)
_SERVER = select(
    (literal("PostgreSQL ") + func.current_setting("server_version")).label("product"),
    (_number < OLDEST_SERVER).label("too_old"),
    moment().label("now"),
    or_(func.pg_is_in_recovery(), func.current_setting("transaction_read_only") == "on").label("read_only"),
    _roles.c.rolname.label("role"),
    or_(_roles.c.rolsuper, _roles.c.rolbypassrls).label("bypasses"),
    # What is put in may name some columns alone; what runs is changed whole
    and_(
        func.has_table_privilege(_jobs, "SELECT"),
        func.has_table_privilege(_jobs, "UPDATE"),
        func.has_any_column_privilege(_jobs, "INSERT"),
    ).label("may_work"),
    or_(*(func.current_setting(limit) == "0" for limit in LIMITS)).label("unbounded"),
).where(_roles.c.rolname == func.current_user())
_FILE = select(
    (literal("SQLite ") + func.sqlite_version()).label("product"),
    false().label("too_old"),
    moment().label("now"),
    false().label("read_only"),
    literal("whoever may write the file").label("role"),
    false().label("bypasses"),
    true().label("may_work"),
    false().label("unbounded"),
)
MAY_SERVE = EitherRows(
    postgresql=select(func.has_table_privilege(func.to_regclass("control.operators"), "SELECT")),
    sqlite=select(true()),
)
_owner = select(_tables.c.relowner).where(_tables.c.oid == func.to_regclass("control.platform_jobs")).scalar_subquery()
OWNS = EitherRows(
    postgresql=select(func.coalesce(func.pg_has_role(_owner, "MEMBER"), false())),
    sqlite=select(true()),
)
LOOK = EitherRows(postgresql=_SERVER, sqlite=_FILE)


@dataclass(frozen=True, slots=True)
class Server:
    """A database as one session finds it; `may_work` is None without the schema.

    `unbounded` when a statement may run, or a transaction be left open, for ever.
    """

    product: str
    too_old: bool
    now: datetime
    read_only: bool
    role: str
    bypasses: bool
    may_work: bool | None
    unbounded: bool


def look(conn: Connection) -> Server:
    """Ask the server; works before the schema is there."""
    return Server(**conn.execute(LOOK).one()._mapping)


def may_serve(conn: Connection) -> bool:
    """Whether this role may know the operators, without whom there are no pages."""
    return bool(conn.execute(MAY_SERVE).scalar_one())


def owns(conn: Connection) -> bool:
    """Whether this role owns the queue, and so may start a provisioning."""
    return bool(conn.execute(OWNS).scalar_one())


def clock(conn: Connection) -> datetime:
    """The database's time, which everything that is stored follows (A-48)."""
    now: datetime = conn.execute(CLOCK).scalar_one()
    return now
