"""The embedded server: whatever is killed, nothing is lost and nothing is left running."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from worker.errors import LocalPostgresError
from worker.local_postgres import LocalPostgres

HOLD = """
import sys
from pathlib import Path
from worker.local_postgres import LocalPostgres
print(LocalPostgres(Path(sys.argv[1])).open(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """A data folder that the server's user can reach; its server is awaited away in the end."""
    top = Path(tempfile.mkdtemp(prefix="watchfloor-"))
    top.chmod(0o755)
    yield top / "data"
    until(lambda: not processes(top))
    shutil.rmtree(top)


@contextlib.contextmanager
def opened(home: Path) -> Iterator[str]:
    local = LocalPostgres(home)
    yield local.open()
    local.close()


def processes(path: Path) -> list[int]:
    """Every process that names the path in its command: servers and keepers."""
    listed = subprocess.run(["ps", "-ewwo", "pid=,stat=,args="], capture_output=True, text=True, check=True).stdout
    lines = (line.split(None, 2) for line in listed.splitlines())
    return [int(pid) for pid, state, command in lines if str(path) in command and not state.startswith("Z")]


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "it did not happen within 20 s"
        time.sleep(0.02)


def user_of(home: Path) -> subprocess.Popen[str]:
    """A process that holds the server open until it is told to end, or killed."""
    command = [sys.executable, "-c", HOLD, str(home)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def started(home: Path) -> subprocess.Popen[str]:
    user = user_of(home)
    assert user.stdout is not None
    assert user.stdout.readline().startswith("postgresql+psycopg://")
    return user


def end(user: subprocess.Popen[str], how: signal.Signals = signal.SIGKILL) -> None:
    user.send_signal(how)
    user.communicate()


def ask(url: str, statement: str) -> int | None:
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as conn:
        answer = conn.execute(statement)
        return int(answer.fetchall()[0][0]) if answer.description else None


def server_pid(home: Path) -> int:
    return int((home / "pgdata/postmaster.pid").read_text().split("\n", 1)[0])


def keeper_pids(home: Path) -> list[int]:
    found = subprocess.run(["pgrep", "-f", f"keeper.py {home}"], capture_output=True, text=True, check=False)
    return [int(pid) for pid in found.stdout.split()]


def keeper_pid(home: Path) -> int:
    until(lambda: keeper_pids(home))
    return keeper_pids(home)[0]


def test_the_server_ends_when_its_only_user_is_killed(home: Path) -> None:
    user = started(home)
    assert processes(home)
    end(user)
    until(lambda: not processes(home))


def test_rows_outlive_a_killed_user_and_a_killed_server(home: Path) -> None:
    with opened(home) as url:
        ask(url, "CREATE TABLE kept AS SELECT 42 AS n")
        os.kill(server_pid(home), signal.SIGKILL)
        with opened(home) as again:
            assert ask(again, "SELECT n FROM kept") == 42


def test_a_server_that_died_is_started_again_on_request(home: Path) -> None:
    local = LocalPostgres(home)
    url = local.open()
    os.kill(server_pid(home), signal.SIGKILL)
    local.ensure_running()
    assert ask(url, "SELECT 1") == 1
    local.close()


def test_the_second_user_shares_the_server_and_the_last_one_ends_it(home: Path) -> None:
    first = started(home)
    with opened(home) as url:
        pid = server_pid(home)
        end(first)
        assert (ask(url, "SELECT 1"), server_pid(home)) == (1, pid)


def test_a_killed_keeper_is_replaced_while_the_user_lives(home: Path) -> None:
    user = started(home)
    first = keeper_pid(home)
    os.kill(first, signal.SIGKILL)
    until(lambda: keeper_pid(home) != first)
    end(user)
    until(lambda: not processes(home))


def test_two_processes_that_start_at_once_share_one_server(home: Path) -> None:
    users = [user_of(home) for _ in range(3)]
    lines = {user.stdout.readline() for user in users if user.stdout}
    assert len(lines) == 1
    for user in users:
        end(user)


def test_an_initdb_that_was_killed_is_done_again(home: Path) -> None:
    user = user_of(home)
    until(lambda: list(home.glob("making-*/PG_VERSION")))
    end(user)
    with opened(home) as url:
        assert ask(url, "SELECT 1") == 1
    assert not list(home.glob("making-*"))


def test_a_pid_that_somebody_else_has_now_is_no_server(home: Path) -> None:
    user = started(home)
    end(user)
    until(lambda: not processes(home))
    (home / "pgdata/postmaster.pid").write_text(f"{os.getpid()}\n")
    with opened(home) as url:
        assert ask(url, "SELECT 1") == 1


def test_a_long_path_gets_a_short_private_socket_folder(home: Path) -> None:
    with opened(home / ("deep" * 20)) as url:
        assert len(url) < 120
        assert ask(url, "SELECT 1") == 1
    until(lambda: not processes(home))


def test_a_socket_folder_of_somebody_else_is_refused(home: Path) -> None:
    with opened(home / ("deep" * 20)) as url:
        folder = Path(url.split("host=")[1])
    until(lambda: not processes(home))
    folder.chmod(0o777)
    with pytest.raises(LocalPostgresError, match="somebody else"):
        LocalPostgres(home / ("deep" * 20)).open()
    folder.rmdir()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server as somebody else")
def test_root_is_told_when_the_servers_user_cannot_reach_the_data(tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    with pytest.raises(LocalPostgresError, match="--data"):
        LocalPostgres(private / "data").open()


def test_a_server_that_cannot_start_says_why(home: Path) -> None:
    end(started(home))
    until(lambda: not processes(home))
    (home / "pgdata/PG_VERSION").write_text("9.6\n")
    with pytest.raises(LocalPostgresError, match=r"made by PostgreSQL 9\.6"):
        LocalPostgres(home).open()


def test_whatever_is_killed_at_whatever_moment_no_committed_row_is_lost(home: Path) -> None:
    seed = random.randrange(10**6)
    choose = random.Random(seed)
    end(started(home))
    count = 0
    for _ in range(8):
        user = user_of(home)
        if choose.random() < 0.5:
            assert user.stdout is not None
            url = user.stdout.readline().strip()
            ask(url, "CREATE TABLE IF NOT EXISTS kept (n int)")
            ask(url, "INSERT INTO kept VALUES (1)")
            count += 1
            for victim in (keeper_pid, server_pid):
                if choose.random() < 0.5:
                    os.kill(victim(home), signal.SIGKILL)
        else:
            time.sleep(choose.random() / 3)  # a random moment of the start is the point
        end(user)
    with opened(home) as url:
        ask(url, "CREATE TABLE IF NOT EXISTS kept (n int)")
        assert ask(url, "SELECT count(*) FROM kept") == count, f"seed {seed}"
