"""What each role of the database may do, tried by signing in as it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from tests import factories
from tests.conftest import as_role
from tests.provisioned import provisioned
from worker.database import APP_RW, CONSOLE_RW, OWNER, code_of
from worker.job_types import JobTypes
from worker.model import Event, Status, new_id
from worker.new_jobs import NewJob
from worker.queries import jobs, outbox
from worker.queries.schema import metadata
from worker.queries.schema.privileges import PRIVILEGES
from worker.subscribers import Subscribers

FORBIDDEN = "42501"
LET_GO = "locked_by = NULL, locked_at = NULL, lease_expires_at = NULL"
NEITHER = {
    "make a schema": "CREATE SCHEMA mine",
    "make a table": "CREATE TABLE control.mine (id int)",
    "make one where anybody might": "CREATE TABLE public.mine (id int)",
    "change a table": "ALTER TABLE control.platform_jobs ADD mine int",
    "drop a table": "DROP TABLE control.sleepers",
    "empty a table": "TRUNCATE control.platform_jobs",
    "make a role": "CREATE ROLE mine",
    "be the owner": "SET ROLE watchfloor_owner",
    "switch a guard off": "ALTER TABLE control.platform_jobs DISABLE TRIGGER ALL",
    "be somebody whom no trigger concerns": "SET session_replication_role = replica",
    "replace a guard": "CREATE OR REPLACE FUNCTION control.refuse_unless_owner() RETURNS trigger LANGUAGE sql AS ''",
    "move a tenant to another's schema": "UPDATE control.tenants SET schema_name = 'tenant_other'",
    "delete a tenant": "DELETE FROM control.tenants",
    "change what was done": "UPDATE control.operator_actions SET actor = 'somebody else'",
    "delete what was done": "DELETE FROM control.operator_actions",
    "empty what was done": "TRUNCATE control.operator_actions CASCADE",
    "change to which jobs": "UPDATE control.operator_action_jobs SET job_id = gen_random_uuid()",
    "delete to which jobs": "DELETE FROM control.operator_action_jobs",
    "make a token": "INSERT INTO control.api_tokens (name, token_hash) VALUES ('mine', 'mine')",
    "widen a token": "UPDATE control.api_tokens SET scopes = '{tenants:write}'",
    "change the schema's revision": "UPDATE control.alembic_version SET version_num = 'none'",
}
REFUSED = {
    APP_RW: NEITHER
    | {
        "be the console": "SET ROLE console_rw",
        "make an admin": "INSERT INTO control.operators (id, name, role) VALUES (gen_random_uuid(), 'me', 'admin')",
        "be made an admin": "UPDATE control.operators SET role = 'admin'",
        "let somebody in": "INSERT INTO control.sign_in_links (token_hash) VALUES ('mine')",
        "wake a disabled operator": "UPDATE control.operators SET disabled_at = NULL",
        "read who the operators are": "SELECT FROM control.operators",
        "read their passwords": "SELECT password FROM control.operators",
        "read their sessions": "SELECT FROM control.operator_sessions",
        "open a session": "INSERT INTO control.operator_sessions (token_hash) VALUES ('mine')",
        "read sign-in links": "SELECT FROM control.sign_in_links",
        "read second factors": "SELECT FROM control.second_factors",
        "read recovery codes": "SELECT FROM control.recovery_codes",
        "read who waits to sign in": "SELECT FROM control.sign_in_challenges",
        "be somebody to a provider": "INSERT INTO control.operator_identities (issuer, subject) VALUES ('a', 'b')",
        "read tokens": "SELECT FROM control.api_tokens",
        "forget tries": "DELETE FROM control.rate_counters",
        "add a job that runs already": "INSERT INTO control.platform_jobs (id, job_type, status, locked_by)"
        " VALUES (gen_random_uuid(), 'provision_tenant', 'running', 'me')",
        "add a job that is over": "INSERT INTO control.platform_jobs (id, job_type, status, finished_at)"
        " VALUES (gen_random_uuid(), 'provision_tenant', 'succeeded', now())",
        "speak for an operator": "UPDATE control.dead_letter_groups SET note = 'mine'",
    },
    CONSOLE_RW: NEITHER
    | {
        "be the application": "SET ROLE app_rw",
        "add a job that is over": "INSERT INTO control.platform_jobs (id, job_type, status, finished_at)"
        " VALUES (gen_random_uuid(), 'work', 'succeeded', now())",
        "change a payload": "UPDATE control.platform_jobs SET payload = '{}'",
        "change whose job it is": "UPDATE control.platform_jobs SET tenant_id = NULL",
        "add a tenant": "INSERT INTO control.tenants (id, slug) VALUES (gen_random_uuid(), 'mine')",
        "open a tenant": "UPDATE control.tenants SET activated_at = now()",
        "take a claim": "UPDATE control.platform_jobs SET locked_by = 'me'",
        "break a fence": "UPDATE control.platform_jobs SET generation = 0",
        "record a step": "UPDATE control.platform_jobs SET steps_completed = '[]'",
        "delete jobs": "DELETE FROM control.platform_jobs",
        "change jobs by their other name": "UPDATE control.processing_jobs SET queue = 'mine'",
        "change history": "UPDATE control.job_attempts SET error = NULL",
        "change steps": "UPDATE control.job_steps SET outcome = 'done'",
        "publish": "INSERT INTO control.event_outbox (id) VALUES (gen_random_uuid())",
        "be a worker": "INSERT INTO control.worker_instances (instance_id) VALUES ('me')",
        "call a worker stopped": "UPDATE control.worker_instances SET stopped_at = now()",
        "change statistics": "DELETE FROM control.statistics_minutes",
        "give a second factor to another": "UPDATE control.second_factors SET operator_id = gen_random_uuid()",
        "change what an authenticator shares": "UPDATE control.second_factors SET secret = 'mine'",
        "let a used recovery code be another's": "UPDATE control.recovery_codes SET operator_id = gen_random_uuid()",
        "be another to a provider": "UPDATE control.operator_identities SET operator_id = gen_random_uuid()",
        "give an operator another's name": "UPDATE control.operators SET name = 'somebody else'",
        "let a used link in again": "UPDATE control.sign_in_links SET expires_at = now(), operator_id = NULL",
        "delete an operator": "DELETE FROM control.operators",
    },
}


def attempt(engine: Engine, statement: str) -> str | None:
    """The server's code for what became of the statement; None when it was carried out."""
    try:
        with engine.begin() as conn:
            conn.execute(text(statement))
    except DBAPIError as error:
        return code_of(error)
    return None


