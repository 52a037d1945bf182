"""What there is to know of any request, a browser's or a program's."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from starlette.datastructures import QueryParams
from starlette.requests import Request

from app.errors import NotFound
from app.lens import Lens
from app.settings import ConsoleSettings
from worker.handlers import Registry

if TYPE_CHECKING:
    from worker.queries.pages.figures import Figures


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request; `now` is the database's clock when it began."""

    request: Request
    now: datetime
    registry: Registry
    settings: ConsoleSettings
    sampled: Figures | None = None
    lens: Lens | None = None
    """The one tenant that is looked at; None where it is all of them."""

    @property
    def figures(self) -> Figures:
        """The last sample; there is one wherever somebody is known to ask."""
        assert self.sampled is not None
        return self.sampled

    @property
    def base_url(self) -> str:
        """What an address begins with that is read outside of the console: this lens, too, is in it."""
        given = self.settings.url
        prefix: str = self.request.scope.get("root_path", "")
        return given.rstrip("/") + prefix if given else str(self.request.base_url).rstrip("/")

    @property
    def lens_id(self) -> UUID | None:
        """The id of that tenant."""
        return self.lens.id if self.lens else None

    @property
    def query(self) -> QueryParams:
        """The parameters of the address."""
        return self.request.query_params

    def path(self, name: str) -> str:
        """A parameter of the path, as text."""
        return str(self.request.path_params[name])

    def uuid(self, name: str) -> UUID:
        """A parameter of the path as an id; the answer of what is not found when it is none."""
        try:
            return UUID(self.path(name))
        except ValueError:
            raise NotFound from None


def noun(path: str) -> str:
    """What a route is about, for the audit trail: `replays` of `/dead-letters/{job}/replays`."""
    words = [word for word in path.split("/") if word not in ("", "new") and not word.startswith("{")]
    return words[-1] if words else "overview"
