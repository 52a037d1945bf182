"""Who is told: nobody where nobody traces, and then nothing of OpenTelemetry is loaded."""

import subprocess
import sys
from pathlib import Path

from tests.telling import Told
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