@pytest.mark.parametrize("deed", REFUSED[APP_RW])
def test_s1_69_app_rw_may_not(app_rw: Engine, deed: str) -> None:
    assert attempt(app_rw, REFUSED[APP_RW][deed]) == FORBIDDEN


@pytest.mark.parametrize("deed", REFUSED[CONSOLE_RW])
def test_console_rw_may_not(console_rw: Engine, deed: str) -> None:
    assert attempt(console_rw, REFUSED[CONSOLE_RW][deed]) == FORBIDDEN


@pytest.mark.parametrize(
    ("role", "job_type", "answer"),
    [
        (APP_RW, "provision_tenant", FORBIDDEN),
        (CONSOLE_RW, "provision_tenant", FORBIDDEN),
        (OWNER, "provision_tenant", None),
        (APP_RW, "work", None),
        (CONSOLE_RW, "work", FORBIDDEN),
        (OWNER, "work", None),
    ],
)
def test_s1_86_the_owner_alone_starts_a_provisioning_and_the_console_starts_nothing(
    engine: Engine, conn: Connection, role: str, job_type: str, answer: str | None
) -> None:
    factories.job(conn, job_type=job_type, tenant_id=factories.tenant(conn))
    with as_role(engine, role) as theirs:
        assert attempt(theirs, "UPDATE control.platform_jobs SET status = 'running'") == answer


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ("locked_by = 'me'", FORBIDDEN),
        (f"status = 'succeeded', finished_at = now(), {LET_GO}", FORBIDDEN),
        ("lease_expires_at = now(), cancel_requested_at = now()", None),
        (f"status = 'queued', {LET_GO}", None),
        (f"status = 'failed', finished_at = now(), {LET_GO}", None),
    ],
)
def test_a_running_provisioning_is_taken_from_its_worker_but_neither_taken_over_nor_called_done(
    app_rw: Engine, conn: Connection, change: str, answer: str | None
) -> None:
    tenant_id = factories.tenant(conn)
    factories.job(conn, job_type="provision_tenant", tenant_id=tenant_id, status=Status.RUNNING, locked_by="worker")
    assert attempt(app_rw, f"UPDATE control.platform_jobs SET {change}") == answer


