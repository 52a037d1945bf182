"""The `watchfloor` command: the table of its commands, each loaded when it is called for."""

from __future__ import annotations

from importlib import import_module, metadata
from typing import Any

import click

from app.commands.refusals import explain
from app.tracing import exporting

COMMANDS = {
    "up": "app.commands.up",
    "serve": "app.commands.serve",
    "worker": "app.commands.worker",
    "topology": "app.commands.topology",
    "migrate": "app.commands.migrate",
    "check": "app.commands.check",
    "enqueue": "app.commands.enqueue",
    "publish": "app.commands.publish",
    "release": "app.commands.release",
    "overview": "app.commands.overview",
    "jobs": "app.commands.jobs",
    "dead-letters": "app.commands.dead_letters",
    "views": "app.commands.views",
    "acts": "app.commands.acts",
    "queues": "app.commands.queues",
    "job-types": "app.commands.job_types",
    "workers": "app.commands.workers",
    "findings": "app.commands.findings",
    "hand-over": "app.commands.hand_over",
    "audit": "app.commands.audit",
    "alerts": "app.commands.alerts",
    "tenants": "app.commands.tenants",
    "operators": "app.commands.operators",
    "tokens": "app.commands.tokens",
}


class Commands(click.Group):
    """Imports one command's module, not all; turns the exceptions of the layers below into one line and a code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table, which is the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, its module imported."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(COMMANDS[cmd_name]).command
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run it; a defect keeps its traceback."""
        try:
            with exporting():
                return super().invoke(ctx)
        except Exception as error:
            if failure := explain(error):
                raise failure from error
            raise


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(metadata.version("watchfloor"), prog_name="watchfloor")
def main() -> None:
    """An operations console for a PostgreSQL job queue, and the durable queue under it.

    Exit codes: 0 done, 1 failed, 2 wrong usage, 3 unhealthy, 78 wrong configuration.
    """
