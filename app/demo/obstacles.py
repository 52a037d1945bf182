"""An object storage that is out of order for a while: a file lies where a tenant's folder of objects has to be."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from worker.settings import WorkerSettings
from worker.storage_places import Folder, place_of


@dataclass(frozen=True)
class Obstacles:
    """Files in the way, in a folder of this machine; there are none at an endpoint, which is not ours to disturb."""

    folder: Path | None

    def put(self, tenant_id: UUID) -> None:
        """Let the storage fail for a tenant that has no folder in it yet."""
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):
                self._place(tenant_id).touch(exist_ok=False)

    def clear(self, tenant_id: UUID) -> None:
        """Let it work again."""
        if self.folder and self._place(tenant_id).is_file():
            self._place(tenant_id).unlink()

    def _place(self, tenant_id: UUID) -> Path:
        assert self.folder
        return self.folder / str(tenant_id)


def obstacles_of(settings: WorkerSettings) -> Obstacles:
    """The obstacles that can be put where the settings keep objects."""
    place = place_of(settings.object_storage_uri) if settings.object_storage_uri else None
    return Obstacles(place.path / "tenants" if isinstance(place, Folder) else None)
