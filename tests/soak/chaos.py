"""One harm after the other under traffic, and then peace, until everything that was promised is done."""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.soak.account import unfinished
from tests.soak.harms import (
    Undo,
    Yard,
    crash_the_server,
    cut_the_wire,
    end_sessions,
    freeze_a_worker,
    kill_a_worker,
    kill_the_maintenance,
    lose_answers,
    stop_a_worker,
    stop_up_the_wire,
)

HARMS: dict[Callable[[Yard], Undo | None], float] = {
    kill_a_worker: 6,
    kill_the_maintenance: 1,
    stop_a_worker: 2,
    freeze_a_worker: 2,
    crash_the_server: 1,
    end_sessions: 2,
    cut_the_wire: 2,
    lose_answers: 6,
    stop_up_the_wire: 1,
}
"""What may go wrong, and how often it does beside the others."""
PEACE_WITHIN_SECONDS = 90


def storm(yard: Yard, *, seconds: float) -> None:
    """Do harm at random moments, for a while or until Ctrl-C; what can be undone is undone a little later."""
    yard.traffic.start()
    ends_at = time.monotonic() + seconds
    undone: list[tuple[float, Undo]] = []
    try:
        while (now := time.monotonic()) < ends_at:
            for due, undo in undone:
                if due <= now:
                    undo()
            undone = [each for each in undone if each[0] > now]
            if len(undone) < 2:
                (harm,) = yard.choose.choices(list(HARMS), list(HARMS.values()))
                if back := harm(yard):
                    undone.append((now + yard.choose.uniform(0.3, 3), back))
            time.sleep(yard.choose.uniform(0.05, 0.5))
    except KeyboardInterrupt:
        pass  # what was promised until now is still to be done
    finally:
        for _, undo in undone:
            undo()


def calm(yard: Yard) -> bool:
    """Whether all that was promised is done within the time, nothing being harmed any more."""
    yard.wire.rob(0, commits_only=False)
    yard.traffic.stop()
    ends_at = time.monotonic() + PEACE_WITHIN_SECONDS
    while unfinished(yard) and time.monotonic() < ends_at:
        yard.traffic.revive()
        time.sleep(0.2)
    return not unfinished(yard)
