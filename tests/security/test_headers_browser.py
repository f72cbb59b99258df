"""What every answer says, as a browser reads it."""

from __future__ import annotations

from typing import Any

import pytest

from config.headers import PERMISSIONS


@pytest.mark.browser
def test_chromium_knows_whatever_it_is_told(browser: Any) -> None:
    """It would complain on every page of a name that it does not know."""
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))

    def shown(policy: str) -> None:
        answer = {"Permissions-Policy": policy, "Content-Type": "text/html"}
        page.unroute_all()
        page.route("**/*", lambda route: route.fulfill(headers=answer, body="<p>Hello"))
        page.goto("http://localhost/")

    shown("no-such-thing=()")
    assert any("no-such-thing" in each for each in said), said
    said.clear()
    shown(PERMISSIONS)
    page.close()
    assert said == []
