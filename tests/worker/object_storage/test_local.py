"""Objects in a folder: whole or not at all, under keys that cannot leave it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from worker.errors import ConfigurationError, InvalidInput, ObjectMissing, StorageError
from worker.object_storage import ObjectStorage, open_storage
from worker.settings import WorkerSettings

ROOT = Path(__file__).resolve().parents[3]
REPLACED_FOR_EVER = """
import sys
import time
from pathlib import Path
from worker.object_storage.local import LocalStorage

storage = LocalStorage(Path(sys.argv[1]))
storage.put("tenants/acme/model", b"a" * 300_000)
print(flush=True)
while True:
    for letter in (b"b", b"c"):
        storage.put("tenants/acme/model", letter * 300_000)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the objects lie; it is made by the first of them."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "of this/objects"


@pytest.fixture
def storage(folder: Path) -> ObjectStorage:
    """The storage in it."""
    return open_storage(WorkerSettings(object_storage_uri=folder.as_uri()))


def test_what_is_put_can_be_got_until_it_is_deleted(storage: ObjectStorage) -> None:
    storage.put("tenants/acme/model.bin", b"\0first")
    storage.put("tenants/acme/model.bin", b"\0second")
    assert storage.get("tenants/acme/model.bin") == b"\0second"
    storage.delete("tenants/acme/model.bin")
    with pytest.raises(ObjectMissing):
        storage.get("tenants/acme/model.bin")


def test_deleting_what_is_not_there_is_no_error(storage: ObjectStorage) -> None:
    storage.delete("never/stored")


def test_a_part_of_a_key_is_no_object(storage: ObjectStorage) -> None:
    storage.put("tenants/acme/model", b"x")
    storage.delete("tenants/acme")
    for other in ("tenants/acme", "tenants/acme/model/more"):
        with pytest.raises(ObjectMissing):
            storage.get(other)
    assert storage.get("tenants/acme/model") == b"x"


@pytest.mark.parametrize(
    "key",
    [
        "",
        "/etc/passwd",
        "../other",
        "a/../../b",
        "a//b",
        "a/",
        "./a",
        ".hidden",
        "a\0b",
        "a\\..\\b",
        "ä",
        "a\n",
        "x" * 513,
    ],
)
def test_a_key_that_leads_elsewhere_is_refused(storage: ObjectStorage, folder: Path, key: str) -> None:
    for act in (lambda: storage.put(key, b"x"), lambda: storage.get(key), lambda: storage.delete(key)):
        with pytest.raises(InvalidInput, match="key"):
            act()
    assert not folder.exists()


def test_only_its_owner_can_read_an_object(storage: ObjectStorage, folder: Path) -> None:
    storage.put("tenants/acme/model", b"x")
    assert (folder / "tenants/acme/model").stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_killed_writer_leaves_the_object_whole(storage: ObjectStorage, folder: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", REPLACED_FOR_EVER, folder], cwd=ROOT, stdout=subprocess.PIPE, env={**os.environ}
    )
    assert writer.stdout
    try:
        assert writer.stdout.readline() == b"\n"
        seen = {storage.get("tenants/acme/model") for _ in range(50)}
        deadline = time.monotonic() + 30
        while len(seen) == 1 and time.monotonic() < deadline:  # the writer had no turn yet
            seen.add(storage.get("tenants/acme/model"))
    finally:
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
    seen.add(storage.get("tenants/acme/model"))
    assert seen <= {letter * 300_000 for letter in (b"a", b"b", b"c")}
    assert len(seen) > 1


def test_what_cannot_be_written_leaves_nothing_and_is_said_without_the_path(
    storage: ObjectStorage, folder: Path
) -> None:
    folder.parent.mkdir()
    folder.write_text("a file where the folder should be")
    with pytest.raises(StorageError, match=r"^object storage: the folder cannot be used: [A-Za-z ]+$"):
        storage.put("model", b"x")
    assert list(folder.parent.iterdir()) == [folder]


def test_a_setting_that_names_no_storage_is_asked_for(folder: Path) -> None:
    with pytest.raises(ConfigurationError, match="WATCHFLOOR_OBJECT_STORAGE_URI is not set"):
        open_storage(WorkerSettings())


def test_a_bucket_without_the_sdk_names_the_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worker.object_storage.find_spec", lambda _name: None)
    with pytest.raises(ConfigurationError, match=r"watchfloor\[aws\]"):
        open_storage(WorkerSettings(object_storage_uri="s3://floor-objects"))
