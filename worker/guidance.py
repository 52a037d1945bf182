"""What a registration tells the people on call: where to read on, whom to ask, whether a repeat does harm."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from worker.errors import ConfigurationError

Replay = Literal["safe", "keyed", "ask"]
"""`safe`: running it again changes nothing more. `keyed`: what it does outside carries the job's key, so that it counts
once. `ask`: a repeat may do again what the first run did, so ask the owner before."""
MAX_RUNBOOK, MAX_OWNER = 500, 100
# An address that may stand in a link: nothing that runs, nothing that cannot be seen
_ADDRESS = re.compile(r"https?://[^\s/?#@]+(?:[/?#][!-~]*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Guidance:
    """All of it may be missing: then nothing was declared beside the handler."""

    runbook: str | None = None
    owner: str | None = None
    replay: Replay | None = None

    def __bool__(self) -> bool:
        """Whether anything was declared."""
        return bool(self.runbook or self.owner or self.replay)


UNSAID = Guidance()
"""Nothing was declared."""


def guidance(subject: str, *, runbook: str | None, owner: str | None, replay: str | None) -> Guidance:
    """What was declared of `subject`, when it can be shown; ConfigurationError otherwise."""
    if runbook is not None and not (len(runbook) <= MAX_RUNBOOK and _ADDRESS.fullmatch(runbook)):
        raise ConfigurationError(f"{subject}: the runbook must be an http or https address")
    if owner is not None and not (1 <= len(owner) <= MAX_OWNER and owner.isprintable()):
        raise ConfigurationError(f"{subject}: the owner must be 1 to {MAX_OWNER} printable characters")
    for each in get_args(Replay):
        if replay == each:
            return Guidance(runbook, owner, each)
    if replay is None:
        return Guidance(runbook, owner)
    raise ConfigurationError(f"{subject}: replay must be one of {', '.join(get_args(Replay))}")
