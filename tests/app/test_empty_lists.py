"""Every list that is empty says why: nothing is there at all, nothing of it matches, or nothing is of this tenant."""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import Connection
from starlette.testclient import TestClient

from app.routes import ROUTES
from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.rows import plain
from tests.factories import NOON
from worker.model import Status, new_id
from worker.queries.audit import Actor
from worker.queries.bulk_acts import members, work
from worker.queries.bulk_acts.acts import Action, Terms
from worker.queries.pages import cursors

BEGINNING = cursors.encode(NOON.replace(year=2000), new_id())
NOTHING = {
    "/": "No queue yet",
    "/acts": "No acts yet",
    "/audit": "Nobody has done anything yet",
    "/dead-letters": "No dead letters",
    "/dead-letters?group=9": "No dead letters",
    "/hand-over": "Nothing is left open",
    "/jobs": "No job yet",
    "/lens": "There are no tenants",
    "/queues": "No queue yet",
    "/queues?by=type": "No job type yet",
    "/queues?by=tenant": "No tenant has open work",
    "/tenants": "No tenant yet",
    "/workers": "No worker was heard of",
}
"""What is said where there is nothing at all."""
NO_MATCH = {
    f"/acts?before={BEGINNING}": "Nothing more",
    "/audit?actor=nobody": "No act matches",
    f"/audit?before={cursors.encode(0)}": "Nothing more",
    "/dead-letters?view=mine": "You have none",
    "/dead-letters?view=snoozed": "None sleeps",
    "/dead-letters?view=resolved": "None is resolved",
    "/jobs?queue=no-such": "No job matches",
    "/jobs?tenant=no-such": "There is no tenant",
    "/jobs?status=cancelled": "None now",
    "/lens?q=no-such": "No tenant is called so",
    "/queues?q=no-such": "No name contains",
    "/queues?by=type&q=no-such": "No name contains",
    "/tenants?q=no-such": "No tenant matches",
    "/tenants?state=suspended": "No tenant matches",
}
"""What is said where there is much, but nothing as it was asked for."""
NONE_OF_ACME = {
    "/": "No job of Acme is open",
    "/acts": "No act on jobs of Acme yet",
    "/audit": "Nobody has done anything to Acme yet",
    "/dead-letters": "No dead letters of Acme",
    "/hand-over": "Nobody did anything to Acme",
    "/jobs": "No job of Acme yet",
    "/queues": "No job of Acme is open",
    "/queues?by=type": "No job of Acme is open",
    "/queues?by=tenant": "Acme has no open work",
}
"""What is said in the lens of a tenant that has nothing, while others have."""
NEVER_EMPTY = {"/account", "/account/second-factor", "/findings", "/help", "/operators"}
"""Pages of what is always there: oneself, and what the console is made of."""
NO_LIST = re.compile(r"[{.]|/(new|suggestions|live)$")
"""One thing, a form, or a piece of a page."""


def fill(conn: Connection) -> None:
    """Something on every list, none of it acme's."""
    factories.tenant(conn, "acme")
    of: dict[str, Any] = {"tenant_id": factories.tenant(conn, "globex"), "queue": "mail"}
    factories.job(conn, **of)
    dead: dict[str, Any] = {"status": Status.FAILED, "error_fingerprint": "9" * 16}
    factories.job(conn, **of, **dead)
    chosen: dict[str, Any] = {"chosen": members.BY_ID, "values": {"of_ids": [factories.job(conn, **of, **dead)]}}
    work.begin(conn, terms=Terms(Action.REPLAY), **chosen, actor=Actor("lee"), reason="fixed", now=NOON)


def told(client: TestClient, addresses: dict[str, str]) -> dict[str, bool]:
    """Whether each address says what it is to say."""
    return {address: words in plain(client.get(address).text) for address, words in addresses.items()}


def test_a_list_of_what_is_not_there_at_all_says_so(visitor: Visitor) -> None:
    assert told(visitor(), NOTHING) == dict.fromkeys(NOTHING, True)


def test_a_list_of_which_nothing_matches_says_so(visitor: Visitor, conn: Connection) -> None:
    fill(conn)
    client = visitor()
    assert told(client, NO_MATCH) == dict.fromkeys(NO_MATCH, True)
    denied = {address: NOTHING[re.sub(r"[?&](?!by).*", "", address)] for address in NO_MATCH}
    assert told(client, denied) == dict.fromkeys(denied, False)


def test_a_list_of_which_nothing_is_the_tenants_says_so(visitor: Visitor, conn: Connection) -> None:
    fill(conn)
    within = {f"/in/acme{address}": words for address, words in NONE_OF_ACME.items()}
    assert told(visitor(), within) == dict.fromkeys(within, True)


def test_no_list_is_forgotten() -> None:
    shown = {route.path for route in ROUTES if route.method == "GET" and route.access != "anyone"}
    lists = {path for path in shown if not NO_LIST.search(path)}
    assert lists - NEVER_EMPTY == {address.partition("?")[0] for address in NOTHING}
