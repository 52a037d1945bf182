"""Who is told: nobody where nobody traces, and then nothing of OpenTelemetry is loaded."""

import subprocess
import sys
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

from tests.telling import Told
from tests.worker.runtime.bench import claim_of
from tests.worker.runtime.shop import Shop
from worker.model import AttemptOutcome
from worker.tracing import OFF, tracing

ROOT = Path(__file__).resolve().parents[3]
LOADS_NOTHING = """
import sys
sys.modules["opentelemetry"] = None  # as where the extra is not installed: to import it fails
import app.main, app.commands.up, app.commands.worker, app.commands.serve
import worker, worker.runtime.hosting
from worker.tracing import OFF, tracing
assert tracing() is OFF
assert not [name for name in sys.modules if name.startswith("opentelemetry.")]
"""


def test_without_the_extra_everything_runs_and_nothing_of_it_is_loaded() -> None:
    subprocess.run([sys.executable, "-c", LOADS_NOTHING], cwd=ROOT, check=True)


def test_where_only_some_library_has_loaded_the_api_nobody_is_told() -> None:
    assert tracing() is OFF


def test_where_somebody_has_set_a_provider_it_is_told(told: Told) -> None:
    with tracing().sending() as sending:
        assert sending.traceparent
    assert [span.name for span in told.all] == ["send"]


def test_what_tells_nothing_takes_everything() -> None:
    with OFF.sending() as piece:
        piece.sent("default")
        piece.came_to("completed", None)
    assert (piece.traceparent, dict(piece.ids)) == (None, {})


class Broken(SpanProcessor):
    """A host's own, which does not work."""

    def __init__(self, *at: str) -> None:
        self._at = at

    def on_start(self, span: object, parent_context: object = None) -> None:
        self._break("start")

    def on_end(self, span: object) -> None:
        self._break("end")

    def _break(self, place: str) -> None:
        if place in self._at:
            raise RuntimeError(place)


@pytest.mark.parametrize("place", ["start", "end"])
def test_what_a_host_put_in_there_costs_the_span_and_not_the_work(told: Told, place: str) -> None:
    provider = trace.get_tracer_provider()
    assert isinstance(provider, TracerProvider)
    provider.add_span_processor(Broken(place))
    assert Shop(work=lambda job: None).outcome("work").outcome == AttemptOutcome.COMPLETED
    tracing().claimed([claim_of().job], took_seconds=0)
    tracing().relayed([None], jobs=1, took_seconds=0)
    with tracing().sending() as sending:
        sending.sent("default")
