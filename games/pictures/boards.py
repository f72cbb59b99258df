"""Boards as pictures for pages: what is drawn for whom, and safe ways to put it on a page."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from html import unescape
from importlib import import_module
from pathlib import Path
from typing import Any

import resvg_py
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from core.conditional import answer_to, strong_tag
from core.refusals import NotFound
from games.engine.ruleset import Ruleset
from games.models import Match

SVG = "image/svg+xml"
PNG = "image/png"
# The picture may be opened as a document of its own: then it can do nothing at all.
ALONE = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

_TEXTS = {tag: re.compile(rf"<{tag}\b[^>]*>(.*?)</{tag}>", re.DOTALL) for tag in ("title", "desc")}
_SIZE = {name: re.compile(rf"<svg\b[^>]*?\s{name}=\"([0-9.]+)\"") for name in ("width", "height")}


def board_of(ruleset: Ruleset[Any, Any], view: Mapping[str, Any], names: Sequence[str]) -> str:
    """The board of a match's view as an SVG document, with the players' names; empty before there
    is a board."""
    if view["game"] is None:
        return ""
    first, second = distinct_names(names)
    return ruleset.picture(view["game"], (first, second))


def distinct_names(names: Sequence[str]) -> tuple[str, str]:
    """Both players' names; those who share one are told apart by their place."""
    first, second = names
    return (first, second) if first != second else (f"{first} (1)", f"{second} (2)")


def names_of(match: Match) -> list[str]:
    """The names of a match's players, by seat."""
    return [player.name for player in match.players.all()]


def words_of(svg: str) -> str:
    """The text alternative of one of our pictures."""
    found = (pattern.search(svg) for pattern in _TEXTS.values())
    parts = [unescape(match[1]).strip() for match in found if match]
    return ". ".join(part.rstrip(".") for part in parts if part)


def size_of(svg: str) -> tuple[str, str]:
    """Width and height in pixels, as written; empty where a picture states none."""
    found = (pattern.search(svg) for pattern in _SIZE.values())
    width, height = (match[1] if match else "" for match in found)
    return width, height


def as_image(svg: str) -> SafeString:
    """An ``<img>`` that holds the picture itself: the page's policy for styles does not reach into
    it, nor do ids of two pictures on one page meet."""
    if not svg:
        return SafeString("")
    width, height = size_of(svg)
    return format_html(
        '<img class="board-picture" src="data:{};base64,{}" width="{}" height="{}" alt="{}">',
        SVG,
        b64encode(svg.encode()).decode(),
        width,
        height,
        words_of(svg),
    )


def as_still(svg: str) -> SafeString:
    """The picture for readers without scripts, and the room it takes for all others. Their scripts
    put the board itself there, and a picture that is replaced as soon as it is drawn would only
    keep them waiting: browsers read, lay out and draw it before they run any script."""
    if not svg:
        return SafeString("")
    width, height = (round(float(size or 0)) for size in size_of(svg))
    return format_html(
        '<canvas class="board-picture board-room" width="{}" height="{}" aria-hidden="true">'
        "</canvas><noscript>{}</noscript>",
        width,
        height,
        as_image(svg),
    )


def svg_response(request: HttpRequest, svg: Callable[[], str], *, what: str) -> HttpResponse:
    """An SVG document of ``what``, or 304 where the reader has it; ``svg`` is asked only when
    needed."""
    response = answer_to(
        request, strong_tag(what), lambda: _inline_response(svg(), f"{SVG}; charset=utf-8")
    )
    response["Content-Security-Policy"] = ALONE
    return response


def _inline_response(content: str | bytes, content_type: str) -> HttpResponse:
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = "inline"
    return response


# -- as pixels -----------------------------------------------------------------------------------


_FONTS = sorted(str(path) for path in (Path(__file__).parent / "fonts").glob("*.ttf"))


def png_of(svg: str, *, scale: int = 2) -> bytes:
    """A picture as PNG, ``scale`` pixels for each of the drawing's, the same on every machine: its
    words are set in fonts of ours, since those that a machine lacks would leave no word at all."""
    width = round(float(size_of(svg)[0] or 600))
    return pixels_of(svg, width=scale * width)


def pixels_of(svg: str, *, width: int) -> bytes:
    """The same, ``width`` pixels wide."""
    png = resvg_py.svg_to_bytes(
        svg_string=svg, font_files=_FONTS, width=width, sans_serif_family="Figtree"
    )
    return bytes(png)


# -- the drawn examples of the rules -------------------------------------------------------------


@cache
def figures_of(ruleset: Ruleset[Any, Any]) -> Mapping[str, tuple[str, str]]:
    """A ruleset's drawn examples by name: the SVG document and its caption.

    They live in the module `figures` beside the ruleset, which may have none.
    """
    package = type(ruleset).__module__.rpartition(".")[0]
    try:
        module = import_module(f"{package}.figures")
    except ModuleNotFoundError as error:
        if error.name != f"{package}.figures":
            raise
        return {}
    drawn: Mapping[str, tuple[str, str]] = module.figures()
    return drawn


def figure(ruleset: Ruleset[Any, Any], name: str) -> tuple[str, str]:
    """One drawn example and its caption. Raises Refusal ``rules.no-figure``."""
    try:
        return figures_of(ruleset)[name]
    except KeyError:
        raise NotFound("rules.no-figure", "There is no such figure.") from None
