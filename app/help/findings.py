"""What each kind of trouble on the Overview means, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping

from app.help.entries import Entry
from worker.queries.pages.attention import KINDS

MEANINGS: Mapping[str, str] = {
    "unserved": "Due jobs of a type that no live worker can run, or only from other queues. They wait for ever. "
    "Start a worker that can.",
    "returned": "A group of dead letters that somebody put aside grows again. The mend did not hold, or the "
    "snooze is over.",
    "dead": "Jobs became dead letters, told group by group and against the last release. Review the group, "
    "mend the cause, then replay.",
    "hung": "A handler runs for longer than a job may and keeps its slot. Only a restart of its worker frees it.",
    "unreaped": "Leases ended and nobody gave the jobs back. The reaper of a console or worker does that every "
    "minute: none seems to run.",
    "idle_duty": "The relay or the reaper has not run for a while. Start a console; a worker reaps, too.",
    "unrelayed": "Published events have not become jobs. The relay takes seconds: none seems to run.",
    "relay_failing": "The database refuses to turn some events into jobs. The error is in the sentence; each is tried "
    "again at longer intervals.",
    "unsubscribed": "Events came that nobody subscribes to. They are kept and become jobs once a process with their "
    "subscriber runs.",
    "provisioning": "A tenant's provisioning failed, was cancelled or is tried again. Its timeline says at which step "
    "and with what error.",
    "stuck": "A provisioning runs, and none of its steps has ended for a while. The timeline compares it with "
    "the others.",
    "still": "Work waits, nothing comes and nothing ends. Its page says what the jobs wait for.",
    "behind": "The oldest job has waited for too long. The sentence says whether it catches up, and when.",
    "silent": "A worker stopped beating. Its jobs go to others when the leases end; restart it, or see what "
    "became of its host.",
    "transaction": "A transaction stays open in the database. Until it ends, rows cannot be cleaned up and claims "
    "slow down.",
    "clock": "The clock of a worker's host is off. Times here are the database's, but what its handlers write "
    "is off by as much.",
    "late": "Handlers succeed, but often only on the third attempt or later. A little worse, and these are "
    "dead letters.",
    "slower": "One run in twenty takes much longer than the day before. Look for a slower provider, or a larger "
    "payload.",
    "paused": "A queue is paused while work waits, without an end. Resume it, or give the pause an end.",
}

FINDINGS: Mapping[str, Entry] = {
    kind.name: Entry(kind.title, MEANINGS[kind.name], setting=kind.setting) for kind in KINDS if kind.name in MEANINGS
}
