"""Behind a transaction pooler: nothing is asked of a session that only a session of our own could give (A-20)."""

from __future__ import annotations

from datetime import timedelta

import psycopg
import pytest
from sqlalchemy import Engine, make_url, text

from tests.pooler import Pooler, Settings, pooling
from tests.worker.databases import fresh
from tests.worker.runtime.bench import nothing, registry, settings
from worker import migrate, topology
from worker.database import autocommit, connect, url_of
from worker.errors import ConfigurationError
from worker.runtime.worker import Worker


def address(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False)


def driver(pooler: Pooler) -> str:
    return make_url(pooler.url).set(drivername="postgresql").render_as_string(hide_password=False)


def test_each_transaction_is_lent_another_session(lent: Engine) -> None:
    with autocommit(lent).connect() as conn:
        pids = [conn.execute(text("SELECT pg_backend_pid()")).scalar_one() for _ in range(6)]
    assert (len(set(pids)), pids[:3]) == (3, pids[3:])
    with lent.begin() as conn:
        assert len({conn.execute(text("SELECT pg_backend_pid()")).scalar_one() for _ in range(6)}) == 1


def test_a_20_a_statement_that_is_repeated_is_prepared_nowhere(pooler: Pooler, lent: Engine) -> None:
    with autocommit(lent).connect() as conn:
        counts = [conn.execute(text("SELECT count(*) FROM pg_prepared_statements")).scalar() for _ in range(20)]
    assert set(counts) == {0}
    with (
        psycopg.connect(driver(pooler), autocommit=True, prepare_threshold=0) as careless,
        pytest.raises(psycopg.errors.InvalidSqlStatementName),
    ):
        careless.execute("SELECT 1")


def test_a_20_times_are_in_utc_whatever_a_stranger_set(pooler: Pooler, lent: Engine) -> None:
    with psycopg.connect(driver(pooler), autocommit=True, prepare_threshold=None) as stranger:
        for _ in range(3):
            stranger.execute("SET timezone = 'Asia/Kathmandu'")
    with lent.connect() as conn:
        zone, now = conn.execute(text("SELECT current_setting('timezone'), now()")).one()
    assert (zone, now.utcoffset()) == ("Asia/Kathmandu", timedelta(0))


@pytest.mark.parametrize("fate", ["refused", "dropped"])
def test_a_20_a_pooler_that_nobody_spoke_of_stops_the_start_and_names_the_setting(url: str, fate: Settings) -> None:
    with pooling(url, settings=fate) as pooler:
        worker = Worker(settings(), registry(work=nothing), url=pooler.url)
        with pytest.raises(ConfigurationError, match="WATCHFLOOR_POOLER=transaction"):
            worker.start()


def test_a_20_a_migration_is_refused_and_told_where_to_go(server: str) -> None:
    with fresh(server, "unmigrated") as empty, pooling(address(empty)) as pooler:
        lent = connect(url_of(pooler.url, pooled=True), application_name="tests")
        with pytest.raises(ConfigurationError, match="MIGRATIONS_DATABASE_URL"):
            migrate.upgrade(lent)
        lent.dispose()


def test_a_20_where_nothing_is_to_be_migrated_nothing_is_refused(lent: Engine) -> None:
    migrate.upgrade(lent)


def test_the_setting_is_passed_on_with_the_address() -> None:
    address = "postgresql://dana:hunter2@db.example/x?sslmode=require"
    declared = settings(database_url=address, pooler="transaction")
    assert make_url(topology.address(declared)).query == {"sslmode": "require", "pooler": "transaction"}
    assert "pooler" not in topology.address(settings(database_url=address))
    assert topology.address(settings(database_url="sqlite:////x.db", pooler="transaction")) == "sqlite:////x.db"
