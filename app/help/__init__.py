"""Every state, act, cause, trouble and word of the console, explained once, on `/help`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.help import deeds, findings, states, waiting, words
from app.help.entries import Entry, Section

__all__ = ("SECTIONS", "Entry", "Section")


def _section(prefix: str, title: str, says: str, entries: Mapping[Any, Entry]) -> Section:
    return Section(prefix, title, says, {str(key): entry for key, entry in entries.items()})


SECTIONS = (
    _section(
        "word", "Words", "One word for each idea, on pages, in addresses, in the API and in the shell.", words.WORDS
    ),
    _section("state", "States of a job", "A shape and a word; the colour comes third.", states.JOBS),
    _section("attempt", "How an attempt ended", "Each try of a job leaves one line on its page.", states.ATTEMPTS),
    _section(
        "group", "States of a group of dead letters", "What people made of it, or what became of that.", states.GROUPS
    ),
    _section("act", "States of an act", "A set of jobs that was acted on has a page of its own.", states.ACTS),
    _section("worker", "States of a worker", "Told from its heartbeat.", states.WORKERS),
    _section("tenant", "States of a provisioning", "Where a tenant is on its way to being active.", states.TENANTS),
    _section("wait", "Why jobs wait", "On the page of a queue or a job type, the worst first.", waiting.CAUSES),
    _section("pace", "Time to clear", "Where the backlog of a queue is going.", waiting.PACES),
    _section(
        "finding", "What the Overview looks for", "Each from its limit on, which is a setting.", findings.FINDINGS
    ),
    _section("do", "What is done to jobs", "Each press leaves a line in the audit trail.", deeds.JOBS),
    _section("group-do", "What is done to groups", "On the page of dead letters.", deeds.GROUPS),
    _section("place-do", "Queues, workers and tenants", "What is done to where jobs run.", deeds.PLACES),
    _section("account-do", "Accounts", "Who may come in, and what they may do.", deeds.ACCOUNTS),
    _section("own-do", "Your own", "What is done to nobody else’s work.", deeds.OWN),
    _section("live", "The page itself", "Pages follow what happens; how, the mark in the rail says.", states.LIVE),
)
