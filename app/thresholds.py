"""Settings that say from when on something is told as trouble."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any

from pydantic import Field, field_validator

from worker.queries.pages.attention import Limits
from worker.settings import Names, Seconds, WorkerSettings

Share = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
Times = Annotated[float, Field(gt=1, le=1000, allow_inf_nan=False)]


class Thresholds(WorkerSettings):
    """One for each kind of trouble that has one; `/findings` shows what each would have told."""

    finding_unserved_seconds: Seconds = 30
    finding_dead_per_hour: int = Field(default=1, ge=1, le=1_000_000)
    finding_unreaped_seconds: Seconds = 120
    finding_unrelayed_seconds: Seconds = 60
    finding_idle_duty_seconds: Seconds = 300
    finding_behind_seconds: Seconds = 120
    finding_far_behind_seconds: Seconds = 900
    finding_still_seconds: Seconds = 120
    finding_transaction_seconds: Seconds = 300
    finding_clock_seconds: Seconds = 5
    finding_late_share: Share = 0.1
    finding_slower_times: Times = 2
    finding_paused_seconds: Seconds = 900
    stuck_after_seconds: Seconds = 300
    # How severe each alert is, where that is not as the rules have it: late=critical,paused=none
    alert_severities: Names = None

    @field_validator("alert_severities", mode="before")
    @classmethod
    def _severities(cls, value: Any) -> Any:
        return cls._split(value)

    @property
    def limits(self) -> Limits:
        """The same as the kinds of trouble ask for it."""
        return Limits(**{each.name: getattr(self, each.name) for each in fields(Limits)})
