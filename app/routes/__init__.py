"""The route table: method, address, handler, and who may. The console on one screen."""

from __future__ import annotations

from starlette.routing import Route as Served

from app.routes import (
    account,
    audit,
    cancellations,
    dead_letters,
    drains,
    health,
    jobs,
    live,
    overview,
    pauses,
    provisionings,
    queues,
    replays,
    sessions,
    static,
    tenants,
    workers,
)
from app.web import Route, endpoint

ROUTES = (
    # signing in
    Route("GET", "/sign-in", sessions.new, "anyone"),
    Route("POST", "/sign-in", sessions.create, "anyone", hashes_passwords=True),
    Route("GET", "/sign-in/link/{token}", sessions.offer, "anyone"),
    Route("POST", "/sign-in/link", sessions.accept, "anyone"),
    Route("POST", "/sign-out", sessions.delete, "anyone"),
    Route("GET", "/account", account.show, "viewer"),
    Route("POST", "/account", account.update, "viewer", hashes_passwords=True),
    # live
    Route("GET", "/live", live.show, "viewer"),
    # overview, queues, workers, tenants
    Route("GET", "/", overview.index, "viewer"),
    Route("GET", "/queues", queues.index, "viewer"),
    Route("GET", "/queues/{queue}/pause", pauses.new, "operator"),
    Route("POST", "/queues/{queue}/pause", pauses.create, "operator"),
    Route("GET", "/queues/{queue}/resume", pauses.confirm, "operator"),
    Route("POST", "/queues/{queue}/resume", pauses.delete, "operator"),
    Route("GET", "/workers", workers.index, "viewer"),
    Route("GET", "/workers/{instance}/drain", drains.new, "operator"),
    Route("POST", "/workers/{instance}/drain", drains.create, "operator"),
    Route("GET", "/tenants", tenants.index, "viewer"),
    Route("POST", "/tenants/{tenant}/provisionings", provisionings.create, "operator"),
    Route("POST", "/tenants/{tenant}/tries", provisionings.hurry, "operator"),
    Route("GET", "/tenants/{tenant}/cancellations/new", provisionings.confirm, "operator"),
    Route("POST", "/tenants/{tenant}/cancellations", provisionings.delete, "operator"),
    # jobs, dead letters, replays, cancellations
    Route("GET", "/jobs", jobs.index, "viewer"),
    Route("GET", "/jobs/{job}", jobs.show, "viewer"),
    Route("POST", "/jobs/{job}/cancellations", cancellations.create_one, "operator"),
    Route("GET", "/dead-letters", dead_letters.index, "viewer"),
    Route("POST", "/dead-letters/{job}/replays", replays.create_one, "operator"),
    Route("GET", "/replays/new", replays.new, "operator"),
    Route("POST", "/replays", replays.create, "operator"),
    Route("GET", "/cancellations/new", cancellations.new, "operator"),
    Route("POST", "/cancellations", cancellations.create, "operator"),
    # audit
    Route("GET", "/audit", audit.index, "viewer"),
)

OPEN = (
    # For everybody, without a session and without the database: files, and what a supervisor asks
    Served("/static/{version}/{name:path}", static.show),
    Served("/health/live", health.alive),
    Served("/health/ready", health.ready),
)


def served() -> list[Served]:
    """The table as Starlette serves it: one route per address, so that a 405 names every method it has."""
    by_path: dict[str, list[Route]] = {}
    for route in ROUTES:
        by_path.setdefault(route.path, []).append(route)
    pages = (Served(path, endpoint(*found), methods=[each.method for each in found]) for path, found in by_path.items())
    return [*OPEN, *pages]
