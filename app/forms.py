"""Reading what a browser posts: bounded, text only, and nothing that the database could not keep (A-80)."""

from __future__ import annotations

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request

from app.errors import BadInput

MAX_FIELDS = 1000
MAX_BODY_BYTES = 2 * 1024 * 1024
CONTENT_TYPES = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})


async def read_form(request: Request) -> FormData:
    """The posted fields; an empty body is an empty form, anything but a form is refused."""
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type not in CONTENT_TYPES:
        if await request.body():
            raise HTTPException(415)
        return FormData()
    form = await request.form(max_files=0, max_fields=MAX_FIELDS, max_part_size=MAX_BODY_BYTES)
    for name, value in form.multi_items():
        if not (isinstance(value, str) and storable(name) and storable(value)):
            raise BadInput("A field holds characters that cannot be kept.")
    return form


def storable(text: str) -> bool:
    """Whether PostgreSQL keeps the text: no NUL and no half of a character pair."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
