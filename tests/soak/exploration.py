"""The machine for as long as there is time: ever new lives of the queue, on both databases in turn."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from sqlalchemy import Engine

from tests import files
from tests.cluster import throwaway
from tests.worker.queries.machine.closing import Machine
from tests.worker.queries.test_machine import SHORT
from worker import migrate
from worker.database import connect

ROUND = settings(SHORT, max_examples=5, stateful_step_count=60, derandomize=False)


class Lives:
    """Makes machines and counts them."""

    def __init__(self, engine: Engine) -> None:
        self.count = 0
        self._engine = engine

    def __call__(self) -> Machine:
        self.count += 1
        return Machine(self._engine)


@contextmanager
def databases(folder: Path) -> Iterator[dict[str, Lives]]:
    """A server and a file, each at the newest revision."""
    lite = files.fresh(files.template(folder / "template.db"), folder / "soak.db")
    with throwaway() as url:
        server = connect(url, application_name="soak")
        migrate.upgrade(server)
        yield {"postgresql": Lives(server), "sqlite": Lives(lite)}
        server.dispose()
    lite.dispose()


def explore(lives: dict[str, Lives], *, seconds: float) -> None:
    """Go through them; a broken promise is raised with the steps that led to it."""
    ends_at = time.monotonic() + seconds
    for each in cycle(lives.values()):
        if time.monotonic() >= ends_at:
            return
        run_state_machine_as_test(each, settings=ROUND)  # type: ignore[arg-type] # a factory will do
