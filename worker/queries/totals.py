"""All attempts that ever ended, by queue, handler and outcome: the minutes that are over, added up once each.

What counts on for ever reads these and the few minutes since, however long the history and whatever of it is pruned.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Connection, bindparam, case, delete, func, literal, select, update
from sqlalchemy import cast as sql_cast

from worker.database import Timestamp, insert, minute_of, moment, seconds
from worker.queries.schema import TOTALLED, statistics_marks, statistics_minutes, statistics_totals

SETTLED_SECONDS = 300
"""A minute that long ago is over: no transaction that counts in it is open still."""
AT_ONCE_SECONDS = 3600
KEPT_DAYS = 90
"""What has not moved for as long as minutes are kept is forgotten."""

KEYS = ("handler_key", "queue", "outcome")
TOTALS = "totals"

_minute = statistics_minutes.c.minute
_settled = minute_of(moment()) - seconds(literal(SETTLED_SECONDS))
_later = statistics_marks.c.minute + seconds(literal(AT_ONCE_SECONDS))
BEGIN = (
    insert(statistics_marks).values(name=TOTALS, minute=_settled).on_conflict_do_nothing(index_elements=["name"])
)  # fmt: skip
HOLD = select(statistics_marks.c.minute).where(statistics_marks.c.name == TOTALS).with_for_update()
MOVE = (
    update(statistics_marks)
    .where(statistics_marks.c.name == TOTALS, statistics_marks.c.minute < _settled)
    .values(minute=case((_later < _settled, _later), else_=_settled))
    .returning(statistics_marks.c.minute)
)
_sums = (sql_cast(func.sum(statistics_minutes.c[name]), BigInteger) for name in TOTALLED)
_ADD = insert(statistics_totals).from_select(
    [*KEYS, *TOTALLED, "began_at", "seen_at"],
    select(*(statistics_minutes.c[name] for name in KEYS), *_sums, moment(), moment())
    .where(_minute > bindparam("since", type_=Timestamp), _minute <= bindparam("until", type_=Timestamp))
    .group_by(*(statistics_minutes.c[name] for name in KEYS)),
)
ADD = _ADD.on_conflict_do_update(
    index_elements=list(statistics_totals.primary_key),
    set_={name: statistics_totals.c[name] + _ADD.excluded[name] for name in TOTALLED}
    | {"seen_at": _ADD.excluded.seen_at},
)
FORGET = delete(statistics_totals).where(statistics_totals.c.seen_at < moment() - seconds(literal(KEPT_DAYS * 86_400)))


def advance(conn: Connection, *, now: datetime | None = None) -> bool:
    """Add the minutes that are over, an hour of them at most; one at a time does it, in a transaction."""
    conn.execute(BEGIN, {"at_now": now})
    since = conn.execute(HOLD).scalar_one()
    until = conn.execute(MOVE, {"at_now": now}).scalar()
    if until is None:
        return False
    conn.execute(ADD, {"since": since, "until": until, "at_now": now})
    conn.execute(FORGET, {"at_now": now})
    return True
