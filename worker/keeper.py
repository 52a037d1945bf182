"""The keeper runs the embedded PostgreSQL for as long as anybody uses it; neither of the two outlives the other.

A script that needs nothing but the standard library: `python -PS keeper.py HOME PROGRAMS SOCKETS USER`. Three locks in
HOME say who lives. The kernel lets go of each when its last holder is dead, so there is no pid to trust and nothing to
clean up after a `kill -9`: `.users` is shared by all who hold the server open, `.keeper` belongs to the one keeper, and
`.server` is inherited by initdb and by every process of the server, orphans included.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.platform != "win32":
    import fcntl
    import pwd

USERS, KEEPER, SERVER = ".users", ".keeper", ".server"
LOG = "server.log"
CLUSTER = "pgdata"
PORT = 5432

_LOG_LIMIT = 1_000_000
_LOG_KEPT = 64_000
_LOG_CHECK_SECONDS = 60
_FAST_STOP_SECONDS = 60
_SET_PARENT_DEATH_SIGNAL = 1
_OPTIONS = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    # a long statement of a client that was killed ends too
    "client_connection_check_interval": "2s",
    # an error must not print a payload: neither the statement, nor its parameters, nor the failing row
    "log_min_error_statement": "panic",
    "log_parameter_max_length_on_error": "0",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
}


def exclusive(path: Path) -> int:
    """Take the lock alone, waiting for it; it is held until the descriptor's last holder closes it or dies."""
    return _lock(path, fcntl.LOCK_EX)


def shared(path: Path) -> int:
    """Take the lock together with others, waiting while somebody has it alone."""
    return _lock(path, fcntl.LOCK_SH)


def exclusive_now(path: Path) -> int | None:
    """Take the lock alone if nobody has it, else None."""
    return _lock_now(path, fcntl.LOCK_EX)


def is_free(path: Path) -> bool:
    """Whether nobody has the lock alone."""
    probe = _lock_now(path, fcntl.LOCK_SH)
    if probe is not None:
        os.close(probe)
    return probe is not None


def as_user(user: str | None) -> dict[str, Any]:
    """Arguments that make subprocess run a program as the user; none for oneself."""
    if user is None:
        return {}
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}


@dataclass(frozen=True)
class Keeper:
    """Whoever holds `.keeper`: the only process that ever makes, starts or stops the cluster."""

    home: Path
    programs: Path
    sockets: Path
    user: str | None

    def keep(self) -> None:
        """Run the server until it ends, by itself or because its last user is gone."""
        turn = self._await_predecessor()
        if not (self.home / CLUSTER / "PG_VERSION").exists():
            self._initialise(turn)
        server = self._start(turn)
        for duty in (self._stop_when_unused, self._keep_log_short):
            threading.Thread(target=duty, args=(server,), daemon=True).start()
        server.wait()
        with contextlib.suppress(OSError):  # the cluster itself, or what a killed server left in it
            self.sockets.rmdir()

    def _await_predecessor(self) -> int:
        """The server's lock, once the last process of an earlier keeper's server or initdb is gone."""
        turn = exclusive_now(self.home / SERVER)
        if turn is None:
            # Linux has told the server already that its keeper died; other kernels leave that to us
            self._begin("pg_ctl", "-D", str(self.home / CLUSTER), "-m", "fast", "-W", "-s", "stop").wait()
            turn = exclusive(self.home / SERVER)
        return turn

    def _initialise(self, turn: int) -> None:
        """Make the cluster aside and move it into place whole, so that a killed initdb leaves nothing half done."""
        aside = self.home / f"{CLUSTER}.new"
        if aside.exists():
            shutil.rmtree(aside)
        aside.mkdir(mode=0o700)
        if self.user:
            account = pwd.getpwnam(self.user)
            os.chown(aside, account.pw_uid, account.pw_gid, follow_symlinks=False)
        locale = "C.UTF-8" if sys.platform == "linux" else "C"
        settings = ("-U", "postgres", "-A", "trust", "-E", "UTF8", f"--locale={locale}", "--no-instructions")
        if self._begin("initdb", "-D", str(aside), *settings, turn=turn).wait():
            sys.exit("initdb failed")
        aside.rename(self.home / CLUSTER)
        folder = os.open(self.home, os.O_RDONLY)
        os.fsync(folder)  # a cluster whose new name a power cut takes back would be taken for half made
        os.close(folder)

    def _start(self, turn: int) -> subprocess.Popen[bytes]:
        for stale in (self.home / CLUSTER / "postmaster.pid", self.sockets / f".s.PGSQL.{PORT}.lock"):
            stale.unlink(missing_ok=True)  # the lock is ours: whose number that is now, it is no server of this cluster
        options = _OPTIONS | {"unix_socket_directories": f'"{self.sockets}"'}
        settings = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        return self._begin("postgres", "-D", str(self.home / CLUSTER), *settings, turn=turn)

    def _begin(self, program: str, *arguments: str, turn: int | None = None) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [self.programs / program, *arguments],
            env={"PATH": os.defpath, "LC_ALL": "C"},  # no PGPORT, and no secret of the console
            cwd="/",
            umask=0o077,
            pass_fds=() if turn is None else (turn,),
            preexec_fn=_tied(signal.SIGINT if program == "postgres" else signal.SIGKILL),  # noqa: PLW1509 - no thread yet
            **as_user(self.user),
        )

    def _stop_when_unused(self, server: subprocess.Popen[bytes]) -> None:
        """Whoever opens meanwhile waits for the end of this keeper, and starts the next."""
        exclusive(self.home / USERS)
        server.send_signal(signal.SIGINT)
        try:
            server.wait(_FAST_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            server.send_signal(signal.SIGQUIT)  # no farewell checkpoint; the next start recovers from the log

    def _keep_log_short(self, server: subprocess.Popen[bytes]) -> None:
        while server.returncode is None:
            shorten(self.home / LOG)
            time.sleep(_LOG_CHECK_SECONDS)


def shorten(log: Path) -> None:
    """Cut a long log to its end, in place: those who append to it go on."""
    if log.stat().st_size <= _LOG_LIMIT:
        return
    with log.open("r+b", buffering=0) as file:
        file.seek(-_LOG_KEPT, os.SEEK_END)
        kept = file.read().partition(b"\n")[2]
        file.truncate(0)
    with log.open("ab", buffering=0) as file:
        file.write(kept)


def _lock(path: Path, how: int) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, how)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _lock_now(path: Path, how: int) -> int | None:
    try:
        return _lock(path, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return None


def _tied(last_signal: signal.Signals) -> Callable[[], None] | None:
    """What a child does first, so that the kernel sends it the signal when this process dies, even of `kill -9`."""
    if sys.platform != "linux":
        return None
    parent = os.getpid()
    set_process_option = ctypes.CDLL(None).prctl

    def tie() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        set_process_option(_SET_PARENT_DEATH_SIGNAL, last_signal)
        if os.getppid() != parent:  # it died before it was tied
            os._exit(1)

    return tie


def _main(home: str, programs: str, sockets: str, user: str) -> None:
    if exclusive_now(Path(home) / KEEPER) is None or os.fork():
        os._exit(0)  # there is one already; or it is now, and nobody's child, so that nobody has to wait for it
    for polite in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(polite, lambda *_: None)  # when everything is told to end, users need the server to do so
    Keeper(Path(home), Path(programs), Path(sockets), user or None).keep()


if __name__ == "__main__":
    _main(*sys.argv[1:])
