"""The `watchfloor` command as a process of its own, in a folder of its own."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from app.cli import main
from tests.nursery import PATIENCE_SECONDS, ROOT, Child, child


class Program:
    """One run of the command; `document` is the JSON that it prints once it serves."""

    def __init__(self, process: Child) -> None:
        self.process = process

    def document(self) -> Any:
        """What it prints with --json, as soon as it is whole."""

        def whole() -> bool:
            assert self.process.poll() is None or self.process.said(), f"it ended: {self.process.complained()}"
            return self.process.said().endswith("}\n")

        until(whole)
        return json.loads(self.process.said())

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self.process.signal(number)

    def end(self) -> tuple[int, str]:
        """Its exit code and what it wrote to standard error, once it has ended."""
        return self.process.wait(), self.process.complained()


@contextmanager
def program(*arguments: str, **options: Any) -> Iterator[Program]:
    """A run that does not outlive the block, in `cwd` and with these variables."""
    with child(command, *arguments, cwd=options.pop("cwd", ROOT), environment=options) as process:
        yield Program(process)


@contextmanager
def interpreter(*arguments: str, **options: Any) -> Iterator[Program]:
    """The same from the very beginning: `python -m app ARGUMENT…`."""
    with child("app", *arguments, cwd=options.pop("cwd", ROOT), environment=options) as process:
        yield Program(process)


def command(arguments: list[str]) -> None:
    """What `watchfloor ARGUMENT…` does."""
    main(arguments, prog_name="watchfloor")


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


def serves(url: str) -> bool:
    """Whether somebody answers there, and well."""
    try:
        return get(url)[0] == 200
    except HTTPError as refusal:
        refusal.close()
        return False
    except OSError:
        return False


def until(condition: Callable[[], Any]) -> Any:
    """The condition's first answer that is true."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (answer := condition()):
        assert time.monotonic() < deadline, f"it did not happen within {PATIENCE_SECONDS} s"
        time.sleep(0.02)
    return answer
