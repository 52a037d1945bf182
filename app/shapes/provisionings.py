"""What is asked of a tenant's provisioning."""

from __future__ import annotations

from app.bodies import Body


class Again(Body):
    """Whether one that failed or was cancelled is to go on at the step where it stopped."""

    again: bool = False
