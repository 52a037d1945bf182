"""Pages and their blocks: one template, many cuts; everything is escaped, whatever the file is called (A-67)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.browser_names import browser_name
from app.lens import written
from worker.resources import folder

if TYPE_CHECKING:
    from app.web import Call

VARY = "HX-Request, HX-Target"


def environment(asset: Callable[[str], str]) -> Environment:
    """The one environment: escapes always, refuses unknown names, and knows `ui`, `asset` and `dom_id`."""
    env = Environment(
        loader=FileSystemLoader(folder("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    env.globals["asset"] = asset
    env.filters["browser_name"] = browser_name
    env.filters["dom_id"] = dom_id
    env.globals["ui"] = env.get_template("ui.html").module
    return env


def render(
    call: Call,
    template: str,
    *,
    block: str | None = None,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **context: Any,
) -> HTMLResponse:
    """The page, or one block of it; `here` is the address of this request for links and live regions."""
    return page(call.request, template, block=block, code=status, headers=headers, **context)


def page(
    request: Request,
    template: str,
    *,
    block: str | None = None,
    code: int = 200,
    headers: Mapping[str, str] | None = None,
    **context: Any,
) -> HTMLResponse:
    """The same where there is no call: what is known of the visitor so far is in the request's state."""
    console = request.app.state.console
    loaded = console.templates.get_template(template)
    known = {**_surroundings(request), **context}
    text = loaded.render(known) if block is None else "".join(loaded.blocks[block](loaded.new_context(known)))
    return HTMLResponse(written(request, text), status_code=code, headers={"Vary": VARY, **(headers or {})})


def see_other(url: str) -> Response:
    """On to another page after a form was accepted."""
    return RedirectResponse(url, status_code=303)


def is_htmx(request: Request) -> bool:
    """Whether htmx asks, so that a block may be enough."""
    return request.headers.get("hx-request") == "true"


def dom_id(thing: Any, kind: str = "row") -> str:
    """An element id from a row's `id`, or from a plain value: unique, and safe in a selector."""
    value = str(getattr(thing, "id", thing))
    return f"{kind}-" + re.sub(r"[^a-zA-Z0-9-]", lambda found: f"_{ord(found[0]):x}_", value)


def _surroundings(request: Request) -> dict[str, Any]:
    console = request.app.state.console
    visit = getattr(request.state, "visit", None)
    lens = getattr(request.state, "lens", None)
    operator, figures = visit and visit.operator, console.sampler.last_of(lens and lens.id)
    nav = [each for each in figures.nav() if operator.may(each.role)] if operator and figures else []
    path, query = request.scope["path"], request.scope["query_string"].decode("ascii", "replace")
    return {
        "request": request,
        "here": quote(path, safe="/:@") + (f"?{query}" if query else ""),
        "page": path.split("/")[1] or "overview",
        "operator": operator,
        "now": visit.now if visit else console.now or datetime.now(UTC),
        "environment": console.settings.environment,
        "environment_kind": console.settings.environment_kind,
        "nav": nav,
        "lens": lens,
        "narrowed": getattr(request.state, "narrowed", True),
        "stream": console.live.address(figures),
    }
