"""Making the roles of a deployment: by whoever migrates, once for a whole cluster, and without a word of a password."""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64decode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier

import pytest
from pydantic import SecretStr
from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.exc import DBAPIError

from tests.cluster import throwaway
from tests.provisioned import provisioned
from tests.worker.databases import dump, fresh
from worker import migrate
from worker.database import APP_RW, CONSOLE_RW, OWNER, autocommit, code_of, connect, make_roles
from worker.errors import ConfigurationError
from worker.tenancy import tenant_uow

ROLES = [APP_RW, CONSOLE_RW, OWNER]
FORBIDDEN = "42501"
PASSWORDS = {APP_RW: SecretStr("a horse, a horse"), CONSOLE_RW: SecretStr("mÿ kingdom")}
MADE = text("SELECT rolname FROM pg_roles WHERE rolname = ANY (:roles) AND rolcanlogin ORDER BY 1")
VERIFIER = text("SELECT rolpassword FROM pg_authid WHERE rolname = :role")


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """A server of these tests alone, whose roles they make and drop."""
    with throwaway() as url:
        yield url


@pytest.fixture
def empty(cluster: str) -> Iterator[Engine]:
    """An engine on an empty database of a cluster without our roles."""
    with fresh(cluster, "empty") as engine:
        yield engine
    server = connect(cluster, application_name="tests")
    with autocommit(server).connect() as conn:
        for role in (*ROLES, "plain", "maker"):
            conn.execute(text(f"DROP ROLE IF EXISTS {role}"))
    server.dispose()


def as_(engine: Engine, role: str) -> Engine:
    """The same database, entered by that role."""
    url = engine.url.set(username=role).render_as_string(hide_password=False)
    return connect(url, application_name="tests", pool_size=2)


def run(engine: Engine, *statements: str) -> None:
    with autocommit(engine).connect() as conn:
        for statement in statements:
            conn.execute(text(statement))


def verifier(conn: Connection, role: str) -> str | None:
    found: str | None = conn.execute(VERIFIER, {"role": role}).scalar_one()
    return found


def asked_for(refusal: ConfigurationError) -> list[str]:
    """What an administrator is told to run."""
    return str(refusal).partition("have an administrator run: ")[2].split("; ")


def fits(password: str, stored: str) -> bool:
    """Whether the SCRAM verifier is that password's (RFC 5803)."""
    scheme, salted, keys = stored.split("$")
    rounds, salt = salted.split(":")
    key = hashlib.pbkdf2_hmac("sha256", password.encode(), b64decode(salt), int(rounds))
    known = hashlib.sha256(hmac.digest(key, b"Client Key", "sha256")).digest()
    return scheme == "SCRAM-SHA-256" and known == b64decode(keys.split(":")[0])


def test_roles_are_made_that_sign_in_without_a_password_until_one_is_set(empty: Engine) -> None:
    migrate.upgrade(empty)
    with empty.connect() as conn:
        assert conn.execute(MADE, {"roles": ROLES}).scalars().all() == ROLES
        assert {verifier(conn, role) for role in ROLES} == {None}
    migrate.upgrade(empty, passwords=PASSWORDS)
    migrate.upgrade(empty)
    with empty.connect() as conn:
        for role, password in PASSWORDS.items():
            stored = verifier(conn, role)
            assert stored
            assert fits(password.get_secret_value(), stored)
            assert not fits("another", stored)
        assert verifier(conn, OWNER) is None


def test_no_password_is_ever_sent(empty: Engine) -> None:
    sent: list[str] = []
    event.listen(empty, "before_cursor_execute", lambda *found: sent.append(f"{found[2]} {found[3]}"))
    migrate.upgrade(empty, passwords=PASSWORDS)
    assert any("ALTER ROLE app_rw PASSWORD 'SCRAM-SHA-256$" in each for each in sent)
    assert [each for each in sent for password in PASSWORDS.values() if password.get_secret_value() in each] == []


def test_migrators_of_several_databases_of_one_cluster_make_them_at_once(cluster: str, empty: Engine) -> None:
    with ExitStack() as stack:
        engines = [empty, *(stack.enter_context(fresh(cluster, f"beside_{number}")) for number in range(5))]
        start = Barrier(len(engines))

        def make(engine: Engine) -> None:
            with engine.connect() as conn:
                start.wait(30)
                make_roles(conn, PASSWORDS)

        with ThreadPoolExecutor(len(engines)) as threads:
            list(threads.map(make, engines))
        with empty.connect() as conn:
            assert conn.execute(MADE, {"roles": ROLES}).scalars().all() == ROLES
            assert fits("a horse, a horse", str(verifier(conn, APP_RW)))


def test_who_may_not_make_them_is_told_what_an_administrator_has_to_run(empty: Engine) -> None:
    run(empty, "CREATE ROLE plain LOGIN", "GRANT CREATE ON DATABASE empty TO plain")
    plain = as_(empty, "plain")
    with pytest.raises(ConfigurationError, match="MIGRATIONS_DATABASE_URL") as refusal:
        migrate.upgrade(plain)
    with plain.connect() as conn:
        assert migrate.current(conn) is None
    run(empty, *asked_for(refusal.value))
    migrate.upgrade(plain)
    with plain.begin() as conn:
        for role in ROLES:
            conn.execute(text(f"SET LOCAL ROLE {role}"))
            conn.execute(text("RESET ROLE"))
    plain.dispose()


