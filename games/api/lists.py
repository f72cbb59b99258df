"""Matches over HTTP, from outside: lists and logs."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.errors import ParameterFault
from core.api.lists import Filters, InstantFilter
from core.api.problems import ProblemSerializer
from core.api.views import FieldsView, ListView
from games.api.serializers import MatchSerializer
from games.audience import READINGS, audience_of
from games.models import LIVE_ROOM_NAMES, LIVE_ROOMS, ChatMessage, Match
from games.reading import selectors
from games.reading.matches import match_for, versions_and_names_of
from games.reading.readers import reader_in
from games.rulesets import REGISTRY
from games.services.chat import chat_history


class MatchFilters(Filters):
    """What matches can be filtered by."""

    ruleset = filters.ChoiceFilter(
        choices=[(each.id, each.name) for each in REGISTRY], help_text="The game."
    )
    variant = filters.CharFilter(max_length=40, help_text="How it is played.")
    status = filters.ChoiceFilter(choices=Match.Status.choices, help_text="On, or over.")
    source = filters.ChoiceFilter(
        choices=Match.Source.choices, help_text="Played here, or imported as a record."
    )
    player = filters.CharFilter(
        method="with_player", max_length=20, help_text="A username: one of the two players."
    )
    since = InstantFilter(
        field_name="created_at", lookup_expr="gte", help_text="Begun then or later."
    )
    until = InstantFilter(field_name="created_at", lookup_expr="lt", help_text="Begun before.")

    def with_player(self, matches: QuerySet[Match], _name: str, name: str) -> QuerySet[Match]:
        """Those in which they sit."""
        return matches.filter(players__user__username=name.lower())


@extend_schema_view(get=extend_schema(operation_id="matches", tags=["matches"], summary="Matches"))
class MatchesView(ListView):
    """Matches from outside: who plays what, and how it ended."""

    serializer_class = MatchSerializer
    filterset_class = MatchFilters
    moving = frozenset({"finished_at"})
    orderings = MappingProxyType(
        {
            "-created_at": ("-created_at", "-id"),
            "created_at": ("created_at", "id"),
            "-finished_at": ("-finished_at", "-id"),
        }
    )
    queryset = Match.objects.none()

    def get_queryset(self) -> QuerySet[Match]:
        """Those that the caller may see."""
        return selectors.matches_told_of(self.request.user)


class LogItemSerializer(serializers.Serializer[dict[str, Any]]):
    """One line of a log, with what the reader may know of it (`docs/protocol.md`)."""

    n = serializers.IntegerField(help_text="The number in this reader's log, from 1.")
    at = serializers.IntegerField(help_text="In ms since 1970.")
    actor = serializers.JSONField(help_text="A seat (0 or 1), or `chance`, `organiser`, `service`.")
    taken_back = serializers.BooleanField()
    events = serializers.ListField(child=serializers.DictField())


class LogSerializer(serializers.Serializer[dict[str, Any]]):
    """The log of a match as its reader may see it."""

    match = serializers.IntegerField()
    version = serializers.IntegerField(help_text="The reader's version of the match.")
    over = serializers.BooleanField()
    log = LogItemSerializer(many=True)


class MatchLogView(FieldsView):
    """What has happened in a match."""

    guests = True
    serializer_class = LogItemSerializer
    within = "log"
    shared = False

    @extend_schema(
        operation_id="match_log",
        tags=["matches"],
        summary="The log of a match",
        responses={200: LogSerializer},
    )
    def get(self, request: Request, match_id: int) -> Response:
        """The log as the caller may see it: during the match without what is secret from them,
        afterwards with everything."""
        match = match_for(match_id, request.user)
        audience = audience_of(match, request.user)
        versions, names = versions_and_names_of(match_id)
        self.fresh(audience, match.is_over, versions[READINGS.index(audience)], names)
        reader = reader_in(match, request.user)
        return Response(
            {
                "match": match_id,
                "version": reader.sync["version"],
                "over": reader.over,
                "log": self.only(*reader.sync["log"]),
            }
        )


class ChatMessageSerializer(serializers.Serializer[dict[str, Any]]):
    """Something said beside a match."""

    id = serializers.IntegerField()
    at = serializers.IntegerField(help_text="In ms since 1970.")
    name = serializers.CharField()
    username = serializers.CharField()
    seat = serializers.IntegerField(allow_null=True)
    text = serializers.CharField()


class ChatSerializer(serializers.Serializer[dict[str, Any]]):
    """The latest messages of a room, oldest first."""

    room = serializers.ChoiceField(choices=LIVE_ROOM_NAMES)
    messages = ChatMessageSerializer(many=True)


class MatchChatView(FieldsView):
    """What is said beside a match."""

    serializer_class = ChatMessageSerializer
    within = "messages"
    shared = False
    query = ("room",)

    @extend_schema(
        operation_id="match_chat",
        tags=["matches"],
        summary="The chat of a match",
        parameters=[
            OpenApiParameter(
                "room",
                {
                    "type": "string",
                    "enum": LIVE_ROOM_NAMES,
                    "default": "players",
                },
                description="Players learn what spectators and commentators said once the match is "
                "over.",
            )
        ],
        responses={200: ChatSerializer, 403: ProblemSerializer},
    )
    def get(self, request: Request, match_id: int) -> Response:
        """The latest messages of a room, if the caller may read it now."""
        room = request.query_params.get("room", ChatMessage.Room.PLAYERS.value)
        if room not in LIVE_ROOMS:
            raise ParameterFault("room", "There is no such room.", code="chat.none")
        match = match_for(match_id, request.user)
        messages = chat_history(match=match, room=room, user=request.user)
        return Response({"room": room, "messages": self.only(*messages)})
