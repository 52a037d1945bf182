"""Where processes are born: imports are done once, and each process is a fork (`python -m tests.soak.nursery URL`).

One word a line on standard input, `worker` or `maintenance`; the answer is the new process's id. All of them end with
the nursery, and the nursery ends with its input.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from threading import Event

import structlog

from worker.handlers import Registry, configured
from worker.runtime.maintenance import Maintenance
from worker.runtime.worker import Worker
from worker.settings import WorkerSettings


def main(url: str) -> None:
    """Bear what is asked for."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    settings = WorkerSettings(_env_file=None)  # type: ignore[call-arg] # pydantic-settings' own argument
    registry = configured(settings)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the dead
    children: list[int] = []
    for line in sys.stdin:
        if (child := os.fork()) == 0:
            live(line.strip(), url, settings, registry)
            os._exit(0)
        children.append(child)
        print(child, flush=True)
    for child in children:
        kill(child)


def live(role: str, url: str, settings: WorkerSettings, registry: Registry) -> None:
    """Work until SIGTERM."""
    told = Event()
    signal.signal(signal.SIGTERM, lambda _number, _frame: told.set())
    os.close(sys.stdin.fileno())
    kind = Worker if role == "worker" else Maintenance
    if part := begin(lambda: kind(settings, registry, url=url), told):
        told.wait()
        part.stop()


def begin(make: Callable[[], Worker | Maintenance], told: Event) -> Worker | Maintenance | None:
    """The part at work; a start that meets an outage is tried again, as a supervisor would."""
    while not told.is_set():
        try:
            part = make()
            part.start()
        except Exception as error:  # noqa: BLE001 - whatever keeps it from starting may be over soon
            structlog.get_logger().warning("start.failed", error=type(error).__name__)
            told.wait(0.3)
        else:
            return part
    return None


def kill(child: int) -> None:
    """End it, if it still lives."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1])
