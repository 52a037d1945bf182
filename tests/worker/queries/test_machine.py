"""The queue against a model of it: random steps from all sides, every promise checked after each."""

from functools import partial

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from sqlalchemy import Engine

from tests.worker.queries.machine.closing import Machine

SHORT = settings(
    max_examples=40,
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=True,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def test_s2_26_whatever_happens_in_whatever_order_the_queue_keeps_its_promises(engine: Engine) -> None:
    run_state_machine_as_test(partial(Machine, engine), settings=SHORT)  # type: ignore[arg-type] # a factory will do
