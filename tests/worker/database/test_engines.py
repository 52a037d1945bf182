"""The end of an engine."""

from __future__ import annotations

from typing import Any

import pytest

from worker.database import connect, retire

pytestmark = pytest.mark.postgresql  # a session of the server says whether it is closed


def test_a_session_that_comes_back_after_the_end_is_closed_and_not_kept(url: str) -> None:
    engine = connect(url, application_name="tests")
    late = engine.connect()
    session: Any = late.connection.driver_connection
    retire(engine)
    assert not session.closed
    late.close()
    assert session.closed


def test_a_session_at_rest_is_closed_at_once(url: str) -> None:
    engine = connect(url, application_name="tests")
    with engine.connect() as conn:
        session: Any = conn.connection.driver_connection
    assert not session.closed
    retire(engine)
    assert session.closed
