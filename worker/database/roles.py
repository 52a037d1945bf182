"""The roles of a deployment: the owner, whose work is DDL, and two that may do no more than they are granted.

Roles are the cluster's, not the database's: whoever makes them may have company.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from pydantic import SecretStr
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from worker.database.faults import code_of, is_forbidden
from worker.errors import ConfigurationError

OWNER, APP_RW, CONSOLE_RW = "watchfloor_owner", "app_rw", "console_rw"
ROLES = (OWNER, APP_RW, CONSOLE_RW)

Passwords: TypeAlias = Mapping[str, SecretStr]
"""By role; one that is not here keeps what it has."""
Privileges: TypeAlias = Mapping[str, Mapping[str, str]]
"""What each role may do with each table, as a GRANT says it; nothing where it says nothing."""

_TRIES = 20
# Another migrator of the cluster made the role, or wrote its row, in the meantime
_RACED = frozenset({"42710", "23505", "XX000"})

# The console tells of transactions that are left open, whoever's they are; without this it sees its own alone
_SHOW_TRANSACTIONS = f"GRANT pg_read_all_stats TO {CONSOLE_RW}"

# What an administrator would have to run, in order; a superuser needs no membership to act as another
_MISSING = text(
    """
    WITH wanted AS (
        SELECT name, to_regrole(name) AS role FROM unnest(CAST(:roles AS text[])) AS name
    )
    SELECT statement FROM (
        SELECT 1, format('CREATE ROLE %I LOGIN', name) FROM wanted WHERE role IS NULL
        UNION ALL
        SELECT 2, format('GRANT %I TO %I', name, current_user) FROM wanted
        WHERE current_user <> ALL (CAST(:roles AS text[]))
            AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
            AND NOT coalesce(pg_has_role(role, :membership), false)
        UNION ALL
        SELECT 3, format('GRANT %I TO %I', CAST(:app_rw AS text), CAST(:owner AS text))
        WHERE NOT coalesce(pg_has_role(to_regrole(:owner), to_regrole(:app_rw), 'MEMBER'), false)
        UNION ALL
        SELECT 4, format('GRANT CREATE ON DATABASE %I TO %I', current_database(), CAST(:owner AS text))
        WHERE NOT coalesce(has_database_privilege(to_regrole(:owner), current_database(), 'CREATE'), false)
        UNION ALL
        SELECT 5, format('ALTER ROLE %I NOBYPASSRLS', rolname) FROM pg_roles
        WHERE rolname = ANY (CAST(:roles AS text[])) AND rolbypassrls AND NOT rolsuper
    ) AS missing (place, statement)
    ORDER BY place
    """
)

# The schema first, whose owner a new owner of what is in it has to be; a column's own sequence goes with its table
_TO_HAND_OVER = text(
    """
    SELECT statement FROM (
        SELECT 1, format('ALTER SCHEMA control OWNER TO %I', CAST(:owner AS text)), nspowner
        FROM pg_namespace WHERE nspname = 'control'
        UNION ALL
        SELECT 2, format('ALTER TABLE %s OWNER TO %I', CAST(oid AS regclass), CAST(:owner AS text)), relowner
        FROM pg_class WHERE relnamespace = to_regnamespace('control') AND relkind IN ('r', 'p', 'v', 'm')
        UNION ALL
        SELECT 3, format('ALTER ROUTINE %s OWNER TO %I', CAST(oid AS regprocedure), CAST(:owner AS text)), proowner
        FROM pg_proc WHERE pronamespace = to_regnamespace('control')
    ) AS part (place, statement, owner)
    WHERE owner <> to_regrole(:owner)
        AND pg_has_role(owner, 'USAGE')
        AND pg_has_role(to_regrole(:owner), 'USAGE')
        AND has_database_privilege(current_database(), 'CREATE')
    ORDER BY place
    """
)

# A role that owns the tables, or is a superuser, runs a deployment by itself: nothing would confine it
_CONFINED = text(
    """
    SELECT name FROM unnest(CAST(:roles AS text[])) AS name
    WHERE NOT pg_has_role(to_regrole(name), (SELECT nspowner FROM pg_namespace WHERE nspname = 'control'), 'MEMBER')
    """
)


def make_roles(conn: Connection, passwords: Passwords) -> None:
    """Make the roles that are missing, each able to sign in, and let this one act as any of them.

    ConfigurationError with the SQL for an administrator where this role may not.
    """
    for tries_left in range(_TRIES - 1, -1, -1):
        try:
            with conn.begin():
                _make_missing(conn)
                _set_passwords(conn, passwords)
                _show_transactions(conn)
        except DBAPIError as error:
            if tries_left == 0 or code_of(error) not in _RACED:
                raise
        else:
            return


def hand_over(conn: Connection) -> None:
    """Make the owner the owner of the control schema, if that is this role's to decide; each part in a moment."""
    with conn.begin():
        parts = _statements(conn, _TO_HAND_OVER)
    for statement in parts:
        with conn.begin():
            conn.exec_driver_sql(statement)


def confine(conn: Connection, privileges: Privileges) -> None:
    """Let each role do with the control schema's tables what is listed, and nothing else that was granted before."""
    with conn.begin():
        for role in conn.execute(_CONFINED, {"roles": [APP_RW, CONSOLE_RW]}).scalars().all():
            conn.exec_driver_sql(f"GRANT USAGE ON SCHEMA control TO {role}")
            conn.exec_driver_sql(f"REVOKE ALL ON ALL TABLES IN SCHEMA control FROM {role}")
            for table, rights in privileges.items():
                if allowed := rights.get(role):
                    conn.exec_driver_sql(f"GRANT {allowed} ON control.{table} TO {role}")


def _make_missing(conn: Connection) -> None:
    missing = _statements(conn, _MISSING)
    try:
        for statement in missing:
            conn.exec_driver_sql(statement)
    except DBAPIError as error:
        if not is_forbidden(error):
            raise
    else:
        missing = _statements(conn, _MISSING)  # what may not be granted on is a warning alone
    if missing:
        raise ConfigurationError(
            "MIGRATIONS_DATABASE_URL, else DATABASE_URL: its role may not make the roles of this deployment;"
            f" have an administrator run: {'; '.join(missing)}"
        )


def _set_passwords(conn: Connection, passwords: Passwords) -> None:
    """The server gets a verifier, so that no log of its statements ever has a password."""
    for role, password in passwords.items():
        session: Any = conn.connection.driver_connection
        clear = password.get_secret_value().encode()
        verifier = session.pgconn.encrypt_password(clear, role.encode(), b"scram-sha-256").decode()
        try:
            conn.exec_driver_sql(f"ALTER ROLE {role} PASSWORD '{verifier}'")
        except DBAPIError as error:
            if not is_forbidden(error):
                raise
            raise ConfigurationError(
                f"WATCHFLOOR_{role.removeprefix('watchfloor_').upper()}_PASSWORD: not this role's to set;"
                f" have an administrator run: \\password {role}"
            ) from None


def _show_transactions(conn: Connection) -> None:
    try:
        with conn.begin_nested():
            conn.exec_driver_sql(_SHOW_TRANSACTIONS)
    except DBAPIError as error:
        if not is_forbidden(error):
            raise


def _statements(conn: Connection, query: Any) -> list[str]:
    acts_by = "SET" if (conn.dialect.server_version_info or ()) >= (16,) else "MEMBER"
    values = {"roles": list(ROLES), "owner": OWNER, "app_rw": APP_RW, "membership": acts_by}
    return list(conn.execute(query, values).scalars())
