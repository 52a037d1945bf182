"""The address of the object storage: two forms, and whatever else is refused by the setting's name."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from worker.settings import WorkerSettings
from worker.storage_places import Bucket, Folder, Place, place_of


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("file:///var/lib/objects", Folder(Path("/var/lib/objects"))),
        ("file://localhost/var/my%20objects", Folder(Path("/var/my objects"))),
        ("s3://floor", Bucket("floor")),
        ("s3://floor/", Bucket("floor")),
        ("s3://floor/a/b?region=eu-central-1", Bucket("floor", "a/b", region="eu-central-1")),
        ("s3://floor?endpoint=http://minio:9000", Bucket("floor", endpoint="http://minio:9000")),
        ("s3://floor?endpoint=https%3A%2F%2Fs3.example", Bucket("floor", endpoint="https://s3.example")),
    ],
)
def test_both_forms_are_read(address: str, place: Place) -> None:
    assert place_of(address) == place


@pytest.mark.parametrize(
    "address",
    [
        "",
        "/var/lib/objects",
        "file://objects",
        "file://elsewhere/objects",
        "file:objects",
        "file:///objects?mode=700",
        "file:///obj%00ects",
        "gs://floor",
        "s3://",
        "s3://Floor",
        "s3://floor/../other",
        "s3://floor//other",
        "s3://floor#part",
        "s3://floor?endpoint=",
        "s3://floor?endpoint=minio:9000",
        "s3://floor?endpoint=ftp://minio",
        "s3://floor?endpoint=http://minio:99999",
        "s3://floor?endpoint=http://minio/path",
        "s3://floor?region=",
        "s3://floor?secret=hunter2hunter2",
        "s3://key:hunter2hunter2@floor",
        "s3://floor?endpoint=http://key:hunter2hunter2@minio",
        "s3://[floor",
    ],
)
def test_another_address_is_refused_by_the_setting_and_never_repeated(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, address: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WATCHFLOOR_OBJECT_STORAGE_URI", address)
    with pytest.raises(ValidationError, match="object_storage_uri") as refusal:
        WorkerSettings()
    assert "hunter2" not in refusal.value.errors()[0]["msg"]
