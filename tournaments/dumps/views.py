"""Where exports can be had. Everything here is public."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from django.db import connection
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    StreamingHttpResponse,
)
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from core.api.renderers import NDJSON
from core.conditional import answer_to
from core.streaming import give_back_database
from tournaments.dumps import archive
from tournaments.dumps.records import season_records_after
from tournaments.models import Season

T = TypeVar("T")
_PIECE = 256 * 1024  # bytes


@require_safe
def exports_page(request: HttpRequest) -> HttpResponse:
    """The dumps that there are."""
    context = {"dumps": archive.dumps()}
    return render(request, "tournaments/dumps/index.html", context)


@require_safe
def dump_file(request: HttpRequest, name: str) -> HttpResponseBase:
    """One dump."""
    dump = archive.dump_of(name)
    if dump is None:
        raise Http404("There is no such dump.")

    def make() -> HttpResponseBase:
        pieces = () if request.method == "HEAD" else _pieces(archive.folder() / name)
        response = StreamingHttpResponse(pieces, content_type="application/zip")
        response["Content-Length"] = str(dump.bytes)
        give_back_database()
        return response

    response = answer_to(request, f'"{dump.sha256}"', make)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


async def _pieces(path: Path) -> AsyncIterator[bytes]:
    # Asynchronous, because Django would read a synchronous iterator into memory first.
    file = await asyncio.to_thread(path.open, "rb")
    try:
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece
    finally:
        file.close()


@require_safe
def season_records_file(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The records of a season's finished matches, as NDJSON."""
    season = Season.objects.visible_to(request.user).filter(slug=slug).first()
    if season is None:
        raise Http404("There is no such season.")
    response: HttpResponseBase
    if request.method == "HEAD":
        response = HttpResponse(content_type=NDJSON)
    else:
        response = StreamingHttpResponse(records_streamed(season), content_type=NDJSON)
        give_back_database()
    response["Content-Disposition"] = f'attachment; filename="{season.slug}-records.ndjson"'
    response["Cache-Control"] = "no-cache" if season.visibility != "draft" else "private, no-store"
    return response


async def records_streamed(season: Season) -> AsyncIterator[bytes]:
    """The lines of `season_records`, read a few at a time in threads of their own."""
    after = 0
    while True:
        lines, after = await _in_thread(partial(season_records_after, season, after))
        if not lines:
            return
        yield b"".join(lines)


async def _in_thread(call: Callable[[], T]) -> T:
    def run() -> T:
        try:
            return call()
        finally:
            # The thread may never come back to this: its connection goes back to the pool.
            connection.close()

    return await asyncio.to_thread(run)
