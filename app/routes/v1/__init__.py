"""The API's table below /api/v1: what the pages show and do, for programs, with the page's role as the scope."""

from __future__ import annotations

from app.api import ApiRoute
from app.routes.v1 import jobs, releases
from app.shapes.jobs import Job, JobPage, JobsWanted
from app.shapes.releases import NewRelease, Release

V1 = (
    # jobs
    ApiRoute("GET", "/api/v1/jobs", jobs.index, "viewer", JobPage, query=JobsWanted),
    ApiRoute("GET", "/api/v1/jobs/{job}", jobs.show, "viewer", Job),
    # releases
    ApiRoute(
        "POST", "/api/v1/releases", releases.create, "releases:write", Release, body=NewRelease, statuses=(201, 200)
    ),
)
