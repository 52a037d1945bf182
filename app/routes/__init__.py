"""The route table: method, address, handler, and who may. The console on one screen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from starlette.middleware import Middleware
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.routing import Route as Served

from app.api import ApiRoute, api_endpoint
from app.forms import MAX_BODY_BYTES
from app.openapi import described
from app.routes import (
    account,
    acts,
    audit,
    cancellations,
    challenges,
    copies,
    dead_letters,
    drains,
    exports,
    findings,
    group_merges,
    group_notes,
    group_owners,
    group_resolutions,
    group_snoozes,
    group_splits,
    hand_over,
    health,
    help_page,
    invitations,
    job_type,
    jobs,
    lenses,
    live,
    metrics,
    oidc,
    operator_access,
    operator_links,
    operators,
    overview,
    password_resets,
    pause_ends,
    pauses,
    provisionings,
    queue,
    queues,
    reassignments,
    replays,
    reveals,
    runs,
    second_factor_resets,
    second_factors,
    sessions,
    static,
    tenant,
    tenants,
    views,
    worker,
    workers,
)
from app.routes.admin import ADMIN
from app.routes.v1 import V1
from app.shapes import Whatever
from app.web import Route, endpoint

Line = TypeVar("Line", Route, ApiRoute)

ROUTES = (
    # signing in
    Route("GET", "/sign-in", sessions.new, "anyone"),
    Route("POST", "/sign-in", sessions.create, "anyone", hashes_passwords=True, seals=True),
    Route("GET", "/sign-in/link/{token}", sessions.offer, "anyone"),
    Route("POST", "/sign-in/link", sessions.accept, "anyone", seals=True),
    Route("POST", "/sign-in/code", challenges.create, "anyone"),
    Route("POST", "/sign-in/second-factor", challenges.enrol, "anyone", seals=True),
    Route("POST", "/sign-out", sessions.delete, "anyone"),
    Route("GET", "/invitations/{token}", invitations.show, "anyone"),
    Route("POST", "/invitations", invitations.accept, "anyone", hashes_passwords=True),
    Route("GET", "/password-resets/new", password_resets.new, "anyone"),
    Route("POST", "/password-resets", password_resets.create, "anyone", seals=True),
    Route("GET", "/password-resets/{token}", password_resets.show, "anyone"),
    Route("POST", "/passwords", password_resets.accept, "anyone", hashes_passwords=True),
    Route("GET", "/account", account.show, "viewer"),
    Route("POST", "/account/password", account.set_password, "viewer", hashes_passwords=True),
    Route("POST", "/account/sessions/{session}/sign-out", account.end_session, "viewer"),
    Route("POST", "/account/sign-out", account.end_others, "viewer"),
    Route("GET", "/account/second-factor", second_factors.show, "viewer"),
    Route("GET", "/account/second-factor/new", second_factors.new, "viewer", seals=True),
    Route("POST", "/account/second-factor", second_factors.create, "viewer", hashes_passwords=True, seals=True),
    Route("POST", "/account/second-factor/recovery-codes", second_factors.renew, "viewer"),
    Route("POST", "/account/second-factor/removals", second_factors.delete, "viewer"),
    Route("GET", "/operators/{operator}/second-factor-resets/new", second_factor_resets.new, "admin"),
    Route("POST", "/operators/{operator}/second-factor-resets", second_factor_resets.create, "admin"),
    # operators
    Route("GET", "/operators", operators.index, "admin"),
    Route("GET", "/operators/new", operators.new, "admin"),
    Route("POST", "/operators", operators.create, "admin", seals=True),
    Route("GET", "/operators/{operator}", operators.show, "admin"),
    Route("POST", "/operators/{operator}/role", operator_access.set_role, "admin"),
    Route("POST", "/operators/{operator}/address", operator_links.set_address, "admin"),
    Route("POST", "/operators/{operator}/invitations", operator_links.invite, "admin", seals=True),
    Route("POST", "/operators/{operator}/password-resets", operator_links.reset_password, "admin", seals=True),
    Route("POST", "/operators/{operator}/sign-out", operator_access.sign_out, "admin"),
    Route("GET", "/operators/{operator}/disable", operator_access.confirm, "admin"),
    Route("POST", "/operators/{operator}/disable", operator_access.disable, "admin"),
    Route("POST", "/operators/{operator}/enable", operator_access.enable, "admin"),
    # live
    Route("GET", "/live", live.show, "viewer"),
    # one tenant, or all of them
    Route("GET", "/lens", lenses.new, "viewer"),
    # overview, queues, workers, tenants
    Route("GET", "/", overview.index, "viewer", alike=True, narrowed=True),
    Route("GET", "/findings", findings.index, "viewer", alike=True),
    Route("GET", "/queues", queues.index, "viewer", alike=True, narrowed=True),
    Route("GET", "/queues/{queue}", queue.show, "viewer", alike=True, narrowed=True),
    Route("GET", "/queues/{queue}/pause", pauses.new, "operator"),
    Route("POST", "/queues/{queue}/pause", pauses.create, "operator"),
    Route("GET", "/queues/{queue}/pause/end", pause_ends.new, "operator"),
    Route("POST", "/queues/{queue}/pause/end", pause_ends.create, "operator"),
    Route("GET", "/queues/{queue}/resume", pauses.confirm, "operator"),
    Route("POST", "/queues/{queue}/resume", pauses.delete, "operator"),
    Route("GET", "/job-types/{type:path}", job_type.show, "viewer", alike=True, narrowed=True),
    Route("GET", "/workers", workers.index, "viewer", alike=True, narrowed=True),
    Route("GET", "/workers/{instance}", worker.show, "viewer", alike=True, narrowed=True),
    Route("GET", "/workers/{instance}/drain", drains.new, "operator"),
    Route("POST", "/workers/{instance}/drain", drains.create, "operator"),
    Route("GET", "/tenants", tenants.index, "viewer", alike=True, narrowed=True),
    Route("GET", "/tenants/{tenant}", tenant.show, "viewer", alike=True, narrowed=True),
    Route("POST", "/tenants/{tenant}/provisionings", provisionings.create, "operator", narrowed=True),
    Route("POST", "/tenants/{tenant}/tries", provisionings.hurry, "operator", narrowed=True),
    Route("GET", "/tenants/{tenant}/cancellations/new", provisionings.confirm, "operator", narrowed=True),
    Route("POST", "/tenants/{tenant}/cancellations", provisionings.delete, "operator", narrowed=True),
    # jobs, dead letters, replays, cancellations
    Route("GET", "/jobs", jobs.index, "viewer", alike=True, narrowed=True),
    Route("GET", "/jobs.csv", exports.csv, "viewer", narrowed=True),
    Route("GET", "/jobs.jsonl", exports.json_lines, "viewer", narrowed=True),
    Route("GET", "/jobs/suggestions", jobs.suggest, "viewer", narrowed=True),
    Route("GET", "/jobs/views/new", views.new, "viewer", narrowed=True),
    Route("POST", "/jobs/views", views.create, "viewer", narrowed=True),
    Route("GET", "/jobs/views/{view}/changes/new", views.edit, "viewer"),
    Route("POST", "/jobs/views/{view}/changes", views.change, "viewer"),
    Route("POST", "/jobs/views/{view}/deletions", views.delete, "viewer"),
    Route("GET", "/jobs/{job}", jobs.show, "viewer", alike=True, narrowed=True),
    Route("GET", "/jobs/{job}/copies/new", copies.new, "operator", narrowed=True),
    Route("POST", "/jobs/{job}/copies", copies.create, "operator", narrowed=True),
    Route("GET", "/jobs/{job}/reveals/new", reveals.new, "operator", narrowed=True),
    Route("POST", "/jobs/{job}/reveals", reveals.create, "operator", narrowed=True),
    Route("POST", "/jobs/{job}/cancellations", cancellations.create_one, "operator", narrowed=True),
    Route("GET", "/dead-letters", dead_letters.index, "viewer", alike=True, narrowed=True),
    Route("POST", "/dead-letters/owners", group_owners.create, "operator"),
    Route("POST", "/dead-letters/owners/removals", group_owners.delete, "operator"),
    Route("GET", "/dead-letters/snoozes/new", group_snoozes.new, "operator"),
    Route("POST", "/dead-letters/snoozes", group_snoozes.create, "operator"),
    Route("GET", "/dead-letters/resolutions/new", group_resolutions.new, "operator"),
    Route("POST", "/dead-letters/resolutions", group_resolutions.create, "operator"),
    Route("POST", "/dead-letters/reopenings", group_resolutions.delete, "operator"),
    Route("GET", "/dead-letters/notes/new", group_notes.new, "operator"),
    Route("POST", "/dead-letters/notes", group_notes.create, "operator"),
    Route("GET", "/dead-letters/merges/new", group_merges.new, "operator"),
    Route("POST", "/dead-letters/merges", group_merges.create, "operator"),
    Route("POST", "/dead-letters/merges/removals", group_merges.delete, "operator"),
    Route("POST", "/dead-letters/splits", group_splits.create, "operator"),
    Route("POST", "/dead-letters/splits/removals", group_splits.delete, "operator"),
    Route("POST", "/dead-letters/{job}/replays", replays.create_one, "operator", narrowed=True),
    Route("GET", "/replays/new", replays.new, "operator", narrowed=True),
    Route("POST", "/replays", replays.create, "operator", narrowed=True),
    Route("GET", "/cancellations/new", cancellations.new, "operator", narrowed=True),
    Route("POST", "/cancellations", cancellations.create, "operator", narrowed=True),
    Route("POST", "/jobs/{job}/runs", runs.create_one, "operator", narrowed=True),
    Route("GET", "/runs/new", runs.new, "operator", narrowed=True),
    Route("POST", "/runs", runs.create, "operator", narrowed=True),
    Route("GET", "/reassignments/new", reassignments.new, "operator", narrowed=True),
    Route("POST", "/reassignments", reassignments.create, "operator", narrowed=True),
    # acts: what became of each of these
    Route("GET", "/acts", acts.index, "viewer", alike=True, narrowed=True),
    Route("GET", "/acts/{act}", acts.show, "viewer", alike=True, narrowed=True),
    Route("POST", "/acts/{act}/aborts", acts.abort, "operator", narrowed=True),
    Route("POST", "/acts/{act}/continuations", acts.resume, "operator", narrowed=True),
    Route("POST", "/acts/{act}/undos", acts.take_back, "operator", narrowed=True),
    # audit, and what of it the next shift has to know
    Route("GET", "/audit", audit.index, "viewer", alike=True, narrowed=True),
    Route("GET", "/hand-over", hand_over.index, "viewer", alike=True, narrowed=True),
    # what each word of all this means
    Route("GET", "/help", help_page.index, "viewer"),
)

API = (
    # For programs, each with a token that has the scope: a role for what the pages do, else a narrow one
    *ADMIN,
    *V1,
    ApiRoute("GET", "/metrics", metrics.show, "metrics:read", "text/plain", query=Whatever),
)

OPEN = (
    # For everybody, without a session and without the database: files, and what a supervisor asks
    Served("/static/{version}/{name:path}", static.show),
    Served("/health/live", health.alive),
    Served("/health/ready", health.ready),
    Served("/api/v1/openapi.json", described(API)),
    # Asks the provider before it asks the database, and so is no page of the table
    Served("/sign-in/oidc", oidc.new),
    Served("/sign-in/oidc/callback", oidc.create),
)


def served() -> list[Served]:
    """The table as Starlette serves it: one route per address, so that a 405 names every method it has."""
    pages = (page(*found) for found in _by_path(ROUTES))
    api = (Served(found[0].path, api_endpoint(*found), methods=_methods(found)) for found in _by_path(API))
    return [*OPEN, *pages, *api]


def page(*routes: Route) -> Served:
    """The lines of one address of the console, where a form is as large as it may be."""
    limit = Middleware(RequestBodyLimitMiddleware, max_body_size=MAX_BODY_BYTES)
    return Served(routes[0].path, endpoint(*routes), methods=_methods(routes), middleware=[limit])


def _by_path(routes: Iterable[Line]) -> Iterable[list[Line]]:
    by_path: dict[str, list[Line]] = {}
    for route in routes:
        by_path.setdefault(route.path, []).append(route)
    return by_path.values()


def _methods(routes: Iterable[Line]) -> list[str]:
    return [each.method for each in routes]
