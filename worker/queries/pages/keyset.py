"""Pages of a list in the order of an index: each as cheap as the first, and a search that says how far it looked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Subquery, literal, select, tuple_

from worker.database import Row
from worker.queries.pages import cursors

LIMIT = 50
WINDOW = 50_000
"""Rows that one search looks at before it says where it stopped."""
COSTLY_WINDOW = 5_000
"""The same where each row's payload has to be opened."""


@dataclass(frozen=True, slots=True)
class Order:
    """The sort key, unique in its last column, and how each part is read from a cursor."""

    key: tuple[ColumnElement[Any], ...]
    kinds: tuple[cursors.Kind, ...]
    descending: bool = True


@dataclass(frozen=True, slots=True)
class Listing:
    """What an index gives in order (`where`), and what is sifted out of it row by row (`search`)."""

    columns: Sequence[ColumnElement[Any]]
    where: tuple[ColumnElement[bool], ...]
    order: Order
    search: tuple[ColumnElement[bool], ...] = ()
    costly: bool = False
    most: int | None = None

    @property
    def limit(self) -> int:
        """How many rows one page has."""
        return self.most or LIMIT

    @property
    def window(self) -> int:
        """How many rows one search looks at."""
        return COSTLY_WINDOW if self.costly else WINDOW


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page begins: after a key in the order of the list, or back from it towards the start."""

    key: tuple[Any, ...] | None = None
    back: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows and the cursors next to them; `stopped` is the key where a search stopped after `looked_at` rows."""

    rows: Sequence[Row]
    newer: str | None = None
    older: str | None = None
    stopped: Row | None = None
    looked_at: int | None = None


def place(order: Order, *, before: str | None, after: str | None) -> Place:
    """The place that an address names; InvalidInput when its cursor is none of this list's."""
    cursor = before or after
    return Place(cursors.decode(cursor, *order.kinds) if cursor else None, back=not before and bool(after))


def read(
    conn: Connection,
    listing: Listing,
    at: Place,
    *,
    dress: Callable[[Subquery], Select[Any]],
    values: dict[str, Any],
) -> Page:
    """The page at a place; `dress` adds to its few rows what other tables know. Too little going back is page one."""
    end = _stop(conn, listing, at, values) if listing.search else None
    most = listing.limit
    rows = conn.execute(_page(listing, at, end, dress), values).all()
    if at.back:
        if len(rows) <= most:
            return read(conn, listing, Place(), dress=dress, values=values)
        rows = rows[most - 1 :: -1]
        return Page(rows, newer=_cursor(listing, rows[0]), older=_cursor(listing, rows[-1]))
    more, rows = len(rows) > most, rows[:most]
    newer = _cursor(listing, rows[0]) if at.key and rows else None
    last = rows[-1] if more else end
    stopped = None if more else end
    older = _cursor(listing, last) if last else None
    return Page(rows, newer=newer, older=older, stopped=stopped, looked_at=listing.window if stopped else None)


def _cursor(listing: Listing, row: Row) -> str:
    return cursors.encode(*(row._mapping[column.name] for column in listing.order.key))


def _along(listing: Listing, at: Place) -> Select[Any]:
    """The rows of the index from the place on, in the direction of the page."""
    order = replace(listing.order, descending=listing.order.descending != at.back)
    rows = select(*listing.columns).where(*listing.where).order_by(*_sorted(order.key, descending=order.descending))
    return rows if at.key is None else rows.where(_beyond(order, at.key))


def _sorted(key: Sequence[ColumnElement[Any]], *, descending: bool) -> list[ColumnElement[Any]]:
    return [column.desc() if descending else column.asc() for column in key]


def _beyond(order: Order, key: Sequence[Any]) -> ColumnElement[bool]:
    here, there = tuple_(*order.key), _bound(order, key)
    return here < there if order.descending else here > there


def _bound(order: Order, key: Sequence[Any]) -> ColumnElement[Any]:
    """The key as each of its columns stores it."""
    return tuple_(*(literal(value, column.type) for column, value in zip(order.key, key, strict=True)))


def _stop(conn: Connection, listing: Listing, at: Place, values: dict[str, Any]) -> Row | None:
    """The key of the last row that a search may look at; None when it may look at all there are."""
    keys = _along(replace(listing, columns=listing.order.key), at)
    return conn.execute(keys.offset(listing.window - 1).limit(1), values).first()


def _page(listing: Listing, at: Place, end: Row | None, dress: Callable[[Subquery], Select[Any]]) -> Select[Any]:
    rows = _along(listing, at).where(*listing.search).limit(listing.limit + 1)
    descending = listing.order.descending != at.back
    if end is not None:
        here, there = tuple_(*listing.order.key), _bound(listing.order, end)
        rows = rows.where(here >= there if descending else here <= there)
    page = rows.subquery("page")
    return dress(page).order_by(*_sorted([page.c[each.name] for each in listing.order.key], descending=descending))
