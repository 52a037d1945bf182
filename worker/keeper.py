"""The keeper of an embedded PostgreSQL: sleeps until its last user is gone, however it died, then stops the server.

A script of its own that needs nothing but the standard library: `python -P keeper.py HOME BINARIES USER`. It is started
with the keeper's lock already held on an inherited descriptor, so that there is always one keeper and never two.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_PATIENCE_SECONDS = 120
_PROGRAMS = ("postgres", "pg_ctl", "initdb")


def lock(path: Path, how: int) -> int:
    """Open and lock the file; the kernel lets go when the last holder of the descriptor dies."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, how)
    except BlockingIOError:
        os.close(descriptor)
        raise
    return descriptor


def as_user(user: str | None) -> dict[str, Any]:
    """Arguments that make subprocess run a program as the user; none for oneself."""
    if user is None:
        return {}
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}


def keep(home: Path, binaries: Path, user: str | None) -> None:
    """Wait for the last user to go, then stop the server; whoever comes meanwhile waits for that and starts anew."""
    lock(home / ".users", fcntl.LOCK_EX)
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while _at_work(home) and time.monotonic() < deadline:
        subprocess.run(
            [binaries / "pg_ctl", "-D", home / "pgdata", "-m", "fast", "-w", "-t", "60", "-s", "stop"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            check=False,
            **as_user(user),
        )
        time.sleep(0.05)


def _at_work(home: Path) -> bool:
    """Whether a server, or an initdb or pg_ctl that its killed user left behind, still works in the folder."""
    listed = subprocess.run(["ps", "-ewwo", "stat=,ucomm=,args="], capture_output=True, text=True, check=False)
    found = (line.split(None, 2) for line in listed.stdout.splitlines())
    return any(
        program in _PROGRAMS and str(home) in arguments and not state.startswith("Z")
        for state, program, arguments in found
    )


if __name__ == "__main__":
    if os.fork():
        os._exit(0)  # nobody's child: its starter has nothing to wait for
    keep(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] or None)
