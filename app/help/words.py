"""The words of the console, one for each idea."""

from __future__ import annotations

from collections.abc import Mapping

from app.help.entries import Entry

WORDS: Mapping[str, Entry] = {
    "event": Entry(
        "event, outbox",
        "A fact that a producer publishes in its own transaction. It lies in the outbox until it has become jobs.",
    ),
    "relay": Entry("relay", "Turns each event into one job for each of its subscribers."),
    "subscriber": Entry(
        "subscriber, job type, handler",
        "Who an event is for; what a worker must be able to run; the function that runs it.",
    ),
    "job": Entry("job", "One unit of work. It runs at least once, so handlers are written to bear a second time."),
    "key": Entry(
        "idempotency key",
        "Given by a producer: the same key a second time returns the first job instead of making another.",
    ),
    "queue": Entry("queue", "Where a job waits. Workers look into some queues or all; a queue can be paused."),
    "worker": Entry(
        "worker, component, instance", "A process that runs jobs; the name that it was given; that one run of it."
    ),
    "claim": Entry("claim, lease", "A worker takes due jobs for a while. Its heartbeat renews the lease."),
    "reaper": Entry("reaper", "Gives jobs back to their queues whose lease ended."),
    "attempt": Entry("attempt", "One try of a job. A replay begins a new budget of attempts."),
    "generation": Entry(
        "generation", "Counts the claims of a job. What a worker writes counts only if the job is still at its own."
    ),
    "dead-letter": Entry(
        "dead letter, group",
        "A job that failed for good. Those of the same error, told by handler, type and message, are one group.",
    ),
    "lens": Entry(
        "lens",
        "The console of one tenant, below an address of its own. What is there once for all tenants says that it is.",
    ),
    "act": Entry(
        "act",
        "One press of Replay, Cancel, Run now or Reassign: a set of jobs fixed at the press, with a page of its own.",
    ),
    "ready": Entry("ready, oldest", "How many jobs are due, and for how long the first of them has been."),
    "release": Entry(
        "release", "A version that was rolled out, marked on charts and held against errors that began after it."
    ),
    "tenant": Entry("tenant", "A customer whose jobs and data are kept apart."),
    "p95": Entry("p50, p95", "Half of the runs, and nineteen in twenty, took no longer."),
    "step": Entry("step", "A part of a long job whose end is kept. A new try goes on behind it."),
}
