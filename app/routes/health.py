"""What a supervisor asks: does the process answer, and can the deployment work."""

from __future__ import annotations

from collections.abc import Collection

from starlette.requests import Request
from starlette.responses import JSONResponse

from app.console import Console, console_of
from worker import migrate
from worker.database import autocommit, is_outage
from worker.queries.pages.coverage import uncovered


async def alive(request: Request) -> JSONResponse:
    """The process answers; nothing else is asked of it."""
    return JSONResponse({"status": "live"})


def ready(request: Request) -> JSONResponse:
    """Whether the work can be done: 503 with the reasons when not (S1-93, S1-94, S1-101)."""
    console = console_of(request)
    reasons = ["stopping"] if console.live.closing else _lacks(console)
    status = "not_ready" if reasons else "ready"
    return JSONResponse({"status": status, "reasons": reasons}, status_code=503 if reasons else 200)


def _lacks(console: Console) -> list[str]:
    try:
        with autocommit(console.engine).connect() as conn:
            if migrate.current(conn) != migrate.head():
                return ["schema revision"]
            return [f"no live worker runs {name}" for name in uncovered(conn, required=_required(console))]
    except Exception as error:
        if is_outage(error):
            return ["database"]
        raise


def _required(console: Console) -> Collection[str]:
    """The job types that this deployment says it needs, else all that its own modules have handlers for."""
    named, registry = console.settings.required_job_types, console.registry
    return registry.capabilities() - registry.built_in if named is None else named
