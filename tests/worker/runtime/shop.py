"""An executor on its own: what it hands to its completer, without a database."""

from typing import Any

from tests.worker.runtime.bench import claim_of, registry, settings
from worker.job_types import Handler
from worker.queries.results import Result
from worker.runtime.executor import Executor
from worker.runtime.held import Held, Run
from worker.runtime.judge import Judge


class Endings:
    """What an executor hands to its completer."""

    def __init__(self) -> None:
        self.results: list[Result] = []
        self.released: list[Run] = []

    def finish(self, _run: Run, result: Result) -> None:
        self.results.append(result)

    def release(self, runs: list[Run]) -> None:
        self.released += runs


class Shop:
    """An executor on its own, and what came out of it."""

    def __init__(self, *, threads: int = 2, **handlers: Handler) -> None:
        self.held = Held(50, threads=50)
        self.endings = Endings()
        known = registry(**handlers)
        judge = Judge(known, settings())
        self.executor = Executor(known, self.held, judge, self.endings, threads=threads)  # type: ignore[arg-type] # a stand-in

    def claim(self, job_type: str, **fields: Any) -> Run:
        run = claim_of(job_type, **fields)
        self.held.add([run])
        return run

    def outcome(self, job_type: str, **fields: Any) -> Result:
        self.executor.run(self.claim(job_type, **fields))
        (result,) = self.endings.results
        return result
