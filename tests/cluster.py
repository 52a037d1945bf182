"""A throwaway PostgreSQL for one test run: on a private socket, without fsync, gone with its starter."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from worker.keeper import as_user
from worker.postgres_programs import find, reachable, server_user

# Ends the server when the pipe to its starter closes, however that came about
_KEEPER = '"$@" & read -r _; kill -INT $!; wait $!'
_OPTIONS = ("listen_addresses=", "fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200")


@contextlib.contextmanager
def throwaway() -> Iterator[str]:
    """Run a server in a folder of its own; yields its URL."""
    home = Path(tempfile.mkdtemp(prefix="watchfloor-test-"))
    user = None if os.geteuid() else server_user()
    if user:
        shutil.chown(home, user)
    run = reachable(find(), home, user)
    options = [word for option in (*_OPTIONS, f"unix_socket_directories={home}") for word in ("-c", option)]
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
