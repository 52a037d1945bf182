"""The tenant's tables: those of the revisions are those of the metadata, and each has its walls (A-30)."""

from __future__ import annotations

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, text

from tests.provisioned import provisioned
from tests.worker.provisioning.rig import SCHEMA, place
from worker.provisioning import migrations
from worker.queries.schema import metadata as control
from worker.queries.tenant.schema import metadata

WALLS = """
    SELECT relname, relrowsecurity AND relforcerowsecurity, array_agg(pg_get_expr(polqual, polrelid))
    FROM pg_class LEFT JOIN pg_policy ON polrelid = pg_class.oid
    WHERE relnamespace = to_regnamespace('tenant_acme') AND relkind IN ('r', 'p') GROUP BY 1, 2
"""
OWN_ROWS = (
    "((tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)"
    " AND (tenant_id = '{}'::uuid))"
)


def test_the_revisions_make_what_the_metadata_says(engine: Engine) -> None:
    provisioned(engine)
    with place(engine, SCHEMA) as conn:
        context = MigrationContext.configure(conn, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
        assert migrations.current(conn) == migrations.head()


def test_every_table_says_whose_its_rows_are_and_has_a_name_that_the_control_schema_has_not() -> None:
    assert all("tenant_id" in table.c for table in metadata.tables.values())
    assert {table.name for table in control.tables.values()}.isdisjoint(metadata.tables)


@pytest.mark.postgresql
def test_a_30_every_table_of_a_tenant_is_walled_even_against_its_owner(engine: Engine) -> None:
    tenant_id = provisioned(engine)
    with engine.connect() as conn:
        found = {row[0]: tuple(row[1:]) for row in conn.execute(text(WALLS))}
    assert found.pop("alembic_version") == (False, [None])
    assert found == dict.fromkeys(metadata.tables, (True, [OWN_ROWS.format(tenant_id)]))
