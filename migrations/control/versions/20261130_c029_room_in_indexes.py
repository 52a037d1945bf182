"""Room in the indexes of all jobs for the versions of a row: no claim splits a page."""

from alembic import op

from worker.database import schema_of

revision = "20261130_c029"
down_revision = "20261130_c028"
branch_labels = None
depends_on = None

# These three grow at their end and have an entry for each version of a row. A page that is packed full is split when
# its rows are claimed, after the server has looked in vain for entries to drop; with room for the second version it is
# not, and the index ends a quarter smaller. It holds for the pages that are written from now on.
LEAVE = """
ALTER INDEX control.pk_platform_jobs SET (fillfactor = 60);
ALTER INDEX control.ix_platform_jobs_recent SET (fillfactor = 60);
ALTER INDEX control.uq_platform_jobs_event_subscriber SET (fillfactor = 60)
"""
PACK = """
ALTER INDEX control.pk_platform_jobs RESET (fillfactor);
ALTER INDEX control.ix_platform_jobs_recent RESET (fillfactor);
ALTER INDEX control.uq_platform_jobs_event_subscriber RESET (fillfactor)
"""


def upgrade() -> None:
    """Leave room; a file has no such thing."""
    _run(LEAVE)


def downgrade() -> None:
    """Pack them full again."""
    _run(PACK)


def _run(statements: str) -> None:
    if schema_of(op.get_bind()) is not None:
        for statement in statements.split(";\n"):
            op.execute(statement)
