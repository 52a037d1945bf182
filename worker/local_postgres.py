"""PostgreSQL without set-up: the wheel's or the system's programs on a private socket, shared by all who hold it open.

Every process holds a shared lock on `.users`; starting is serialised by `.start`; one detached keeper (`keeper.py`)
sleeps until `.users` is free and stops the server. Any of them may be killed at any moment: nothing committed is lost,
nothing is left running, and the next `open()` works.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from worker import keeper
from worker.errors import LocalPostgresError
from worker.postgres_programs import can_enter, find, major_version, reachable, server_user

_SOCKET_NAME = ".s.PGSQL.5432"
_LONGEST_SOCKET = 100
_LOG_LIMIT = 5_000_000
_OPTIONS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    # an error must not print a payload: neither the statement, nor its parameters, nor the failing row
    "log_min_error_statement": "panic",
    "log_parameter_max_length_on_error": "0",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
}


def default_data_folder() -> Path:
    """Where the data lies when nobody says otherwise."""
    if os.geteuid() == 0:
        return Path("/var/lib/watchfloor")
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "watchfloor"


class LocalPostgres:
    """One data folder's server, for as long as this process or another holds it open."""

    def __init__(self, data: Path, binaries: Path | None = None) -> None:
        self._home = data.absolute()
        self._cluster = self._home / "pgdata"
        self._binaries = binaries
        self._user = None if os.geteuid() else server_user()
        self._use: int | None = None

    def open(self) -> str:
        """Start the server unless it runs, hold it open, and return its SQLAlchemy URL."""
        self._home.mkdir(parents=True, exist_ok=True)
        self._check_reach()
        self._programs = reachable(self._binaries or find(), self._home, self._user)
        self._socket_folder = self._make_socket_folder()
        self._use = keeper.lock(self._home / ".users", fcntl.LOCK_SH)
        self._provide_keeper(fcntl.LOCK_EX | fcntl.LOCK_NB)  # before the server, so that none is ever alone
        try:
            self.ensure_running()
        except BaseException:
            self.close()
            raise
        threading.Thread(target=self._replace_keepers, name="keeper", daemon=True).start()
        return f"postgresql+psycopg://postgres@/postgres?host={self._socket_folder}"

    def close(self) -> None:
        """Let go; the keeper stops the server when this was the last use."""
        if self._use is not None:
            os.close(self._use)
        self._use = None

    def ensure_running(self) -> None:
        """Start the server again if it died; called whenever it does not answer."""
        with self._starting():
            if not (self._cluster / "PG_VERSION").exists():
                self._initialise()
            self._check_version()
            if not self._is_alive():
                self._start()

    @contextlib.contextmanager
    def _starting(self) -> Iterator[None]:
        turn = keeper.lock(self._home / ".start", fcntl.LOCK_EX)
        try:
            yield
        finally:
            os.close(turn)

    def _replace_keepers(self) -> None:
        while self._use is not None:
            self._provide_keeper(fcntl.LOCK_EX)

    def _provide_keeper(self, how: int) -> None:
        """While there is no keeper its lock is free: take it, and hand it to a new one without letting go."""
        try:
            turn = keeper.lock(self._home / ".keeper", how)
        except BlockingIOError:
            return
        try:
            if self._use is not None:
                script = (keeper.__file__, str(self._home), str(self._programs), self._user or "")
                subprocess.run(
                    [sys.executable, "-P", *script],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                    pass_fds=(turn,),
                    cwd="/",
                    check=True,
                )
        finally:
            os.close(turn)

    def _initialise(self) -> None:
        """Make the cluster aside and move it into place whole, so that a killed initdb leaves nothing half done."""
        for left_over in self._home.glob("making-*"):
            shutil.rmtree(left_over, ignore_errors=True)
        aside = Path(tempfile.mkdtemp(prefix="making-", dir=self._home))
        self._give(aside)
        done = self._run("initdb", "-D", str(aside), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
        if done.returncode:
            raise LocalPostgresError(f"initdb failed: {done.stdout.strip()[-2000:]}")
        shutil.rmtree(self._cluster, ignore_errors=True)
        aside.rename(self._cluster)

    def _check_version(self) -> None:
        made_by = (self._cluster / "PG_VERSION").read_text().strip()
        if (ours := major_version(self._programs)) != made_by:
            raise LocalPostgresError(
                f"--data: {self._cluster} was made by PostgreSQL {made_by}, and the programs here are {ours};"
                " move the data with pg_dump, or install the older programs"
            )

    def _start(self) -> None:
        """Start the server, giving the orphans of a killed one a moment to let its shared memory go."""
        log = self._log_file()
        options = [f"-c {name}='{value}'" for name, value in _OPTIONS.items()]
        options.append(f"-c unix_socket_directories='{self._socket_folder}'")
        command = ("pg_ctl", "-D", str(self._cluster), "-w", "-t", "120", "-s", "-l", str(log), "-o", " ".join(options))
        for _ in range(60):
            for stale in (self._cluster / "postmaster.pid", self._socket_folder / f"{_SOCKET_NAME}.lock"):
                stale.unlink(missing_ok=True)  # nobody answers, and its process is not our server
            if self._run(*command, "start").returncode == 0:
                return
            time.sleep(0.25)
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-12:])
        raise LocalPostgresError(f"PostgreSQL in {self._cluster} does not start; the end of {log.name}:\n{tail}")

    def _is_alive(self) -> bool:
        """Whether the server answers; one that is starting or recovering is waited for."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            answer = self._run("pg_isready", "-h", str(self._socket_folder), "-q").returncode
            if answer == 0:
                return True
            if answer == 2 and not self._has_postmaster():
                return False
            time.sleep(0.1)
        raise LocalPostgresError(f"PostgreSQL in {self._cluster} neither answers nor ends; see server.log")

    def _has_postmaster(self) -> bool:
        """Whether the process named in postmaster.pid is this cluster's server: not a zombie, not a reused number."""
        try:
            pid = (self._cluster / "postmaster.pid").read_text().split("\n", 1)[0]
        except FileNotFoundError:
            return False
        asked = subprocess.run(["ps", "-wwo", "stat=,args=", "-p", pid], capture_output=True, text=True, check=False)
        return str(self._cluster) in asked.stdout and not asked.stdout.startswith("Z")

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self._programs / program, *arguments],
            stdin=subprocess.DEVNULL,
            # pg_ctl leaves the server holding its output: only initdb's is a pipe that ends
            stdout=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            cwd="/",
            umask=0o077,
            **keeper.as_user(self._user),
        )

    def _log_file(self) -> Path:
        log = self._home / "server.log"
        if log.exists() and log.stat().st_size > _LOG_LIMIT:
            log.replace(self._home / "server.log.1")
        log.touch(mode=0o600)
        self._give(log)
        return log

    def _give(self, path: Path) -> None:
        if self._user:
            shutil.chown(path, self._user, pwd.getpwnam(self._user).pw_gid)

    def _check_reach(self) -> None:
        """As root the server runs as another user; nobody's folders are opened for it."""
        if not can_enter(self._home, self._user):
            raise LocalPostgresError(
                f"--data: {self._home} cannot be entered by the user {self._user!r} that runs the server;"
                " choose a folder that is not inside a private one"
            )

    def _make_socket_folder(self) -> Path:
        """The cluster itself, or a short private folder when its path is too long for a socket."""
        if len(str(self._cluster / _SOCKET_NAME)) <= _LONGEST_SOCKET:
            return self._cluster
        digest = hashlib.sha256(str(self._cluster).encode()).hexdigest()[:16]
        folder = Path(tempfile.gettempdir()) / f"watchfloor-{digest}"
        try:
            folder.mkdir(mode=0o700)
            self._give(folder)
        except FileExistsError:
            known = folder.lstat()
            owner = pwd.getpwnam(self._user).pw_uid if self._user else os.geteuid()
            if not stat.S_ISDIR(known.st_mode) or known.st_uid != owner or known.st_mode & 0o077:
                raise LocalPostgresError(f"{folder} belongs to somebody else; choose a shorter --data") from None
        return folder
