"""The services that the shop depends on, and the recognisable ways in which they fail."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

TROUBLE_BEGINS_SECONDS = 240.0
TROUBLE_LASTS_SECONDS = 600.0


class ConnectTimeout(Exception):
    """A provider did not answer in time."""


class TemplateNotFound(Exception):
    """An invoice asks for a template that was never deployed."""


class InsufficientFunds(Exception):
    """The bank says no, and will say so again."""


class ServiceUnavailable(Exception):
    """A provider is busy for a moment; the next try or the one after succeeds."""


class CredentialsExpired(Exception):
    """The warehouse does not know us any more, until somebody renews the token."""


def render(template: str) -> None:
    """Render a document; the third version of the invoice was announced but never shipped."""
    if template == "invoice_v3.html":
        raise TemplateNotFound(template)


def charge(order: Mapping[str, Any], attempt: int) -> None:
    """Take money; cards ending 9995 have none, and the bank is busy for as many attempts as the order says."""
    if str(order.get("card", "")).endswith("9995"):
        raise InsufficientFunds(f"card ending 9995 was declined for {order.get('amount', 0):.2f} EUR")
    if attempt <= order.get("busy_attempts", 0):
        raise ServiceUnavailable("api.payline.example answered 503 Service Unavailable")


def push_contact(region: str) -> None:
    """Tell the CRM; its servers in Sydney are out of reach."""
    if region == "sydney":
        raise ConnectTimeout("crm-sydney.hublane.example:443 did not answer within 10 s")


class Warehouse:
    """Lets the shop in until its token expires some minutes after the start; a new one lasts for good.

    Somebody always notices after a while; `renew_warehouse_token` is for those who do not want to wait.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started_at = clock()
        self._renewed = False

    def renew(self) -> None:
        """Get a new token: replays of what failed succeed from now on."""
        self._renewed = True

    def sync(self, site: str) -> None:
        """Exchange stock levels with one site."""
        running_for = self._clock() - self._started_at - TROUBLE_BEGINS_SECONDS
        if 0 <= running_for < TROUBLE_LASTS_SECONDS and not self._renewed:
            raise CredentialsExpired(f"wms.portside.example refused the token for site '{site}': expired")