def test_a_password_that_this_role_may_not_set_is_refused_by_the_settings_name(empty: Engine) -> None:
    migrate.upgrade(empty)
    owner = as_(empty, OWNER)
    migrate.upgrade(owner)
    with pytest.raises(ConfigurationError, match=r"WATCHFLOOR_APP_RW_PASSWORD: .*\\password app_rw"):
        migrate.upgrade(owner, passwords=PASSWORDS)
    owner.dispose()


def test_one_who_may_make_roles_needs_no_superuser(empty: Engine) -> None:
    """Nor does the owner after it, who migrates from then on and makes the schemas of tenants."""
    run(empty, "CREATE ROLE maker LOGIN CREATEROLE", "ALTER DATABASE empty OWNER TO maker")
    maker = as_(empty, "maker")
    migrate.upgrade(maker)
    first = dump(empty)
    assert "ALTER TABLE control.platform_jobs OWNER TO watchfloor_owner;" in first
    run(maker, "UPDATE control.platform_jobs SET status = 'queued'")  # who had the tables goes on having them
    maker.dispose()
    owner = as_(empty, OWNER)
    run(owner, "CREATE SCHEMA tenant_acme", "CREATE TABLE tenant_acme.facts ()")
    migrate.upgrade(owner)
    owner.dispose()
    assert dump(empty) == first
    run(empty, "ALTER DATABASE empty OWNER TO postgres")


def test_one_who_made_the_roles_provisions_tenants_and_works_for_them_all_alone(empty: Engine) -> None:
    run(empty, "CREATE ROLE maker LOGIN CREATEROLE", "ALTER DATABASE empty OWNER TO maker")
    maker = as_(empty, "maker")
    migrate.upgrade(maker)
    tenant_id = provisioned(maker)
    with tenant_uow(maker, tenant_id=tenant_id) as conn:
        assert conn.execute(text("SELECT current_user, count(*) > 0 FROM role_profiles")).one() == (APP_RW, True)
    maker.dispose()
    run(empty, "ALTER DATABASE empty OWNER TO postgres")


def test_no_role_looks_over_the_walls_between_tenants(empty: Engine) -> None:
    run(empty, "CREATE ROLE app_rw LOGIN BYPASSRLS")
    migrate.upgrade(empty)
    with empty.connect() as conn:
        bypasses = text("SELECT rolname FROM pg_roles WHERE rolname = ANY (:roles) AND rolbypassrls")
        assert conn.execute(bypasses, {"roles": ROLES}).all() == []


def test_what_was_granted_beside_the_list_is_taken_back(empty: Engine) -> None:
    migrate.upgrade(empty)
    first = dump(empty)
    run(
        empty,
        "GRANT DELETE ON control.operator_actions TO app_rw",
        "GRANT UPDATE (role) ON control.operators TO app_rw",
    )
    assert dump(empty) != first
    migrate.upgrade(empty)
    assert dump(empty) == first


def test_a_role_that_has_the_whole_deployment_to_itself_keeps_it_whatever_its_name(empty: Engine) -> None:
    run(empty, "CREATE ROLE app_rw LOGIN", "ALTER DATABASE empty OWNER TO app_rw")
    alone = as_(empty, APP_RW)
    with pytest.raises(ConfigurationError) as refusal:
        migrate.upgrade(alone)
    run(empty, *asked_for(refusal.value))
    migrate.upgrade(alone)
    migrate.upgrade(alone)
    run(alone, "DELETE FROM control.operators", "DROP TABLE control.sleepers")
    alone.dispose()
    run(empty, "ALTER DATABASE empty OWNER TO postgres")


def test_tables_of_a_schema_that_was_somebody_elses_are_handed_over_with_what_is_in_them(empty: Engine) -> None:
    """As where an earlier release migrated with the superuser."""
    migrate.upgrade(empty)
    run(empty, "ALTER TABLE control.tenants OWNER TO postgres", "ALTER SCHEMA control OWNER TO postgres")
    run(empty, "INSERT INTO control.tenants (id, slug, display_name, schema_name)"
               " VALUES (gen_random_uuid(), 'acme', 'Acme', 'tenant_acme')")  # fmt: skip
    migrate.upgrade(empty)
    owner = as_(empty, OWNER)
    run(owner, "ALTER TABLE control.tenants ADD note text")
    with owner.connect() as conn:
        assert conn.execute(text("SELECT slug FROM control.tenants")).scalars().all() == ["acme"]
    owner.dispose()


def test_app_rw_is_refused_what_the_owner_may_do(empty: Engine) -> None:
    migrate.upgrade(empty)
    app_rw = as_(empty, APP_RW)
    with pytest.raises(DBAPIError) as refusal:
        run(app_rw, "CREATE SCHEMA tenant_acme")
    assert code_of(refusal.value) == FORBIDDEN
    app_rw.dispose()
