"""Why jobs wait and where a backlog is going, by the names of the causes and paces."""

from __future__ import annotations

from collections.abc import Mapping

from app.help.entries import Entry
from worker.queries.pages.loads import Pace
from worker.queries.pages.waits import Cause

CAUSES: Mapping[Cause, Entry] = {
    Cause.UNSERVED: Entry(
        "no live worker",
        "No live worker can run this job type. Start one that can; the page of workers says which last could.",
    ),
    Cause.ELSEWHERE: Entry(
        "where nobody looks",
        "Workers can run the type, but none looks into this queue. Reassign the jobs, or start one that does.",
    ),
    Cause.DRAINING: Entry("for a worker that stays", "Those that could take it are draining. Start another one."),
    Cause.PAUSED: Entry(
        "until the queue is resumed", "The queue is paused: its page says by whom, why, and until when."
    ),
    Cause.IDLE: Entry(
        "although slots are free",
        "Workers that could take it run nothing, and do not take it. Something is wrong: look at their logs.",
    ),
    Cause.BUSY: Entry(
        "for a free slot", "All slots of the workers that could take it are busy. More workers, or more slots, help."
    ),
    Cause.BEHIND: Entry("behind older ones", "It is in turn, behind jobs that have waited longer."),
    Cause.TURN: Entry("taken soon", "Slots are free and jobs are taken: it is a matter of seconds."),
    Cause.SCHEDULE: Entry("a later time", "It is not due yet: it was scheduled, or is tried again after a delay."),
}

PACES: Mapping[Pace, Entry] = {
    Pace.EMPTY: Entry("–", "Nothing waits."),
    Pace.PAUSED: Entry("paused", "Nothing is taken before somebody resumes the queue, or the pause ends."),
    Pace.UNSERVED: Entry("never", "Nobody live can run some of it."),
    Pace.STEADY: Entry("under 1 min", "Work waits, and none of it for long."),
    Pace.CLEARING: Entry("a time", "More goes than comes: the backlog is gone after that time at this rate."),
    Pace.GROWING: Entry("growing", "As much or more comes than goes."),
    Pace.STALLED: Entry("stands still", "Nothing came and nothing ended in five minutes, and work waits."),
}
