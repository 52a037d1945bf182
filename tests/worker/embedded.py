"""Processes around the embedded server: who uses it, who keeps it, who is killed, and what is left."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg

from worker import keeper

HOLD = """
import sys
from pathlib import Path
from worker.local_postgres import LocalPostgres
print(LocalPostgres(Path(sys.argv[1])).open(), flush=True)
sys.stdin.read()
"""
ROLES = ("user", "keeper", "server")


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    top = Path(tempfile.mkdtemp(prefix="watchfloor-"))
    top.chmod(0o711)
    yield top / "data"
    until(lambda: is_quiet(top / "data"))
    shutil.rmtree(top)


def processes(home: Path) -> list[int]:
    """Every living process that names the folder in its command: users, keepers and servers."""
    listed = subprocess.run(["ps", "-ewwo", "pid=,stat=,args="], capture_output=True, text=True, check=True).stdout
    lines = (line.split(None, 2) for line in listed.splitlines())
    return [int(pid) for pid, state, command in lines if str(home) in command and not state.startswith("Z")]


def is_quiet(home: Path) -> bool:
    """Whether nothing runs, not even a process of the server that hides its command."""
    return not processes(home) and (not home.exists() or keeper.is_free(home / keeper.SERVER))


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "it did not happen within 20 s"
        time.sleep(0.01)


def user_of(home: Path) -> subprocess.Popen[str]:
    """A process that holds the server open until it is killed."""
    command = [sys.executable, "-c", HOLD, str(home)]
    root = Path(keeper.__file__).parents[1]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root)


def url_from(user: subprocess.Popen[str]) -> str:
    assert user.stdout is not None
    url = user.stdout.readline().strip()
    assert url.startswith("postgresql+psycopg://postgres@/postgres?host="), "it did not start"
    return url


def started(home: Path) -> subprocess.Popen[str]:
    user = user_of(home)
    url_from(user)
    return user


def end(user: subprocess.Popen[str]) -> None:
    user.kill()
    user.communicate()


def ask(url: str, statement: str) -> int | None:
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as conn:
        answer = conn.execute(statement)
        return int(answer.fetchall()[0][0]) if answer.description else None


def server_pid(home: Path) -> int:
    return int((home / "pgdata/postmaster.pid").read_text().split("\n", 1)[0])


def keeper_pid(home: Path) -> int:
    found = subprocess.run(["pgrep", "-f", f"keeper.py {home} "], capture_output=True, text=True, check=False)
    return int(found.stdout.split()[-1])


def kill(roles: tuple[str, ...], home: Path, user: subprocess.Popen[str]) -> None:
    """Kill them in one go, each before the others can have noticed."""
    pid_of = {"user": lambda: user.pid, "keeper": lambda: keeper_pid(home), "server": lambda: server_pid(home)}
    for pid in [pid_of[role]() for role in roles]:
        os.kill(pid, signal.SIGKILL)
    if "user" in roles:
        user.communicate()
