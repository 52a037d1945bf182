"""A transaction that stays open."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection

from worker.queries.pages import attention, figures
from worker.queries.pages.attention import Limits, Seen


@pytest.mark.postgresql
def test_a_21_an_old_transaction_is_a_warning(conn: Connection) -> None:
    with conn.engine.connect() as holding:
        holding.execution_options(isolation_level="REPEATABLE READ").exec_driver_sql("SELECT 1")
        found = figures.sample(conn)
        later = figures.sample(conn, now=found.at.replace(year=found.at.year + 1))
        told = [attention.read(Seen(conn, each, Limits())) for each in (found, later)]
    assert [[item.kind for item in items] for items in told] == [[], ["transaction"]]
