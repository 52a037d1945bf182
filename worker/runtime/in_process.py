"""Workers beside a host's own threads: at most one of a database in a process."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from threading import Event, Lock, Thread

from worker.runtime.worker import Worker

_LOOK_EVERY_SECONDS = 0.1


class JobWorker:
    """One worker of this process; it ends with `stop`, with the process, or when an operator drains it."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="watchfloor worker", daemon=True)

    @property
    def instance_id(self) -> str:
        """What the console knows it by."""
        return self._worker.instance.instance_id

    @property
    def alive(self) -> bool:
        """Whether it works; in a process that was forked from its own, it does not."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Begin; whatever keeps it from working is raised here."""
        self._worker.start()
        self._thread.start()
        atexit.register(self.stop)

    def stop(self) -> None:
        """End in good order: nothing is held any more when this returns. Only the first call does anything."""
        atexit.unregister(self.stop)
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._worker.drained and not self._stopping.wait(_LOOK_EVERY_SECONDS):
            pass
        self._worker.stop()


class InProcessWorkers:
    """The workers that this process started, by database."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._by_address: dict[str | None, JobWorker] = {}

    def worker(self, address: str | None, new: Callable[[], Worker]) -> JobWorker:
        """The one that works on this database, else a new one; two callers at once get the same."""
        with self._lock:
            known = self._by_address.get(address)
            if known is None or not known.alive:
                known = JobWorker(new())
                known.start()
                self._by_address[address] = known
            return known
