"""The last question before a connection: is this mail still ours to send?"""

from __future__ import annotations

from worker.errors import MailError
from worker.signals import lease_lost


def require_lease() -> None:
    """MailError when the job may be another worker's by now, who would send it too (S2-126)."""
    if lease_lost():
        raise MailError("the lease was lost before anything was sent")
