"""A short storm; the long one is `python -m tests.soak`."""

from __future__ import annotations

import random
from pathlib import Path

from tests.soak.account import settle
from tests.soak.chaos import calm, storm
from tests.soak.harms import yard

SECONDS = 8


def test_a_12_a_15_and_a_17_after_kills_restarts_and_cuts_every_job_is_finished_once(tmp_path: Path) -> None:
    seed = random.randrange(10**6)
    with yard(tmp_path, random.Random(seed), workers=3) as there:
        storm(there, seconds=SECONDS)
        assert calm(there), f"seed {seed}: {(tmp_path / 'log').read_text()[-4000:]}"
        account = settle(there)
    assert account.is_clean, f"seed {seed}: {account.faults}"
    assert account.figures["recovered"] + account.figures["answers lost"] > 0, f"seed {seed}: it was no storm"
