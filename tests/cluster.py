"""A throwaway PostgreSQL for one run of tests or measurements: on a private socket, gone with its starter."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from worker.keeper import as_user
from worker.postgres_programs import find, reachable, server_user

# Ends the server when the pipe to its starter closes, however that came about
_KEEPER = '"$@" & read -r _; kill -INT $!; wait $!'
HASTY = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200")
"""Settings for tests, which need no durability."""


@contextlib.contextmanager
def throwaway(settings: Sequence[str] = HASTY) -> Iterator[str]:
    """Run a server with these settings in a folder of its own; yields its URL."""
    home = Path(tempfile.mkdtemp(prefix="watchfloor-test-"))
    user = None if os.geteuid() else server_user()
    if user:
        shutil.chown(home, user)
    run = reachable(find(), home, user)
    options = [
        word for one in ("listen_addresses=", f"unix_socket_directories={home}", *settings) for word in ("-c", one)
    ]
    try:
        initdb = [str(run / "initdb"), "-D", str(home / "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8"]
        subprocess.run(
            [*initdb, "--locale=C.UTF-8", "--no-sync"], check=True, stdout=subprocess.DEVNULL, cwd="/", **as_user(user)
        )
        server: subprocess.Popen[bytes] = subprocess.Popen(
            ("sh", "-c", _KEEPER, "keeper", str(run / "postgres"), "-D", str(home / "data"), *options),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is its starter's to answer
            cwd="/",
            **as_user(user),
        )
        try:
            _await([run / "pg_isready", "-q", "-h", home], server)
            yield f"postgresql+psycopg://postgres@/postgres?host={home}"
        finally:
            server.communicate(timeout=30)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _await(is_ready: list[str | Path], server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while subprocess.run(is_ready, check=False).returncode:
        assert server.poll() is None, "the test server did not start"
        assert time.monotonic() < deadline, "the test server did not answer in 30 s"
        time.sleep(0.02)
