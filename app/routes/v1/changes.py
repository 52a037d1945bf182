"""The API's table of what changes something: each line does what the page of the same address does."""

from __future__ import annotations

from functools import partial

from app.api import ApiRoute
from app.routes.v1 import (
    accounts,
    act_changes,
    cancellations,
    copies,
    drains,
    groups,
    pauses,
    provisionings,
    reassignments,
    replays,
    reveals,
    runs,
)
from app.shapes.acts import Act
from app.shapes.changes import Changed, Moved, NeedsWhy, WithWhy
from app.shapes.group_changes import NewMerge, NewNote, NewResolution, NewSnooze, OfGroup, OfOwner
from app.shapes.job_changes import MadeCopy, NewCopy, Revealed
from app.shapes.orders import NewAct, NewCancellation, NewReassignment, Outlook
from app.shapes.people import Ended, Handed, NewAddress, NewOperator, NewRole
from app.shapes.provisionings import Again
from app.shapes.queue_changes import NewPause

V1 = "/api/v1"
MADE = (201, 200)
"""Made now, or before under the same key."""

_made = partial(ApiRoute, "POST", scope="operator", statuses=MADE, keyed=True)
_act = partial(_made, answer=Act)
_look = partial(ApiRoute, "POST", scope="operator", answer=Outlook)
_change = partial(ApiRoute, "POST", scope="operator", answer=Changed)
_move = partial(ApiRoute, "POST", scope="operator", answer=Moved)
_account = partial(ApiRoute, "POST", scope="admin", answer=Changed)
_mail = partial(ApiRoute, "POST", scope="admin", answer=Handed, seals=True)

CHANGES = (
    # acts on jobs: looked at, pressed, and what is done to them afterwards
    _look(f"{V1}/replays/previews", replays.preview, body=NewAct),
    _look(f"{V1}/cancellations/previews", cancellations.preview, body=NewCancellation),
    _look(f"{V1}/runs/previews", runs.preview, body=NewAct),
    _look(f"{V1}/reassignments/previews", reassignments.preview, body=NewReassignment),
    _act(f"{V1}/replays", replays.create, body=NewAct),
    _act(f"{V1}/cancellations", cancellations.create, body=NewCancellation),
    _act(f"{V1}/runs", runs.create, body=NewAct),
    _act(f"{V1}/reassignments", reassignments.create, body=NewReassignment),
    _act(f"{V1}/dead-letters/{{job}}/replays", replays.create_one, body=WithWhy),
    _act(f"{V1}/jobs/{{job}}/cancellations", cancellations.create_one, body=NeedsWhy),
    _act(f"{V1}/jobs/{{job}}/runs", runs.create_one, body=WithWhy),
    ApiRoute("POST", f"{V1}/acts/{{act}}/aborts", act_changes.abort, "operator", Act),
    ApiRoute("POST", f"{V1}/acts/{{act}}/continuations", act_changes.resume, "operator", Act),
    ApiRoute("POST", f"{V1}/acts/{{act}}/undos", act_changes.take_back, "operator", Act),
    # one job
    _made(f"{V1}/jobs/{{job}}/copies", copies.create, answer=MadeCopy, body=NewCopy),
    ApiRoute("POST", f"{V1}/jobs/{{job}}/reveals", reveals.create, "operator", Revealed, body=NeedsWhy),
    # groups of dead letters
    _change(f"{V1}/dead-letters/owners", groups.take, body=OfOwner),
    _change(f"{V1}/dead-letters/owners/removals", groups.give_back, body=OfOwner),
    _change(f"{V1}/dead-letters/snoozes", groups.snooze, body=NewSnooze),
    _change(f"{V1}/dead-letters/resolutions", groups.resolve, body=NewResolution),
    _change(f"{V1}/dead-letters/reopenings", groups.reopen, body=OfGroup),
    _change(f"{V1}/dead-letters/notes", groups.note, body=NewNote),
    _move(f"{V1}/dead-letters/merges", groups.merge, body=NewMerge),
    _move(f"{V1}/dead-letters/merges/removals", groups.part, body=OfGroup),
    _move(f"{V1}/dead-letters/splits", groups.split, body=OfGroup),
    _move(f"{V1}/dead-letters/splits/removals", groups.rejoin, body=OfGroup),
    # queues, workers, tenants
    _change(f"{V1}/queues/{{queue}}/pause", pauses.create, body=NewPause),
    _change(f"{V1}/queues/{{queue}}/resume", pauses.delete, body=WithWhy),
    _change(f"{V1}/workers/{{instance}}/drain", drains.create, body=WithWhy),
    _change(f"{V1}/tenants/{{tenant}}/provisionings", provisionings.create, body=Again),
    _change(f"{V1}/tenants/{{tenant}}/tries", provisionings.hurry),
    _change(f"{V1}/tenants/{{tenant}}/cancellations", provisionings.cancel, body=NeedsWhy),
    # operators
    ApiRoute(
        "POST", f"{V1}/operators", accounts.create, "admin", Handed, body=NewOperator, statuses=(201,), seals=True
    ),
    _account(f"{V1}/operators/{{operator}}/role", accounts.set_role, body=NewRole),
    _account(f"{V1}/operators/{{operator}}/address", accounts.set_address, body=NewAddress),
    _mail(f"{V1}/operators/{{operator}}/invitations", accounts.invite),
    _mail(f"{V1}/operators/{{operator}}/password-resets", accounts.reset_password),
    ApiRoute("POST", f"{V1}/operators/{{operator}}/sign-out", accounts.sign_out, "admin", Ended),
    _account(f"{V1}/operators/{{operator}}/disable", accounts.disable),
    _account(f"{V1}/operators/{{operator}}/enable", accounts.enable),
    _account(f"{V1}/operators/{{operator}}/second-factor-resets", accounts.reset_second_factor),
)
