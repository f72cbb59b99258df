"""Leaderboards over HTTP: JSON, CSV or NDJSON, in pages, from the cache."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

import msgspec
from django.db.models import Count
from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.errors import ParameterFault
from core.api.lists import LIMIT, LIMIT_MAX, fields_of, limit_of, link_neighbours
from core.api.renderers import CsvRenderer, NdjsonRenderer
from core.api.views import ApiView, FieldsView
from core.refusals import Refusal
from core.spreadsheets import harmless
from games.ratings import keys
from games.ratings.boards import (
    Board,
    BoardRow,
    Cursor,
    Wanted,
    board_page,
    ladder_name,
    ladder_named,
    ladders,
    ranked,
)
from games.ratings.forms import DAYS_MAX, GAMES_MAX, BoardForm
from games.ratings.models import OVERALL, RatingLadder

JSON, CSV, NDJSON = "json", CsvRenderer.format, NdjsonRenderer.format
MEDIA = {
    JSON: "application/json",
    CSV: "text/csv; charset=utf-8; header=present",
    NDJSON: NdjsonRenderer.media_type,
}


class RowSerializer(serializers.Serializer[dict[str, Any]]):
    """A player's line of a leaderboard."""

    rank = serializers.IntegerField(help_text="Players with the same rating share one.")
    shared = serializers.BooleanField(help_text="Whether somebody else has the same rank.")
    username = serializers.CharField()
    name = serializers.CharField(help_text="As it is shown.")
    bot = serializers.BooleanField()
    rating = serializers.IntegerField(
        help_text="The order goes by it: what the player is at least worth, 99.9 % surely."
    )
    estimate = serializers.IntegerField(help_text="The best guess.")
    margin = serializers.IntegerField(
        help_text="The truth lies this far from the estimate at most, in 95 of 100 cases."
    )
    provisional = serializers.BooleanField(help_text="Too few matches to be sure.")
    mu = serializers.FloatField(help_text="The model's mean.")
    sigma = serializers.FloatField(help_text="The model's standard deviation.")
    games = serializers.IntegerField()
    wins = serializers.IntegerField()
    losses = serializers.IntegerField()
    opponents = serializers.IntegerField(help_text="Against how many different players.")
    peak = serializers.IntegerField(help_text="The highest rating so far.")
    last_played = serializers.DateTimeField()
    trend = serializers.IntegerField(
        allow_null=True, help_text="Change of the rating in 30 days; null for newcomers."
    )
    form = serializers.RegexField(
        r"^[WL]{0,10}$", help_text="The last ten results, the latest last: W or L."
    )
    course = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="The rating before and after each of the last thirty matches.",
    )


FIELDS: tuple[str, ...] = tuple(RowSerializer().fields)


class LeaderboardSerializer(serializers.Serializer[dict[str, Any]]):
    """A page of a leaderboard."""

    ladder = serializers.CharField(help_text="A ruleset's id, or `overall`.")
    name = serializers.CharField()
    total = serializers.IntegerField(help_text="How many players it lists, on all pages.")
    changed_at = serializers.DateTimeField(
        allow_null=True, help_text="When a result last changed it; null where nobody has played."
    )
    next = serializers.URLField(allow_null=True, help_text="The page behind this one.")
    previous = serializers.URLField(allow_null=True, help_text="The page before this one.")
    results = RowSerializer(many=True)


class LadderSerializer(serializers.Serializer[dict[str, Any]]):
    """A leaderboard that there is."""

    ladder = serializers.CharField(help_text="A ruleset's id, or `overall`.")
    name = serializers.CharField()
    players = serializers.IntegerField()
    changed_at = serializers.DateTimeField(allow_null=True)
    url = serializers.URLField(help_text="The leaderboard itself.")
    page = serializers.URLField(help_text="The same for people.")


class LaddersSerializer(serializers.Serializer[dict[str, Any]]):
    """All leaderboards, on one page."""

    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = LadderSerializer(many=True)


