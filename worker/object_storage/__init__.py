"""Bytes under a key, beside the database: where they lie is a setting, and nobody else's business."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol

from worker.errors import ConfigurationError
from worker.object_storage.local import LocalStorage
from worker.settings import WorkerSettings
from worker.storage_places import Bucket, Folder, place_of

__all__ = ["ObjectStorage", "open_storage"]


class ObjectStorage(Protocol):
    """Each call is done when it returns, within a deadline; StorageError says why not, InvalidInput which key."""

    def put(self, key: str, data: bytes) -> None:
        """Keep the object whole, in the place of one that has the key."""

    def get(self, key: str) -> bytes:
        """The object; ObjectMissing when there is none."""

    def delete(self, key: str) -> None:
        """Have no object of that key; there need not have been one."""


def open_storage(settings: WorkerSettings) -> ObjectStorage:
    """The storage that the settings name, untouched as yet; ConfigurationError when there can be none."""
    if settings.object_storage_uri is None:
        raise ConfigurationError("WATCHFLOOR_OBJECT_STORAGE_URI is not set")
    match place_of(settings.object_storage_uri):
        case Folder(path):
            return LocalStorage(path)
        case Bucket() as bucket:
            return _at_endpoint(bucket, settings.object_storage_deadline_seconds)


def _at_endpoint(bucket: Bucket, deadline_seconds: float) -> ObjectStorage:
    if find_spec("boto3") is None:
        raise ConfigurationError("WATCHFLOOR_OBJECT_STORAGE_URI: s3:// needs the extra: pip install 'watchfloor[aws]'")
    # Loaded only where it is used: the SDK takes a second
    storage: Callable[..., ObjectStorage] = import_module("worker.object_storage.s3").S3Storage
    return storage(bucket, deadline_seconds=deadline_seconds)
