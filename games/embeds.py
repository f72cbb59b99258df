"""What of the site can be shown within pages elsewhere: a live board, a bracket, standings.

A frame shows what everybody may see and nobody's in particular (`games.views.framing`). Whoever
has something to show says so here, in their AppConfig.ready: for the address of a page, what a
frame of it would show. From that come the text to copy, the preview, and what forums and blogs are
told that ask by themselves (oEmbed).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.http import Http404
from django.urls import Resolver404, ResolverMatch, resolve
from django.utils.html import format_html
from django.utils.safestring import SafeString

from core.refusals import Refusal

#: What a frame can look like, as the reader's device has it first.
THEMES: Final = ("auto", "light", "dark")


@dataclass(frozen=True)
class Embed:
    """What a frame would show. Addresses are paths.

    title    what it is, for whoever cannot see it
    frame    the page that is framed
    page     the page of the site that shows the same
    width    how wide and high it is at its best, in pixels
    height
    picture  one for links, of 1200 by 630 pixels
    """

    title: str
    frame: str
    page: str
    width: int
    height: int
    picture: str

    def within(self, width: int | None, height: int | None) -> tuple[int, int]:
        """Its size where there is only so much room, however little; None: as much as it likes."""
        wide = self.width if width is None else min(self.width, width)
        high = self.height if height is None else min(self.height, height)
        return wide, high

    def framed_as(self, theme: str) -> str:
        """The address of the frame in a look of `THEMES`."""
        return self.frame if theme == "auto" else f"{self.frame}?{urlencode({'theme': theme})}"


#: Finds what a frame of a page would show, of what everybody may see; None: nothing. It may raise
#: a Refusal, or Http404, where there is no such thing.
Finder = Callable[[ResolverMatch], Embed | None]

_finders: list[Finder] = []


def register_finder(finder: Finder) -> None:
    """Have ``finder`` asked what a frame of a page would show."""
    if finder not in _finders:
        _finders.append(finder)


def embed_at(path: str) -> Embed | None:
    """What a frame of the page at ``path`` would show; None where there is nothing to be framed,
    or nothing that everybody may see."""
    try:
        match = resolve(path)
        return next((found for finder in _finders if (found := finder(match))), None)
    except (Resolver404, Http404, Refusal):
        return None


def iframe(embed: Embed, *, origin: str, theme: str, width: int, height: int) -> SafeString:
    """The text that puts it into a page."""
    return format_html(
        '<iframe src="{}{}" title="{}" width="{}" height="{}" loading="lazy"></iframe>',
        origin, embed.framed_as(theme), embed.title, width, height,
    )  # fmt: skip
