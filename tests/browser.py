"""The browser that the system tests drive: Debian's Chromium, or another found on the PATH."""

import os
import shutil
import subprocess

NAMES = ("chromium", "chromium-browser", "google-chrome")
INSTALL = (
    ["apt-get", "update", "-qq"],
    ["apt-get", "install", "-qq", "--yes", "--no-install-recommends", "chromium"],
)


def executable() -> str | None:
    """The path of the first browser found, to launch by."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


def provide() -> bool:
    """Make sure that there is a browser, installing Debian's where this process may; say what to do where not."""
    if executable() is None and shutil.which("apt-get") and os.geteuid() == 0:
        install()
    found = executable()
    print(found or f"No browser found. Install Chromium, so that one of {', '.join(NAMES)} is on the PATH.")
    return found is not None


def install() -> None:
    """Install Chromium by apt-get, quietly unless it fails."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in INSTALL:
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
