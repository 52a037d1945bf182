"""The control schema, with tenants and a plain record of each job (S1-07)."""

from alembic import op

revision = "20260722_c001"
down_revision = None
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE control.platform_jobs (
    id UUID NOT NULL,
    tenant_id UUID,
    job_type TEXT NOT NULL,
    status TEXT DEFAULT 'queued' NOT NULL,
    progress NUMERIC(5, 2) DEFAULT '0' NOT NULL,
    steps_completed JSONB DEFAULT '[]' NOT NULL,
    error_detail TEXT,
    created_at timestamptz DEFAULT now() NOT NULL,
    updated_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT pk_platform_jobs PRIMARY KEY (id),
    CONSTRAINT ck_platform_jobs_status CHECK (
        status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
    CONSTRAINT ck_platform_jobs_progress CHECK (progress BETWEEN 0 AND 100),
    CONSTRAINT ck_platform_jobs_steps_completed CHECK (jsonb_typeof(steps_completed) = 'array')
);
CREATE TABLE control.tenants (
    id UUID NOT NULL,
    slug TEXT NOT NULL,
    display_name TEXT NOT NULL,
    schema_name TEXT NOT NULL,
    onboarding_status TEXT DEFAULT 'created' NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    activated_at timestamptz,
    CONSTRAINT pk_tenants PRIMARY KEY (id),
    CONSTRAINT ck_tenants_slug CHECK (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    CONSTRAINT ck_tenants_display_name CHECK (length(display_name) BETWEEN 1 AND 200),
    CONSTRAINT ck_tenants_schema_name CHECK (schema_name ~ '^tenant_[a-z0-9_]{1,56}$'),
    CONSTRAINT ck_tenants_onboarding_status CHECK (
        onboarding_status IN ('created', 'provisioning', 'active', 'suspended')),
    CONSTRAINT uq_tenants_slug UNIQUE (slug),
    CONSTRAINT uq_tenants_schema_name UNIQUE (schema_name)
)
"""


def upgrade() -> None:
    """Create both tables; the schema itself is made before Alembic's own version table."""
    for statement in TABLES.split(";\n"):
        op.execute(statement)


def downgrade() -> None:
    """Undo it, with the data in it."""
    op.execute("DROP TABLE control.platform_jobs, control.tenants")
