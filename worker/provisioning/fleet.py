"""The tables of tenants that were provisioned by an older release."""

from __future__ import annotations

import structlog

from worker.database import Engine, autocommit, is_file
from worker.failures import describe
from worker.provisioning import postgres, sqlite
from worker.queries import tenancy

log = structlog.get_logger()


def upgrade(owner: Engine) -> list[str]:
    """Bring the tables of each tenant that has some to the newest revision; the slugs of those that stayed behind.

    One that cannot be is logged, and holds up nobody else.
    """
    migrate = sqlite.migrate if is_file(str(owner.url)) else postgres.migrate
    with autocommit(owner).connect() as conn:
        places = tenancy.places(conn)
    behind = []
    for tenant in places:
        try:
            migrate(owner, tenant.schema_name)
        except Exception as error:  # noqa: BLE001 - whatever it is, the others are still to be migrated
            behind.append(tenant.slug)
            log.error("tenant.not_migrated", tenant=tenant.slug, error=describe(error, handler_key="migrate").summary)
    return behind
