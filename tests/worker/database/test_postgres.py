"""A session on PostgreSQL: how it is opened."""

from __future__ import annotations

from typing import Any

import pytest

from worker.database import connect


@pytest.mark.postgresql
def test_a_17_a_session_whose_server_is_gone_without_a_word_is_noticed(server: str) -> None:
    engine = connect(server, application_name="tests")
    with engine.connect() as conn:
        session: Any = conn.connection.dbapi_connection
        asked = session.info.get_parameters()
    engine.dispose()
    assert (asked["keepalives_idle"], asked["keepalives_interval"], asked["keepalives_count"]) == ("10", "5", "3")
