"""What conformance tests share: parts of a worker, and a console to visit."""

from tests.app.conftest import app, client, settings, templates, visitor
from tests.worker.runtime.conftest import start

__all__ = ("app", "client", "settings", "start", "templates", "visitor")
