"""The `watchfloor` command as a shell runs it, without the shell."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from click.testing import CliRunner, Result

from app.cli import main

HANDLERS = "app.demo"


@dataclass(frozen=True)
class Shell:
    """Runs commands against one database; the environment holds nothing else of ours."""

    url: str

    def __call__(self, *arguments: str, stdin: str | None = None, **environment: str) -> Result:
        """The command's exit code, output and errors."""
        known = {"DATABASE_URL": self.url, "WATCHFLOOR_HANDLERS": HANDLERS, **environment}
        return CliRunner(env=known).invoke(main, arguments, input=stdin, prog_name="watchfloor")

    def ok(self, *arguments: str, **options: Any) -> str:
        """What a command prints that must succeed."""
        result = self(*arguments, **options)
        assert result.exit_code == 0, result.output
        return result.stdout

    def json(self, *arguments: str, **options: Any) -> Any:
        """The one document that --json gives."""
        return json.loads(self.ok(*arguments, "--json", **options))

    def refused(self, *arguments: str, code: int, **options: Any) -> str:
        """The one line on standard error of a command that must fail with this code."""
        result = self(*arguments, **options)
        assert result.exit_code == code, result.output
        assert result.stdout == ""
        assert result.stderr.startswith("Error: ")
        assert result.stderr.count("\n") == 1
        return result.stderr.strip()
