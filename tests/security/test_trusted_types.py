"""Under Trusted Types, in a browser that has them: no page violates the site's policy, whatever it
is brought up to date with."""

from __future__ import annotations

import re
import secrets
from pathlib import Path
from typing import Any

import pytest

from core.env import ROOT
from tests.browser.test_lobby import MATCH, seek
from tests.pages.test_browser import hear_lobby, sign_in

__all__ = ["sign_in"]

SINKS = re.compile(
    r"\binnerHTML\b|\bouterHTML\b|insertAdjacentHTML|createContextualFragment|DOMParser"
    r"|setHTMLUnsafe|parseHTMLUnsafe|document\.write|\beval\(|new Function|\.srcdoc\b"
    r"|serviceWorker\s*\.register\(\"|new (?:Shared)?Worker\("
)


def scripts() -> list[Path]:
    folders = [ROOT / "static" / "js", *ROOT.glob("games/rulesets/*/static")]
    return sorted(path for folder in folders for path in folder.rglob("*.js"))


@pytest.mark.parametrize("path", scripts(), ids=lambda path: str(path.relative_to(ROOT)))
def test_text_becomes_markup_in_one_module(path: Path) -> None:
    found = SINKS.findall(path.read_text())
    assert bool(found) is (path.name == "trusted.js"), found


# -- in a browser --------------------------------------------------------------------------------

PAGES = (
    "/", "/lobby/", "/watch/", "/learn/", "/rules/", "/rules/tetronogo/", "/leaderboards/",
    "/seasons/", "/exports/", "/api/", "/security/", "/accounts/settings/",
    "/accounts/settings/data/", "/accounts/settings/announcements/", "/challenges/new/",
)  # fmt: skip


def people(count: int) -> list[str]:
    mark = secrets.token_hex(4)
    return [f"{name}-{mark}" for name in ("anna", "bert")[:count]]


def complaints(*pages: Any) -> list[str]:
    """What the browser says of the policy, as it comes."""
    found: list[str] = []

    def note(message: Any) -> None:
        if re.search(r"Content Security Policy|Trusted(HTML|Script)|trusted-types", message.text):
            found.append(message.text)

    for page in pages:
        page.on("console", note)
    return found


@pytest.mark.browser
def test_markup_of_text_is_refused(new_page: Any) -> None:
    """The policy holds here, or the other tests say nothing."""
    page = new_page()
    page.goto("/")
    tried = page.evaluate(
        """() => {
            try { document.body.insertAdjacentHTML("beforeend", "<p>x</p>"); return "taken"; }
            catch (error) { return error.name; }
        }"""
    )
    assert tried == "TypeError"
    new_page.errors.clear()


@pytest.mark.browser
def test_no_page_violates_the_policy(sign_in: Any, new_page: Any) -> None:
    (page,) = sign_in(*people(1))
    stranger = new_page()
    said = complaints(page, stranger)
    for path in PAGES:
        for each in (page, stranger):
            each.goto(path)
            each.wait_for_load_state("load")
    assert said == []
    assert new_page.errors == []


@pytest.mark.browser
def test_a_match_does_not_violate_the_policy(sign_in: Any, new_page: Any) -> None:
    """From the lobby, which is brought up to date, to a rematch, which is."""
    anna, bert = sign_in(*people(2))
    watching = new_page()
    said = complaints(anna, bert, watching)
    for page in (anna, bert, watching):
        hear_lobby(page)
    seek(anna, "Tetronogo")
    anna.get_by_text("Waiting for an opponent…").wait_for()
    bert.bring_to_front()
    seek(bert, "Tetronogo")
    for page in (anna, bert):
        page.wait_for_url(MATCH, timeout=60_000)
    watching.locator(f'a[href*="{anna.url.rpartition("/matches/")[2]}"]').first.wait_for()
    watching.goto(anna.url)
    watching.locator("[data-part=log]").wait_for(state="attached")
    assert said == []
    assert new_page.errors == []
