"""What each role may do with each table: the whole of it, granted anew by every `watchfloor migrate`.

`app_rw` does the queue's work and the product's; the people of the console are none of its business. `console_rw` reads
everything, and writes what its buttons do.
"""

from __future__ import annotations

from worker.database import APP_RW, CONSOLE_RW, Privileges

_READ = "SELECT"
_ADD = "SELECT, INSERT"
_WORK = "SELECT, INSERT, UPDATE, DELETE"

# A new job, which is queued: what it is by default, nobody says
_NEW_JOB = (
    "id, tenant_id, job_type, queue, payload, metadata, idempotency_key, idempotency_fingerprint, max_attempts,"
    " available_at, scheduled, source, created_at, updated_at, traceparent"
)
# The relay makes such jobs, and so does whoever runs an edited copy of one: a guard holds the console to copies
_OF_EVENT = "event_id, event_type, subscriber_id, schema_version"
# A job that is to run again, sooner, elsewhere or not at all
_OLD_JOB = (
    "status, queue, attempts, replays, available_at, scheduled, cancel_requested_at, finished_at, error_detail,"
    " error_type, error_summary, error_fingerprint, error_alike, error_rule, updated_at"
)

PRIVILEGES: Privileges = {
    "alembic_version": {APP_RW: _READ, CONSOLE_RW: _READ},
    # the queue
    "platform_jobs": {
        APP_RW: f"SELECT, INSERT ({_NEW_JOB}, {_OF_EVENT}), UPDATE, DELETE",
        CONSOLE_RW: f"SELECT, INSERT ({_NEW_JOB}, {_OF_EVENT}), UPDATE ({_OLD_JOB})",
    },
    "processing_jobs": {APP_RW: "SELECT, UPDATE", CONSOLE_RW: _READ},
    "job_attempts": {APP_RW: _WORK, CONSOLE_RW: _READ},
    "job_steps": {APP_RW: _WORK, CONSOLE_RW: _READ},
    "event_outbox": {APP_RW: _WORK, CONSOLE_RW: _READ},
    "subscriptions": {APP_RW: _WORK, CONSOLE_RW: _READ},
    "net_runs": {APP_RW: _WORK, CONSOLE_RW: _READ},
    "statistics_minutes": {APP_RW: _WORK, CONSOLE_RW: _READ},
    "tenant_statistics_minutes": {APP_RW: _WORK, CONSOLE_RW: _READ},
    "statistics_totals": {APP_RW: _WORK, CONSOLE_RW: _READ},
    "statistics_marks": {APP_RW: "SELECT, INSERT, UPDATE", CONSOLE_RW: _READ},
    "sample_minutes": {APP_RW: "SELECT, INSERT, DELETE", CONSOLE_RW: _READ},
    "backlog_minutes": {APP_RW: "SELECT, INSERT, DELETE", CONSOLE_RW: _READ},
    "tenant_backlog_minutes": {APP_RW: "SELECT, INSERT, DELETE", CONSOLE_RW: _READ},
    "finding_minutes": {APP_RW: "SELECT, INSERT, DELETE", CONSOLE_RW: _READ},
    "duty_runs": {APP_RW: "SELECT, INSERT, UPDATE", CONSOLE_RW: _READ},
    "releases": {APP_RW: _ADD, CONSOLE_RW: _READ},
    "worker_instances": {APP_RW: _WORK, CONSOLE_RW: "SELECT, UPDATE (drain_requested_at)"},
    "runtime_heartbeats": {APP_RW: _WORK, CONSOLE_RW: _READ},
    "sleepers": {APP_RW: _WORK, CONSOLE_RW: _READ},
    "queue_controls": {APP_RW: _WORK, CONSOLE_RW: _WORK},
    # tenants: no role but the owner ever gives one another schema
    "tenants": {
        APP_RW: "SELECT, INSERT, UPDATE (onboarding_status, activated_at)",
        CONSOLE_RW: "SELECT, UPDATE (onboarding_status)",
    },
    # the people of the console, the programs of the API, and what both did, which nobody takes back
    "operators": {
        CONSOLE_RW: "SELECT, INSERT (id, name, role, email, created_at, invited_at),"
        " UPDATE (role, email, password, invited_at, disabled_at, last_seen_at)"
    },
    "operator_sessions": {CONSOLE_RW: _WORK},
    "sign_in_links": {
        CONSOLE_RW: "SELECT, INSERT (token_hash, operator_id, purpose, created_at, expires_at), UPDATE (used_at),"
        " DELETE"
    },
    "second_factors": {CONSOLE_RW: "SELECT, INSERT, UPDATE (last_step), DELETE"},
    "recovery_codes": {CONSOLE_RW: "SELECT, INSERT, UPDATE (used_at), DELETE"},
    "sign_in_challenges": {CONSOLE_RW: "SELECT, INSERT, UPDATE (tries), DELETE"},
    "operator_identities": {CONSOLE_RW: _ADD},
    "api_tokens": {CONSOLE_RW: "SELECT, UPDATE (last_used_at)"},
    "rate_counters": {CONSOLE_RW: _WORK},
    "operator_actions": {APP_RW: _ADD, CONSOLE_RW: _ADD},
    "job_copies": {CONSOLE_RW: _ADD},
    "saved_views": {CONSOLE_RW: "SELECT, INSERT, UPDATE (name, shared), DELETE"},
    "operator_action_jobs": {APP_RW: _ADD, CONSOLE_RW: _ADD},
    # what was pressed, moved by the console where it is little and by the maintenance where it is much
    "bulk_acts": {APP_RW: _WORK, CONSOLE_RW: "SELECT, INSERT, UPDATE"},
    "bulk_act_jobs": {APP_RW: _WORK, CONSOLE_RW: "SELECT, INSERT, UPDATE"},
    "dead_letter_groups": {
        APP_RW: "SELECT, INSERT, UPDATE (state, state_at, state_by, split_from, updated_at, updated_by)",
        CONSOLE_RW: "SELECT, INSERT, UPDATE",
    },
}
