"""That a program which asks again is told in a word that nothing has changed."""

from __future__ import annotations

import hashlib

from starlette.requests import Request
from starlette.responses import Response


def known(request: Request, answer: Response) -> Response:
    """The answer with its tag, or 304 in its place where the program has it already."""
    if answer.status_code != 200:
        return answer
    tag = f'"{hashlib.sha256(answer.body).hexdigest()[:32]}"'
    named = request.headers.get("if-none-match", "")
    if named == "*" or tag in (each.strip().removeprefix("W/") for each in named.split(",")):
        return Response(status_code=304, headers={"ETag": tag})
    answer.headers["ETag"] = tag
    return answer
