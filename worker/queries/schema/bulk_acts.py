"""Bulk acts: what an operator pressed, as a set of jobs with a life of its own, and what became of each of them."""

from __future__ import annotations

from sqlalchemy import Boolean, CheckConstraint, Column, ForeignKey, Index, Integer, Table, Text

from worker.database import BigId, Bytewise, Id, Json, Timestamp, bounded
from worker.queries.schema.base import limit, metadata

_COUNTS = ("missed", "chosen", "done", "asked", "skipped", "failed", "undone", "passed", "same_error", "new_error")

bulk_acts = Table(
    "bulk_acts",
    metadata,
    Column("id", Id, primary_key=True),
    Column("action", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("rate", Integer),
    Column("stop_after", Integer),
    Column("to_queue", Bytewise),
    Column("undo_seconds", Integer, nullable=False),
    # The fields of the list that the set was chosen from; NULL where jobs were ticked one by one
    Column("filters", Json),
    Column("chosen_at", Timestamp, nullable=False),
    Column("actor", Text, nullable=False),
    Column("address", Text),
    Column("request_id", Text),
    Column("reason", Text),
    # The rows of the audit trail that its jobs are told under
    Column("action_id", BigId),
    Column("undo_action_id", BigId),
    # `missed` are jobs that the form had spoken of and that were gone by then; `asked` are those among the done that
    # run on until they hear that they are to stop
    *(Column(name, Integer, nullable=False, server_default="0") for name in _COUNTS),
    # Why jobs were skipped, and how many for each
    Column("reasons", Json, nullable=False, server_default="{}"),
    # How far the set was moved, and how far its outcomes were looked at
    Column("moved_place", Integer, nullable=False, server_default="0"),
    Column("watched_place", Integer, nullable=False, server_default="0"),
    Column("moved_at", Timestamp),
    Column("ended_at", Timestamp),
    Column("ended_by", Text),
    Column("why", Text),
    # When somebody has to look at it again; NULL for never
    Column("next_at", Timestamp),
    # 20261130_c025: when the form was drawn that told of them, as what died again since is not the one that was meant;
    # and how many were cancelled or pruned before it was known what became of them
    Column("seen_at", Timestamp),
    *(Column(name, Integer, nullable=False, server_default="0") for name in ("cancelled", "gone")),
    CheckConstraint("action IN ('replay', 'cancel', 'run', 'reassign')", name="action"),
    CheckConstraint("state IN ('trial', 'moving', 'stopped', 'aborted', 'done', 'undoing', 'undone')", name="state"),
    CheckConstraint("mode IN ('all', 'one_first', 'rate')", name="mode"),
    CheckConstraint("(mode = 'rate') = (rate IS NOT NULL) AND rate BETWEEN 1 AND 500", name="rate"),
    CheckConstraint("stop_after BETWEEN 1 AND 1000", name="stop_after"),
    CheckConstraint("(action = 'reassign') = (to_queue IS NOT NULL)", name="to_queue"),
    CheckConstraint("done + skipped + failed + undone <= chosen", name="counts"),
    limit("actor", 100, 1),
    limit("reason", 500),
    limit("why", 300),
)
Index("ix_bulk_acts_page", bulk_acts.c.chosen_at.desc(), bulk_acts.c.id.desc())
Index("ix_bulk_acts_next", bulk_acts.c.next_at, **bounded("next_at IS NOT NULL"))
Index("ix_bulk_acts_action", bulk_acts.c.action_id)

bulk_act_jobs = Table(
    "bulk_act_jobs",
    metadata,
    Column("act_id", Id, ForeignKey(bulk_acts.c.id, ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("job_id", Id, nullable=False),  # no foreign key: a set may outlive its jobs
    Column("state", Text, nullable=False),
    # Why it was skipped or not undone, in a word, or what the database had against it
    Column("why", Text),
    Column("moved_at", Timestamp),
    # What became of it after a replay
    Column("outcome", Text),
    Column("fingerprint", Text),
    # What it was when it was chosen, as a job that somebody replayed since is not the one that was meant; and from then
    # on when it was moved, as one that was begun or replayed since is not put back
    Column("was_generation", Integer, nullable=False),
    Column("was_replays", Integer, nullable=False),
    # What it was when it was moved, which undo puts back
    Column("was_status", Text),
    Column("was_queue", Bytewise),
    Column("was_attempts", Integer),
    Column("was_available_at", Timestamp),
    Column("was_scheduled", Boolean),
    Column("was_cancel_requested_at", Timestamp),
    Column("was_finished_at", Timestamp),
    Column("was_error_type", Text),
    Column("was_error_summary", Text),
    Column("was_error_detail", Text),
    Column("was_error_fingerprint", Text),
    Column("was_error_alike", Text),
    Column("was_error_rule", Integer),
    CheckConstraint("state IN ('left', 'done', 'skipped', 'failed', 'undone')", name="state"),
    CheckConstraint("outcome IN ('passed', 'same_error', 'new_error', 'cancelled', 'gone')", name="outcome"),
    limit("why", 200),
)
# Both: a set that was chosen a moment ago has no statistics yet, and would be walked over for each thousand of it
Index("ix_bulk_act_jobs_job", bulk_act_jobs.c.job_id, bulk_act_jobs.c.act_id)