def test_no_detour_leads_to_a_running_provisioning(app_rw: Engine, conn: Connection) -> None:
    job_id = factories.job(conn, job_type="work", tenant_id=factories.tenant(conn))
    assert attempt(app_rw, "UPDATE control.platform_jobs SET status = 'running'") is None
    assert attempt(app_rw, "UPDATE control.platform_jobs SET job_type = 'provision_tenant'") == FORBIDDEN
    conn.execute(text("UPDATE control.platform_jobs SET status = 'queued', job_type = 'provision_tenant'"))
    assert attempt(app_rw, "UPDATE control.platform_jobs SET status = 'failed', finished_at = now()") is None
    assert attempt(app_rw, "UPDATE control.platform_jobs SET status = 'running', finished_at = NULL") == FORBIDDEN
    assert factories.stored(conn, job_id).status == "failed"


@pytest.mark.parametrize("status", ["running", "succeeded", "failed"])
def test_the_console_cannot_say_how_a_job_went(console_rw: Engine, conn: Connection, status: str) -> None:
    factories.job(conn)
    finish = "" if status == "running" else ", finished_at = now()"
    assert attempt(console_rw, f"UPDATE control.platform_jobs SET status = '{status}'{finish}") == FORBIDDEN
    assert attempt(console_rw, "UPDATE control.platform_jobs SET status = 'cancelled', finished_at = now()") is None


def test_the_guards_are_called_for_nothing_but_what_they_refuse(engine: Engine) -> None:
    with engine.connect() as conn:
        conn.execute(text("SET LOCAL track_functions = 'pl'"))
        for job_type in ("work", "provision_tenant"):
            factories.job(conn, job_type=job_type, tenant_id=factories.tenant(conn, job_type.replace("_", "-")))
        for change in ("status = 'running'", "locked_by = 'w'", "locked_by = NULL, status = 'queued'"):
            conn.execute(text(f"UPDATE control.platform_jobs SET {change} WHERE job_type = 'work'"))
        assert calls(conn) == {}
        conn.execute(text("UPDATE control.platform_jobs SET status = 'running'"))
        conn.execute(text("UPDATE control.platform_jobs SET progress = 50, status = 'running'"))
        assert calls(conn) == {"refuse_unless_owner": 1}


def calls(conn: Connection) -> dict[str, int]:
    found = conn.execute(text("SELECT funcname, calls FROM pg_stat_xact_user_functions WHERE funcname LIKE 'refuse%'"))
    return {row.funcname: row.calls for row in found}


def made_up(job_id: UUID, copy_id: UUID, **changed: str) -> str:
    """A statement that puts a job of an event in, and before it says of it that it is a copy."""
    row = {"id": str(copy_id), "job_type": "run_subscriber", "event_id": "mine", "event_type": "order.created",
           "subscriber_id": "crm", "payload": "{}", "source": "copy"} | changed  # fmt: skip
    values = "', '".join(row.values())
    return (
        "INSERT INTO control.job_copies (copy_id, original_id, at, made_by)"
        f" VALUES ('{copy_id}', '{job_id}', now(), 'me');"
        f" INSERT INTO control.platform_jobs ({', '.join(row)}) VALUES ('{values}')"
    )


@pytest.mark.parametrize(
    ("changed", "answer"),
    [
        ({}, None),
        ({"id": "019a0000-0000-7000-8000-000000000001"}, FORBIDDEN),
        ({"event_id": "waits"}, FORBIDDEN),
        ({"event_id": "went"}, FORBIDDEN),
        ({"subscriber_id": "billing"}, FORBIDDEN),
        ({"event_type": "order.paid"}, FORBIDDEN),
        ({"job_type": "send_email"}, FORBIDDEN),
    ],
    ids=["a copy", "no copy", "an event that waits", "one that went", "another's", "another event", "another type"],
)
def test_the_console_makes_no_job_of_an_event_but_a_copy(
    console_rw: Engine, conn: Connection, changed: dict[str, str], answer: str | None
) -> None:
    outbox.publish(conn, Event("order.created", {"order_id": 7}, event_id="waits"))
    of_event: dict[str, Any] = {"event_id": "ran", "event_type": "order.created", "subscriber_id": "crm"}
    original = factories.job(conn, job_type="run_subscriber", **of_event)
    factories.job(conn, job_type="run_subscriber", **of_event | {"event_id": "went", "subscriber_id": "mail"})
    assert attempt(console_rw, made_up(original, new_id(), **changed)) == answer


