"""The files that pages refer to."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app.console import console_of

FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
PACKED = {**FOR_EVER, "Content-Encoding": "gzip"}


async def show(request: Request) -> Response:
    """One file, to be kept for ever: another version has another address."""
    file = console_of(request).assets.find(request.path_params["version"], request.path_params["name"])
    if file is None:
        raise HTTPException(404)
    if file.packed and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.packed, media_type=file.media_type, headers=PACKED)
    return Response(file.content, media_type=file.media_type, headers=FOR_EVER)
