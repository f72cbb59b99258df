"""What stands on somebody's public page.

The page belongs to this app; what people did belongs to others. They register a function here (in
their AppConfig.ready), and it is asked for its section each time the page is shown:

    register_section(match_history, order=10)

    def match_history(request: HttpRequest, person: User) -> Section | None: ...

So `accounts` shows matches without knowing what a match is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from accounts.models import User


@dataclass(frozen=True)
class Section:
    """One section: a heading, and a template with the variables it needs.

    The template also sees `person` (whose page it is), whether the reader has `blocked` them, and
    everything that pages see.
    """

    title: str
    template: str
    context: Mapping[str, Any] = field(default_factory=dict)


SectionMaker = Callable[[HttpRequest, User], Section | None]
_makers: list[tuple[int, SectionMaker]] = []


def register_section(maker: SectionMaker, *, order: int = 50) -> None:
    """Have `maker` asked for a section of every profile; smaller orders stand higher.

    Registering the same function again only moves it. A maker that has nothing to show returns
    None. It must limit what it reads itself, and show nothing that `request.user` may not see.
    """
    unregister_section(maker)
    _makers.append((order, maker))
    _makers.sort(key=lambda entry: entry[0])


def unregister_section(maker: SectionMaker) -> None:
    """Forget a maker, if it is known."""
    _makers[:] = [entry for entry in _makers if entry[1] is not maker]


def sections(
    request: HttpRequest, person: User, *, blocked: bool = False
) -> list[tuple[str, SafeString]]:
    """Headings and rendered bodies of the sections of a person's page, in order."""
    made = (maker(request, person) for _order, maker in _makers)
    about = {"person": person, "blocked": blocked}
    return [
        (section.title, render_to_string(section.template, {**section.context, **about}, request))
        for section in made
        if section is not None
    ]
