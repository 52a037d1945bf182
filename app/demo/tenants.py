"""The shop's tenants, by the short names that make their rows idempotent."""

from __future__ import annotations

from uuid import UUID

from worker.database import Connection
from worker.queries import tenants

NAMES = {
    "alder-finch": "Alder & Finch Outfitters",
    "baltic-freight": "Baltic Freight Union",
    "caspian-coffee": "Caspian Coffee Roasters",
    "dovetail": "Dovetail Joinery",
    "elmstead-care": "Elmstead Primary Care",
    "fjordline": "Fjordline Ferries",
    "granite-credit": "Granite State Credit Union",
    "harbour-lane": "Harbour Lane Books",
    "ionic-labs": "Ionic Laboratories",
    "juniper-rye": "Juniper & Rye Bakehouse",
    "kestrel-cycles": "Kestrel Cycles",
    "lumen-optik": "Lumen Augenoptik GmbH",
}


def settle(conn: Connection) -> dict[str, UUID]:
    """Every tenant's id by slug, the missing ones added."""
    return {slug: tenants.add(conn, slug=slug, display_name=name) for slug, name in NAMES.items()}
