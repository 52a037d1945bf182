"""Second factors, recovery codes, challenges and identities: each change counts at once, and once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import IntegrityError

from tests import factories
from tests.factories import NOON
from worker.queries import challenges, identities, operators, recovery_codes, second_factors
from worker.queries.audit import Actor
from worker.queries.schema import operator_actions, sign_in_challenges

DANA = Actor("dana")
MINUTE = timedelta(minutes=1)


def protect(conn: Connection, name: str = "dana") -> UUID:
    """An operator with a second factor, whose code of step 10 was used, and two recovery codes."""
    operator_id = factories.operator(conn, name)
    second_factors.add(
        conn, operator_id=operator_id, secret="sealed", step=10, keep_session="", actor=Actor(name), now=NOON
    )
    recovery_codes.replace(conn, operator_id=operator_id, hashes=[f"{name} 1", f"{name} 2"])
    return operator_id


def wait(conn: Connection, operator_id: UUID, named: str = "t") -> None:
    challenges.issue(conn, operator_id=operator_id, token_hash=named, proof="password", following="/", now=NOON)


def winners(engine: Engine, act: Callable[[Connection], object]) -> int:
    """How many of eight who press at once are told that it counts."""

    def press(_: int) -> bool:
        with engine.begin() as conn:
            return bool(act(conn))

    with ThreadPoolExecutor(8) as pool:
        return sum(pool.map(press, range(8)))


def test_a_second_factor_is_there_once(conn: Connection) -> None:
    dana = protect(conn)
    again = second_factors.add(conn, operator_id=dana, secret="other", step=1, keep_session="", actor=DANA, now=NOON)
    assert not again
    found = second_factors.find(conn, operator_id=dana)
    assert found
    assert (found.secret, found.created_at) == ("sealed", NOON)
    assert second_factors.holders(conn) == {dana}


def test_a_step_and_those_before_it_count_once(conn: Connection) -> None:
    dana = protect(conn)
    counted = [second_factors.use_step(conn, operator_id=dana, step=step) for step in (9, 10, 12, 11, 12, 13)]
    assert counted == [False, False, True, False, False, True]


def test_of_those_who_bring_the_same_code_at_once_one_comes_in(engine: Engine, conn: Connection) -> None:
    dana = protect(conn)
    assert winners(engine, lambda conn: second_factors.use_step(conn, operator_id=dana, step=11)) == 1
    assert winners(engine, lambda conn: recovery_codes.use(conn, operator_id=dana, code_hash="dana 1")) == 1


def test_recovery_codes_are_their_operators_and_those_of_before_are_gone(conn: Connection) -> None:
    dana, lee = protect(conn), protect(conn, "lee")
    assert not recovery_codes.use(conn, operator_id=lee, code_hash="dana 1")
    assert recovery_codes.use(conn, operator_id=dana, code_hash="dana 1")
    assert [recovery_codes.left(conn, operator_id=each) for each in (dana, lee)] == [1, 2]
    recovery_codes.replace(conn, operator_id=dana, hashes=["new"])
    assert not recovery_codes.use(conn, operator_id=dana, code_hash="dana 2")
    assert [recovery_codes.left(conn, operator_id=each) for each in (dana, lee)] == [1, 2]


def test_taking_it_off_takes_all_of_it_and_nobody_elses(conn: Connection) -> None:
    dana, lee = protect(conn), protect(conn, "lee")
    wait(conn, dana)
    removed = [
        second_factors.remove(conn, operator_id=dana, name="dana", action="second-factor-off", actor=DANA, now=NOON)
        for _ in range(2)
    ]
    assert removed == [True, False]
    assert second_factors.holders(conn) == {lee}
    assert [recovery_codes.left(conn, operator_id=each) for each in (dana, lee)] == [0, 2]
    assert challenges.attempt(conn, token_hash="t", now=NOON) is None
    actions = conn.execute(select(operator_actions.c.action).order_by(operator_actions.c.id)).scalars().all()
    assert actions == ["second-factor", "second-factor", "second-factor-off"]


def test_a_challenge_bears_so_many_tries_and_then_no_other(conn: Connection) -> None:
    dana = protect(conn)
    wait(conn, dana)
    found = [challenges.attempt(conn, token_hash="t", now=NOON) for _ in range(challenges.TRIES + 1)]
    assert [each.operator.name if each else None for each in found] == ["dana"] * challenges.TRIES + [None]


def test_a_challenge_ends_with_its_time_its_use_and_its_operator(conn: Connection) -> None:
    dana = protect(conn)
    for token in ("late", "used", "shut"):
        wait(conn, dana, token)
    assert challenges.attempt(conn, token_hash="late", now=NOON + 10 * MINUTE) is None
    challenges.close(conn, token_hash="used")
    assert challenges.attempt(conn, token_hash="used", now=NOON) is None
    operators.disable(conn, operator_id=dana, actor=DANA, now=NOON)
    assert challenges.attempt(conn, token_hash="shut", now=NOON) is None


def test_challenges_that_waited_in_vain_are_cleared_by_the_next(conn: Connection) -> None:
    dana = protect(conn)
    wait(conn, dana, "old")
    challenges.issue(conn, operator_id=dana, token_hash="new", proof="link", following="/", now=NOON + 10 * MINUTE)
    assert conn.execute(select(sign_in_challenges.c.token_hash)).scalars().all() == ["new"]


def test_a_new_password_ends_the_sign_ins_that_wait(conn: Connection) -> None:
    dana = protect(conn)
    wait(conn, dana)
    operators.set_password(conn, operator_id=dana, hashed="h", actor=DANA, now=NOON)
    assert challenges.attempt(conn, token_hash="t", now=NOON) is None


def test_a_subject_is_one_operator_of_its_issuer(conn: Connection) -> None:
    dana = factories.operator(conn, invited_at=NOON)
    identities.add(conn, operator_id=dana, name="dana", issuer="https://a", subject="1", actor=DANA, now=NOON)
    found = identities.find(conn, issuer="https://a", subject="1")
    assert found
    assert (found.id, found.name) == (dana, "dana")
    assert identities.find(conn, issuer="https://b", subject="1") is None
    joined = operators.by_id(conn, operator_id=dana)
    assert joined
    assert joined.invited_at is None
    with pytest.raises(IntegrityError):
        identities.add(conn, operator_id=dana, name="dana", issuer="https://a", subject="1", actor=DANA, now=NOON)