def test_every_table_has_a_line_that_says_who_may_do_what() -> None:
    tables = {table.name for table in metadata.tables.values()}
    assert PRIVILEGES.keys() == tables | {"alembic_version", "processing_jobs"}


def test_everything_in_the_control_schema_is_the_owners(conn: Connection) -> None:
    whose = text(
        "SELECT DISTINCT pg_get_userbyid(owner) FROM ("
        "SELECT relowner FROM pg_class WHERE relnamespace = 'control'::regnamespace"
        " UNION ALL SELECT proowner FROM pg_proc WHERE pronamespace = 'control'::regnamespace"
        " UNION ALL SELECT nspowner FROM pg_namespace WHERE nspname = 'control') AS part (owner)"
    )
    assert conn.execute(whose).scalars().all() == [OWNER]


def test_the_console_sees_a_transaction_that_somebody_else_left_open(engine: Engine, console_rw: Engine) -> None:
    with engine.begin() as left_open:
        pid = left_open.execute(text("SELECT pg_backend_pid()")).scalar_one()
        with console_rw.connect() as conn:
            seen = text("SELECT xact_start IS NOT NULL FROM pg_stat_activity WHERE pid = :pid")
            assert conn.execute(seen, {"pid": pid}).scalar_one()


def test_both_may_read_what_the_people_of_the_console_did(console_rw: Engine, app_rw: Engine) -> None:
    for theirs in (console_rw, app_rw):
        assert attempt(theirs, "SELECT * FROM control.operator_actions") is None


def test_app_rw_makes_jobs_of_requests_and_of_events(app_rw: Engine) -> None:
    subscribers = Subscribers()
    subscribers.register("order.created", "crm", lambda job: None)
    with app_rw.begin() as conn:
        assert jobs.enqueue(conn, JobTypes(), NewJob("materialize_insights", idempotency_key="one")).created
        outbox.publish(conn, Event("order.created", {"order_id": 7}))
        assert outbox.relay(conn, subscribers).jobs == 1


@pytest.mark.parametrize("state", [Status.QUEUED, Status.RUNNING])
def test_app_rw_does_with_other_jobs_as_it_needs(app_rw: Engine, conn: Connection, state: Status) -> None:
    factories.job(conn, status=state)
    end = f"status = 'succeeded', finished_at = now(), {LET_GO}"
    assert attempt(app_rw, f"UPDATE control.platform_jobs SET {end}") is None
    assert attempt(app_rw, "DELETE FROM control.platform_jobs") is None


def test_a_30_no_other_tenants_rows_are_seen_changed_or_made(
    engine: Engine, app_rw: Engine, console_rw: Engine
) -> None:
    ours, theirs = provisioned(engine, "acme"), provisioned(engine, "umbrella")
    table = "tenant_umbrella.role_profiles"
    touch = (f"SELECT FROM {table}", f"UPDATE {table} SET name = name", f"DELETE FROM {table}")
    for tenant_id, is_theirs in (("", False), (ours, False), (theirs, True)):
        with app_rw.connect() as conn:
            conn.execute(text("SELECT set_config('app.tenant_id', :id, true)"), {"id": str(tenant_id)})
            assert [conn.execute(text(each)).rowcount > 0 for each in touch] == [is_theirs] * 3
    add, hide = (f"INSERT INTO {table} VALUES ('mine', '{whose}', 'Mine', '[]')" for whose in (theirs, ours))
    assert attempt(app_rw, f"SET LOCAL app.tenant_id = '{ours}'; {add}") == FORBIDDEN
    assert attempt(app_rw, f"SET LOCAL app.tenant_id = '{ours}'; {hide}") == FORBIDDEN
    assert attempt(app_rw, f"SET LOCAL app.tenant_id = '{theirs}'; {add}") is None
    assert attempt(app_rw, f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY") == FORBIDDEN
    assert {attempt(console_rw, each) for each in (*touch, add)} == {FORBIDDEN}
