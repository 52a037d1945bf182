"""The people who may come in: one page of them, and one of them with what is known of the account."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Select, Subquery, bindparam, case, func, select

from worker.database import Id, Row, moment
from worker.queries.pages import cursors, keyset
from worker.queries.pages.keyset import Listing, Order, Page
from worker.queries.schema import operator_sessions, operators
from worker.queries.schema.second_factors import second_factors

STATES = ("active", "invited", "disabled")

_state = case(
    (operators.c.disabled_at.is_not(None), "disabled"), (operators.c.invited_at.is_not(None), "invited"), else_="active"
)
# As the index has it: in whatever case, and so each once
_sorted_as = func.lower(operators.c.name).label("sorted_as")
_COLUMNS = (
    operators.c.id,
    operators.c.name,
    operators.c.role,
    operators.c.email,
    operators.c.created_at,
    operators.c.invited_at,
    operators.c.disabled_at,
    operators.c.last_seen_at,
    _state.label("state"),
    operators.c.password.is_not(None).label("has_password"),
)
BY_NAME = Order((_sorted_as,), (cursors.name,), descending=False)


def page(
    conn: Connection,
    *,
    before: str | None = None,
    after: str | None = None,
    most: int | None = None,
    now: datetime | None = None,
) -> Page:
    """One page of the operators by name, the invited and the disabled too, each with where it is signed in."""
    listing = Listing((*_COLUMNS, _sorted_as), (), BY_NAME, most=most)
    return keyset.read(
        conn, listing, keyset.place(BY_NAME, before=before, after=after), dress=_dressed, values={"at_now": now}
    )


def one(conn: Connection, *, operator_id: UUID, now: datetime | None = None) -> Row | None:
    """The same of one operator."""
    return conn.execute(ONE, {"of_id": operator_id, "at_now": now}).one_or_none()


def _dressed(page: Subquery) -> Select[Any]:
    of_operator = operator_sessions.c.operator_id == page.c.id
    standing = select(func.count()).where(of_operator, operator_sessions.c.expires_at > moment())
    latest = select(func.max(operator_sessions.c.seen_at)).where(of_operator)
    return select(
        page,
        standing.scalar_subquery().label("sessions"),
        func.coalesce(latest.scalar_subquery(), page.c.last_seen_at).label("seen_at"),
        select(second_factors.c.created_at)
        .where(second_factors.c.operator_id == page.c.id)
        .scalar_subquery()
        .label("second_factor_at"),
    )


ONE = _dressed(select(*_COLUMNS).where(operators.c.id == bindparam("of_id", type_=Id)).subquery("page"))
