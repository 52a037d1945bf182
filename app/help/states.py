"""The states of everything that has one, by the names that the database and the pages use."""

from __future__ import annotations

from collections.abc import Mapping

from app.help.entries import Entry
from worker.model import AttemptOutcome
from worker.queries.bulk_acts.acts import ActState
from worker.queries.group_states import GroupState
from worker.queries.pages.fleet import State as WorkerState
from worker.queries.pages.provisioning import Stage
from worker.queries.pages.states import State

JOBS: Mapping[State, Entry] = {
    State.READY: Entry(
        "ready", "Due now. The next worker that can run its type, and looks into its queue, takes it.", "ready"
    ),
    State.SCHEDULED: Entry("scheduled", "Due later, and not tried yet. Run now makes it due at once.", "scheduled"),
    State.RETRYING: Entry(
        "retrying",
        "It failed and is tried again by itself, each time after a longer delay. Run now does not wait.",
        "retrying",
    ),
    State.RUNNING: Entry(
        "running",
        "A worker holds it under a lease, which its heartbeat renews. When the lease ends unrenewed, the "
        "job goes back to its queue.",
        "running",
    ),
    State.CANCELLING: Entry(
        "cancelling",
        "Somebody asked to cancel it while it ran. The worker hears of it with its next beat; the handler "
        "ends when it looks.",
        "cancelling",
    ),
    State.SUCCEEDED: Entry(
        "succeeded", "Its handler returned. What came of an event is pruned after the days that are set.", "succeeded"
    ),
    State.DEAD: Entry(
        "dead letter",
        "It failed as often as it may, or in a way that trying again cannot mend. It stays, never pruned, "
        "until somebody "
        "replays or cancels it.",
        "dead",
    ),
    State.CANCELLED: Entry("cancelled", "Somebody put it aside. It does not run again.", "cancelled"),
}

ATTEMPTS: Mapping[AttemptOutcome, Entry] = {
    AttemptOutcome.COMPLETED: Entry("completed", "The handler returned, and its result was kept."),
    AttemptOutcome.FAILED: Entry("failed", "The handler raised an error; the job is tried again."),
    AttemptOutcome.DEAD_LETTER: Entry(
        "dead letter", "The handler raised an error, and that was the last attempt it had."
    ),
    AttemptOutcome.LEASE_EXPIRED: Entry(
        "lease expired",
        "The worker fell silent or died while it ran the job; the reaper gave the job back to the queue.",
    ),
    AttemptOutcome.SUPERSEDED: Entry(
        "superseded",
        "A late result of a worker that had lost its lease. Somebody else has the job, so nothing was written over.",
    ),
    AttemptOutcome.RELEASED: Entry(
        "released", "The worker gave the job back unharmed, as when it stops. The attempt does not count."
    ),
    AttemptOutcome.ABANDONED: Entry(
        "abandoned", "The worker stopped before the handler ended. The job goes on elsewhere once its lease has ended."
    ),
    AttemptOutcome.CANCELLED: Entry("cancelled", "The handler heard that it should stop, and did."),
}

GROUPS: Mapping[GroupState, Entry] = {
    GroupState.NEW: Entry("new", "Nobody has it. It asks for a person."),
    GroupState.TAKEN: Entry("taken", "Somebody said that they look at it. It stays among the open ones."),
    GroupState.SNOOZED: Entry(
        "snoozed",
        "Left out of the open ones for a time, until it happens again, or until it happens too often. "
        "Then it is back by itself.",
    ),
    GroupState.RESOLVED: Entry(
        "resolved", "Called mended, now or in a release. What dies of the same error afterwards brings it back."
    ),
    GroupState.RETURNED: Entry("returned", "It was snoozed or resolved, and came back by itself. Look at it first."),
}

ACTS: Mapping[ActState, Entry] = {
    ActState.TRIAL: Entry(
        "one first", "One job went ahead. The rest goes once that one has passed; should it fail, the act stops."
    ),
    ActState.MOVING: Entry(
        "under way", "Jobs are moved, all at once or so many a second. It can be aborted; what is left stays as it is."
    ),
    ActState.UNDOING: Entry("undoing", "Jobs that no worker has begun are put back as they were."),
    ActState.STOPPED: Entry(
        "stopped", "It stopped by itself, for as many failures alike as it was told. Go on or abort."
    ),
    ActState.ABORTED: Entry("aborted", "Somebody ended it. What it had moved stays moved."),
    ActState.DONE: Entry("done", "Every job of the set was moved or skipped, each skip with its reason."),
    ActState.UNDONE: Entry("undone", "It was taken back; jobs that had gone on meanwhile are counted apart."),
}

WORKERS: Mapping[WorkerState, Entry] = {
    WorkerState.LIVE: Entry("live", "It beats when it should.", "live"),
    WorkerState.SILENT: Entry(
        "silent", "Three beats in a row did not come. What it holds goes to others when the leases end.", "silent"
    ),
    WorkerState.DRAINING: Entry(
        "draining", "Somebody asked it to: it ends what it runs, takes nothing more, and stops.", "draining"
    ),
    WorkerState.STOPPED: Entry("stopped", "It said goodbye. Its page stays for a while.", "stopped"),
}

TENANTS: Mapping[Stage, Entry] = {
    Stage.NOT_STARTED: Entry("not started", "The tenant is known, and nobody has asked to provision it.", "waiting"),
    Stage.WAITING: Entry("waiting", "The provisioning waits for a worker that can run it.", "waiting"),
    Stage.RUNNING: Entry(
        "running", "A worker is at one of the steps. Steps that are done are not done again.", "running"
    ),
    Stage.RETRYING: Entry("retrying", "A step failed and is tried again by itself. Try now does not wait.", "retrying"),
    Stage.FAILED: Entry("failed", "A step failed as often as it may. Start goes on at that step.", "failed"),
    Stage.CANCELLED: Entry("cancelled", "Somebody stopped it. The steps that were done are kept.", "cancelled"),
    Stage.DONE: Entry("done", "Every step has ended, and the tenant is active.", "done"),
}

LIVE: Mapping[str, Entry] = {
    "on": Entry(
        "Live", "What changes is shown as it does, but never under your pointer, selection or half-typed text."
    ),
    "joining": Entry("Joining again", "The stream broke off a moment ago. What was missed is read once it is back."),
    "lost": Entry("Lost", "There is no stream: the page is as old as the red mark says, whatever it looks like."),
    "paused": Entry("Paused", "You paused updates with p. Everything waits until you resume."),
    "held": Entry(
        "Updates held",
        "Something changed where you read, type or choose. It is shown when you are done, or at once if you press.",
    ),
}
