"""Pictures of positions: drawn once, by a worker, and kept in the cache for everybody.

A turn does nothing about them. Whoever first asks for a picture of a position asks a worker to draw
it, and looks in the cache until it is there; so do all others who come meanwhile. Whoever draws,
worker or not, first takes the picture in hand (`_drawing`), and nobody else does so as long.

Nobody waits for long. What no worker has begun within `GAUNTLET_PICTURE_WAIT_MS` is drawn by
whoever wants it, and for `UNATTENDED_S` from then nobody asks a worker, in any process. What has
been begun may take `DONE_WITHIN` times that, and a clip longer (`Kind.takes`). What a worker could
not draw, since there is no board for one, is tried by whoever wants it, who then finds out why.
Without a cache, everybody draws what they want.

Only what the room sees is kept. Who may see a match has to be asked before.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from typing import Final, NamedTuple

import structlog
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest, HttpResponse
from redis.exceptions import RedisError

from core.conditional import answer_to
from core.queueing import enqueue
from core.refusals import Refusal
from games.jobs import DRAW
from games.models import Match
from games.pictures.boards import ALONE, SVG
from games.pictures.positions import Kind, Picture

log = structlog.get_logger("gauntlet.pictures")

# How long a picture is kept, in seconds: one of a match that is on, or of a position that stays;
# the last one of a match that is over; and one whose place another has taken, for those who are
# about to get it.
KEPT_S: Final = 24 * 3600
KEPT_OVER_S: Final = 7 * KEPT_S
SUPERSEDED_S: Final = 60

UNATTENDED_S: Final = 10
DONE_WITHIN: Final = 4
# What a process that is killed leaves behind holds nobody up for longer, in seconds.
_ASKED_S: Final = 5
_DRAWING_S: Final = 10
_LEFT_S: Final = 2
_FIRST_LOOK_S: Final = 0.01
_LAST_LOOK_S: Final = 0.1

_UNATTENDED: Final = "pictures:unattended"

# Several that are drawn at the same time are all drawn later.
_one_at_a_time = threading.Lock()


class Kept(NamedTuple):
    """A picture as it is kept, and which process has drawn it. Without content: ``instead`` says
    under which digest there is a newer one; where it does not, a worker could not draw it."""

    content: bytes
    drawn_by: int
    instead: str = ""


# -- for readers ---------------------------------------------------------------------------------


def picture_response(request: HttpRequest, picture: Picture) -> HttpResponse:
    """A picture, or 304 for a reader who has it. Raises Refusal ``match.no-board``."""

    def found() -> HttpResponse:
        digest, content = picture_found(picture)
        response = HttpResponse(content, content_type=_content_type(picture.kind))
        response["Content-Disposition"] = "inline"
        # Of what is sent, which may be newer than what was asked for.
        response["ETag"] = f'"{digest}"'
        return response

    response = answer_to(request, f'"{picture.digest(settings.RELEASE)}"', found)
    if picture.kind.media_type == SVG:
        response["Content-Security-Policy"] = ALONE
    response["Cache-Control"] = _cache_control(picture.kind)
    return response


def _content_type(kind: Kind) -> str:
    return f"{SVG}; charset=utf-8" if kind.media_type == SVG else kind.media_type


def _cache_control(kind: Kind) -> str:
    if kind.stays:
        return "public, max-age=3600"
    return "public, max-age=60" if kind is Kind.SHARE else "public, no-cache"


def picture_found(picture: Picture) -> tuple[str, bytes]:
    """A picture, or a newer one of the same kind, and the digest of it; drawn by a worker if it is
    not kept yet. Raises Refusal ``match.no-board``."""
    try:
        return _picture_awaited(picture)
    except RedisError as error:
        log.warning("pictures.cache-away", error=type(error).__name__)
        return picture.digest(settings.RELEASE), picture.draw()


def _picture_awaited(picture: Picture) -> tuple[str, bytes]:
    own = digest = picture.digest(settings.RELEASE)
    began, pause = time.monotonic(), _FIRST_LOOK_S
    patience = settings.GAUNTLET_PICTURE_WAIT_MS / 1000
    done_within = DONE_WITHIN * picture.kind.takes * patience
    while True:
        found = cache.get_many([_key(digest), _asked(digest), _drawing(digest), _UNATTENDED])
        kept = found.get(_key(digest))
        if kept is not None and kept.content:
            return digest, kept.content
        if kept is not None and kept.instead and digest == own:
            digest = kept.instead
            continue
        waited = time.monotonic() - began
        if kept is not None or waited > done_within:
            with _one_at_a_time:
                return own, _at_hand(picture, own)
        if _drawing(digest) not in found:
            if _UNATTENDED in found or waited > patience:
                cache.add(_UNATTENDED, 1, UNATTENDED_S)
                if _begin(own, picture.kind):
                    with _one_at_a_time:
                        return own, _finish(picture, own)
            elif _asked(digest) not in found and not _ask(picture, digest):
                cache.add(_UNATTENDED, 1, UNATTENDED_S)
                continue
        _rest(pause)
        pause = min(1.5 * pause, _LAST_LOOK_S)


def _ask(picture: Picture, digest: str) -> bool:
    """Whether a worker has been asked, here or by somebody else."""
    return not cache.add(_asked(digest), 1, _ASKED_S) or enqueue(
        DRAW, picture.match.pk, str(picture.kind), picture.number, digest, settings.RELEASE,
        picture.until, expires=_ASKED_S,
    )  # fmt: skip


def _rest(pause: float) -> None:
    # Others may need the connection meanwhile: turns take theirs from the same pool.
    if not connection.in_atomic_block:
        connection.close()
    time.sleep(pause)


# -- for whoever draws ---------------------------------------------------------------------------


def picture_at_hand(picture: Picture) -> bytes:
    """A picture that is kept, or drawn here and kept: for workers, who need it at once. Raises
    Refusal ``match.no-board``."""
    try:
        return _at_hand(picture, picture.digest(settings.RELEASE))
    except RedisError as error:
        log.warning("pictures.cache-away", error=type(error).__name__)
        return picture.draw()


def _at_hand(picture: Picture, digest: str) -> bytes:
    kept = cache.get(_key(digest))
    return kept.content if kept is not None and kept.content else _draw(picture, digest)


def picture_draw(
    *, match_id: int, kind: str, number: int, digest: str, release: str, until: int = 0
) -> None:
    """Draw the picture of that digest for web processes of that release, or the one that has taken
    its place; unless it is kept, or somebody is drawing it."""
    if settings.RELEASE_IS_NAMED and release != settings.RELEASE:
        # This process draws as another release did, or will.
        _leave(digest)
        return
    match = Match.objects.prefetch_related("players").filter(pk=match_id).first()
    if match is None:
        return
    picture = Picture(match, Kind(kind), number, until)
    newest = picture.digest(release)
    if newest != digest:
        cache.set(_key(digest), Kept(b"", os.getpid(), newest), SUPERSEDED_S)
    if not _begin(newest, picture.kind):
        return
    drawn = False
    try:
        with suppress(Refusal):
            _finish(picture, newest)
            drawn = True
    finally:
        if not drawn:
            _leave(newest)


def _leave(digest: str) -> None:
    """Have whoever wants it draw it."""
    cache.set(_key(digest), Kept(b"", os.getpid()), _LEFT_S)


def _begin(digest: str, kind: Kind) -> bool:
    """Take a picture in hand; False where somebody has done so before."""
    return cache.add(_drawing(digest), 1, _DRAWING_S * kind.takes)


def _finish(picture: Picture, digest: str) -> bytes:
    try:
        # Somebody may have been done with it just before it was begun here.
        return _at_hand(picture, digest)
    finally:
        cache.delete(_drawing(digest))


def _draw(picture: Picture, digest: str) -> bytes:
    began = time.thread_time()
    content = picture.draw()
    spent = round(1000 * (time.thread_time() - began), 1)
    log.info("picture.drawn", match=picture.match.pk, kind=str(picture.kind), cpu_ms=spent)
    _keep(picture, digest, content)
    return content


def _keep(picture: Picture, digest: str, content: bytes) -> None:
    kept = Kept(content, os.getpid())
    if picture.kind.stays:
        cache.set(_key(digest), kept, KEPT_S)
        return
    latest = f"picture-of:{picture.match.pk}:{picture.kind}"
    before = cache.get(latest)
    seconds = KEPT_OVER_S if picture.match.is_over else KEPT_S
    cache.set_many({_key(digest): kept, latest: digest}, seconds)
    if before not in {None, digest}:
        cache.touch(_key(before), SUPERSEDED_S)


def _key(digest: str) -> str:
    return f"picture:{digest}"


def _asked(digest: str) -> str:
    return f"picture:{digest}:asked"


def _drawing(digest: str) -> str:
    return f"picture:{digest}:drawing"
