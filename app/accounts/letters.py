"""What is written to operators: short, in plain text, and with no more in it than the link."""

from __future__ import annotations

from worker.mail import Message
from worker.queries.operators import Role

_MAY: dict[Role, str] = {
    "viewer": "look at everything",
    "operator": "look at everything, replay, cancel and pause",
    "admin": "do everything, other people's accounts included",
}


def invitation(to: str, *, name: str, role: Role, link: str) -> Message:
    """The mail that lets somebody in for the first time."""
    body = f"""\
Hello {name},

you are invited to Watchfloor as {role}: you may {_MAY[role]}.

Choose a password here, within three days; the link works once:

{link}

If you did not expect this, ignore it: nobody comes in without the link.
"""
    return Message(to, "Your invitation to Watchfloor", body)


def new_password(to: str, *, name: str, link: str) -> Message:
    """The mail that lets somebody choose another password."""
    body = f"""\
Hello {name},

somebody asked for a new password for your account at Watchfloor.

If it was you, choose one here, within the hour; the link works once:

{link}

If it was not you, ignore this: your password stays as it is.
"""
    return Message(to, "A new password for Watchfloor", body)
