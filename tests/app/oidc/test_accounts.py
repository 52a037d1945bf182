"""The accounts of whom a provider vouches for, though they come several times at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from sqlalchemy import Connection, Engine, select

from app.oidc.accounts import operator_of
from app.oidc.people import Person
from tests import factories
from tests.factories import NOON
from worker.queries.audit import Actor
from worker.queries.schema import operator_identities, operators

DANA = Person("https://login.example", "2482", "dana", "operator", None)


def test_who_comes_for_the_first_time_in_several_windows_at_once_gets_one_account(
    engine: Engine, conn: Connection
) -> None:
    def come(_: int) -> str:
        with engine.begin() as own:
            return str(operator_of(own, DANA, Actor("nobody"), now=NOON).id)

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(come, range(6)))) == 1
    assert len(conn.execute(select(operators)).all()) == len(conn.execute(select(operator_identities)).all()) == 1


def test_an_address_that_was_given_to_somebody_else_does_not_open_the_account_of_before(
    engine: Engine, conn: Connection
) -> None:
    before = factories.operator(conn, "dana", email="dana@floor.example")
    came = []
    for subject in ("1", "2", "1"):
        with engine.begin() as own:
            who = replace(DANA, subject=subject, email="Dana@floor.example")
            came.append(operator_of(own, who, Actor("nobody"), now=NOON))
    assert [each.id == before for each in came] == [True, False, True]
    assert [each.name for each in came] == ["dana", "dana 2", "dana"]


def test_namesakes_are_told_apart_by_a_number(engine: Engine, conn: Connection) -> None:
    for name in ("dana", "Dana 2", "DANA 3"):
        factories.operator(conn, name)
    with engine.begin() as own:
        assert operator_of(own, DANA, Actor("nobody"), now=NOON).name == "dana 4"
