"""The control schema: every table, constraint and index, as `migrations/control` builds it."""

from __future__ import annotations

from sqlalchemy import event

from worker.queries.schema.base import metadata
from worker.queries.schema.bulk_acts import bulk_act_jobs, bulk_acts
from worker.queries.schema.events import event_outbox, net_runs, subscriptions
from worker.queries.schema.groups import dead_letter_groups
from worker.queries.schema.guards import GUARDS
from worker.queries.schema.history import job_attempts, job_steps
from worker.queries.schema.job_copies import job_copies
from worker.queries.schema.jobs import has_status, platform_jobs
from worker.queries.schema.operators import (
    operator_action_jobs,
    operator_actions,
    operator_sessions,
    operators,
    rate_counters,
    sign_in_links,
)
from worker.queries.schema.releases import releases
from worker.queries.schema.samples import (
    backlog_minutes,
    finding_minutes,
    sample_minutes,
    tenant_backlog_minutes,
)
from worker.queries.schema.saved_views import saved_views
from worker.queries.schema.sealed_mail import SEALED
from worker.queries.schema.second_factors import (
    operator_identities,
    recovery_codes,
    second_factors,
    sign_in_challenges,
)
from worker.queries.schema.statistics import (
    BUCKETS_MS,
    RUN_BUCKETS,
    TOTALLED,
    WAIT_BUCKETS,
    statistics_marks,
    statistics_minutes,
    statistics_totals,
    tenant_statistics_minutes,
)
from worker.queries.schema.tenants import tenants
from worker.queries.schema.tokens import api_tokens
from worker.queries.schema.views import PROCESSING_JOBS
from worker.queries.schema.workers import duty_runs, queue_controls, runtime_heartbeats, sleepers, worker_instances

__all__ = (
    "BUCKETS_MS",
    "RUN_BUCKETS",
    "TOTALLED",
    "WAIT_BUCKETS",
    "api_tokens",
    "backlog_minutes",
    "bulk_act_jobs",
    "bulk_acts",
    "dead_letter_groups",
    "duty_runs",
    "event_outbox",
    "finding_minutes",
    "has_status",
    "job_attempts",
    "job_copies",
    "job_steps",
    "metadata",
    "net_runs",
    "operator_action_jobs",
    "operator_actions",
    "operator_identities",
    "operator_sessions",
    "operators",
    "platform_jobs",
    "queue_controls",
    "rate_counters",
    "recovery_codes",
    "releases",
    "runtime_heartbeats",
    "sample_minutes",
    "saved_views",
    "second_factors",
    "sign_in_challenges",
    "sign_in_links",
    "sleepers",
    "statistics_marks",
    "statistics_minutes",
    "statistics_totals",
    "subscriptions",
    "tenant_backlog_minutes",
    "tenant_statistics_minutes",
    "tenants",
    "worker_instances",
)

for _statement in (*PROCESSING_JOBS, *GUARDS, *SEALED):
    event.listen(metadata, "after_create", _statement)
