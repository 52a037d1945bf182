"""PgBouncer, as Debian packages it, in transaction mode: the pooler that deployments have."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import make_url

from tests import debian
from worker.keeper import as_user
from worker.postgres_programs import server_user

PLACES = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))
PORT = 6432
SETTINGS = """
[databases]
{database} = host={server} port={server_port} dbname={database} user={role}

[pgbouncer]
pool_mode = transaction
default_pool_size = {sessions}
auth_type = any
listen_addr =
listen_port = {port}
unix_socket_dir = {home}
"""


def executable() -> str | None:
    """Where it is."""
    return shutil.which("pgbouncer", path=PLACES)


def provide() -> bool:
    """Make sure that it is there, installing it where this process may; say what to do where not."""
    if executable() is None:
        debian.install("pgbouncer")
    found = executable()
    print(found or "No PgBouncer found. Install the package pgbouncer.")
    return found is not None


@contextmanager
def bouncing(url: str, *, role: str, sessions: int) -> Iterator[str]:
    """The address of a PgBouncer in front of that database, whose so many sessions are that role's."""
    found, server = executable(), make_url(url)
    assert found, "there is no pgbouncer: `python -m tests` installs it"
    user = None if os.geteuid() else server_user()  # it refuses root
    home = Path(tempfile.mkdtemp(prefix="watchfloor-bouncer-"))
    try:
        settings = home / "pgbouncer.ini"
        place = {"server": server.query["host"], "server_port": server.port or 5432, "database": server.database}
        settings.write_text(SETTINGS.format(**place, role=role, sessions=sessions, port=PORT, home=home))
        for path in (home, settings):
            shutil.chown(path, user or os.geteuid())
        program = subprocess.Popen(
            [found, "--quiet", settings], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", **as_user(user)
        )
        try:
            _await(home / f".s.PGSQL.{PORT}", program)
            yield f"postgresql+psycopg://{role}@/{server.database}?host={home}&port={PORT}"
        finally:
            program.terminate()
            program.wait(10)
    finally:
        shutil.rmtree(home)


def _await(path: Path, program: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 10
    with socket.socket(socket.AF_UNIX) as end:
        while end.connect_ex(str(path)):
            assert program.poll() is None, "pgbouncer did not start"
            assert time.monotonic() < deadline, "pgbouncer did not answer in 10 s"
            time.sleep(0.02)
