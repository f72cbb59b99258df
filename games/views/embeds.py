"""A match within other sites' pages, the page with the text that puts it there, and what forums and
blogs are told that ask by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from csp.constants import SELF
from csp.decorators import csp_update
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import ResolverMatch, reverse
from django.views.decorators.http import require_safe

from accounts.context_processors import Shell
from games import store
from games.embeds import THEMES, Embed, embed_at, iframe
from games.pictures.boards import as_still, board_of
from games.reading.matches import match_for
from games.reading.readers import reader_in
from games.views.common import explains_refusals, limited
from games.views.framing import framed, theme_of
from games.views.matches import match_names, match_standing, match_title

MATCH_WIDTH, MATCH_HEIGHT = 480, 720
#: How long those who ask may keep what they are told, in seconds.
OEMBED_KEPT_S = 3600
OEMBED_VERSION = "1.0"
_OF_MATCHES = {"games:match", "games:replay", "games:match_embed", "games:match_embedding"}


# -- a match -------------------------------------------------------------------------------------


def match_embedded(found: ResolverMatch) -> Embed | None:
    """What a frame of a match's page would show. Raises Refusal ``match.none``."""
    if found.view_name not in _OF_MATCHES:
        return None
    match = match_for(found.kwargs["match_id"], None)
    return Embed(
        title=match_title(match),
        frame=reverse("games:match_embed", args=[match.pk]),
        page=match.get_absolute_url(),
        width=MATCH_WIDTH,
        height=MATCH_HEIGHT,
        picture=reverse("games:match_share", args=[match.pk]),
    )


@framed
def match_embed(request: HttpRequest, match_id: int) -> HttpResponse:
    """A match as those see it who watch without an account, to be framed: the page's script goes on
    from `sync`, by a socket that knows nobody either."""
    match = match_for(match_id, request.user)
    reader = reader_in(match, request.user)
    if reader.over != match.is_over:  # it ended in between
        match = match_for(match_id, request.user)
    sync = reader.sync
    ruleset, _ = store.header_of(match)
    names = match_names(sync["header"])
    context = {
        "match": match,
        "sync": sync,
        "theme": theme_of(request),
        "title": match_title(match),
        "standing": match_standing(match, sync["view"], names, None),
        "picture": as_still(board_of(ruleset, sync["view"], names)),
    }
    response = render(request, "embeds/match.html", context)
    response["Cache-Control"] = "public, no-cache"
    return response


@require_safe
@explains_refusals
def match_embedding(request: HttpRequest, match_id: int) -> HttpResponse:
    """The text that puts a match into a page elsewhere, and how it looks there."""
    return embedding_page(request, reverse("games:match", args=[match_id]))


# -- the text that puts something into a page ------------------------------------------------------


class Choice(NamedTuple):
    """Something else of the same that can be put into a page, by the address that leads to it."""

    words: str
    address: str


def embedding_page(request: HttpRequest, path: str, others: Sequence[Choice] = ()) -> HttpResponse:
    """The text that puts what is at ``path`` into a page elsewhere, and how it looks there; a
    look is chosen by `?theme=`. What not everybody may see is not there."""
    embed = embed_at(path)
    if embed is None:
        raise Http404("There is nothing here that everybody may see.")
    theme = theme_of(request)
    context = {
        "embed": embed,
        "theme": theme,
        "themes": THEMES,
        "frame": embed.framed_as(theme),
        "others": others,
        "text": iframe(
            embed, origin=Shell(request).origin, theme=theme,
            width=embed.width, height=embed.height,
        ),
    }  # fmt: skip

    def page(request: HttpRequest) -> HttpResponse:
        return render(request, "embeds/embedding.html", context)

    shown: Any = csp_update({"frame-src": [SELF]})(page)
    response: HttpResponse = shown(request)
    return response


# -- those who ask by themselves -------------------------------------------------------------------


@require_safe
@limited("oembed")
def oembed(request: HttpRequest) -> HttpResponse:
    """What a frame of the page at `?url=` would be (oembed.com, version 1.0): 404 for what is not
    there, is not ours, or is not everybody's to see; 501 for another `format` than JSON; 400 where
    no address, or no number, is given."""
    if request.GET.get("format", "json") != "json":
        return _refused("format.unknown", "Only JSON is spoken here.", 501)
    if not request.GET.get("url"):
        return _refused("url.missing", "Say which page it is about: ?url=…", 400)
    try:
        room = [_room(request.GET.get(name)) for name in ("maxwidth", "maxheight")]
    except ValueError:
        return _refused("size.unknown", "A size is a number of pixels.", 400)
    origin = Shell(request).origin
    path = _path_of(request.GET["url"], origin)
    embed = None if path is None else embed_at(path)
    if embed is None:
        return _refused("url.none", "There is nothing to embed at this address.", 404)
    width, height = embed.within(*room)
    answer = JsonResponse(
        {
            "version": OEMBED_VERSION,
            "type": "rich",
            "title": embed.title,
            "provider_name": "Gauntlet",
            "provider_url": f"{origin}/",
            "cache_age": OEMBED_KEPT_S,
            "thumbnail_url": f"{origin}{embed.picture}",
            "thumbnail_width": 1200,
            "thumbnail_height": 630,
            "html": iframe(embed, origin=origin, theme="auto", width=width, height=height),
            "width": width,
            "height": height,
        }
    )
    return _open(answer, f"public, max-age={OEMBED_KEPT_S}")


def _room(text: str | None) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text)):
        raise ValueError(text)
    return int(text)


def _path_of(address: str, origin: str) -> str | None:
    """The path of an address of this site; None for another one's."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    ours = {urlsplit(each).netloc for each in (origin, settings.GAUNTLET_ORIGIN)}
    known = parts.scheme in ("http", "https") and parts.netloc in ours - {""}
    return parts.path if known and port != 0 else None


def _refused(code: str, sentence: str, status: int) -> HttpResponse:
    answer = JsonResponse({"code": code, "sentence": sentence}, status=status)
    return _open(answer, "no-cache")


def _open(answer: HttpResponse, kept: str) -> HttpResponse:
    """For scripts of other sites' pages, too: it holds nothing of the reader's."""
    answer["Access-Control-Allow-Origin"] = "*"
    answer["Cache-Control"] = kept
    return answer
