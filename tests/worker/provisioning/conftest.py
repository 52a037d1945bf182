"""Provisioners that may be killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Mortals = Callable[..., str]


@pytest.fixture
def mortals(url: str, tmp_path: Path) -> Iterator[Mortals]:
    """Has a provisioner live, for as long as it is told; the answer is how it ended."""
    command = [sys.executable, "-m", "tests.worker.provisioning.mortal", url, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:

        def live(*words: object) -> str:
            assert program.stdin
            assert program.stdout
            print(*words, file=program.stdin, flush=True)
            return program.stdout.readline().strip()

        yield live
        program.communicate()
