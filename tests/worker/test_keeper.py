"""Whatever is killed, no committed row is lost and nothing is left running."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from psycopg.pq import PGconn

from tests.worker.embedded import (
    ROLES,
    ask,
    folder,
    is_quiet,
    keeper_pid,
    kill,
    server_pid,
    started,
    until,
    url_from,
    user_of,
)
from worker import keeper
from worker.local_postgres import LocalPostgres
from worker.postgres_programs import server_user

SOME_ROLES = [chosen for count in (1, 2, 3) for chosen in combinations(ROLES, count)]


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


@pytest.mark.parametrize("roles", SOME_ROLES, ids="+".join)
def test_whoever_is_killed_no_row_is_lost_and_nothing_is_left_running(made: Path, roles: tuple[str, ...]) -> None:
    user = started(made)
    with LocalPostgres(made) as local:
        ask(local.url, "CREATE TABLE IF NOT EXISTS kept (n int)")
        count = ask(local.url, "SELECT count(*) FROM kept")
        ask(local.url, "INSERT INTO kept VALUES (1)")
    kill(roles, made, user)
    if "user" not in roles:
        user.bury()
    until(lambda: is_quiet(made))
    with LocalPostgres(made) as local:
        assert count is not None
        assert ask(local.url, "SELECT count(*) FROM kept") == count + 1


@pytest.mark.parametrize("roles", [("server",), ("keeper",), ("keeper", "server")], ids="+".join)
def test_a_user_that_lives_on_gets_the_server_back(made: Path, roles: tuple[str, ...]) -> None:
    user = started(made)
    with LocalPostgres(made) as local:
        before = server_pid(made)
        kill(roles, made, user)
        until(lambda: keeper.is_free(made / keeper.SERVER))
        local.ensure_running()
        assert ask(local.url, "SELECT 1") == 1
        assert server_pid(made) != before
        user.bury()


def test_one_keeper_is_enough(made: Path) -> None:
    with LocalPostgres(made) as local:
        pid = keeper_pid(made)
        local.ensure_keeper()
        assert keeper_pid(made) == pid


def test_a_query_that_never_ends_does_not_keep_the_server(made: Path) -> None:
    user = user_of(made)
    connection = PGconn.connect(url_from(user).replace("+psycopg", "").encode())
    connection.send_query(b"DO 'BEGIN LOOP END LOOP; END'")
    user.bury()
    until(lambda: is_quiet(made))
    connection.finish()


def test_an_initdb_whose_user_was_killed_is_finished(home: Path) -> None:
    user = user_of(home)
    until((home / "pgdata.new/PG_VERSION").exists)
    user.bury()
    until(lambda: is_quiet(home))
    assert (home / "pgdata/PG_VERSION").exists()


def test_an_initdb_that_was_killed_is_done_again(home: Path) -> None:
    user = user_of(home)
    until((home / "pgdata.new/PG_VERSION").exists)
    os.kill(keeper_pid(home), signal.SIGKILL)
    user.bury()
    until(lambda: is_quiet(home))
    assert not (home / "pgdata").exists()
    (home / "pgdata.new").mkdir(exist_ok=True)
    with LocalPostgres(home) as local:
        assert ask(local.url, "SELECT 1") == 1
    assert not (home / "pgdata.new").exists()


def test_a_pid_that_somebody_else_has_now_is_no_server(made: Path) -> None:
    until(lambda: is_quiet(made))
    user = None if os.geteuid() else server_user()
    stranger = subprocess.Popen(["sleep", "60"], cwd="/", **keeper.as_user(user))
    (made / "pgdata/postmaster.pid").write_text(f"{stranger.pid}\n{made}/pgdata\n")
    with LocalPostgres(made) as local:
        assert ask(local.url, "SELECT 1") == 1
        assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


def test_a_long_log_is_cut_to_its_end_while_it_is_written(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    with log.open("a") as server:
        for number in range(100_000):
            server.write(f"line {number}\n")
        server.flush()
        keeper.shorten(log)
        server.write("the next\n")
    lines = log.read_text().splitlines()
    assert log.stat().st_size < 100_000
    assert lines[-2:] == ["line 99999", "the next"]
    assert lines[0].startswith("line ")


@pytest.mark.parametrize("seed", [random.randrange(10**6)], ids=["random"])
def test_at_random_moments_too_no_committed_row_is_lost(made: Path, seed: int) -> None:
    choose = random.Random(seed)
    with LocalPostgres(made) as local:
        ask(local.url, "CREATE TABLE stressed (n int)")
    count = 0
    for _ in range(8):
        user = user_of(made)
        user.poll(choose.random())  # a random moment of the start
        if choose.random() < 0.5:
            ask(url_from(user), "INSERT INTO stressed VALUES (1)")
            count += 1
        with contextlib.suppress(
            LookupError, ValueError, FileNotFoundError, ProcessLookupError
        ):  # it has not come so far
            kill(choose.choice(SOME_ROLES), made, user)
        user.bury()
    until(lambda: is_quiet(made))
    with LocalPostgres(made) as local:
        assert ask(local.url, "SELECT count(*) FROM stressed") == count
