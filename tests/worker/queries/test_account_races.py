"""A sign-in and whatever shuts its operator out, both at one moment: no session is left over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, text

from tests import factories
from tests.factories import NOON
from tests.worker.queries.test_accounts import ADDRESS, link
from tests.worker.queries.test_operators import ADA, session, tokens
from tests.worker.queries.test_second_factors import wait
from tests.worker.runtime.bench import until
from worker.queries import challenges, links, operators, second_factors
from worker.queries.schema import operators as accounts

pytestmark = pytest.mark.postgresql

Act = Callable[[Connection], object]
BLOCKED = text(
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0"
)


@contextmanager
def meanwhile(engine: Engine, conn: Connection, act: Act) -> Iterator[Future[object]]:
    """The act begins now, and has to wait for what is under way."""

    def alone() -> object:
        with engine.begin() as own:
            return act(own)

    with ThreadPoolExecutor(1) as pool:
        begun = pool.submit(alone)
        until(lambda: begun.done() or conn.execute(BLOCKED).scalar_one() > 0)
        yield begun


def new_password(operator_id: UUID) -> Act:
    return lambda conn: operators.set_password(conn, operator_id=operator_id, hashed="new", actor=ADA, now=NOON)


def no_more(operator_id: UUID) -> Act:
    return lambda conn: operators.disable(conn, operator_id=operator_id, actor=ADA, now=NOON)


def with_factor(operator_id: UUID) -> Act:
    given = {"secret": "sealed", "step": 1, "keep_session": "", "actor": ADA, "now": NOON}
    return lambda conn: second_factors.add(conn, operator_id=operator_id, **given)  # type: ignore[arg-type] # as it says


def by_link(conn: Connection) -> object:
    return links.use(conn, token_hash="l", now=NOON)


def by_code(conn: Connection) -> object:
    return challenges.attempt(conn, token_hash="c", now=NOON)


def by_password(conn: Connection) -> object:
    found = operators.by_name(conn, name="dana")
    return operators.hold(conn, operator_id=found.id) if found else None


@pytest.mark.parametrize("shut_out", [new_password, no_more, with_factor])
@pytest.mark.parametrize("sign_in", [by_link, by_code, by_password])
def test_a_session_that_begins_while_others_end_ends_with_them(
    engine: Engine, conn: Connection, sign_in: Act, shut_out: Callable[[UUID], Act]
) -> None:
    dana = factories.operator(conn)
    link(conn, dana, "l", "sign-in")
    wait(conn, dana, "c")
    with engine.connect() as own:
        assert sign_in(own)
        with meanwhile(engine, conn, shut_out(dana)) as other:
            session(own, dana)
            own.commit()
            other.result(30)
    assert tokens(conn) == []


@pytest.mark.parametrize("sign_in", [by_link, by_code])
def test_what_ends_links_and_waiting_sign_ins_ends_one_that_is_being_used(
    engine: Engine, conn: Connection, sign_in: Act
) -> None:
    dana = factories.operator(conn)
    link(conn, dana, "l", "sign-in")
    wait(conn, dana, "c")
    with engine.connect() as own:
        new_password(dana)(own)
        with meanwhile(engine, conn, sign_in) as other:
            own.commit()
            assert other.result(30) is None


def test_an_address_that_two_are_given_at_once_is_the_firsts(engine: Engine, conn: Connection) -> None:
    eve = factories.operator(conn, "eve")

    def set_address(own: Connection) -> bool:
        return operators.set_email(own, operator_id=eve, email=ADDRESS, actor=ADA, now=NOON)

    with engine.connect() as own:
        assert operators.add(own, name="dana", email=ADDRESS, role="viewer", actor=ADA, now=NOON)
        with meanwhile(engine, conn, set_address) as other:
            own.commit()
            assert other.result(30) is False
    assert conn.execute(accounts.select().where(accounts.c.id == eve)).one().email is None
