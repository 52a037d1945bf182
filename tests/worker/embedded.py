"""Processes around the embedded server: who uses it, who keeps it, who is killed, and what is left."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg

from tests.nursery import PATIENCE_SECONDS, ROOT, Child, Fork
from worker import keeper
from worker.local_postgres import LocalPostgres

ROLES = ("user", "keeper", "server")


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    top = Path(tempfile.mkdtemp(prefix="watchfloor-"))
    top.chmod(0o711)
    yield top / "data"
    until(lambda: is_quiet(top / "data"))
    shutil.rmtree(top)


def processes(home: Path) -> list[int]:
    """Every living process that names the folder in its command: keepers and servers."""
    listed = subprocess.run(["ps", "-ewwo", "pid=,stat=,args="], capture_output=True, text=True, check=True).stdout
    lines = (line.split(None, 2) for line in listed.splitlines())
    return [int(pid) for pid, state, command in lines if str(home) in command and not state.startswith("Z")]


def is_quiet(home: Path) -> bool:
    """Whether nothing runs, not even a process of the server that hides its command."""
    return not processes(home) and (not home.exists() or keeper.is_free(home / keeper.SERVER))


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"it did not happen within {PATIENCE_SECONDS} s"
        time.sleep(0.02)


def hold(arguments: list[str]) -> None:
    """Hold the server of that folder open until killed."""
    (home,) = arguments
    print(LocalPostgres(Path(home)).open(), flush=True)  # noqa: T201 - the test waits for it
    signal.pause()


def user_of(home: Path) -> Child:
    """A process that holds the server open until it is killed."""
    return Fork(hold, [str(home)], environment=dict(os.environ), cwd=ROOT)


def url_from(user: Child) -> str:
    until(lambda: "\n" in user.said() or user.poll() is not None)
    url = user.said().strip()
    assert url.startswith("postgresql+psycopg://postgres@/postgres?host="), f"it did not start: {user.complained()}"
    return url


def started(home: Path) -> Child:
    user = user_of(home)
    url_from(user)
    return user


def ask(url: str, statement: str) -> int | None:
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as conn:
        answer = conn.execute(statement)
        return int(answer.fetchall()[0][0]) if answer.description else None


def server_pid(home: Path) -> int:
    return int((home / "pgdata/postmaster.pid").read_text().split("\n", 1)[0])


def keeper_pid(home: Path) -> int:
    found = subprocess.run(["pgrep", "-f", f"keeper.py {home} "], capture_output=True, text=True, check=False)
    return int(found.stdout.split()[-1])


def kill(roles: tuple[str, ...], home: Path, user: Child) -> None:
    """Kill them in one go, each before the others can have noticed."""
    pid_of = {"user": lambda: user.pid, "keeper": lambda: keeper_pid(home), "server": lambda: server_pid(home)}
    for pid in [pid_of[role]() for role in roles]:
        os.kill(pid, signal.SIGKILL)
    if "user" in roles:
        user.bury()
