"""Programs that the tests need and pip does not bring: Debian's, where this process may install them."""

from __future__ import annotations

import os
import shutil
import subprocess


def install(package: str) -> None:
    """Install it by apt-get if that is to be had, quietly unless it fails."""
    if not shutil.which("apt-get") or os.geteuid() != 0:
        return
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-qq", "--yes", "--no-install-recommends", package],
    ):
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            print(f"{' '.join(command)} failed:\n{done.stdout}")
            return
