"""What must not happen in a browser, whatever the test is about: errors, blocked content, calls to other hosts."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Error, Page, Request

REPORT_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`blocked by the content security policy: ${event.violatedDirective} ${event.blockedURI}`));
"""


class Watch:
    """Collects the complaints of the pages; a test names those it provokes on purpose."""

    def __init__(self) -> None:
        self._complaints: list[str] = []
        self._expected: list[str] = []

    def over(self, page: Page, url: str) -> None:
        """Listen from now on; `url` is the only host that may be called."""
        page.add_init_script(REPORT_VIOLATIONS)
        page.on("console", self._console)
        page.on("pageerror", self._error)
        page.on("request", lambda request: self._request(request, urlsplit(url).netloc))

    def expect(self, pattern: str) -> None:
        """Complaints that match are what the test is about."""
        self._expected.append(pattern)

    def complaints(self) -> list[str]:
        """The others."""
        return [text for text in self._complaints if not any(re.search(each, text) for each in self._expected)]

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._complaints.append(f"{message.type}: {message.text} ({message.location['url']})")

    def _error(self, error: Error) -> None:
        self._complaints.append(f"exception: {error}")

    def _request(self, request: Request, host: str) -> None:
        address = urlsplit(request.url)
        if address.netloc != host and address.scheme not in ("data", "blob", "about"):
            self._complaints.append(f"another host was called: {request.url}")
