"""What a page has copied."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urljoin

if TYPE_CHECKING:
    from playwright.sync_api import Page


def copied(page: Page) -> str:
    """The text on the clipboard. The site's own pages may not read it (`Permissions-Policy`), so an
    empty one of the same origin does, which came from nowhere and was told nothing."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    beside = page.context.new_page()
    try:
        beside.route(
            "**/*", lambda route: route.fulfill(content_type="text/html", body="<!doctype html>")
        )
        beside.goto(urljoin(page.url, "/nothing/"))
        text: str = beside.evaluate("navigator.clipboard.readText()")
        return text
    finally:
        beside.close()
