"""The API's table below /api/v1: what the pages show and do, for programs, with the page's role as the scope."""

from __future__ import annotations

from functools import partial

from app.api import ApiRoute
from app.routes.v1 import (
    accounts,
    act_changes,
    acts,
    audit,
    cancellations,
    copies,
    dead_letters,
    drains,
    findings,
    groups,
    hand_over,
    job_types,
    jobs,
    operators,
    overview,
    pauses,
    provisionings,
    queues,
    reassignments,
    releases,
    replays,
    reveals,
    runs,
    tenants,
    tokens,
    views,
    workers,
)
from app.shapes import Paged
from app.shapes.acts import Act, ActJobPage, ActPage
from app.shapes.audit import Trail, TrailWanted
from app.shapes.changes import Changed, Moved, NeedsWhy, WithWhy
from app.shapes.findings import FindingsWanted, Overview, Rehearsal
from app.shapes.group_changes import NewMerge, NewNote, NewResolution, NewSnooze, OfGroup, OfOwner
from app.shapes.groups import Inbox, InboxWanted, WholeGroup
from app.shapes.hand_over import HandOver
from app.shapes.job_changes import MadeCopy, NewCopy, Revealed
from app.shapes.jobs import Job, JobPage, JobsWanted
from app.shapes.operators import Operator, OperatorPage
from app.shapes.orders import NewAct, NewCancellation, NewReassignment, Outlook
from app.shapes.people import Ended, Handed, NewAddress, NewOperator, NewRole
from app.shapes.provisionings import Again
from app.shapes.queue_changes import NewEnd, NewPause
from app.shapes.queues import LoadPage, NamesWanted, QueuesWanted, Standing, StandingWanted
from app.shapes.releases import NewRelease, Release, ReleaseList, Stretch
from app.shapes.tenants import TenantLines, TenantsWanted, TenantWanted, TenantWhole
from app.shapes.tokens import OwnToken, TokenList
from app.shapes.views import ViewList
from app.shapes.workers import Process, WorkerPage, WorkersWanted, WorkerWanted

NEW = (201, 200)
"""Made now, or there already: before, or under the same key."""

_made = partial(ApiRoute, "POST", scope="operator", statuses=NEW, keyed=True)
_act = partial(_made, answer=Act)
_look = partial(ApiRoute, "POST", scope="operator", answer=Outlook, looks=True)
_change = partial(ApiRoute, "POST", scope="operator", answer=Changed)
_move = partial(ApiRoute, "POST", scope="operator", answer=Moved)
_account = partial(ApiRoute, "POST", scope="admin", answer=Changed)
_mail = partial(ApiRoute, "POST", scope="admin", answer=Handed, seals=True)

READS = (
    # overview, queues, job types, workers, tenants
    ApiRoute("GET", "/api/v1/overview", overview.show, "viewer", Overview),
    ApiRoute("GET", "/api/v1/findings", findings.index, "viewer", Rehearsal, query=FindingsWanted),
    ApiRoute("GET", "/api/v1/queues", queues.index, "viewer", LoadPage, query=QueuesWanted),
    ApiRoute("GET", "/api/v1/queues/{queue}", queues.show, "viewer", Standing, query=StandingWanted),
    ApiRoute("GET", "/api/v1/job-types", job_types.index, "viewer", LoadPage, query=NamesWanted),
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
)

CHANGES = (
    # acts on jobs: looked at, pressed, and what is done to them afterwards
    _look("/api/v1/replays/previews", replays.preview, body=NewAct),
    _look("/api/v1/cancellations/previews", cancellations.preview, body=NewCancellation),
    _look("/api/v1/runs/previews", runs.preview, body=NewAct),
    _look("/api/v1/reassignments/previews", reassignments.preview, body=NewReassignment),
    _act("/api/v1/replays", replays.create, body=NewAct),
    _act("/api/v1/cancellations", cancellations.create, body=NewCancellation),
    _act("/api/v1/runs", runs.create, body=NewAct),
    _act("/api/v1/reassignments", reassignments.create, body=NewReassignment),
    _act("/api/v1/dead-letters/{job}/replays", replays.create_one, body=WithWhy),
    _act("/api/v1/jobs/{job}/cancellations", cancellations.create_one, body=NeedsWhy),
    _act("/api/v1/jobs/{job}/runs", runs.create_one, body=WithWhy),
    ApiRoute("POST", "/api/v1/acts/{act}/aborts", act_changes.abort, "operator", Act),
    ApiRoute("POST", "/api/v1/acts/{act}/continuations", act_changes.resume, "operator", Act),
    ApiRoute("POST", "/api/v1/acts/{act}/undos", act_changes.take_back, "operator", Act),
    # one job
    _made("/api/v1/jobs/{job}/copies", copies.create, answer=MadeCopy, body=NewCopy),
    ApiRoute("POST", "/api/v1/jobs/{job}/reveals", reveals.create, "operator", Revealed, body=NeedsWhy),
    # groups of dead letters
    _change("/api/v1/dead-letters/owners", groups.take, body=OfOwner),
    _change("/api/v1/dead-letters/owners/removals", groups.give_back, body=OfOwner),
    _change("/api/v1/dead-letters/snoozes", groups.snooze, body=NewSnooze),
    _change("/api/v1/dead-letters/resolutions", groups.resolve, body=NewResolution),
    _change("/api/v1/dead-letters/reopenings", groups.reopen, body=OfGroup),
    _change("/api/v1/dead-letters/notes", groups.note, body=NewNote),
    _move("/api/v1/dead-letters/merges", groups.merge, body=NewMerge),
    _move("/api/v1/dead-letters/merges/removals", groups.part, body=OfGroup),
    _move("/api/v1/dead-letters/splits", groups.split, body=OfGroup),
    _move("/api/v1/dead-letters/splits/removals", groups.rejoin, body=OfGroup),
    # queues, workers, tenants
    _change("/api/v1/queues/{queue}/pause", pauses.create, body=NewPause),
    _change("/api/v1/queues/{queue}/pause/end", pauses.change_end, body=NewEnd),
    _change("/api/v1/queues/{queue}/resume", pauses.delete, body=WithWhy),
    _change("/api/v1/workers/{instance}/drain", drains.create, body=WithWhy),
    _change("/api/v1/tenants/{tenant}/provisionings", provisionings.create, body=Again),
    _change("/api/v1/tenants/{tenant}/tries", provisionings.hurry),
    _change("/api/v1/tenants/{tenant}/cancellations", provisionings.cancel, body=NeedsWhy),
    # operators
    ApiRoute(
        "POST", "/api/v1/operators", accounts.create, "admin", Handed, body=NewOperator, statuses=(201,), seals=True
    ),
    _account("/api/v1/operators/{operator}/role", accounts.set_role, body=NewRole),
    _account("/api/v1/operators/{operator}/address", accounts.set_address, body=NewAddress),
    _mail("/api/v1/operators/{operator}/invitations", accounts.invite),
    _mail("/api/v1/operators/{operator}/password-resets", accounts.reset_password),
    ApiRoute("POST", "/api/v1/operators/{operator}/sign-out", accounts.sign_out, "admin", Ended),
    _account("/api/v1/operators/{operator}/disable", accounts.disable),
    _account("/api/v1/operators/{operator}/enable", accounts.enable),
    _account("/api/v1/operators/{operator}/second-factor-resets", accounts.reset_second_factor),
)

V1 = (*READS, *CHANGES)
