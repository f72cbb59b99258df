"""Pages read as browsers do: where their links lead, and what their buttons send."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import pytest

from core.actions import Action, Done
from core.refusals import Refusal


class Button(NamedTuple):
    """A button that needs nothing filled in: where it sends what."""

    address: str
    sent: tuple[tuple[str, str], ...]


class Read(NamedTuple):
    """The addresses that a page links to, in order and each once, and its buttons."""

    links: list[str]
    buttons: list[Button]

    @property
    def addresses(self) -> set[str]:
        """Wherever it leads, without what follows a question mark."""
        found = {*self.links, *(button.address for button in self.buttons)}
        return {urlsplit(address).path for address in found}


class _Reader(HTMLParser):
    def __init__(self, base: str) -> None:
        super().__init__()
        self.base = base
        self.found = Read([], [])
        self.form: str | None = None
        self.hidden: list[tuple[str, str]] = []
        self.presses: list[tuple[str, str]] = []
        self.asks = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        have = {name: value or "" for name, value in attrs}
        if tag == "a":
            # What stays on the page leads nowhere.
            if href := have.get("href", "#").partition("#")[0]:
                self.found.links.append(urljoin(self.base, href))
        elif tag == "form" and have.get("method", "").lower() == "post":
            self.form = urljoin(self.base, have.get("action") or self.base)
            self.hidden, self.presses, self.asks = [], [], False
        elif self.form is None or have.get("name") == "csrfmiddlewaretoken":
            return
        elif tag == "button":
            self.presses.append((have.get("name", ""), have.get("value", "")))
        elif tag == "input" and have.get("type") == "hidden":
            self.hidden.append((have.get("name", ""), have.get("value", "")))
        elif tag in {"input", "select", "textarea"}:
            self.asks = True

    def handle_endtag(self, tag: str) -> None:
        if tag == "form" and self.form is not None:
            for name, value in [] if self.asks else self.presses:
                sent = (*self.hidden, *([(name, value)] if name else []))
                self.found.buttons.append(Button(self.form, tuple(sent)))
            self.form = None


def read(base: str, content: bytes) -> Read:
    """What a page at ``base`` leads to."""
    reader = _Reader(base)
    reader.feed(content.decode())
    links = dict.fromkeys(reader.found.links)
    return Read(list(links), list(dict.fromkeys(reader.found.buttons)))


class Asked(NamedTuple):
    """An action that a page was asked for, and why its service would refuse it, if so."""

    action: Action[Any]
    refusal: Refusal | None


@contextmanager
def actions_asked() -> Iterator[list[Asked]]:
    """What pages ask of actions meanwhile: each that is shown, or done."""
    asked: list[Asked] = []
    refusal, do = Action.refusal, Action.do

    def told(self: Action[Any], subject: Any) -> Refusal | None:
        asked.append(Asked(self, found := refusal(self, subject)))
        return found

    def done(self: Action[Any], subject: Any, form: Any = None) -> Done:
        asked.append(Asked(self, refusal(self, subject)))
        return do(self, subject, form)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Action, "refusal", told)
        patched.setattr(Action, "do", done)
        yield asked
