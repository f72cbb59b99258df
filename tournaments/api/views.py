"""Seasons over HTTP: what everybody may read."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from django.db.models import Q, QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.utils.choices import CallableChoiceIterator
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_view,
)
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from core.api.lists import Filters, InstantFilter, Ordering
from core.api.renderers import NDJSON, NdjsonRenderer
from core.api.views import ApiView, DetailView, FieldsView, ListView
from core.streaming import give_back_database
from games.ratings.api import (
    ANSWERS,
    PARAMETERS,
    Asked,
    LeaderboardView,
    board_answer,
)
from tournaments.api.serializers import (
    BracketMatchSerializer,
    BracketSerializer,
    CatalogueSerializer,
    ContestantSerializer,
    DeathMatchSerializer,
    GiftSerializer,
    MetricSerializer,
    PersonField,
    RoundSerializer,
    SeasonEventSerializer,
    SeasonSerializer,
    StandingSerializer,
    StandingsSerializer,
)
from tournaments.dumps.views import records_streamed
from tournaments.items.catalogue import catalogue
from tournaments.leaderboards import season_leaderboard
from tournaments.lifecycle import (
    ContestantStatus,
    DeathMatchStatus,
    GiftStatus,
    RoundStatus,
    SeasonStatus,
    Visibility,
)
from tournaments.models import (
    Contestant,
    DeathMatch,
    Gift,
    Round,
    Season,
    SeasonEvent,
    SeasonOrganiser,
    formats,
)
from tournaments.reading.seasons import fingerprint, season_for
from tournaments.reading.sheet import Sheet
from tournaments.reading.whole import (
    contestants_whole,
    death_matches_whole,
    gifts_whole,
    rounds_whole,
    seasons_whole,
)

TAG = ["seasons"]


# -- seasons -------------------------------------------------------------------------------------


class UsernameFilter(filters.CharFilter):
    """A username, in any case, as everywhere."""

    def filter(self, qs: Any, value: Any) -> Any:
        """Those of that name."""
        return super().filter(qs, User.normalize_username(value) if value else value)


class OrganiserFilter(UsernameFilter):
    """The username of somebody who runs it: a helper does not."""

    def filter(self, qs: Any, value: Any) -> Any:
        """Those of that organiser."""
        if not value:
            return qs
        named = SeasonOrganiser.objects.organising().filter(
            user__username=User.normalize_username(value)
        )
        return qs.filter(organisers__in=named)


class SeasonFilters(Filters):
    """What seasons can be filtered by."""

    format = filters.ChoiceFilter(choices=CallableChoiceIterator(formats.choices))
    status = filters.ChoiceFilter(choices=SeasonStatus.choices)
    visibility = filters.ChoiceFilter(choices=Visibility.choices)
    organiser = OrganiserFilter(field_name="organisers__user__username", help_text="A username.")
    contestant = UsernameFilter(field_name="contestants__user__username", help_text="A username.")
    search = filters.CharFilter(field_name="name", lookup_expr="icontains")


class SeasonsReading(ListView):
    """Seasons."""

    serializer_class = SeasonSerializer
    filterset_class = SeasonFilters
    moving = frozenset({"changed_at", "started_at"})
    orderings: ClassVar[Mapping[str, Ordering]] = MappingProxyType(
        {
            "-created_at": ("-created_at", "-id"),
            "created_at": ("created_at", "id"),
            "-changed_at": ("-changed_at", "-id"),
            "-started_at": ("-started_at", "-id"),
            "name": ("name", "id"),
        }
    )
    queryset = Season.objects.none()

    def get_queryset(self) -> QuerySet[Season]:
        return seasons_whole(self.request.user)


class SeasonReading(DetailView):
    """One season."""

    serializer_class = SeasonSerializer
    replica = True
    lookup_field = "slug"
    none = ("season.none", "There is no such season.")
    queryset = Season.objects.none()

    def get_queryset(self) -> QuerySet[Season]:
        return seasons_whole(self.request.user)


class OfSeason(ListView):
    """A list within a season, which must be one that the caller may see."""

    @property
    def season(self) -> Season:
        """The season. Raises Refusal ``season.none``."""
        return season_for(self.kwargs["slug"], self.request.user)


# -- what belongs to a season --------------------------------------------------------------------


class ContestantFilters(Filters):
    """What contestants can be filtered by."""

    status = filters.ChoiceFilter(choices=ContestantStatus.choices)
    username = UsernameFilter(field_name="user__username")


class ContestantsReading(OfSeason):
    """Everybody who ever entered a season."""

    serializer_class = ContestantSerializer
    filterset_class = ContestantFilters
    orderings: ClassVar[Mapping[str, Ordering]] = MappingProxyType(
        {"seed": ("seed", "id"), "place": ("place", "id"), "name": ("name", "id")}
    )
    queryset = Contestant.objects.none()

    def get_queryset(self) -> QuerySet[Contestant]:
        return contestants_whole(self.season)


class StandingsView(FieldsView):
    """How a season stands."""

    serializer_class = StandingSerializer
    replica = True
    within = "rows"

    @extend_schema(
        operation_id="season_standings",
        tags=TAG,
        summary="Standings of a season",
        responses={200: StandingsSerializer},
    )
    def get(self, request: Request, slug: str) -> Response:
        """The table of a round robin or Swiss season, by the tie-breaks that the season declares;
        of a ladder the rungs from the top, without metrics. No rows for other formats and before
        the start."""
        season = season_for(slug, request.user)
        self.fresh(fingerprint(season), changed_at=season.changed_at)
        sheet = Sheet(season)
        metrics = () if sheet.table is None else sheet.table.metrics
        return Response(
            {
                "metrics": MetricSerializer(metrics, many=True).data,
                "rows": self.get_serializer(_table_rows(sheet), many=True).data,
            }
        )


def _table_rows(sheet: Sheet) -> list[dict[str, Any]]:
    if sheet.table is None:
        return [
            {"rank": rank, "shared": False, "contestant": each, "values": [], "why": why}
            for rank, (each, why) in enumerate(sheet.rungs, start=1)
        ]
    return [
        {
            "rank": row.rank,
            "shared": row.shared,
            "contestant": sheet.by_id[row.player],
            "values": [None if value is None else str(value) for value in row.values],
            "why": row.why,
        }
        for row in sheet.table.rows
    ]


class BracketView(FieldsView):
    """A season's bracket."""

    serializer_class = BracketMatchSerializer
    replica = True
    within = "matches"

    @extend_schema(
        operation_id="season_bracket",
        tags=TAG,
        summary="The bracket of a season",
        responses={200: BracketSerializer},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Who meets whom in a single-elimination season, and where the sides of each match come
        from; no matches for other formats and before the start."""
        season = season_for(slug, request.user)
        self.fresh(fingerprint(season), changed_at=season.changed_at)
        sheet = Sheet(season)
        return Response(
            {
                "champion": _champion(sheet),
                "matches": self.get_serializer(_bracket_rows(sheet), many=True).data,
            }
        )


def _champion(sheet: Sheet) -> dict[str, Any] | None:
    bracket = sheet.bracket
    if bracket is None or bracket.champion is None:
        return None
    shown: dict[str, Any] = PersonField(sheet.by_id[bracket.champion]).data
    return shown


def _bracket_rows(sheet: Sheet) -> list[dict[str, Any]]:
    bracket = sheet.bracket
    if bracket is None:
        return []
    numbers = {each.key: each.pk for each in sheet.death_matches if each.key}

    def person(player: int | None) -> Contestant | None:
        return None if player is None else sheet.by_id[player]

    return [
        {
            "key": str(each.match.id),
            "round": each.match.round,
            "slot": each.match.slot,
            "third_place": each.match.third_place,
            "home_from": each.match.home,
            "away_from": each.match.away,
            "home": person(each.home),
            "away": person(each.away),
            "winner": person(each.winner),
            "death_match": numbers.get(str(each.match.id)),
        }
        for each in bracket.matches
    ]


class RoundFilters(Filters):
    """What rounds can be filtered by."""

    status = filters.ChoiceFilter(choices=RoundStatus.choices)


class RoundsReading(OfSeason):
    """The rounds of a season with their death matches: the bracket, the episodes, the pairings. In
    a bracket, `key` names a death match; sides that are not known yet are null."""

    serializer_class = RoundSerializer
    filterset_class = RoundFilters
    orderings: ClassVar[Mapping[str, Ordering]] = MappingProxyType(
        {"number": ("number",), "-number": ("-number",)}
    )
    queryset = Round.objects.none()

    def get_queryset(self) -> QuerySet[Round]:
        return rounds_whole(self.request.user).filter(season=self.season)


class DeathMatchFilters(Filters):
    """What death matches can be filtered by."""

    season = filters.CharFilter(field_name="round__season__slug", help_text="A season's slug.")
    round = filters.NumberFilter(field_name="round__number")
    status = filters.ChoiceFilter(choices=DeathMatchStatus.choices)
    contestant = filters.CharFilter(method="of_contestant", help_text="A username.")
    ruleset = filters.CharFilter(field_name="legs__ruleset", distinct=True)
    since = InstantFilter(field_name="decided_at", lookup_expr="gte")
    until = InstantFilter(field_name="decided_at", lookup_expr="lt")

    def of_contestant(
        self, matches: QuerySet[DeathMatch], _name: str, username: str
    ) -> QuerySet[DeathMatch]:
        """Those in which somebody has a side."""
        username = User.normalize_username(username)
        return matches.filter(Q(home__user__username=username) | Q(away__user__username=username))


@extend_schema_view(
    get=extend_schema(operation_id="death_matches", tags=TAG, summary="Death matches")
)
class DeathMatchesView(ListView):
    """Death matches of all seasons."""

    serializer_class = DeathMatchSerializer
    filterset_class = DeathMatchFilters
    moving = frozenset({"decided_at"})
    orderings: ClassVar[Mapping[str, Ordering]] = MappingProxyType(
        {"-id": ("-id",), "id": ("id",), "-decided_at": ("-decided_at", "-id")}
    )
    queryset = DeathMatch.objects.none()

    def get_queryset(self) -> QuerySet[DeathMatch]:
        return death_matches_whole(self.request.user)


class DeathMatchReading(DetailView):
    """One death match."""

    serializer_class = DeathMatchSerializer
    replica = True
    lookup_field = "pk"
    lookup_url_kwarg = "death_match_id"
    none = ("death-match.none", "There is no such death match.")
    queryset = DeathMatch.objects.none()

    def get_queryset(self) -> QuerySet[DeathMatch]:
        return death_matches_whole(self.request.user)


class GiftFilters(Filters):
    """What items can be filtered by."""

    status = filters.ChoiceFilter(choices=GiftStatus.choices)
    receiver = UsernameFilter(field_name="receiver__user__username", help_text="A username.")


class GiftsReading(OfSeason):
    """The items of a season with their history."""

    serializer_class = GiftSerializer
    filterset_class = GiftFilters
    queryset = Gift.objects.none()

    def get_queryset(self) -> QuerySet[Gift]:
        return gifts_whole(self.season, self.request.user)


class EventFilters(Filters):
    """What events can be filtered by."""

    kind = filters.CharFilter()
    since = InstantFilter(field_name="at", lookup_expr="gte")
    until = InstantFilter(field_name="at", lookup_expr="lt")


@extend_schema_view(
    get=extend_schema(operation_id="season_events", tags=TAG, summary="What happened in a season")
)
class EventsView(OfSeason):
    """What happened in a season, the latest first."""

    serializer_class = SeasonEventSerializer
    filterset_class = EventFilters
    queryset = SeasonEvent.objects.none()

    def get_queryset(self) -> QuerySet[SeasonEvent]:
        return SeasonEvent.objects.filter(season=self.season).select_related("round")


class CatalogueView(FieldsView):
    """The items that there are."""

    serializer_class = CatalogueSerializer
    max_age = 300

    @extend_schema(
        operation_id="items",
        tags=TAG,
        summary="The catalogue of items",
        responses={200: CatalogueSerializer(many=True)},
    )
    def get(self, request: Request) -> Response:
        """Every item that can be given in a season: those of the rulesets, Copy and Block."""
        return Response(self.get_serializer(catalogue(), many=True).data)


class RecordsView(ApiView):
    """The records of a season."""

    renderer_classes = (NdjsonRenderer, JSONRenderer)

    @extend_schema(
        operation_id="season_records",
        tags=TAG,
        summary="Records of a season's finished matches",
        responses={
            (200, NDJSON): OpenApiResponse(
                OpenApiTypes.STR, description="A line of JSON a match; see `docs/exports.md`."
            )
        },
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """A stream: one finished match a line, the oldest first, with its record. Running matches
        are left out."""
        season = season_for(slug, request.user)
        self.fresh(fingerprint(season), changed_at=season.changed_at)
        response = StreamingHttpResponse(records_streamed(season), content_type=NDJSON)
        give_back_database()
        return response


class SeasonLeaderboardView(ApiView):
    """A season's leaderboard."""

    replica = True
    renderer_classes = LeaderboardView.renderer_classes
    parameters: ClassVar[list[OpenApiParameter]] = [
        each for each in PARAMETERS if each.name not in ("limit", "cursor")
    ]
    query = tuple(each.name for each in parameters)

    @extend_schema(
        operation_id="season_leaderboard",
        tags=["leaderboards"],
        summary="The leaderboard of a season",
        parameters=parameters,
        responses=ANSWERS,
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        """Ratings by the season's matches alone, everybody beginning anew; whole, on one page."""
        season = season_for(slug, request.user)
        board = season_leaderboard(season, Asked.of(request).wanted)
        return board_answer(request, board, name=season.name)
