"""The oldest open transaction of this database: while it lasts, vacuum cannot clean behind it (A-21)."""

from __future__ import annotations

from sqlalchemy import Integer, Text, column, func, or_, select, table

from worker.database import Timestamp, of_server

_session = table(
    "pg_stat_activity",
    column("pid", Integer),
    column("datname", Text),
    column("usename", Text),
    column("application_name", Text),
    column("backend_type", Text),
    column("state", Text),
    column("xact_start", Timestamp),
    column("backend_xid"),
    column("backend_xmin"),
)
# Only a session with a snapshot or an id of its own holds vacuum back; one that is merely idle does not
OLDEST = of_server(
    select(
        _session.c.pid,
        _session.c.usename.label("account"),
        _session.c.application_name.label("application"),
        _session.c.state,
        _session.c.xact_start.label("since"),
    )
    .where(
        _session.c.datname == func.current_database(),
        _session.c.backend_type == "client backend",
        _session.c.pid != func.pg_backend_pid(),
        _session.c.xact_start.is_not(None),
        or_(_session.c.backend_xid.is_not(None), _session.c.backend_xmin.is_not(None)),
    )
    .order_by(_session.c.xact_start)
    .limit(1)
)
