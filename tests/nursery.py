"""Where processes of tests are born: imports are done once, and each is a fork of what has them, alive at once."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing import parent_process
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from threading import Thread

ROOT = Path(__file__).resolve().parents[1]
PATIENCE_SECONDS = 60
Main = Callable[[list[str]], object]
"""What a process does with its arguments; as in a script, `sys.exit` ends it."""

_NURSERY = multiprocessing.get_context("forkserver")
_PRELOADED = ("app.commands.serving", "app.demo", "tests.worker.provisioning.mortal", "tests.worker.runtime.process")
_NURSERY.set_forkserver_preload(["__main__", *_PRELOADED])


class Child(ABC):
    """A process of its own; what it says goes to files, so that it never waits for a reader."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.arguments = list(arguments)
        self._ear = tempfile.TemporaryDirectory(prefix="watchfloor-child-")
        for name in ("output", "errors"):
            Path(self._ear.name, name).touch()

    @property
    @abstractmethod
    def pid(self) -> int:
        """Its number, also when it is gone."""

    @abstractmethod
    def poll(self, seconds: float = 0) -> int | None:
        """Its exit code, negative for the signal that ended it; None when it lives on after that time."""

    def wait(self, seconds: float = PATIENCE_SECONDS) -> int:
        """Its exit code, once it has ended."""
        code = self.poll(seconds)
        assert code is not None, f"it did not end within {seconds} s"
        return code

    def said(self) -> str:
        """Its standard output so far."""
        return Path(self._ear.name, "output").read_text()

    def complained(self) -> str:
        """Its standard error so far."""
        return Path(self._ear.name, "errors").read_text()

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal, if it still lives."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def bury(self) -> None:
        """Leave nothing of it."""
        self.signal(signal.SIGKILL)
        self.wait()
        self._ear.cleanup()


class Fork(Child):
    """One that was forked."""

    def __init__(self, main: Main, arguments: Sequence[str], *, environment: dict[str, str], cwd: Path) -> None:
        super().__init__(arguments)
        birth = (main, self.arguments, environment, str(cwd), self._ear.name)
        self._process: ForkServerProcess = _NURSERY.Process(target=_live, args=birth)
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid
        return self._process.pid

    def poll(self, seconds: float = 0) -> int | None:
        self._process.join(seconds)
        return self._process.exitcode


class Start(Child):
    """One that an interpreter of its own was started for: `python -m MODULE ARGUMENT…`."""

    def __init__(self, module: str, arguments: Sequence[str], *, environment: dict[str, str], cwd: Path) -> None:
        super().__init__(arguments)
        command = [sys.executable, "-m", module, *arguments]
        with Path(self._ear.name, "output").open("ab") as output, Path(self._ear.name, "errors").open("ab") as errors:
            known = {**environment, "PYTHONPATH": str(ROOT)}
            self._process = subprocess.Popen(command, stdout=output, stderr=errors, env=known, cwd=cwd)

    @property
    def pid(self) -> int:
        return self._process.pid

    def poll(self, seconds: float = 0) -> int | None:
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None


@contextmanager
def child(main: Main | str, *arguments: str, environment: Mapping[str, str], cwd: Path = ROOT) -> Iterator[Child]:
    """A process that does not outlive the block: a fork that does this, or an interpreter started with that module.

    Of ours, its environment has these variables alone.
    """
    known = {name: value for name, value in os.environ.items() if "WATCHFLOOR_" not in name}
    given = {name: value for name, value in known.items() if "DATABASE_URL" not in name} | {**environment}
    born: Child = (
        Start(main, arguments, environment=given, cwd=cwd)
        if isinstance(main, str)
        else Fork(main, arguments, environment=given, cwd=cwd)
    )
    try:
        yield born
    finally:
        born.bury()


def _live(main: Main, arguments: list[str], environment: dict[str, str], cwd: str, ear: str) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    for number, name in ((1, "output"), (2, "errors")):
        end = os.open(Path(ear, name), os.O_WRONLY | os.O_APPEND)
        os.dup2(end, number)
        os.close(end)
    sys.argv[1:] = arguments
    Thread(target=_end_with_the_tests, name="nursery", daemon=True).start()
    main(arguments)


def _end_with_the_tests() -> None:
    tests = parent_process()
    assert tests
    tests.join()
    os.kill(os.getpid(), signal.SIGKILL)
