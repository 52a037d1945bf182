"""The revisions that this code knows: of the control schema, and of one tenant's tables."""

from __future__ import annotations

from typing import Literal

from alembic.config import Config
from alembic.script import ScriptDirectory

from worker.resources import folder

Line = Literal["control", "tenant_template"]


def config(line: Line) -> Config:
    """Alembic's configuration, without a file of its own."""
    settings = Config()
    settings.set_main_option("script_location", str(folder("migrations") / line))
    settings.set_main_option("path_separator", "os")
    return settings


def newest(line: Line) -> str:
    """The revision that a database comes to by all of them."""
    return ScriptDirectory.from_config(config(line)).get_current_head() or ""
