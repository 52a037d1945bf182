"""What a program looks for among jobs, in the words of the search box."""

from __future__ import annotations

from uuid import UUID

from app import job_list
from app.asked import Asked
from app.search import TERMS, terms
from app.shapes.jobs import JobFilters
from worker.database import Connection
from worker.errors import InvalidInput
from worker.queries import tenants
from worker.queries.pages import filters
from worker.queries.pages.filters import Filters


def read(call: Asked, asked: JobFilters) -> Filters:
    """The filters, where none of them would find out what is closed to the eye."""
    given = asked.model_dump(include=set(JobFilters.model_fields) - {"q"}, exclude_none=True)
    named, words = terms(asked.q or "", names=TERMS - {"id"}, prefix=filters.PAYLOAD)
    pairs = [*((name, str(value)) for name, value in given.items()), *named]
    pairs += [("error", f'"{word}"') for word in words]
    return job_list.allowed(call, filters.parse(pairs, now=call.now))


def tenant(conn: Connection, wanted: Filters) -> UUID | None:
    """The id of the tenant that they name."""
    found = tenants.id_of(conn, slug=wanted.tenant) if wanted.tenant else None
    if wanted.tenant and found is None:
        raise InvalidInput("tenant", "is the slug of no tenant")
    return found
