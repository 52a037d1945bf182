"""The long run: `python -m tests.soak --minutes N`. A third of the time is the machine's, the rest is one long storm.

Prints its figures and ends with 1 when a promise was broken; Ctrl-C ends it early, with the figures until then.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

from tests.soak.account import settle
from tests.soak.chaos import calm, storm
from tests.soak.exploration import databases, explore
from tests.soak.harms import yard


def main(arguments: list[str]) -> int:
    """Both halves; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of the storm's order of harms")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="watchfloor-soak-") as name:
        try:
            live(Path(name), seconds=options.minutes * 20)
            return weather(Path(name), options)
        except KeyboardInterrupt:
            return 130


def live(folder: Path, *, seconds: float) -> None:
    """Random lives of the queue; how many there were."""
    with databases(folder) as lives:
        try:
            explore(lives, seconds=seconds)
        finally:
            say("Random lives, each step compared with the model", {name: each.count for name, each in lives.items()})


def weather(folder: Path, options: argparse.Namespace) -> int:
    """A storm, the calm after it, and the books."""
    print(f"\nA storm with seed {options.seed}", flush=True)
    with yard(folder, random.Random(options.seed), workers=options.workers) as there:
        storm(there, seconds=options.minutes * 40)
        calm(there)
        account = settle(there)
    say("What happened", account.figures)
    say("Promises broken", account.faults)
    return 0 if account.is_clean else 1


def say(title: str, figures: dict[str, int]) -> None:
    """A small table."""
    print(f"\n{title}")
    for name, figure in figures.items():
        print(f"  {name:34}{figure:>10,}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
