"""How long a session keeps its plans."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, text

from worker.database.plans import KEPT_SECONDS, keep

pytestmark = pytest.mark.postgresql


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        """Its time."""
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(url: str, clock: Clock) -> Iterator[Engine]:
    """One session that keeps its plans."""
    made = create_engine(url, pool_size=1, max_overflow=0)
    keep(made, clock=clock)
    yield made
    made.dispose()


def _discards(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that the next uses of the session are begun with."""
    with engine.connect() as conn:
        session: Any = conn.connection.driver_connection
    asked: list[str] = []
    execute = session.execute

    def noted(query: str) -> Any:
        asked.append(query)
        return execute(query)

    monkeypatch.setattr(session, "execute", noted)
    return asked


def test_plans_are_made_anew_after_ten_seconds_and_not_before(
    engine: Engine, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = _discards(engine, monkeypatch)
    clock.seconds += KEPT_SECONDS - 1
    engine.connect().close()
    assert asked == []
    clock.seconds += 1
    engine.connect().close()
    engine.connect().close()
    assert asked == ["DISCARD PLANS"]


def test_a_session_is_lent_as_it_was_after_its_plans_are_gone(engine: Engine, clock: Clock) -> None:
    engine.connect().close()
    clock.seconds += KEPT_SECONDS
    with engine.begin() as conn:
        session: Any = conn.connection.driver_connection
        assert not session.autocommit
        assert conn.scalar(text("SELECT 1")) == 1


def test_a_session_that_died_meanwhile_is_replaced(engine: Engine, clock: Clock) -> None:
    with engine.connect() as conn:
        session: Any = conn.connection.driver_connection
    session.close()
    clock.seconds += KEPT_SECONDS
    with engine.connect() as conn:
        assert conn.scalar(text("SELECT 1")) == 1
