"""PostgreSQL without set-up: the wheel's or the system's programs on a private socket, shared by all who hold it open.

Every process holds a shared lock while it uses the server; a detached keeper (`keeper.py`) runs the server and stops it
after the last of them. Any of them may be killed at any moment, alone or together: nothing committed is lost, nothing
is left running, and the next `open()` or `ensure_running()` works.
"""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from psycopg.conninfo import make_conninfo
from psycopg.pq import PGconn, Ping

from worker import keeper
from worker.errors import LocalPostgresError
from worker.postgres_programs import can_enter, find, major_version, owner_of, reachable, server_user, uid_of

_PLATFORMS = ("linux", "darwin")
_ROOTS_DATA = Path("/var/lib/watchfloor")
_START = ".start"
_START_ATTEMPTS = 3
_START_SECONDS = 120
_POLL_SECONDS = 0.02
_PING_SECONDS = 2
_LONGEST_SOCKET_BYTES = 100
_SEPARATORS = b',:"'
_LOG_LINES_SHOWN = 12
_STATUS_LINE = 7


def default_data_folder() -> Path:
    """Where the data lies when nobody says otherwise."""
    told = os.environ.get("XDG_DATA_HOME", "")
    if Path(told).is_absolute():
        return Path(told) / "watchfloor"
    return _ROOTS_DATA if os.geteuid() == 0 else Path.home() / ".local/share/watchfloor"


class LocalPostgres:
    """One data folder's server, for as long as this process or another holds it open."""

    def __init__(self, data: Path, binaries: Path | None = None) -> None:
        self._home = data.expanduser().resolve()
        self._binaries = binaries
        self._use: int | None = None

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The SQLAlchemy URL of the database `postgres`."""
        return f"postgresql+psycopg://postgres@/postgres?host={quote(str(self._sockets))}&port={keeper.PORT}"

    def open(self) -> str:
        """Hold the server open, starting it unless it runs, and return its URL."""
        if sys.platform not in _PLATFORMS:
            raise LocalPostgresError("the embedded PostgreSQL runs on Linux and macOS: set DATABASE_URL")
        with self._problems_named():
            self._make_home()
            if self._use is None:
                self._use = keeper.shared(self._home / keeper.USERS)
        try:
            self.ensure_running()
        except BaseException:
            self.close()
            raise
        return self.url

    def close(self) -> None:
        """Let go; the keeper stops the server when this was the last use."""
        if self._use is not None:
            os.close(self._use)
        self._use = None

    def ensure_running(self) -> None:
        """Return when the server answers, started again if it had died; LocalPostgresError says why it cannot."""
        deadline = time.monotonic() + _START_SECONDS
        with self._problems_named():
            for _ in range(_START_ATTEMPTS):  # one keeper may just be going, the next be killed
                self.ensure_keeper()
                if self._answers_before(deadline):
                    return
            raise self._failure("does not start")

    def ensure_keeper(self) -> None:
        """Start a keeper, and with it the server, unless there is one; cheap enough for every tick."""
        turn = keeper.exclusive(self._home / _START)
        try:
            if keeper.is_free(self._home / keeper.KEEPER):
                self._start_keeper()
        finally:
            os.close(turn)

    @contextmanager
    def _problems_named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise LocalPostgresError(f"--data: {self._home}: {error}; choose another folder") from error

    def _answers_before(self, deadline: float) -> bool:
        """Wait for the server, however long it recovers; False as soon as its keeper is gone."""
        while not keeper.is_free(self._home / keeper.KEEPER):
            if self._is_ready():
                return True
            if time.monotonic() > deadline:
                raise self._failure(f"does not answer within {_START_SECONDS} s")
            time.sleep(_POLL_SECONDS)
        return False

    def _is_ready(self) -> bool:
        try:
            told = (self._cluster / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        if told[_STATUS_LINE:] != ["ready   "]:  # asking a server that is not would only fill its log
            return False
        address = make_conninfo(
            host=str(self._sockets), port=keeper.PORT, user="postgres", dbname="postgres", connect_timeout=_PING_SECONDS
        )
        return PGconn.ping(address.encode()) == Ping.OK

    def _start_keeper(self) -> None:
        programs = reachable(self._binaries or find(), self._home, self._user)
        self._check_version(programs)
        self._make_sockets()
        log = os.open(self._home / keeper.LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            subprocess.run(
                [sys.executable, "-PS", keeper.__file__, self._home, programs, self._sockets, self._user or ""],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                cwd="/",
                check=False,  # whether it lives is for its lock to say, and why not for its log
            )
        finally:
            os.close(log)

    @property
    def _cluster(self) -> Path:
        return self._home / keeper.CLUSTER

    @property
    def _user(self) -> str | None:
        """Whom the server runs as, None for oneself: PostgreSQL refuses root."""
        if os.geteuid():
            return None
        return owner_of(self._cluster) if self._cluster.exists() else server_user()

    @property
    def _sockets(self) -> Path:
        """The cluster itself, or a short folder where its path is too long for a socket, or separates addresses."""
        path = os.fsencode(self._cluster / f".s.PGSQL.{keeper.PORT}")
        if len(path) <= _LONGEST_SOCKET_BYTES and not any(mark in path for mark in _SEPARATORS):
            return self._cluster
        return Path("/tmp") / f"watchfloor-{hashlib.sha256(path).hexdigest()[:16]}"  # noqa: S108 - checked when made

    def _make_home(self) -> None:
        """As root the server runs as another user; nobody's folders are opened for it."""
        user = self._user
        if not self._home.exists():
            self._home.mkdir(parents=True, exist_ok=True)
            self._home.chmod(0o711 if user else 0o700)
        if not can_enter(self._home, user):
            raise LocalPostgresError(
                f"--data: {self._home} cannot be entered by the user {user!r} that runs the server;"
                f" choose a folder that is not inside a private one, such as {_ROOTS_DATA}"
            )

    def _make_sockets(self) -> None:
        """Make the short folder; one that somebody else made, or can enter, is never used."""
        if self._sockets == self._cluster:
            return
        owner = uid_of(self._user)
        self._sockets.mkdir(mode=0o700, exist_ok=True)
        made = self._sockets.lstat()
        if made.st_uid not in (os.geteuid(), owner) or not stat.S_ISDIR(made.st_mode) or made.st_mode & 0o077:
            raise LocalPostgresError(f"{self._sockets} belongs to somebody else; choose a shorter --data")
        if made.st_uid != owner:  # made just now, by root: nobody else can have put another in its place
            os.chown(self._sockets, owner, -1, follow_symlinks=False)

    def _check_version(self, programs: Path) -> None:
        made_by = self._cluster / "PG_VERSION"
        if made_by.exists() and (made := made_by.read_text().strip()) != (ours := major_version(programs)):
            raise LocalPostgresError(
                f"--data: {self._cluster} was made by PostgreSQL {made}, and the programs here are {ours};"
                " move the data with pg_dump, or install the older programs"
            )

    def _failure(self, what: str) -> LocalPostgresError:
        log = self._home / keeper.LOG
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-_LOG_LINES_SHOWN:])
        return LocalPostgresError(f"PostgreSQL in {self._cluster} {what}; the end of {log}:\n{tail}")
