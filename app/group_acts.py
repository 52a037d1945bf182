"""What the forms of a group of dead letters share: which group, which page lies beneath, and where the act leads."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from starlette.responses import Response

from app import choice
from app.answers import is_over
from app.errors import BadInput
from app.templating import render, see_other
from app.web import Call
from worker.errors import InvalidInput
from worker.payloads import clean_text
from worker.queries.pages.filters import LENGTHS

INBOX = "/dead-letters"
MAX_REASON = 500


def chosen(call: Call) -> str:
    """The fingerprint that the form, or the address of the form, speaks of."""
    return group(call, "group")


def group(call: Call, name: str) -> str:
    """The fingerprint in a field; BadInput when there is none."""
    given = call.form.get(name) if call.form else call.query.get(name)
    if fingerprint := clean_text(str(given or ""), field=name, limit=LENGTHS["group"]):
        return fingerprint
    raise BadInput(f"{name}: choose one.")


def back(call: Call) -> str:
    """The inbox as it was, with the group open."""
    return choice.back(call.form or call.query)


def go_back(call: Call) -> Response:
    """To the inbox, whose region htmx draws anew where the form lay above it."""
    address = back(call)
    alone = call.htmx and not is_over(call, urlsplit(address).path)
    return Response(headers={"HX-Redirect": address}) if alone else see_other(address)


def reason(call: Call) -> str | None:
    """Why, as the form says; None when it says nothing."""
    return clean_text(str(call.form.get("reason", "")), field="reason", limit=MAX_REASON) or None


def form(call: Call, template: str, *, refusal: InvalidInput | None = None, **context: Any) -> Response:
    """The form as a page, or its sheet alone in the dialog; with what was wrong beside the field."""
    target = "#letters" if is_over(call, INBOX) else "#main"
    return render(
        call,
        template,
        block="sheet" if call.htmx else None,
        status=422 if refusal else 200,
        target=target,
        back=back(call),
        fingerprint=chosen(call),
        reason=str(call.form.get("reason", "")),
        problems={refusal.field: refusal.problem} if refusal else {},
        **context,
    )
