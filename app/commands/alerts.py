"""The rules by which Prometheus tells what the Overview would, for its own configuration."""

from __future__ import annotations

import click

from app.commands.output import say
from app.metrics import rules
from app.settings import ConsoleSettings


@click.command("alerts")
def command() -> None:
    """Print the alert rules for Prometheus, with runbooks that lead to this console's pages."""
    settings = ConsoleSettings()
    say(rules.written(settings.address, settings.alert_severities or ()).rstrip())
