"""The API's table below /api/v1: what the pages show and do, for programs, with the page's role as the scope."""

from __future__ import annotations

from app.api import ApiRoute
from app.routes.v1 import (
    acts,
    audit,
    dead_letters,
    findings,
    hand_over,
    job_types,
    jobs,
    operators,
    overview,
    queues,
    releases,
    tenants,
    tokens,
    views,
    workers,
)
from app.routes.v1.changes import CHANGES
from app.shapes import Paged
from app.shapes.acts import Act, ActJobPage, ActPage
from app.shapes.audit import Trail, TrailWanted
from app.shapes.findings import FindingsWanted, Overview, Rehearsal
from app.shapes.groups import Inbox, InboxWanted, WholeGroup
from app.shapes.hand_over import HandOver
from app.shapes.jobs import Job, JobPage, JobsWanted
from app.shapes.operators import Operator, OperatorPage
from app.shapes.queues import LoadPage, QueuesWanted, Standing, StandingWanted
from app.shapes.releases import NewRelease, Release, ReleaseList, Stretch
from app.shapes.tenants import TenantLines, TenantsWanted, TenantWanted, TenantWhole
from app.shapes.tokens import OwnToken, TokenList
from app.shapes.views import ViewList
from app.shapes.workers import Process, WorkerPage, WorkersWanted, WorkerWanted

NEW = (201, 200)
"""New, or there already."""

V1 = (
    # overview, queues, job types, workers, tenants
    ApiRoute("GET", "/api/v1/overview", overview.show, "viewer", Overview),
    ApiRoute("GET", "/api/v1/findings", findings.index, "viewer", Rehearsal, query=FindingsWanted),
    ApiRoute("GET", "/api/v1/queues", queues.index, "viewer", LoadPage, query=QueuesWanted),
    ApiRoute("GET", "/api/v1/queues/{queue}", queues.show, "viewer", Standing, query=StandingWanted),
    ApiRoute("GET", "/api/v1/job-types", job_types.index, "viewer", LoadPage, query=QueuesWanted),
    ApiRoute("GET", "/api/v1/job-types/{type:path}", job_types.show, "viewer", Standing, query=StandingWanted),
    ApiRoute("GET", "/api/v1/workers", workers.index, "viewer", WorkerPage, query=WorkersWanted),
    ApiRoute("GET", "/api/v1/workers/{instance}", workers.show, "viewer", Process, query=WorkerWanted),
    ApiRoute("GET", "/api/v1/tenants", tenants.index, "viewer", TenantLines, query=TenantsWanted),
    ApiRoute("GET", "/api/v1/tenants/{tenant}", tenants.show, "viewer", TenantWhole, query=TenantWanted),
    # jobs, dead letters
    ApiRoute("GET", "/api/v1/jobs", jobs.index, "viewer", JobPage, query=JobsWanted),
    ApiRoute("GET", "/api/v1/jobs/{job}", jobs.show, "viewer", Job),
    ApiRoute("GET", "/api/v1/views", views.index, "viewer", ViewList),
    ApiRoute("GET", "/api/v1/dead-letters", dead_letters.index, "viewer", Inbox, query=InboxWanted),
    ApiRoute("GET", "/api/v1/dead-letters/{group}", dead_letters.show, "viewer", WholeGroup),
    # acts: what became of each of these
    ApiRoute("GET", "/api/v1/acts", acts.index, "viewer", ActPage, query=Paged),
    ApiRoute("GET", "/api/v1/acts/{act}", acts.show, "viewer", Act),
    ApiRoute("GET", "/api/v1/acts/{act}/jobs", acts.jobs, "viewer", ActJobPage, query=Paged),
    # the trail, the hand-over, releases
    ApiRoute("GET", "/api/v1/audit", audit.index, "viewer", Trail, query=TrailWanted),
    ApiRoute("GET", "/api/v1/hand-over", hand_over.show, "viewer", HandOver, query=Stretch),
    ApiRoute("GET", "/api/v1/releases", releases.index, "viewer", ReleaseList, query=Stretch),
    ApiRoute("POST", "/api/v1/releases", releases.create, "releases:write", Release, body=NewRelease, statuses=NEW),
    # who may come in: people and programs
    ApiRoute("GET", "/api/v1/operators", operators.index, "admin", OperatorPage, query=Paged),
    ApiRoute("GET", "/api/v1/operators/{operator}", operators.show, "admin", Operator),
    ApiRoute("GET", "/api/v1/tokens", tokens.index, "admin", TokenList),
    ApiRoute("GET", "/api/v1/token", tokens.own, "viewer", OwnToken),
    *CHANGES,
)
