"""Operators, their sessions and what they did: the console's own tables."""

from alembic import op

revision = "20261129_c005"
down_revision = "20261129_c004"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE control.dead_letter_groups (
    fingerprint TEXT NOT NULL,
    assignee TEXT,
    note TEXT,
    snoozed_until timestamptz,
    updated_at timestamptz NOT NULL,
    updated_by TEXT NOT NULL,
    CONSTRAINT pk_dead_letter_groups PRIMARY KEY (fingerprint),
    CONSTRAINT ck_dead_letter_groups_note CHECK (length(note) BETWEEN 0 AND 2000)
);
CREATE TABLE control.operators (
    id UUID NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    password TEXT,
    created_at timestamptz DEFAULT now() NOT NULL,
    disabled_at timestamptz,
    last_seen_at timestamptz,
    CONSTRAINT pk_operators PRIMARY KEY (id),
    CONSTRAINT ck_operators_name CHECK (length(name) BETWEEN 1 AND 100),
    CONSTRAINT ck_operators_role CHECK (role IN ('viewer', 'operator', 'admin'))
);
CREATE UNIQUE INDEX uq_operators_name ON control.operators (lower(name));
CREATE TABLE control.operator_sessions (
    token_hash TEXT NOT NULL,
    operator_id UUID NOT NULL,
    created_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    address TEXT,
    user_agent TEXT,
    CONSTRAINT pk_operator_sessions PRIMARY KEY (token_hash),
    CONSTRAINT fk_operator_sessions_operator_id
        FOREIGN KEY(operator_id) REFERENCES control.operators (id) ON DELETE CASCADE
);
CREATE INDEX ix_operator_sessions_operator_id ON control.operator_sessions (operator_id);
CREATE TABLE control.sign_in_links (
    token_hash TEXT NOT NULL,
    operator_id UUID NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    CONSTRAINT pk_sign_in_links PRIMARY KEY (token_hash),
    CONSTRAINT fk_sign_in_links_operator_id FOREIGN KEY(operator_id) REFERENCES control.operators (id) ON DELETE CASCADE
);
CREATE INDEX ix_sign_in_links_operator_id ON control.sign_in_links (operator_id);
CREATE TABLE control.rate_counters (
    key TEXT NOT NULL,
    minute timestamptz NOT NULL,
    uses INTEGER NOT NULL,
    CONSTRAINT pk_rate_counters PRIMARY KEY (key, minute)
);
CREATE TABLE control.operator_actions (
    id BIGINT GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    outcome TEXT NOT NULL,
    target TEXT,
    tenant_id UUID,
    jobs INTEGER DEFAULT '0' NOT NULL,
    reason TEXT,
    detail JSONB DEFAULT '{}' NOT NULL,
    address TEXT,
    request_id TEXT,
    previous_hash TEXT NOT NULL,
    hash TEXT NOT NULL,
    CONSTRAINT pk_operator_actions PRIMARY KEY (id),
    CONSTRAINT ck_operator_actions_outcome CHECK (outcome IN ('done', 'refused')),
    CONSTRAINT ck_operator_actions_actor CHECK (length(actor) BETWEEN 1 AND 100),
    CONSTRAINT ck_operator_actions_action CHECK (length(action) BETWEEN 1 AND 50),
    CONSTRAINT ck_operator_actions_target CHECK (length(target) BETWEEN 0 AND 300),
    CONSTRAINT ck_operator_actions_reason CHECK (length(reason) BETWEEN 0 AND 500),
    CONSTRAINT uq_operator_actions_hash UNIQUE (hash)
);
CREATE TABLE control.operator_action_jobs (
    action_id BIGINT NOT NULL,
    job_id UUID NOT NULL,
    CONSTRAINT pk_operator_action_jobs PRIMARY KEY (action_id, job_id),
    CONSTRAINT fk_operator_action_jobs_action_id FOREIGN KEY(action_id) REFERENCES control.operator_actions (id)
);
CREATE INDEX ix_operator_action_jobs_job ON control.operator_action_jobs (job_id, action_id DESC)
"""


def upgrade() -> None:
    """Create them."""
    for statement in TABLES.split(";\n"):
        op.execute(statement)


def downgrade() -> None:
    """Undo it, with the data in it."""
    op.execute(
        "DROP TABLE control.operator_action_jobs, control.operator_actions, control.rate_counters,"
        " control.sign_in_links, control.operator_sessions, control.operators, control.dead_letter_groups"
    )
