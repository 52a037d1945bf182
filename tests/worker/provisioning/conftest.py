"""Provisioners that may be killed."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.nursery import Main, child

Mortals = Callable[..., str]

ENDS = {0: "lived", -signal.SIGKILL: "killed"}


@pytest.fixture
def mortals(url: str, tmp_path: Path) -> Mortals:
    """Has a provisioner live, for as long as it is told; the answer is how it ended."""

    def live(kind: Main, *words: object) -> str:
        with child(kind, url, str(tmp_path), *map(str, words), environment={}) as born:
            return ENDS.get(born.wait(), born.complained())

    return live
