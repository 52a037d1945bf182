"""A password that is being chosen, in a form that asks for it twice."""

from __future__ import annotations

from app.console import console_of
from app.passwords import weakness
from app.web import Call

APART = "The two are not the same."


def problem(call: Call, name: str) -> str | None:
    """Why the password should not be taken, in a sentence; None when nothing speaks against it."""
    password, again = str(call.form.get("password", "")), str(call.form.get("again", ""))
    return APART if password != again else weakness(password, name)


def hashed(call: Call) -> str:
    """What is stored of it."""
    return console_of(call.request).passwords.hash(str(call.form.get("password", "")))
