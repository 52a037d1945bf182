"""What a request can run into, and the page or toast that says so: never a traceback, a query or a path (A-80)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlencode

import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app import problems, refusals, sessions
from app.console import console_of
from app.lens import slug_of, within
from app.templating import is_htmx, page
from worker.database import is_outage
from worker.errors import InvalidInput, KeyReused, TenantNotReady, UnknownTenant


@dataclass(frozen=True)
class Words:
    """How a refusal reads."""

    title: str
    message: str
    back: str = "/"
    back_label: str = "Go to the overview"


WORDS = {
    400: Words("That address does not make sense", "Part of it cannot be read."),
    403: Words("Your role may not do that", "Ask an admin if you need to."),
    404: Words("Nothing here", "It may have been pruned, or the address is not complete."),
    405: Words("That cannot be done here", "The page you came from may be out of date: load it again."),
    409: Words("Someone was faster", "Look at it as it is now."),
    413: Words("That is too much", "A form may hold up to 2 MB."),
    414: Words("That address is too long", "Remove a filter or two."),
    415: Words("Only forms are read here", "The request was not sent as a form."),
    422: Words("That cannot be done", "A field was refused."),
    429: Words("Too many tries", "Wait a moment."),
    500: Words("Something broke here", "It was written to the log under the number below. Nothing was changed."),
    503: Words(
        "The database is out of reach",
        "It may be back in a moment. If you pressed something, look before you press it again.",
    ),
}


class Problem(Exception):
    """A refusal that a person should read; rolls the transaction back."""

    status = 500

    def __init__(self, message: str = "", *, title: str | None = None, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.title = title
        self.headers = headers or {}


class BadInput(Problem):
    """A value in the address or the form is refused; the message names the field."""

    status = 400


class SignedOut(Problem):
    """Nobody is signed in, or the session ended."""

    status = 401


class Forbidden(Problem):
    """The operator's role, or where the request came from, does not allow it; leaves an audit row."""

    status = 403


class NotFound(Problem):
    """No such row, or none that may be seen."""

    status = 404


class Conflict(Problem):
    """The row has moved on since the page was drawn."""

    status = 409


class TooMany(Problem):
    """A limit was reached; later it may work."""

    status = 429


class Unavailable(Problem):
    """The database cannot be reached now."""

    status = 503


class Refused(Problem):
    """What the API refuses, with the status that says why and the parts of the document that are at fault."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        errors: Sequence[Mapping[str, str]] = (),
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message, headers=headers)
        self.status = status
        self.errors = errors


async def problem(request: Request, error: Exception) -> Response:
    """The answer to a refusal raised on purpose."""
    assert isinstance(error, Problem)
    return await explain(request, error.status, error.message, title=error.title, headers=error.headers)


async def refused(request: Request, error: Exception) -> Response:
    """The answer to a refusal of the API."""
    assert isinstance(error, Refused)
    return problems.document(request, error.status, error.message, errors=error.errors, headers=error.headers)


async def invalid(request: Request, error: Exception) -> Response:
    """The answer to a value that the engine refused and no form took care of."""
    assert isinstance(error, InvalidInput)
    if problems.is_api(request.scope["path"]):
        at_fault = {"field": error.field, "detail": error.problem}
        return problems.document(request, 422, f"{error.field}: {error.problem}.", errors=[at_fault])
    return await explain(request, 400, f"{error.field}: {error.problem}.")


async def missing(request: Request, error: Exception) -> Response:
    """The answer where a tenant is not there."""
    return await explain(request, 404, _sentence(error))


async def untimely(request: Request, error: Exception) -> Response:
    """The answer to what cannot be done as things are, though it may be another time."""
    return await explain(request, 409, _sentence(error))


async def http(request: Request, error: Exception) -> Response:
    """The answer to what Starlette itself refuses: unknown addresses, methods, unreadable and overlong forms."""
    assert isinstance(error, HTTPException)
    message = error.detail if error.status_code == 400 else ""
    return await explain(request, error.status_code, message, headers=dict(error.headers or {}))


async def crash(request: Request, error: Exception) -> Response:
    """The answer to what nobody foresaw; the server logs the exception."""
    return await explain(request, 500)


async def refuse(request: Request, status: int, message: str) -> Response:
    """The answer of the door; a forged request leaves an audit row, if the database can be reached."""
    if status == 403:
        await _try(partial(refusals.record, console_of(request), request, action="cross-site", reason=message))
    return await explain(request, status, message)


async def signed_out(request: Request, error: Exception) -> Response:
    """To the sign-in page and back here; an htmx request sends the whole page there."""
    lens = request.scope.get("root_path", "")
    if is_htmx(request):
        _host, _, current = request.headers.get("hx-current-url", "").partition("://")[2].partition("/")
        following = within(lens, "/" + current.partition("#")[0])
        return Response(status_code=401, headers={"HX-Redirect": sign_in(following)})
    query = request.scope["query_string"].decode("ascii", "replace")
    here = f"{request.scope['path']}?{query}" if query else request.scope["path"]
    following = within(lens, here if request.method == "GET" else "/")
    return RedirectResponse(sign_in(following), status_code=303)


def sign_in(following: str) -> str:
    """The address of the sign-in page that leads on from there; it looks whether that is a page of ours."""
    return "/sign-in" if following == "/" else "/sign-in?" + urlencode({"next": following})


async def explain(
    request: Request,
    status: int,
    message: str = "",
    *,
    title: str | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """The error page, or for htmx its toast; a live region that could not refresh keeps what it shows in silence.

    A program that asks the API gets its problem document.
    """
    if problems.is_api(request.scope["path"]):
        return problems.document(request, status, message, headers=headers)
    await _recognise(request, status)
    words = WORDS.get(status, WORDS[500])
    toast = is_htmx(request) and not _refreshes_itself(request)
    retarget = {"HX-Retarget": "#toasts", "HX-Reswap": "beforeend"} if toast else {}
    return page(
        request,
        "errors/error.html",
        block="toast" if is_htmx(request) else None,
        code=status,
        headers={**retarget, **(headers or {})},
        status=status,
        title=title or words.title,
        message=message or words.message,
        back=words.back,
        back_label=words.back_label,
        request_id=request.state.request_id,
        leaves=slug_of(request) if status == 404 else None,
    )


def _sentence(error: Exception) -> str:
    words = str(error)
    return f"{words[:1].upper()}{words[1:]}."


def _refreshes_itself(request: Request) -> bool:
    target = request.headers.get("hx-target")
    return request.method == "GET" and target is not None and target == request.headers.get("hx-source")


async def _recognise(request: Request, status: int) -> None:
    """Whose page and lens it is, where nobody asked before the refusal; not while the database is out of reach."""
    if status < 500 and request.cookies and not hasattr(request.state, "lens"):
        await _try(partial(sessions.recognise_alone, request))


async def _try(work: Callable[[], object]) -> None:
    """Do it in a thread, unless the database is out of reach: an error page must not fail itself."""
    try:
        await anyio.to_thread.run_sync(work)
    except Exception as error:
        if not is_outage(error):
            raise


HANDLERS = {
    Problem: problem,
    SignedOut: signed_out,
    Refused: refused,
    InvalidInput: invalid,
    UnknownTenant: missing,
    TenantNotReady: untimely,
    KeyReused: untimely,
    HTTPException: http,
}
