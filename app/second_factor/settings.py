"""Who has to have a second factor."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from worker.queries.operators import Role
from worker.settings import WorkerSettings


class SecondFactorSettings(WorkerSettings):
    """Nobody has to, unless a role is named: then whoever may do as much as that."""

    require_second_factor: Role | None = None

    @model_validator(mode="after")
    def _can_be_had(self) -> Self:
        if self.require_second_factor and self.secret_keys is None:
            raise ValueError(
                "WATCHFLOOR_REQUIRE_SECOND_FACTOR is set, but WATCHFLOOR_SECRET_KEYS is not: nobody could set one up"
            )
        return self
