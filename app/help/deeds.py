"""What each act does, who may do it, and whether it can be taken back, by its name in the audit trail."""

from __future__ import annotations

from collections.abc import Mapping

from app.help.entries import Entry

JOBS: Mapping[str, Entry] = {
    "replay": Entry(
        "Replay",
        "Gives dead letters a new budget of attempts and puts them back into their queues, due now; their "
        "story stays. "
        "All now, one first, or so many a second until some fail alike. Undo is offered for some seconds.",
        may="operator",
        presses=("/dead-letters/{job}/replays", "/replays"),
        keys=("r",),
    ),
    "cancel": Entry(
        "Cancel",
        "What waits or is dead is put aside at once; what runs is asked to stop, and asked, heard and "
        "ended are told apart. "
        "Undo is offered for some seconds.",
        may="operator",
        presses=("/jobs/{job}/cancellations", "/cancellations", "/tenants/{tenant}/cancellations"),
        keys=("c",),
    ),
    "run": Entry(
        "Run now",
        "Makes scheduled and retrying jobs due at once. Nothing else of them changes.",
        may="operator",
        presses=("/jobs/{job}/runs", "/runs"),
        keys=("n",),
    ),
    "reassign": Entry(
        "Reassign",
        "Moves waiting jobs to another queue, where other workers look.",
        may="operator",
        presses=("/reassignments",),
    ),
    "undo": Entry(
        "Undo",
        "Puts the jobs of an act back as they were, but for those that a worker has begun meanwhile.",
        may="operator",
        presses=("/acts/{act}/undos",),
    ),
    "abort": Entry(
        "Abort",
        "Ends an act that is under way; what is left stays as it is.",
        may="operator",
        presses=("/acts/{act}/aborts",),
    ),
    "go-on": Entry(
        "Go on",
        "Lets an act that stopped by itself move what is left.",
        may="operator",
        presses=("/acts/{act}/continuations",),
    ),
    "copy": Entry(
        "Edit and run a copy",
        "Makes a new job with another payload. The original keeps its payload and its story; each names the other.",
        may="operator",
        presses=("/jobs/{job}/copies",),
    ),
    "reveal": Entry(
        "Reveal",
        "Shows the values of a payload that are closed to the eye. Who looked, and why, stays in the trail.",
        may="operator",
        presses=("/jobs/{job}/reveals",),
    ),
    "enqueue": Entry("Enqueue", "Puts a job in from a shell: watchfloor enqueue."),
    "publish": Entry(
        "Publish", "Publishes an event from a shell: watchfloor publish. Each subscriber gets a job of it."
    ),
}

GROUPS: Mapping[str, Entry] = {
    "take": Entry(
        "Take", "Says that you look at the group.", may="operator", presses=("/dead-letters/owners",), keys=("t",)
    ),
    "give-back": Entry(
        "Give back",
        "Says that you no longer do.",
        may="operator",
        presses=("/dead-letters/owners/removals",),
        keys=("t",),
    ),
    "snooze": Entry(
        "Snooze",
        "Leaves the group out of what asks for a person: for a time, until the next, or until more than "
        "so many an hour.",
        may="operator",
        presses=("/dead-letters/snoozes",),
        keys=("s",),
    ),
    "resolve": Entry(
        "Resolve",
        "Calls the error mended, now or in a release. It comes back by itself if it is not. What has died stays.",
        may="operator",
        presses=("/dead-letters/resolutions",),
        keys=("e",),
    ),
    "reopen": Entry(
        "Wake, Reopen",
        "Takes a snooze or a resolution back.",
        may="operator",
        presses=("/dead-letters/reopenings",),
        keys=("s", "e"),
    ),
    "note": Entry(
        "Note",
        "Keeps what the next person should know beside the group.",
        may="operator",
        presses=("/dead-letters/notes",),
        keys=("n",),
    ),
    "merge": Entry(
        "Put together",
        "Shows the group as part of another one of the same cause.",
        may="operator",
        presses=("/dead-letters/merges",),
        keys=("m",),
    ),
    "part": Entry(
        "Take out",
        "Shows a group that was put together with another by itself again.",
        may="operator",
        presses=("/dead-letters/merges/removals",),
    ),
    "split": Entry(
        "Split by message",
        "Groups what dies from now on by its whole message, where two causes look alike.",
        may="operator",
        presses=("/dead-letters/splits",),
    ),
    "rejoin": Entry("No longer split", "Takes that back.", may="operator", presses=("/dead-letters/splits/removals",)),
    "return": Entry(
        "Come back", "The console’s own: a snoozed or resolved group was brought back by a new dead letter."
    ),
}

