"""What a page can do, a shell can: every line of the route table has its command, or a reason not to."""

from __future__ import annotations

import pytest

from app.cli import main
from app.routes import ROUTES
from tests.app.test_cli_readme import commands

ANSWERS_ITSELF = "a form or a fragment of a page; the command asks by its options"
BROWSERS = "a session of a browser, which a shell has none of"
WORDS = "explains pages and their buttons; every command explains itself by --help"
CHOOSER = "where a tenant's lens is put on in a browser; a command says --tenant"
OWN = "one's own account, by a password or a device at hand; an admin's command is beside it"

COMMANDS = {
    "/": "overview",
    "/findings": "findings",
    "/queues": "queues list",
    "/queues/{queue}": "queues show",
    "/queues/{queue}/pause": "queues pause",
    "/queues/{queue}/pause/end": "queues pause-end",
    "/queues/{queue}/resume": "queues resume",
    "/job-types/{type:path}": "job-types show",
    "/workers": "workers list",
    "/workers/{instance}": "workers show",
    "/workers/{instance}/drain": "workers drain",
    "/tenants": "tenants list",
    "/tenants/{tenant}": "tenants show",
    "/tenants/{tenant}/provisionings": "tenants provision",
    "/tenants/{tenant}/tries": "tenants try-now",
    "/tenants/{tenant}/cancellations": "tenants cancel",
    "/jobs": "jobs list",
    "/jobs.csv": "jobs export",
    "/jobs.jsonl": "jobs export",
    "/jobs/views": "views add",
    "/jobs/views/{view}/changes": "views change",
    "/jobs/views/{view}/deletions": "views remove",
    "/jobs/{job}": "jobs show",
    "/jobs/{job}/copies": "jobs copy",
    "/jobs/{job}/reveals": "jobs show",
    "/jobs/{job}/cancellations": "jobs cancel",
    "/jobs/{job}/runs": "jobs run",
    "/dead-letters": "dead-letters list",
    "/dead-letters/owners": "dead-letters take",
    "/dead-letters/owners/removals": "dead-letters give-back",
    "/dead-letters/snoozes": "dead-letters snooze",
    "/dead-letters/resolutions": "dead-letters resolve",
    "/dead-letters/reopenings": "dead-letters reopen",
    "/dead-letters/notes": "dead-letters note",
    "/dead-letters/merges": "dead-letters merge",
    "/dead-letters/merges/removals": "dead-letters part",
    "/dead-letters/splits": "dead-letters split",
    "/dead-letters/splits/removals": "dead-letters rejoin",
    "/dead-letters/{job}/replays": "dead-letters replay",
    "/replays": "jobs replay",
    "/cancellations": "jobs cancel",
    "/runs": "jobs run",
    "/reassignments": "jobs reassign",
    "/acts": "acts list",
    "/acts/{act}": "acts show",
    "/acts/{act}/aborts": "acts abort",
    "/acts/{act}/continuations": "acts go-on",
    "/acts/{act}/undos": "acts undo",
    "/audit": "audit",
    "/hand-over": "hand-over",
    "/operators": "operators list",
    "/operators/{operator}": "operators show",
    "/operators/{operator}/role": "operators role",
    "/operators/{operator}/address": "operators address",
    "/operators/{operator}/invitations": "operators invite-again",
    "/operators/{operator}/password-resets": "operators reset-password",
    "/operators/{operator}/sign-out": "operators sign-out",
    "/operators/{operator}/disable": "operators disable",
    "/operators/{operator}/enable": "operators enable",
    "/operators/{operator}/second-factor-resets": "operators reset-second-factor",
}
POSTS = {"/operators": "operators invite"}
"""Where the list is read by one command and added to by another."""
NONE = {
    "/live": BROWSERS,
    "/help": WORDS,
    "/lens": CHOOSER,
    "/jobs/suggestions": ANSWERS_ITSELF,
}


def reason(path: str) -> str | None:
    """Why a path needs no command."""
    if path.endswith("/new"):
        return ANSWERS_ITSELF
    return OWN if path.startswith("/account") else NONE.get(path)


WITH_COMMANDS = sorted(
    {(route.method, route.path) for route in ROUTES if route.access != "anyone" and reason(route.path) is None}
)


@pytest.mark.parametrize(("method", "path"), WITH_COMMANDS)
def test_every_page_and_act_has_a_command(method: str, path: str) -> None:
    known = {each.removeprefix("watchfloor ") for each in commands(main, "watchfloor")}
    assert (POSTS.get(path) if method == "POST" else None) or COMMANDS.get(path) in known


def test_no_command_is_named_for_a_page_that_is_not_there() -> None:
    assert {*COMMANDS, *POSTS, *NONE} <= {route.path for route in ROUTES}
