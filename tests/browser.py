"""The browser that the system tests drive: Debian's Chromium, or another found on the PATH."""

import shutil

from tests import debian

NAMES = ("chromium", "chromium-browser", "google-chrome")


def executable() -> str | None:
    """The path of the first browser found, to launch by."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


def provide() -> bool:
    """Make sure that there is a browser, installing Debian's where this process may; say what to do where not."""
    if executable() is None:
        debian.install("chromium")
    found = executable()
    print(found or f"No browser found. Install Chromium, so that one of {', '.join(NAMES)} is on the PATH.")
    return found is not None
