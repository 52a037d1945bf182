"""What was done to many jobs at once, and the trail of everything that was done."""

from __future__ import annotations

from tests.system.seed.acts import MOVING, STOPPED, UNDONE
from tests.system.views.view import View

OF_QUEUED = "all=1&before=2026-11-29T09:31:46Z&status=queued&back=/jobs"
OF_RETRYING = "all=1&before=2026-11-29T09:31:46Z&status=retrying&back=/jobs"

VIEWS = {
    "acts": View("/acts", "The acts of the morning, one of them still moving."),
    "acts-none": View("/acts", "Nobody did anything to many jobs at once.", "calm"),
    "act-undone": View(f"/acts/{UNDONE}", "A cancel that was taken back."),
    "act-moving": View(f"/acts/{MOVING}", "A replay of 96,400 jobs at 25 a second."),
    "act-stopped": View(f"/acts/{STOPPED}", "A replay that stopped by itself after three of the same error."),
    "cancel-many": View(f"/cancellations/new?{OF_QUEUED}", "Why a cancel is never tried on one first."),
    "run-many": View(f"/runs/new?{OF_RETRYING}", "Seven that wait to be retried, with the steps that are kept."),
    "audit": View("/audit", "Who did what, to which rows, and why."),
    "hand-over": View("/hand-over?since=12h", "What the next shift has to know."),
    "hand-over-calm": View("/hand-over", "A shift in which nothing was done.", "calm"),
}
