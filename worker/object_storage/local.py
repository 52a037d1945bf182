"""Objects as files below one folder of this machine."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from worker.errors import ObjectMissing, StorageError
from worker.storage_places import require_key


class LocalStorage:
    """Survives `kill -9` and a power cut: an object is there whole, or as it was before."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, key: str, data: bytes) -> None:
        """Write it aside and move it into place."""
        path = self._path(key)
        aside = path.with_name(f".{secrets.token_hex(8)}.part")  # no key begins with a point
        with _problems_named():
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)  # which closes all within
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                _write(aside, data)
                aside.replace(path)
            except BaseException:
                aside.unlink(missing_ok=True)
                raise
            _settle(path.parent, self._folder.parent)

    def get(self, key: str) -> bytes:
        """Read it whole."""
        path = self._path(key)
        with _problems_named():
            try:
                return path.read_bytes()
            except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
                raise ObjectMissing from None

    def delete(self, key: str) -> None:
        """Unlink it; its folder stays, as somebody may be about to put something there."""
        path = self._path(key)
        with _problems_named():
            try:
                path.unlink()
            except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
                return
            _flush(path.parent)

    def _path(self, key: str) -> Path:
        return self._folder / require_key(key)


@contextmanager
def _problems_named() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"object storage: the folder cannot be used: {error.strerror}") from None


def _write(path: Path, data: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _settle(folder: Path, top: Path) -> None:
    """Make the new names durable: the object's own, and those of the folders that it was the first in."""
    for each in (folder, *folder.parents):
        _flush(each)
        if each == top:
            return


def _flush(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
