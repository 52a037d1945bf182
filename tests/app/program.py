"""The `watchfloor` command as a process of its own, in a folder of its own."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 60


class Program:
    """One run of the command; `document` is the JSON that it prints once it serves."""

    def __init__(self, *arguments: str, cwd: Path = ROOT, **environment: str) -> None:
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("WATCHFLOOR_", "DATABASE_"))}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "app", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env={**clean, "PYTHONPATH": str(ROOT), **environment},
        )

    def document(self) -> Any:
        """What it prints with --json, as soon as it is whole."""
        assert self.process.stdout
        text, deadline = b"", time.monotonic() + PATIENCE_SECONDS
        while not text.endswith(b"}\n"):
            assert time.monotonic() < deadline, f"no document within {PATIENCE_SECONDS} s"
            if select.select([self.process.stdout], [], [], 0.1)[0]:
                read = os.read(self.process.stdout.fileno(), 65_536)
                assert read, f"it ended without a document: {self.end()[1]}"
                text += read
        return json.loads(text)

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    def end(self) -> tuple[int, str]:
        """Its exit code and what it wrote to standard error, once it has ended."""
        _, errors = self.process.communicate(timeout=PATIENCE_SECONDS)
        return self.process.returncode, errors.decode()


@contextmanager
def program(*arguments: str, **options: Any) -> Iterator[Program]:
    """A run that does not outlive the block."""
    started = Program(*arguments, **options)
    try:
        yield started
    finally:
        started.process.kill()
        started.process.communicate()


@contextmanager
def data_folder() -> Iterator[Path]:
    """A folder that the server's user can reach; whatever runs on it is awaited away in the end."""
    top = Path(tempfile.mkdtemp(prefix="watchfloor-up-"))
    top.chmod(0o755)
    yield top / "data"
    until(lambda: str(top) not in subprocess.check_output(["ps", "-ewwo", "args="], text=True))
    shutil.rmtree(top)


def get(url: str) -> tuple[int, str]:
    """The status and the text of a page."""
    with urllib.request.urlopen(url, timeout=PATIENCE_SECONDS) as answer:  # noqa: S310 - our own http address
        return answer.status, answer.read().decode()


def until(condition: Callable[[], Any]) -> Any:
    """The condition's first answer that is true."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (answer := condition()):
        assert time.monotonic() < deadline, f"it did not happen within {PATIENCE_SECONDS} s"
        time.sleep(0.05)
    return answer
