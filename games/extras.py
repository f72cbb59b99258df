"""Where other parts of the site add to the pages of matches, to the front door and the lobby.

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

_banners: list[Banner] = []
_home: list[HomeSection] = []
_waiting: list[Waiting] = []


def register_banner(banner: Banner) -> None:
    """Have ``banner`` asked for a line at the top of every match's page and replay."""
    if banner not in _banners:
        _banners.append(banner)


def register_home_section(section: HomeSection) -> None:
    """Have ``section`` asked for a part of the front door, below what is live."""
    if section not in _home:
        _home.append(section)


def register_waiting(waiting: Waiting) -> None:
    """Have ``waiting`` asked what the reader has to do, for the top of the front door and of the
    lobby."""
    if waiting not in _waiting:
        _waiting.append(waiting)


def banners(request: HttpRequest, match: Match) -> list[SafeString]:
    """What others say at the top of a match's page."""
    return [made for banner in _banners if (made := banner(request, match))]


def home_sections(request: HttpRequest) -> list[SafeString]:
    """What others show on the front door."""
    return [made for section in _home if (made := section(request))]


def waiting(request: HttpRequest) -> list[SafeString]:
    """What others know to wait for the reader."""
    return [made for each in _waiting if (made := each(request))]
