"""The rules by which Prometheus tells what the Overview would, for its own configuration."""

from __future__ import annotations

from pathlib import Path

import click

from app.commands.output import say
from app.settings import ConsoleSettings

RULES = Path(__file__).parents[1] / "metrics" / "alerts.yml"
WRITTEN_FOR = "http://127.0.0.1:8000"
"""The address in the file, which is that of a console without settings."""


@click.command("alerts")
def command() -> None:
    """Print the alert rules for Prometheus, with runbooks that lead to this console's pages."""
    say(RULES.read_text("utf-8").replace(WRITTEN_FOR, ConsoleSettings().address).rstrip())
