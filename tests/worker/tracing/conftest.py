"""What the tests of tracing share."""

from collections.abc import Iterator

import pytest

from tests.telling import Told, telling


@pytest.fixture
def told() -> Iterator[Told]:
    """What OpenTelemetry is told during the test."""
    with telling() as told:
        yield told
