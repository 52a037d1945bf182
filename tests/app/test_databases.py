"""Where a command's data lies: in the database that the settings name, or the embedded one, with the objects beside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from app.commands.databases import database
from app.settings import ConsoleSettings
from tests.app.program import data_folder

ELSEWHERE = "s3://floor-objects"


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A folder without a `.env`."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder for an embedded server."""
    with data_folder() as made:
        yield made


def settings(address: str | None, objects: str | None = None) -> ConsoleSettings:
    """Settings with a database of this address."""
    return ConsoleSettings(database_url=SecretStr(address) if address else None, object_storage_uri=objects)


def test_objects_lie_beside_the_sqlite_file(tmp_path: Path) -> None:
    with database(settings(f"sqlite:///{tmp_path}/floor.db"), None, create=True) as found:
        assert found.settings.object_storage_uri == f"file://{tmp_path}/objects"


def test_objects_lie_beside_the_embedded_servers_data(folder: Path) -> None:
    with database(settings(None), folder, create=True) as found:
        assert found.settings.object_storage_uri == f"file://{folder}/objects"


def test_objects_lie_nowhere_beside_a_server_of_somebody_else() -> None:
    with database(settings("postgresql://app_rw@db.example/floor"), None, create=True) as found:
        assert found.settings.object_storage_uri is None


def test_where_the_settings_say_is_where_objects_lie(tmp_path: Path) -> None:
    named = settings(f"sqlite:///{tmp_path}/floor.db", ELSEWHERE)
    with database(named, None, create=True) as found:
        assert found.settings.object_storage_uri == ELSEWHERE