class LeaderboardsView(FieldsView):
    """Which leaderboards there are."""

    serializer_class = LadderSerializer
    replica = True

    @extend_schema(
        operation_id="leaderboards",
        tags=["leaderboards"],
        summary="All leaderboards",
        responses={200: LaddersSerializer},
    )
    def get(self, request: Request) -> Response:
        """All games together, and each game."""
        known = {
            ladder: (players, changed_at)
            for ladder, players, changed_at in RatingLadder.objects.annotate(
                players=Count("ratings", filter=ranked("ratings__"))
            ).values_list("pk", "players", "changed_at")
        }
        rows = [
            {
                "ladder": ladder,
                "name": name,
                "players": known[ladder][0] if ladder in known else 0,
                "changed_at": known[ladder][1] if ladder in known else None,
                "url": request.build_absolute_uri(reverse("api:leaderboard", args=[ladder])),
                "page": request.build_absolute_uri(_page_of(ladder)),
            }
            for ladder, name in ladders()
        ]
        return Response({"next": None, "previous": None, "results": self.only(*rows)})


def _page_of(ladder: str) -> str:
    if ladder == OVERALL:
        return reverse("games:leaderboards")
    return reverse("games:leaderboard", args=[ladder])


class Kept(NamedTuple):
    """A page of a leaderboard, ready to be sent but for the addresses in it."""

    rows: bytes
    total: int
    changed_at: str | None
    after: str
    before: str


def _number(name: str, most: int, words: str) -> OpenApiParameter:
    schema = {"type": "integer", "minimum": 1, "maximum": most}
    return OpenApiParameter(name, schema, description=words)


_SHOWING = {"type": "string", "enum": ["show", "hide"], "default": "show"}
PARAMETERS = [
    _number("games", GAMES_MAX, "Only players with at least so many matches."),
    _number("days", DAYS_MAX, "Only players who have played within so many days."),
    OpenApiParameter("bots", _SHOWING, description="Whether bots are listed."),
    OpenApiParameter("provisional", _SHOWING, description="Whether provisional ratings are."),
    OpenApiParameter(
        "limit",
        {"type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": LIMIT},
        description="How many rows a page has.",
    ),
    OpenApiParameter(
        "cursor", str, description="Where the page begins: take the whole address from `next`."
    ),
    OpenApiParameter(
        "format",
        {"type": "string", "enum": [JSON, CSV, NDJSON]},
        description="Instead of `Accept`, where that is easier.",
    ),
    OpenApiParameter(
        "fields", str, description="Only these fields of each row, separated by commas."
    ),
]


ANSWERS = {
    (200, "application/json"): LeaderboardSerializer,
    (200, "text/csv"): OpenApiResponse(
        OpenApiTypes.STR, description="A head and a line for each row."
    ),
    (200, "application/x-ndjson"): OpenApiResponse(
        OpenApiTypes.STR, description="A row a line, each a JSON object."
    ),
}


class LeaderboardView(ApiView):
    """A leaderboard."""

    replica = True
    renderer_classes = (JSONRenderer, CsvRenderer, NdjsonRenderer)
    query = tuple(parameter.name for parameter in PARAMETERS)

    @extend_schema(
        operation_id="leaderboard",
        tags=["leaderboards"],
        summary="A leaderboard: all games together, or one of them",
        parameters=PARAMETERS,
        responses=ANSWERS,
    )
    def get(self, request: Request, ladder: str) -> HttpResponse:
        """Who stands where, of those who have played enough to be ranked. CSV and NDJSON hold the
        rows alone; the neighbouring pages are in `Link`, whatever the form."""
        ladder_named(ladder)
        asked = Asked.of(request)
        version = keys.version_of(ladder)
        self.fresh(asked.form, version)

        def make() -> Kept:
            board = board_page(ladder, asked.wanted, cursor=asked.cursor, size=asked.limit)
            return kept_of(board, asked)

        page = keys.kept(ladder, version, f"api {asked!r}", make)
        return answer_of(request, ladder, ladder_name(ladder), page, asked)


class Asked(NamedTuple):
    """What a request wants of a leaderboard."""

    form: str
    wanted: Wanted
    cursor: Cursor | None
    limit: int
    fields: tuple[str, ...]

    @classmethod
    def of(cls, request: Request) -> Asked:
        """Read the parameters. Raises ValidationError, and ParameterFault ``format.unknown``,
        ``limit.invalid``, ``fields.unknown`` and ``cursor.invalid``."""
        given = request.query_params
        form = BoardForm(given)
        if not form.is_valid():
            raise serializers.ValidationError(
                {name: [str(each) for each in sentences] for name, sentences in form.errors.items()}
            )
        shape = given.get("format", request.accepted_renderer.format)
        if shape not in MEDIA:
            sentence = "There are: json, csv, ndjson."
            raise ParameterFault("format", sentence, code="format.unknown")
        return cls(
            form=shape,
            wanted=form.wanted(),
            cursor=_cursor_of(given.get("cursor")),
            limit=limit_of(request),
            fields=fields_of(request, FIELDS),
        )


