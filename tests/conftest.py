"""What every test shares."""

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that drive the browser run last: from then on, Playwright's event loop holds the main thread."""
    items.sort(key=lambda item: "playwright" in getattr(item, "fixturenames", ()))
