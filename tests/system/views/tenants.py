"""Tenants, and the setting up of each."""

from __future__ import annotations

from tests.system.seed.provisioning import LONG
from tests.system.views.view import View

VIEWS = {
    "tenants": View("/tenants", "Most are active, three are being set up."),
    "tenants-none": View("/tenants", "There is no tenant yet.", "calm"),
    "tenants-troubled": View("/tenants", "Setting up fails, waits and starts anew.", "troubled"),
    "tenant-at-work": View("/tenants/acme", "How the work of one tenant goes, what it waits for and what fails."),
    "tenant-active": View("/tenants/globex", "A tenant that was set up at the first try.", "provisioning"),
    "tenant-failed": View(f"/tenants/{LONG}", "A setting up that ended without success.", "provisioning"),
    "tenant-resumed": View("/tenants/globex-labs", "A setting up that went on where it had stopped.", "provisioning"),
    "tenant-retrying": View("/tenants/northwind", "A setting up that waits for its next try.", "provisioning"),
}