def _cursor_of(text: str | None) -> Cursor | None:
    try:
        return None if text is None else Cursor.read(text)
    except Refusal as refusal:
        raise ParameterFault("cursor", refusal.sentence, code=refusal.code) from refusal


def row_of(row: BoardRow) -> dict[str, Any]:
    """A row as the schema has it."""
    strength = row.strength
    return {
        "rank": row.rank,
        "shared": row.shared,
        "username": row.player.username,
        "name": row.player.shown_name,
        "bot": row.player.is_bot,
        "rating": strength.shown,
        "estimate": strength.estimate,
        "margin": strength.margin,
        "provisional": strength.is_provisional,
        "mu": round(strength.mu, 6),
        "sigma": round(strength.sigma, 6),
        "games": row.games,
        "wins": row.wins,
        "losses": row.losses,
        "opponents": row.opponents,
        "peak": row.peak,
        "last_played": row.last_played.isoformat().replace("+00:00", "Z"),
        "trend": row.trend,
        "form": "".join("W" if won else "L" for won in row.form),
        "course": list(row.spark),
    }


def _as_json(rows: Sequence[Mapping[str, Any]], _fields: Sequence[str]) -> bytes:
    return msgspec.json.encode(rows)


def _as_ndjson(rows: Iterable[Mapping[str, Any]], _fields: Sequence[str]) -> bytes:
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def _as_csv(rows: Iterable[Mapping[str, Any]], fields: Sequence[str]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(fields)
    for row in rows:
        writer.writerow([_cell(row[name]) for name in fields])
    return out.getvalue().encode()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return " ".join(map(str, value))
    return harmless(value) if isinstance(value, str) else value


_WRITERS: dict[str, Callable[[Sequence[Mapping[str, Any]], Sequence[str]], bytes]] = {
    JSON: _as_json,
    CSV: _as_csv,
    NDJSON: _as_ndjson,
}


def kept_of(board: Board, asked: Asked) -> Kept:
    """A page in the form asked for."""
    rows = [
        {name: value for name, value in row_of(row).items() if name in asked.fields}
        for row in board.rows
    ]
    changed = board.changed_at
    return Kept(
        rows=_WRITERS[asked.form](rows, asked.fields),
        total=board.total,
        changed_at=None if changed is None else changed.isoformat().replace("+00:00", "Z"),
        after=str(board.after or ""),
        before=str(board.before or ""),
    )


def answer_of(request: Request, ladder: str, name: str, page: Kept, asked: Asked) -> HttpResponse:
    """The answer to a request, from what is kept of the page."""
    following, preceding = _address(request, page.after), _address(request, page.before)
    body = page.rows
    if asked.form == JSON:
        body = msgspec.json.encode(
            {
                "ladder": ladder,
                "name": name,
                "total": page.total,
                "changed_at": page.changed_at,
                "next": following,
                "previous": preceding,
                "results": msgspec.Raw(page.rows),
            }
        )
    response = HttpResponse(body, content_type=MEDIA[asked.form])
    link_neighbours(response, following, preceding)
    if asked.form == CSV:
        response["Content-Disposition"] = f'attachment; filename="leaderboard-{ladder}.csv"'
    return response


def _address(request: Request, cursor: str) -> str | None:
    if not cursor:
        return None
    query = {**request.query_params.dict(), "cursor": cursor}
    return f"{request.build_absolute_uri(request.path)}?{urlencode(sorted(query.items()))}"


def board_answer(request: Request, board: Board, *, name: str) -> HttpResponse:
    """The answer of an endpoint that has made its leaderboard by `boards.leaderboard_of`: all its
    rows at once, in the form asked for."""
    asked = Asked.of(request)
    return answer_of(request, board.ladder, name, kept_of(board, asked), asked)
