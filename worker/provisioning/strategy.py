"""What is done for a tenant, whatever the database: each step may be repeated, and leaves things as once would."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from worker.database import Engine
from worker.errors import StorageError
from worker.model import new_id
from worker.object_storage import ObjectStorage
from worker.queries import tenancy
from worker.queries.tenant import role_profiles
from worker.tenancy import tenant_uow


@dataclass(frozen=True)
class Strategy(ABC):
    """The steps for one tenant; `engine` is the role that works in the database, `owner` the one that makes it."""

    tenant_id: UUID
    schema_name: str
    engine: Engine
    owner: Engine
    storage: Callable[[], ObjectStorage]

    def steps(self) -> dict[str, Callable[[], None]]:
        """What each step does, by its name."""
        does = (
            self.create_schema,
            self.run_tenant_migrations,
            self.grant_app_rw,
            self.seed_role_profiles,
            self.verify_object_storage,
            self.activate_onboarding,
        )
        return {each.__name__: each for each in does}

    @abstractmethod
    def create_schema(self) -> None:
        """Make the place for the tenant's tables."""

    @abstractmethod
    def run_tenant_migrations(self) -> None:
        """Bring its tables to the newest revision."""

    @abstractmethod
    def grant_app_rw(self) -> None:
        """Let the role that works in the database in, to these tables and to those that later revisions make."""

    def seed_role_profiles(self) -> None:
        """Give the tenant the roles that every team begins with."""
        with tenant_uow(self.engine, tenant_id=self.tenant_id) as conn:
            role_profiles.seed(conn, tenant_id=self.tenant_id)

    def verify_object_storage(self) -> None:
        """Write one object of the tenant's, read it back and delete it; StorageError says what does not work.

        Always the same one, so that a run that was killed leaves nothing that the next one does not take away.
        """
        storage, key, written = self.storage(), f"tenants/{self.tenant_id}/verification", new_id().bytes
        storage.put(key, written)
        try:
            read = storage.get(key)
        finally:
            storage.delete(key)
        if read != written:
            raise StorageError("object storage: what was read is not what had been written")

    def activate_onboarding(self) -> None:
        """Open the tenant for work."""
        with self.owner.begin() as conn:
            tenancy.activate(conn, tenant_id=self.tenant_id)
