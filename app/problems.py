"""What the API says of a request that it refuses: a problem document (RFC 9457), and nothing of what was sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import JSONResponse

PREFIXES = ("/admin", "/api", "/metrics")

_DETAILS = {
    400: "The request cannot be read.",
    404: "There is nothing at this address.",
    405: "This address does not take that method; those that it takes are in Allow.",
    414: "The address is too long.",
    500: "This broke here, and nothing was changed; the log has more under the request's id.",
    503: "The database is out of reach. Look what became of the request before you repeat it.",
}


class ProblemDocument(JSONResponse):
    """The answer to a refused request."""

    media_type = "application/problem+json"


def is_api(path: str) -> bool:
    """Whether programs ask there, with tokens; no cookie counts, so no page can be made to ask for somebody."""
    return any(path == prefix or path.startswith(f"{prefix}/") for prefix in PREFIXES)


def document(
    request: Request,
    status: int,
    detail: str = "",
    *,
    errors: Sequence[Mapping[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> ProblemDocument:
    """The problem in words; `errors` names each part of the document that was refused, and why."""
    phrase = HTTPStatus(status).phrase
    content = {
        "type": "about:blank",
        "title": phrase,
        "status": status,
        "detail": detail or _DETAILS.get(status, f"{phrase}."),
        "request_id": request.state.request_id,
    }
    return ProblemDocument(content | ({"errors": list(errors)} if errors else {}), status, headers)
