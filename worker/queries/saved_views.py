"""Saved views: lists of jobs by name, an operator's own and those that are shared with all."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import Boolean, Connection, bindparam, delete, func, or_, select, update

from worker.database import Id, Row, insert, moment, serialise
from worker.errors import InvalidInput
from worker.model import new_id
from worker.payloads import clean_text
from worker.queries import audit
from worker.queries.audit import Actor
from worker.queries.operators import Operator
from worker.queries.schema import operators, saved_views

MAX_NAME, MAX_QUERY, AT_MOST = 80, 2000, 50
TAKEN = "is one of your views already"
ACTS = ("view-save", "view-change", "view-delete")
_SHOWN = 200

_of_operator = saved_views.c.operator_id == bindparam("of_operator", type_=Id)
_shared = saved_views.c.shared.is_(True)
HOW_MANY = select(func.count()).select_from(saved_views).where(_of_operator)
SAVE = (
    insert(saved_views)
    .values(
        id=bindparam("new_id", type_=Id),
        operator_id=bindparam("of_operator", type_=Id),
        name=bindparam("to_name"),
        query=bindparam("to_query"),
        shared=bindparam("to_shared", type_=Boolean),
        saved_at=moment(),
    )
    .on_conflict_do_nothing(index_elements=["operator_id", "name"])
    .returning(saved_views.c.id)
)
SEEN_BY = (
    select(
        saved_views.c.id,
        saved_views.c.name,
        saved_views.c.query,
        saved_views.c.shared,
        _of_operator.label("own"),
        operators.c.name.label("saved_by"),
    )
    .join(operators, operators.c.id == saved_views.c.operator_id)
    .where(or_(_of_operator, _shared))
    .order_by(func.lower(saved_views.c.name), saved_views.c.id)
    .limit(_SHOWN)
)
SHARED = (
    select(saved_views.c.id, saved_views.c.name, saved_views.c.query, operators.c.name.label("saved_by"))
    .join(operators, operators.c.id == saved_views.c.operator_id)
    .where(_shared)
    .order_by(func.lower(saved_views.c.name), saved_views.c.id)
    .limit(_SHOWN)
)
_is_it = saved_views.c.id == bindparam("of_id", type_=Id)
FIND = (
    select(
        saved_views.c.id,
        saved_views.c.name,
        saved_views.c.query,
        saved_views.c.shared,
        saved_views.c.saved_at,
        saved_views.c.operator_id,
        operators.c.name.label("saved_by"),
    )
    .join(operators, operators.c.id == saved_views.c.operator_id)
    .where(_is_it)
)
NAMED = select(saved_views.c.id).where(_of_operator, saved_views.c.name == bindparam("to_name"))
CHANGE = (
    update(saved_views).where(_is_it).values(name=bindparam("to_name"), shared=bindparam("to_shared", type_=Boolean))
)
DELETE = delete(saved_views).where(saved_views.c.id == bindparam("of_id", type_=Id)).returning(saved_views.c.name)
DELETE_OWN = DELETE.where(_of_operator)


def save(
    conn: Connection,
    *,
    owner: Operator,
    name: str,
    query: str,
    shared: bool,
    actor: Actor,
    now: datetime | None = None,
) -> UUID:
    """Keep the list under a name that the operator has not used; InvalidInput names the field that cannot be kept."""
    title = _title(name)
    if len(query) > MAX_QUERY:
        raise InvalidInput("query", "is a longer search than what is kept")
    _alone(conn, owner.id)
    if conn.execute(HOW_MANY, {"of_operator": owner.id}).scalar_one() >= AT_MOST:
        raise InvalidInput("name", f"you keep {AT_MOST} already: delete one first")
    values = {"new_id": new_id(), "of_operator": owner.id, "to_name": title, "to_query": query, "to_shared": shared}
    made: UUID | None = conn.execute(SAVE, {**values, "at_now": now}).scalar()
    if made is None:
        raise InvalidInput("name", TAKEN)
    told = {"view": str(made), "query": query, "shared": shared}
    audit.record(conn, actor=actor, action="view-save", target=title, detail=told, now=now)
    return made


def find(conn: Connection, *, view_id: UUID, by: Operator) -> Row | None:
    """The view, where it is the operator's own or the operator an admin."""
    row = conn.execute(FIND, {"of_id": view_id}).first()
    return row if row is not None and (row.operator_id == by.id or by.may("admin")) else None


def change(
    conn: Connection,
    *,
    view_id: UUID,
    by: Operator,
    name: str,
    shared: bool,
    actor: Actor,
    now: datetime | None = None,
) -> bool:
    """Call it so, and show it to all or to its operator alone; False when there is none that may be changed."""
    title, row = _title(name), find(conn, view_id=view_id, by=by)
    if row is None:
        return False
    if (title, shared) == (row.name, row.shared):
        return True
    _alone(conn, row.operator_id)
    values = {"of_id": view_id, "of_operator": row.operator_id, "to_name": title, "to_shared": shared}
    if title != row.name and conn.execute(NAMED, values).first() is not None:
        raise InvalidInput("name", TAKEN)
    conn.execute(CHANGE, values)
    told = {"view": str(view_id), "was": row.name, "shared": shared}
    audit.record(conn, actor=actor, action="view-change", target=title, detail=told, now=now)
    return True


def seen_by(conn: Connection, *, operator_id: UUID) -> Sequence[Row]:
    """The operator's own views and the shared ones, by name."""
    return conn.execute(SEEN_BY, {"of_operator": operator_id}).all()


def all_shared(conn: Connection) -> Sequence[Row]:
    """The views that everybody sees, by name, with who saved each."""
    return conn.execute(SHARED).all()


def shared(conn: Connection, *, name: str) -> str | None:
    """What the first shared view of that name narrows the list to."""
    return next((str(each.query) for each in all_shared(conn) if each.name == name), None)


def remove(conn: Connection, *, view_id: UUID, by: Operator, actor: Actor, now: datetime | None = None) -> bool:
    """Delete the operator's own view, or as an admin anybody's; False when there is none that may be deleted."""
    statement = DELETE if by.may("admin") else DELETE_OWN
    name = conn.execute(statement, {"of_id": view_id, "of_operator": by.id}).scalar()
    if name is None:
        return False
    audit.record(conn, actor=actor, action="view-delete", target=name, detail={"view": str(view_id)}, now=now)
    return True


def _alone(conn: Connection, operator_id: UUID) -> None:
    """Nobody else names a view of the operator's meanwhile."""
    serialise(conn, f"saved views {operator_id}")


def _title(name: str) -> str:
    if title := clean_text(name, field="name", limit=MAX_NAME):
        return title
    raise InvalidInput("name", "say what to call it")
