"""What conformance tests share: parts of a worker, and the console at noon with people to visit it."""

from tests.app.conftest import api, assets, client, settings, swift, templates
from tests.app.routes.conftest import app, visitor
from tests.worker.provisioning.conftest import mortals
from tests.worker.runtime.conftest import start

__all__ = ("api", "app", "assets", "client", "mortals", "settings", "start", "swift", "templates", "visitor")
