"""What a training is asked for: the same configuration is the same model (S1-26)."""

from __future__ import annotations

import hashlib
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from worker.payloads import dumps


class TrainingConfig(BaseModel):
    """The column to predict, from all the others; with one seed the same rows are held back for the test each time."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    target: str = Field(min_length=1, max_length=100)
    task: Literal["auto", "classification", "regression"] = "auto"
    learner: Literal["forest", "linear"] = "forest"
    test_share: float = Field(default=0.25, ge=0.1, le=0.5, allow_inf_nan=False)
    seed: int = Field(default=7, ge=0, lt=2**32)

    def document(self) -> dict[str, Any]:
        """The configuration as JSON, with what was left out."""
        return self.model_dump()

    @property
    def hash(self) -> str:
        """Another one for every other configuration."""
        return hashlib.sha256(dumps(sorted(self.document().items())).encode()).hexdigest()
