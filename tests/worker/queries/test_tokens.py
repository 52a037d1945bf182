"""Tokens: who is let in, with what, and that their use is noted without a write for each request."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from tests.factories import NOON
from worker.errors import InvalidInput
from worker.queries import tokens
from worker.queries.audit import Actor
from worker.queries.operators import ROLES
from worker.queries.schema import api_tokens
from worker.queries.tokens import SCOPES, TOUCH_AFTER_SECONDS, Token

ADA = Actor("ada")
MINUTE = timedelta(seconds=TOUCH_AFTER_SECONDS)


def add(conn: Connection, name: str = "deploy", *, kept: str | None = None) -> bool:
    scopes = ["tenants:write", "tenants:read"]
    return tokens.add(conn, name=name, token_hash=kept or f"hash of {name}", scopes=scopes, actor=ADA, now=NOON)


def test_a_token_is_found_by_its_hash_alone(conn: Connection) -> None:
    add(conn)
    add(conn, "other")
    found = tokens.shown(conn, token_hash="hash of deploy", now=NOON)
    assert found.now == NOON
    assert found.token == Token("deploy", frozenset({"tenants:read", "tenants:write"}), touch_due=True)
    assert [found.token.may(each) for each in SCOPES] == [each.startswith("tenants:") for each in SCOPES]
    for stranger in ("deploy", "", "hash of nobody", None):
        assert tokens.shown(conn, token_hash=stranger, now=NOON) == tokens.Showing(NOON, None)


def test_a_role_may_what_those_before_it_may_and_nothing_narrow() -> None:
    found = {role: [each for each in SCOPES if Token("deploy", frozenset({role})).may(each)] for role in ROLES}
    assert found == {
        "viewer": ["viewer"],
        "operator": ["viewer", "operator"],
        "admin": ["viewer", "operator", "admin"],
    }


def test_a_revoked_token_may_nothing_and_keeps_its_name(conn: Connection) -> None:
    add(conn)
    assert tokens.revoke(conn, name="deploy", actor=ADA, now=NOON)
    assert not tokens.revoke(conn, name="deploy", actor=ADA, now=NOON + MINUTE)
    assert not tokens.revoke(conn, name="other", actor=ADA, now=NOON)
    token = tokens.shown(conn, token_hash="hash of deploy", now=NOON).token
    assert token
    assert token.revoked
    assert not any(token.may(each) for each in SCOPES)
    assert not add(conn, kept="another hash")
    assert [(each.name, each.revoked_at) for each in tokens.everything(conn)] == [("deploy", NOON)]


def test_its_use_is_noted_once_a_minute(conn: Connection) -> None:
    add(conn)
    noted = []
    for seconds in (0, 59, 60, 119, 180):
        now = NOON + timedelta(seconds=seconds)
        token = tokens.shown(conn, token_hash="hash of deploy", now=now).token
        assert token
        if token.touch_due:
            tokens.touch(conn, name="deploy", now=now)
        noted.append(int((last_used(conn) - NOON).total_seconds()))
    assert noted == [0, 0, 60, 60, 180]
    tokens.touch(conn, name="deploy", now=NOON + timedelta(seconds=200))
    assert last_used(conn) == NOON + timedelta(seconds=180)


def last_used(conn: Connection) -> datetime:
    used: datetime = conn.execute(select(api_tokens.c.last_used_at)).scalar_one()
    return used


@pytest.mark.parametrize("name", ["", "A", "-a", "a b", "a:b", "a\n", "é", "a" * 81])
def test_a_name_is_plain_for_the_table_too(conn: Connection, name: str) -> None:
    with pytest.raises(InvalidInput, match="name"):
        add(conn, name)
    row = {"name": name, "token_hash": "h", "scopes": ["tenants:read"], "created_by": "ada"}
    with pytest.raises(IntegrityError):
        conn.execute(api_tokens.insert(), row)
