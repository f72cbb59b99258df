"""Pages read as browsers do: where their links lead, and what their buttons send."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    """The addresses that a page links to, in order and each once, its buttons, and where forms that
    ask for something are sent."""

    links: list[str]
    buttons: list[Button]
    forms: Sequence[str] = ()

    @property
    def addresses(self) -> set[str]:
        """Wherever it leads, without what follows a question mark."""
        found = {*self.links, *(button.address for button in self.buttons), *self.forms}
        return {urlsplit(address).path for address in found}


_FIELDS = {"input", "select", "textarea"}


class _Reader(HTMLParser):
    def __init__(self, base: str) -> None:
        super().__init__()
        self.base = base
        self.links: list[str] = []
        self.form: str | None = None
        self.form_id = ""
        # Each form: its id, whether it asks for something, where it is sent, and what by.
        self.forms: list[tuple[str, bool, str, list[Button]]] = []
        # What is asked for outside of a form that it belongs to.
        self.asks_elsewhere: set[str] = set()
        self.hidden: list[tuple[str, str]] = []
        self.presses: list[tuple[str, str]] = []
        self.asks = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        have = {name: value or "" for name, value in attrs}
        if tag == "a":
            # What stays on the page leads nowhere.
            if href := have.get("href", "#").partition("#")[0]:
                self.links.append(urljoin(self.base, href))
        elif tag == "form" and have.get("method", "").lower() == "post":
            self.form = urljoin(self.base, have.get("action") or self.base)
            self.form_id = have.get("id", "")
            self.hidden, self.presses, self.asks = [], [], False
        elif tag in _FIELDS and have.get("type") != "hidden" and have.get("form"):
            self.asks_elsewhere.add(have["form"])
        elif self.form is None or have.get("name") == "csrfmiddlewaretoken":
            return
        elif tag == "button":
            self.presses.append((have.get("name", ""), have.get("value", "")))
        elif tag == "input" and have.get("type") == "hidden":
            self.hidden.append((have.get("name", ""), have.get("value", "")))
        elif tag in _FIELDS:
            self.asks = True

    def handle_endtag(self, tag: str) -> None:
        if tag == "form" and self.form is not None:
            sent = [
                Button(self.form, (*self.hidden, *([(name, value)] if name else [])))
                for name, value in self.presses
            ]
            self.forms.append((self.form_id, self.asks, self.form, sent))
            self.form = None

    def found(self) -> Read:
        buttons: dict[Button, None] = {}
        asking: dict[str, None] = {}
        for form_id, asks, address, sent in self.forms:
            if asks or form_id in self.asks_elsewhere:
                asking[address] = None
            else:
                buttons.update(dict.fromkeys(sent))
        return Read(list(dict.fromkeys(self.links)), list(buttons), list(asking))


def read(base: str, content: bytes) -> Read:
    """What a page at ``base`` leads to."""
    reader = _Reader(base)
    reader.feed(content.decode())
    return reader.found()


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
