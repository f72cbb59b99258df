"""What the search for faults must not miss, on a page made for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.accessibility import axe

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

STYLE = """
  body { color: #222; background: #fff }
  .in-the-dark { color: #222; background: #fff }
  .narrow { color: #222 }
  @media (prefers-color-scheme: dark) { .in-the-dark { color: #eee } }
  @media (max-width: 400px) { .narrow { color: #eee } }
"""
PAGES = {
    "nothing": "<p><a href='#top' style='color: #333; text-decoration: none'>the rules</a></p>",
    "color-contrast": "<p>Fine</p><p style='color: #eee'>Pale</p>",
    "color-contrast: em": "<em class='in-the-dark'>Pale in the dark</em>",
    "color-contrast: q": "<q class='narrow'>Pale on a phone</q>",
    "color-contrast: span": "<p style='background: #333'><span>Dark on dark</span></p>",
    "color-contrast: i": "<i style='color: #eee'>1</i><i style='color: #eee'>One</i>",
    "color-contrast: input": "<label>Name <input value='Ada' style='color: #eee'></label>",
    "color-contrast: summary": "<details><summary style='color: #eee'>Pale</summary></details>",
    "color-contrast: b": "<details><summary>Fold</summary><b style='color: #eee'>Pale</b></details>",  # noqa: E501
    "link-in-text-block": "<p>See <a href='#top' style='color: #333; text-decoration: none'>the"
    " rules</a> for what counts.</p>",
    "image-alt": "<img src='data:,'>",
    "button-name": "<button></button>",
    "label-content-name-mismatch": "<a href='#top' aria-label='Elsewhere'>Home</a>",
    "heading-order": "<h3>Third</h3>",
}  # fmt: skip


@pytest.fixture
def page(browser: Browser) -> Page:
    return browser.new_context(**axe.look()).new_page()


def test_faults_are_found(page: Page, subtests: pytest.Subtests) -> None:
    examiner = axe.Examiner()
    for rule, body in PAGES.items():
        with subtests.test(rule):
            page.goto("about:blank")
            page.set_content(
                f"<!doctype html><html lang='en'><title>T</title><style>{STYLE}</style>"
                f"<main><h1>Heading</h1>{body}</main></html>"
            )
            faults = examiner.faults(page)
            assert [fault for fault in faults if not fault.startswith(rule)] == []
            assert bool(faults) == (rule != "nothing")
