"""What all tables of the control schema share."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, MetaData

from worker.database import check

metadata = MetaData(
    schema="control",
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    },
)


def limit(column: str, most: int, least: int = 0) -> CheckConstraint:
    """A bound on the length of a text."""
    return CheckConstraint(f"length({column}) BETWEEN {least} AND {most}", name=column)


def document(column: str, most: int) -> tuple[CheckConstraint, ...]:
    """A bound on the length of a JSON text, which on SQLite has to be one, too."""
    bound = f"length(CAST({column} AS text)) <= {most}"
    return check(column, postgresql=bound, sqlite=f"({column} IS NULL OR json_valid({column})) AND {bound}")


def payload() -> tuple[CheckConstraint, ...]:
    """Bounded as it is stored: every write of a row checks this, and its text would have to be written out for it."""
    return check(
        "payload",
        postgresql="pg_column_size(payload) <= 8388608",
        sqlite="json_valid(payload) AND length(payload) <= 8388608",
    )
