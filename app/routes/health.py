"""What a supervisor asks: does the process answer, and can it work."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse

from app.console import Console, console_of
from worker import migrate
from worker.database import autocommit, is_outage


async def alive(request: Request) -> JSONResponse:
    """The process answers; nothing else is asked of it."""
    return JSONResponse({"status": "live"})


def ready(request: Request) -> JSONResponse:
    """Whether requests should come here: 503 with the reasons when not."""
    console = console_of(request)
    reasons = ["stopping"] if console.live.closing else _lacks(console)
    status = "not_ready" if reasons else "ready"
    return JSONResponse({"status": status, "reasons": reasons}, status_code=503 if reasons else 200)


def _lacks(console: Console) -> list[str]:
    try:
        with autocommit(console.engine).connect() as conn:
            return [] if migrate.current(conn) == migrate.head() else ["schema revision"]
    except Exception as error:
        if is_outage(error):
            return ["database"]
        raise
