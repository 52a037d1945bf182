"""One process of the split: started, started again when it dies, and ended with all that it is part of."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from threading import Thread

from app.split import tied
from worker.backoff import Backoff

MISCONFIGURED = 78
PATIENCE = Backoff(base_seconds=1, cap_seconds=30, exponent_cap=6, jitter=False)
STEADY_SECONDS = 60
"""A process that lived so long was well: the next wait is the shortest again."""

_LINE_BYTES = 64 * 1024
_OWN_GROUP = 0

Tell = Callable[[str, str], None]
"""Says a line of the process that has the name."""


class Child:
    """A process that is there again after each death; only one that says it is misconfigured stays away.

    It is to be started and tended by the main thread alone, as the kernel binds it to the thread that started it.
    """

    def __init__(
        self, name: str, command: Sequence[str], environment: Mapping[str, str], *, tell: Tell, grace_seconds: float
    ) -> None:
        self.name = name
        self.misconfigured = False
        self._command = command
        self._environment = dict(environment)
        self._tell = tell
        self._grace_seconds = grace_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at: float | None = None
        self._again_at: float | None = None
        self._deaths = 0

    @property
    def pid(self) -> int | None:
        """Its number at present; None before it was started."""
        return self._process.pid if self._process else None

    @property
    def code(self) -> int | None:
        """How it ended; None while it runs."""
        return self._process.poll() if self._process else None

    def start(self) -> None:
        """Begin; returns at once."""
        # A group of its own: Ctrl-C is for the one who started it all, who tells the others in turn
        self._process = subprocess.Popen(
            [sys.executable, "-PS", tied.__file__, str(os.getpid()), *self._command],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            process_group=_OWN_GROUP,
        )
        Thread(target=self._repeat, args=(self._process,), name=f"watchfloor {self.name}", daemon=True).start()

    def tend(self, now: float) -> None:
        """Look whether it lives; start it again once its wait is over."""
        if self._again_at is not None:
            if now >= self._again_at:
                self._again_at, self._started_at = None, now
                self.start()
            return
        if self._started_at is None:
            self._started_at = now
        if (code := self.code) is not None and not self.misconfigured:
            self._mourn(code, lived=now - self._started_at, now=now)

    def stop(self) -> None:
        """Ask it to end in good order; returns when it has, or when its time is over and it was killed."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(self._grace_seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def hurry(self) -> None:
        """Ask it once more, which it takes for: at once."""
        if self._process:
            self._process.send_signal(signal.SIGTERM)

    def _mourn(self, code: int, *, lived: float, now: float) -> None:
        if code == MISCONFIGURED:
            self.misconfigured = True
            return
        self._deaths = 1 if lived >= STEADY_SECONDS else self._deaths + 1
        wait = PATIENCE.delay(self._deaths)
        self._again_at = now + wait
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"
        self._tell(self.name, f"{how}; started again in {wait:g} s")

    def _repeat(self, process: subprocess.Popen[bytes]) -> None:
        """Say each of its lines, until it and whatever it started have closed their output."""
        assert process.stdout
        with process.stdout as lines:
            while line := lines.readline(_LINE_BYTES):
                self._tell(self.name, line.decode(errors="replace").rstrip("\r\n"))
