"""Releases: that one began, as whoever deploys tells it, and which did."""

from __future__ import annotations

from starlette.responses import Response

from app.api import ApiCall, in_transaction
from app.documents import Document
from app.shapes.releases import NewRelease, ReleaseList, Stretch, ToldRelease
from app.stretches import span
from worker.database import Connection
from worker.queries import releases
from worker.queries.pages import releases as pages


def create(call: ApiCall) -> Response:
    """Tell of a release: 201 when it is news, 200 when it is the newest already."""
    asked = call.read(NewRelease)
    with call.engine.begin() as conn:
        told = releases.record(
            conn, name=asked.name, component=asked.component, at=asked.at, actor=call.actor, now=call.now
        )
    return Document({"name": told.name, "component": told.component, "at": told.at}, 201 if told.created else 200)


@in_transaction
def index(call: ApiCall, conn: Connection) -> Response:
    """List the releases that began within a stretch of time, the last week unless another is asked for."""
    asked = call.wanted(Stretch)
    since, until = span(asked.since or "7d", asked.until, now=call.now)
    found = [ToldRelease.model_validate(each) for each in pages.between(conn, since=since, until=until)]
    return Document(ReleaseList(since=since, until=until, releases=found))
