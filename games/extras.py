"""Where other parts of the site add to the pages of matches, to the front door and the lobby, and
say which matches are theirs.

`games` does not know who does: they register functions here, in their AppConfig.ready. Each is
asked every time such a page is made, must limit what it reads itself, and must show nothing that
`request.user` may not see. It answers with finished HTML, or with an empty text for nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.utils.safestring import SafeString

from games.models import Match

Banner = Callable[[HttpRequest, Match], SafeString]
HomeSection = Callable[[HttpRequest], SafeString]
Waiting = Callable[[HttpRequest], SafeString]
Owner = Callable[[Match], bool]

_banners: list[Banner] = []
_home: list[HomeSection] = []
_home_first: list[HomeSection] = []
_duties: list[HomeSection] = []
_waiting: list[Waiting] = []
_owners: list[Owner] = []


def register_banner(banner: Banner) -> None:
    """Have ``banner`` asked for a line at the top of every match's page and replay."""
    if banner not in _banners:
        _banners.append(banner)


def register_home_section(section: HomeSection, *, first: bool = False) -> None:
    """Have ``section`` asked for a part of the front door, below what is live; ``first``: above it
    for all who have no match or challenge of their own there."""
    sections = _home_first if first else _home
    if section not in sections:
        sections.append(section)


def register_duties(section: HomeSection) -> None:
    """Have ``section`` asked what the reader has to do elsewhere than in matches of their own, for
    the front door, which begins with it."""
    if section not in _duties:
        _duties.append(section)


def register_waiting(waiting: Waiting) -> None:
    """Have ``waiting`` asked what the reader has to do, for the top of the front door and of the
    lobby."""
    if waiting not in _waiting:
        _waiting.append(waiting)


def register_owner(owner: Owner) -> None:
    """Have ``owner`` asked whether a match is part of something of theirs, which then says what
    comes after it."""
    if owner not in _owners:
        _owners.append(owner)


def belongs_elsewhere(match: Match) -> bool:
    """Whether a match is part of something else, whoever asks."""
    return any(owner(match) for owner in _owners)


def banners(request: HttpRequest, match: Match) -> list[SafeString]:
    """What others say at the top of a match's page."""
    return [made for banner in _banners if (made := banner(request, match))]


def home_sections(request: HttpRequest, *, first: bool = False) -> list[SafeString]:
    """What others show on the front door."""
    sections = _home_first if first else _home
    return [made for section in sections if (made := section(request))]


def duties(request: HttpRequest) -> list[SafeString]:
    """What others know that the reader has to do, for the top of the front door."""
    return [made for section in _duties if (made := section(request))]


def waiting(request: HttpRequest) -> list[SafeString]:
    """What others know to wait for the reader."""
    return [made for each in _waiting if (made := each(request))]
