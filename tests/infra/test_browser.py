"""The browser fixtures: a real page of the real site, and their ear for what goes wrong in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.fixtures import Pages
from tests.support.site import Site

if TYPE_CHECKING:
    from playwright.sync_api import Route


def test_a_page_opens_without_a_complaint(new_page: Pages) -> None:
    page = new_page()
    answer = page.goto("/accounts/login/")
    assert answer is not None
    assert answer.status == 200
    assert "content-security-policy" in answer.headers
    assert page.locator("form").count() >= 1
    # The style sheet has arrived and counts: a page without it has the browser's own margins.
    assert page.evaluate("getComputedStyle(document.body).margin") == "0px"
    assert new_page.errors == []


def test_inline_scripts_are_refused_and_heard_of(new_page: Pages) -> None:
    page = new_page()

    def with_one(route: Route) -> None:
        answer = route.fetch()
        body = answer.text().replace("</head>", "<script>window.ran = 1</script></head>", 1)
        route.fulfill(response=answer, body=body)

    page.route("**/accounts/login/", with_one)
    page.goto("/accounts/login/")
    assert page.evaluate("window.ran") is None
    assert "<script>window.ran = 1</script>" in page.content()
    assert any("Content Security Policy" in error for error in new_page.errors)


def test_visitors_are_strangers_to_each_other(new_page: Pages, site: Site) -> None:
    one, other = new_page(), new_page()
    one.context.add_cookies([{"name": "mark", "value": "one", "url": site.base_url}])
    assert [cookie["name"] for cookie in one.context.cookies()] == ["mark"]
    assert other.context.cookies() == []
