"""That a release began, as whoever deploys tells it."""

from __future__ import annotations

from pydantic import AwareDatetime
from starlette.responses import Response

from app.api import ApiCall
from app.bodies import Body
from app.documents import Document
from worker.queries import releases


class NewRelease(Body):
    """A release: of one component, or of everything; begun now, or at some time before."""

    name: str
    component: str | None = None
    at: AwareDatetime | None = None


def create(call: ApiCall) -> Response:
    """Note it: 201 when it is news, 200 when it is the newest already."""
    asked = call.read(NewRelease)
    with call.engine.begin() as conn:
        told = releases.record(
            conn, name=asked.name, component=asked.component, at=asked.at, actor=call.actor, now=call.now
        )
    return Document({"name": told.name, "component": told.component, "at": told.at}, 201 if told.created else 200)
