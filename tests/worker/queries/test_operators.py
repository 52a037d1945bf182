"""Accounts, sessions, links and counters: each change takes effect at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, Engine, select

from tests import factories
from tests.factories import NOON
from worker.queries import links, operators, rates, sessions
from worker.queries.audit import Actor
from worker.queries.operators import ROLES, Operator, Role
from worker.queries.schema import operator_actions, operator_sessions, rate_counters, sign_in_links

ADA = Actor("ada")
MINUTE = timedelta(minutes=1)


def trail(conn: Connection) -> list[tuple[str, ...]]:
    table = operator_actions.c
    return [tuple(row) for row in conn.execute(select(table.actor, table.action, table.target).order_by(table.id))]


def session(conn: Connection, operator_id: UUID, named: str = "t", *, idle: float = 600, length: float = 3600) -> None:
    sessions.open_session(
        conn,
        operator_id=operator_id,
        token_hash=named,
        idle_seconds=idle,
        length_seconds=length,
        address="127.0.0.1",
        user_agent="tests",
        now=NOON,
    )


def tokens(conn: Connection) -> list[str]:
    return sorted(conn.execute(select(operator_sessions.c.token_hash)).scalars())


@pytest.mark.parametrize("role", ROLES)
def test_a_role_includes_those_before_it(role: Role) -> None:
    operator = Operator(uuid4(), "x", role)
    assert [operator.may(other) for other in ROLES] == [ROLES.index(role) >= each for each in range(3)]


def test_a_name_is_given_once_in_whatever_case(conn: Connection) -> None:
    first = operators.add(conn, name="Dana", role="admin", actor=ADA, now=NOON)
    assert first
    assert operators.add(conn, name="dANA", role="viewer", actor=ADA, now=NOON) is None
    found = operators.by_name(conn, name="DANA")
    assert found
    assert (found.id, found.name, found.role, found.created_at) == (first, "Dana", "admin", NOON)
    assert trail(conn) == [("ada", "operator-add", "Dana")]


def test_everyone_is_listed_by_name_the_disabled_too(conn: Connection) -> None:
    for name in ("bob", "Ann", "cyd"):
        factories.operator(conn, name, disabled_at=NOON if name == "bob" else None)
    assert [row.name for row in operators.everyone(conn)] == ["Ann", "bob", "cyd"]


def test_disabling_ends_sessions_and_links_and_is_done_once(conn: Connection) -> None:
    dana, eve = factories.operator(conn, "dana"), factories.operator(conn, "eve")
    for each in (dana, eve):
        session(conn, each, str(each))
        links.issue(conn, operator_id=each, token_hash=str(each), lifetime_seconds=60, now=NOON)
    assert operators.disable(conn, operator_id=dana, actor=ADA, now=NOON)
    assert not operators.disable(conn, operator_id=dana, actor=ADA, now=NOON)
    assert tokens(conn) == [str(eve)]
    assert conn.execute(select(sign_in_links.c.operator_id)).scalars().all() == [eve]
    assert trail(conn) == [("ada", "operator-disable", "dana")]


def test_a_new_role_ends_the_sessions_that_had_the_old_one(conn: Connection) -> None:
    dana = factories.operator(conn)
    session(conn, dana)
    assert operators.set_role(conn, operator_id=dana, role="viewer", actor=ADA, now=NOON)
    assert tokens(conn) == []
    assert trail(conn) == [("ada", "operator-role", "dana")]
    assert not operators.set_role(conn, operator_id=uuid4(), role="viewer", actor=ADA, now=NOON)


def test_a_visit_knows_its_operator_by_the_session(conn: Connection) -> None:
    dana = factories.operator(conn)
    session(conn, dana)
    visit = sessions.visit(conn, token_hash="t", now=NOON + MINUTE / 2)
    assert visit == sessions.Visit(NOON + MINUTE / 2, Operator(dana, "dana", "operator"), "t", NOON, touch_due=False)
    assert sessions.visit(conn, token_hash="t", now=NOON + MINUTE).touch_due


@pytest.mark.parametrize("token", ["other", "", None])
def test_a_visit_without_a_session_knows_the_time_only(conn: Connection, token: str | None) -> None:
    session(conn, factories.operator(conn))
    assert sessions.visit(conn, token_hash=token, now=NOON) == sessions.Visit(NOON)


def test_a_session_is_over_when_its_idle_time_is(conn: Connection) -> None:
    session(conn, factories.operator(conn))
    assert sessions.visit(conn, token_hash="t", now=NOON + 10 * MINUTE - timedelta(seconds=1)).operator
    assert sessions.visit(conn, token_hash="t", now=NOON + 10 * MINUTE).operator is None


def test_using_a_session_prolongs_it_within_its_length(conn: Connection) -> None:
    session(conn, factories.operator(conn))
    for minute in range(9, 64, 9):
        sessions.touch(conn, token_hash="t", idle_seconds=600, length_seconds=3600, now=NOON + minute * MINUTE)
    assert conn.execute(select(operator_sessions.c.expires_at)).scalar_one() == NOON + 60 * MINUTE


def test_opening_a_session_clears_away_those_that_ended(conn: Connection) -> None:
    dana = factories.operator(conn)
    session(conn, dana, "old", idle=0)
    session(conn, dana, "new")
    assert tokens(conn) == ["new"]


def test_the_roll_names_the_sessions_that_stand(conn: Connection) -> None:
    dana, eve = factories.operator(conn, "dana"), factories.operator(conn, "eve", disabled_at=NOON)
    session(conn, dana, "a")
    session(conn, dana, "b", idle=1)
    session(conn, eve, "c")
    roll = sessions.roll(conn, token_hashes=["a", "b", "c", "d"], now=NOON + MINUTE)
    assert (roll.now, {token: visit.operator for token, visit in roll.standing.items()}) == (
        NOON + MINUTE,
        {"a": Operator(dana, "dana", "operator")},
    )
    assert sessions.roll(conn, token_hashes=[], now=NOON) == sessions.Roll(NOON, {})


def test_a_link_is_used_once(conn: Connection) -> None:
    dana = factories.operator(conn)
    links.issue(conn, operator_id=dana, token_hash="l", lifetime_seconds=60, now=NOON)
    expected = Operator(dana, "dana", "operator")
    assert links.find(conn, token_hash="l", now=NOON) == expected
    assert links.use(conn, token_hash="l", now=NOON) == expected
    assert links.use(conn, token_hash="l", now=NOON) is None
    assert links.find(conn, token_hash="l", now=NOON) is None


def test_two_who_press_at_once_do_not_both_get_in(engine: Engine, conn: Connection) -> None:
    links.issue(conn, operator_id=factories.operator(conn), token_hash="l", lifetime_seconds=60, now=NOON)

    def press(_: int) -> bool:
        with engine.begin() as own:
            return links.use(own, token_hash="l", now=NOON) is not None

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(press, range(8))) == 1


def test_a_link_works_until_it_expires_and_is_cleared_by_the_next(conn: Connection) -> None:
    dana = factories.operator(conn)
    links.issue(conn, operator_id=dana, token_hash="l", lifetime_seconds=60, now=NOON)
    assert links.find(conn, token_hash="l", now=NOON + MINUTE) is None
    assert links.use(conn, token_hash="l", now=NOON + MINUTE) is None
    links.issue(conn, operator_id=dana, token_hash="m", lifetime_seconds=60, now=NOON + MINUTE)
    assert conn.execute(select(sign_in_links.c.token_hash)).scalars().all() == ["m"]


def test_uses_are_counted_over_a_quarter_of_an_hour(conn: Connection) -> None:
    times = (0, 0, 1, 14, 15, 16)
    assert [rates.count(conn, key="k", now=NOON + each * MINUTE) for each in times] == [1, 2, 3, 4, 3, 3]
    assert rates.count(conn, key="other", now=NOON) == 1


def test_forgetting_a_key_leaves_the_others(conn: Connection) -> None:
    rates.count(conn, key="old", now=NOON - 20 * MINUTE)
    rates.count(conn, key="k", now=NOON)
    rates.count(conn, key="other", now=NOON)
    rates.forget(conn, key="k", now=NOON)
    assert conn.execute(select(rate_counters.c.key)).scalars().all() == ["other"]


def test_many_at_once_are_all_counted(engine: Engine) -> None:
    def use(_: int) -> int:
        with engine.begin() as own:
            return rates.count(own, key="k", now=NOON)

    with ThreadPoolExecutor(16) as pool:
        assert sorted(pool.map(use, range(50))) == list(range(1, 51))
