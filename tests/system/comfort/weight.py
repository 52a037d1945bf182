"""How much of a page comes over the wire the first time that somebody opens it."""

from __future__ import annotations

import re
from functools import cache

from playwright.sync_api import APIRequestContext, Page

MOST = 100_000
"""Bytes: the page, its scripts, its stylesheet and its fonts, compressed as they are sent."""

_FILES = re.compile(r'(?:href|src)="(/static/[^"]+)"')


def faults(page: Page) -> list[str]:
    """Whether the page as it is answered comes, with every file that it names, to more than it may."""
    answer = page.request.get(page.url)
    files = _FILES.findall(answer.text())
    whole = int(answer.headers["content-length"]) + sum(_size(page.request, file) for file in files)
    return [f"{whole:,} bytes at the first load"] if whole > MOST else []


@cache
def _size(client: APIRequestContext, file: str) -> int:
    return int(client.get(file).headers["content-length"])