PLACES: Mapping[str, Entry] = {
    "pause": Entry(
        "Pause",
        "Workers take nothing more from the queue, until it is resumed or the pause ends by itself. What runs goes on.",
        may="operator",
        presses=("/queues/{queue}/pause",),
    ),
    "pause-end": Entry(
        "Change the end",
        "Lets a pause that is in force end sooner, later, or only when somebody resumes. Who paused the queue stays.",
        may="operator",
        presses=("/queues/{queue}/pause/end",),
    ),
    "resume": Entry(
        "Resume", "Lets workers take from the queue again.", may="operator", presses=("/queues/{queue}/resume",)
    ),
    "drain": Entry(
        "Drain",
        "Asks a worker to end what it runs, take nothing more, and stop. It cannot be told to go on: start a new one.",
        may="operator",
        presses=("/workers/{instance}/drain",),
    ),
    "provision": Entry(
        "Provision, Start",
        "Sets a tenant up, step by step. After a failure it goes on at the step that failed.",
        may="operator",
        presses=("/tenants/{tenant}/provisionings",),
    ),
    "try-now": Entry(
        "Try now",
        "Does not wait for the next try of a provisioning.",
        may="operator",
        presses=("/tenants/{tenant}/tries",),
    ),
    "tenant-add": Entry("Add a tenant", "By the API or a shell: watchfloor tenants add."),
    "dataset-add": Entry("Add data", "By the API: a table of a tenant, of which insights are made."),
    "model-train": Entry("Train", "By the API: a model of a tenant’s dataset."),
}

ACCOUNTS: Mapping[str, Entry] = {
    "operator-add": Entry(
        "Add an operator",
        "From a shell, or on the page of operators where no mail leaves: with a link that lets them in once.",
        may="admin",
        presses=("/operators",),
    ),
    "operator-invite": Entry(
        "Invite",
        "Mails a link with which they choose a password.",
        may="admin",
        presses=("/operators/{operator}/invitations",),
    ),
    "operator-role": Entry(
        "Set the role",
        "Viewers look; operators act on jobs, queues, workers and tenants, too; admins also see to operators.",
        may="admin",
        presses=("/operators/{operator}/role",),
    ),
    "operator-address": Entry(
        "Set the address", "Where their mail goes.", may="admin", presses=("/operators/{operator}/address",)
    ),
    "operator-disable": Entry(
        "Disable",
        "Ends their sessions and lets them in no more. The last admin stays.",
        may="admin",
        presses=("/operators/{operator}/disable",),
    ),
    "operator-enable": Entry("Enable", "Lets them in again.", may="admin", presses=("/operators/{operator}/enable",)),
    "operator-identity": Entry(
        "Link an identity", "The console’s own: somebody came by the provider for the first time."
    ),
    "invitation-accept": Entry("Accept an invitation", "Somebody chose a password by the link that they were mailed."),
    "password": Entry(
        "Set a password", "Your own, on the page of your account.", may="viewer", presses=("/account/password",)
    ),
    "password-reset": Entry(
        "Reset a password",
        "Mails a link with which they choose a new one.",
        may="admin",
        presses=("/operators/{operator}/password-resets",),
    ),
    "second-factor": Entry(
        "Set up a second factor",
        "With a code of an authenticator at each sign-in, and recovery codes for when it is lost.",
        may="viewer",
        presses=("/account/second-factor", "/account/second-factor/recovery-codes"),
    ),
    "second-factor-off": Entry(
        "Remove the second factor", "Your own.", may="viewer", presses=("/account/second-factor/removals",)
    ),
    "second-factor-reset": Entry(
        "Reset a second factor",
        "For somebody who lost theirs.",
        may="admin",
        presses=("/operators/{operator}/second-factor-resets",),
    ),
    "token-add": Entry("Make a token", "For a program, with the scopes it needs: watchfloor tokens add."),
    "token-revoke": Entry("Revoke a token", "From a shell: watchfloor tokens revoke."),
}

OWN: Mapping[str, Entry] = {
    "sign-out": Entry(
        "Sign out, Sign out everywhere",
        "Ends this browser’s session, or all of yours; admins end those of others.",
        may="viewer",
        presses=("/account/sign-out", "/account/sessions/{session}/sign-out"),
    ),
    "operator-sign-out": Entry(
        "Sign somebody out",
        "Ends all sessions of an operator.",
        may="admin",
        presses=("/operators/{operator}/sign-out",),
    ),
    "save-view": Entry(
        "Save, rename, share or delete a view",
        "Keeps a search of jobs under a name, for yourself or for everybody; whoever made it may change it.",
        may="viewer",
        presses=("/jobs/views", "/jobs/views/{view}/changes", "/jobs/views/{view}/deletions"),
    ),
}
