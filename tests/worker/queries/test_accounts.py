"""Who may come in, and by which link: addresses, invitations, and the last admin, whom nobody takes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, Engine, select

from tests import factories
from tests.factories import NOON
from tests.worker.queries.test_operators import ADA, session, tokens, trail
from worker.queries import browsers, identities, links, operators, sessions
from worker.queries.operators import Change, Operator
from worker.queries.schema import operator_actions, sign_in_challenges, sign_in_links
from worker.queries.schema import operators as accounts

MINUTE = timedelta(minutes=1)
ADDRESS = "dana@shop.example"


def link(conn: Connection, operator_id: UUID, named: str, purpose: links.Purpose) -> None:
    links.issue(conn, operator_id=operator_id, token_hash=named, lifetime_seconds=60, purpose=purpose, now=NOON)


def kept_links(conn: Connection) -> list[str]:
    return sorted(conn.execute(select(sign_in_links.c.token_hash)).scalars())


def column(conn: Connection, operator_id: UUID, name: str) -> object:
    return conn.execute(select(accounts.c[name]).where(accounts.c.id == operator_id)).scalar_one()


def test_an_address_is_one_operators_in_whatever_case_and_in_no_row_of_the_trail(conn: Connection) -> None:
    dana = operators.add(conn, name="dana", email=ADDRESS, role="viewer", actor=ADA, now=NOON)
    assert operators.add(conn, name="eve", email=ADDRESS.upper(), role="viewer", actor=ADA, now=NOON) is None
    found = operators.by_email(conn, email=ADDRESS.title())
    assert found
    assert (found.id, found.invited_at) == (dana, None)
    assert ADDRESS not in str(conn.execute(select(operator_actions)).all()).lower()


def test_many_accounts_have_no_address(conn: Connection) -> None:
    assert all(operators.add(conn, name=name, role="viewer", actor=ADA, now=NOON) for name in ("dana", "eve"))


def test_a_new_address_ends_the_links_that_went_to_the_old_one(conn: Connection) -> None:
    dana, eve = factories.operator(conn, email=ADDRESS), factories.operator(conn, "eve", email="eve@shop.example")
    link(conn, dana, "d", "password")
    link(conn, eve, "e", "password")
    assert operators.set_email(conn, operator_id=dana, email="new@shop.example", actor=ADA, now=NOON)
    assert kept_links(conn) == ["e"]
    assert not operators.set_email(conn, operator_id=dana, email="EVE@shop.example", actor=ADA, now=NOON)
    assert not operators.set_email(conn, operator_id=dana, email="new@shop.example", actor=ADA, now=NOON)
    assert column(conn, dana, "email") == "new@shop.example"
    assert operators.set_email(conn, operator_id=dana, email=None, actor=ADA, now=NOON)
    assert trail(conn) == [("ada", "operator-address", "dana")] * 2


def test_whoever_is_invited_has_come_once_the_link_is_used(conn: Connection) -> None:
    robin = operators.add(conn, name="robin", email=ADDRESS, role="viewer", invited=True, actor=ADA, now=NOON)
    assert robin
    assert column(conn, robin, "invited_at") == NOON
    link(conn, robin, "l", "invitation")
    assert links.use(conn, token_hash="l", purpose="invitation", now=NOON) == Operator(robin, "robin", "viewer")
    assert column(conn, robin, "invited_at") is None
    assert trail(conn) == [("ada", "operator-invite", "robin")]


@pytest.mark.parametrize("purpose", ["sign-in", "invitation", "password"])
def test_a_link_is_good_for_its_own_purpose_alone(conn: Connection, purpose: links.Purpose) -> None:
    link(conn, factories.operator(conn), "l", purpose)
    others: set[links.Purpose] = {"sign-in", "invitation", "password"} - {purpose}  # type: ignore[assignment] # of them
    for other in others:
        assert links.find(conn, token_hash="l", purpose=other, now=NOON) is None
        assert links.use(conn, token_hash="l", purpose=other, now=NOON) is None
    assert links.use(conn, token_hash="l", purpose=purpose, now=NOON)


@pytest.mark.parametrize("columns", [{"disabled_at": NOON}, {"invited_at": NOON}, {"email": "other@shop.example"}])
def test_a_link_goes_to_an_address_only_where_its_operator_may_come_in(
    conn: Connection, columns: dict[str, Any]
) -> None:
    factories.operator(conn, **{"email": ADDRESS, **columns})
    assert links.issue_to_address(conn, email=ADDRESS, token_hash="l", lifetime_seconds=60, now=NOON) is None
    assert kept_links(conn) == []


def test_a_link_goes_to_the_address_as_it_is_kept(conn: Connection) -> None:
    dana = factories.operator(conn, email=ADDRESS)
    found = links.issue_to_address(conn, email=ADDRESS.upper(), token_hash="l", lifetime_seconds=60, now=NOON)
    assert found
    assert (found.id, found.email) == (dana, ADDRESS)
    assert links.find(conn, token_hash="l", purpose="password", now=NOON)


def test_a_new_password_ends_links_and_sign_ins_that_wait_for_a_code(conn: Connection) -> None:
    dana = factories.operator(conn)
    session(conn, dana, "here")
    session(conn, dana, "there")
    link(conn, dana, "l", "password")
    waiting = {"token_hash": "w", "operator_id": dana, "proof": "password", "following": "/", "expires_at": NOON}
    conn.execute(sign_in_challenges.insert(), waiting)
    operators.set_password(conn, operator_id=dana, hashed="h", keep_session="here", actor=ADA, now=NOON)
    assert (tokens(conn), kept_links(conn)) == (["here"], [])
    assert conn.execute(select(sign_in_challenges)).all() == []


def test_the_last_admin_is_neither_disabled_nor_given_another_role(conn: Connection) -> None:
    lee = factories.operator(conn, "lee", "admin")
    factories.operator(conn, "gone", "admin", disabled_at=NOON)
    factories.operator(conn, "robin", "admin", invited_at=NOON)
    factories.operator(conn, "made by a command", "admin")
    session(conn, lee)
    assert operators.disable(conn, operator_id=lee, actor=ADA, now=NOON) is Change.LAST_ADMIN
    assert operators.set_role(conn, operator_id=lee, role="viewer", actor=ADA, now=NOON) is Change.LAST_ADMIN
    assert (column(conn, lee, "role"), column(conn, lee, "disabled_at"), tokens(conn)) == ("admin", None, ["t"])
    rows = conn.execute(select(operator_actions.c.action, operator_actions.c.outcome, operator_actions.c.target)).all()
    assert [tuple(row) for row in rows] == [
        ("operator-disable", "refused", "lee"),
        ("operator-role", "refused", "lee"),
    ]


@pytest.mark.parametrize("came", ["last_seen_at", "password", "a session"])
def test_an_admin_who_came_in_any_way_is_another_one(conn: Connection, came: str) -> None:
    lee = factories.operator(conn, "lee", "admin")
    columns: dict[str, dict[str, Any]] = {"last_seen_at": {"last_seen_at": NOON}, "password": {"password": "h"}}
    kim = factories.operator(conn, "kim", "admin", **columns.get(came, {}))
    if came == "a session":
        session(conn, kim)
    assert operators.disable(conn, operator_id=lee, actor=ADA, now=NOON)


def test_to_come_in_once_is_enough(conn: Connection) -> None:
    lee, kim = (factories.operator(conn, name, "admin") for name in ("lee", "kim"))
    session(conn, kim)
    sessions.close_session(conn, token_hash="t")
    assert column(conn, kim, "last_seen_at") == NOON
    assert operators.disable(conn, operator_id=lee, actor=ADA, now=NOON)


def test_an_admin_beside_another_is_disabled_and_so_is_one_who_never_came(conn: Connection) -> None:
    lee = factories.operator(conn, "lee", "admin", last_seen_at=NOON)
    kim = factories.operator(conn, "kim", "admin")
    robin = factories.operator(conn, "robin", "admin", invited_at=NOON)
    assert operators.disable(conn, operator_id=kim, actor=ADA, now=NOON)
    assert operators.disable(conn, operator_id=robin, actor=ADA, now=NOON)
    assert operators.disable(conn, operator_id=lee, actor=ADA, now=NOON) is Change.LAST_ADMIN


@pytest.mark.parametrize("role", ["admin", "viewer"])
def test_a_role_that_somebody_has_is_not_given_again(conn: Connection, role: operators.Role) -> None:
    lee = factories.operator(conn, "lee", role)
    session(conn, lee)
    assert operators.set_role(conn, operator_id=lee, role=role, actor=ADA, now=NOON) is Change.NOT_NEEDED
    assert operators.set_role(conn, operator_id=uuid4(), role=role, actor=ADA, now=NOON) is Change.NOT_NEEDED
    assert (tokens(conn), trail(conn)) == (["t"], [])


def test_two_admins_who_disable_each_other_at_once_leave_one(engine: Engine, conn: Connection) -> None:
    for round_ in range(5):
        pair = [factories.operator(conn, f"{name}-{round_}", "admin", password="h") for name in ("lee", "kim")]

        def disable(operator_id: UUID) -> Change:
            with engine.begin() as own:
                return operators.disable(own, operator_id=operator_id, actor=ADA, now=NOON)

        with ThreadPoolExecutor(2) as pool:
            assert set(pool.map(disable, pair)) == {Change.DONE, Change.LAST_ADMIN}
        conn.execute(accounts.update().values(disabled_at=NOON))


def test_two_admins_who_take_the_role_from_each_other_at_once_leave_one(engine: Engine, conn: Connection) -> None:
    pair = [factories.operator(conn, name, "admin", password="h") for name in ("lee", "kim")]

    def demote(operator_id: UUID) -> Change:
        with engine.begin() as own:
            return operators.set_role(own, operator_id=operator_id, role="operator", actor=ADA, now=NOON)

    with ThreadPoolExecutor(2) as pool:
        assert set(pool.map(demote, pair)) == {Change.DONE, Change.LAST_ADMIN}


def test_whoever_was_disabled_is_let_in_again_without_the_links_of_before(conn: Connection) -> None:
    dana = factories.operator(conn, disabled_at=NOON, password="h")
    assert operators.enable(conn, operator_id=dana, actor=ADA, now=NOON)
    assert not operators.enable(conn, operator_id=dana, actor=ADA, now=NOON)
    assert operators.password(conn, operator_id=dana) == "h"
    assert trail(conn) == [("ada", "operator-enable", "dana")]


def test_browsers_are_listed_the_last_used_first_and_end_one_by_one(conn: Connection) -> None:
    dana, eve = factories.operator(conn), factories.operator(conn, "eve")
    for number, token in enumerate(("a" * 64, "b" * 64)):
        session(conn, dana, token, idle=600 * number)
    session(conn, eve, "c" * 64)
    (only,) = browsers.of_operator(conn, operator_id=dana, now=NOON)
    assert (only.handle, only.address) == ("b" * 16, "127.0.0.1")
    who = Operator(dana, "dana", "operator")
    assert not browsers.end_one(conn, operator=who, handle="c" * 16, actor=ADA, now=NOON)
    assert browsers.end_one(conn, operator=who, handle="b" * 16, actor=ADA, now=NOON)
    assert not browsers.end_one(conn, operator=who, handle="b" * 16, actor=ADA, now=NOON)
    assert trail(conn) == [("ada", "session-end", "dana")]


def test_signing_out_everywhere_leaves_the_one_browser_that_asked(conn: Connection) -> None:
    dana, eve = factories.operator(conn), factories.operator(conn, "eve")
    for owner, token in ((dana, "here"), (dana, "there"), (eve, "hers")):
        session(conn, owner, token)
    who = Operator(dana, "dana", "operator")
    assert browsers.end_all(conn, operator=who, but_token="here", actor=ADA, now=NOON) == 1
    assert tokens(conn) == ["here", "hers"]
    assert browsers.end_all(conn, operator=who, actor=ADA, now=NOON) == 1
    assert tokens(conn) == ["hers"]


@pytest.mark.parametrize("way", ["link", "provider"])
def test_an_invitation_is_good_for_nothing_once_its_operator_came_another_way(conn: Connection, way: str) -> None:
    robin = factories.operator(conn, "robin", invited_at=NOON)
    other = factories.operator(conn, "kim", invited_at=NOON)
    link(conn, robin, "i", "invitation")
    link(conn, robin, "s", "sign-in")
    link(conn, other, "o", "invitation")
    if way == "link":
        assert links.use(conn, token_hash="s", now=NOON)
    else:
        identities.add(conn, operator_id=robin, name="robin", issuer="https://x", subject="1", actor=ADA, now=NOON)
    assert links.find(conn, token_hash="i", purpose="invitation", now=NOON) is None
    assert links.find(conn, token_hash="o", purpose="invitation", now=NOON)
