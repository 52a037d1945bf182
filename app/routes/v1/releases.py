"""That a release began, as whoever deploys tells it."""

from __future__ import annotations

from starlette.responses import Response

from app.api import ApiCall
from app.documents import Document
from app.shapes.releases import NewRelease
from worker.queries import releases


def create(call: ApiCall) -> Response:
    """Tell of a release: 201 when it is news, 200 when it is the newest already."""
    asked = call.read(NewRelease)
    with call.engine.begin() as conn:
        told = releases.record(
            conn, name=asked.name, component=asked.component, at=asked.at, actor=call.actor, now=call.now
        )
    return Document({"name": told.name, "component": told.component, "at": told.at}, 201 if told.created else 200)
