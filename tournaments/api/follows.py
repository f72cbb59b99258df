"""The seasons that the caller follows, over HTTP."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from core.api.bodies import nothing_in
from core.api.scopes import Scope
from core.api.views import ListView, SignedInView
from tournaments.api.views import TAG
from tournaments.models import Season, SeasonFollow
from tournaments.reading.seasons import season_for
from tournaments.services.follows import (
    must_not_be_told_anyway,
    season_follow,
    season_unfollow,
    standing_in,
)


class SeasonFollowSerializer(serializers.ModelSerializer[SeasonFollow]):
    """A season that the caller follows."""

    season = serializers.CharField(source="season.slug", read_only=True, help_text="Its slug.")
    name = serializers.CharField(source="season.name", read_only=True)
    url = serializers.CharField(
        source="season.get_absolute_url", read_only=True, help_text="The path of its page."
    )

    class Meta:
        model = SeasonFollow
        fields = ("season", "name", "url", "at")
        read_only_fields = fields
        extra_kwargs: ClassVar[dict[str, Any]] = {"at": {"help_text": "Since when."}}


@extend_schema_view(
    get=extend_schema(operation_id="follows", tags=TAG, summary="Seasons that you follow")
)
class FollowsView(SignedInView, ListView):
    """The seasons that the caller follows, the latest first. Nobody else sees which they are."""

    serializer_class = SeasonFollowSerializer
    replica = False
    queryset = SeasonFollow.objects.none()

    def get_queryset(self) -> QuerySet[SeasonFollow]:
        """The caller's own, of the seasons that they may see."""
        return SeasonFollow.objects.visible_to(self.request.user).select_related("season")


class FollowView(SignedInView):
    """Following a season."""

    scopes = MappingProxyType({"POST": Scope.PLAY, "DELETE": Scope.PLAY})

    def authorise(self, request: Request, slug: str) -> Season:
        """Any season that the caller may see; to follow it, one of which they are not told
        anyway."""
        caller = signed_in(request)
        season = season_for(slug, caller)
        if request.method == "POST":
            contestant, organises = standing_in(season, caller)
            must_not_be_told_anyway(contestant=contestant, organises=organises)
        return season

    @extend_schema(
        operation_id="season_follow",
        tags=TAG,
        summary="Follow a season",
        request=None,
        responses={200: SeasonFollowSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Have the caller told what happens in the season, in the ways that they have chosen. Who
        runs it or plays in it is told anyway, and refused."""
        nothing_in(self)
        season: Season = self.about
        made = season_follow(acting_user=signed_in(request), season=season)
        return Response(SeasonFollowSerializer(made, context={"request": request}).data)

    @extend_schema(
        operation_id="season_unfollow",
        tags=TAG,
        summary="Unfollow a season",
        responses={204: None},
    )
    def delete(self, request: Request, slug: str) -> Response:
        """Have the caller told no more of it."""
        season: Season = self.about
        season_unfollow(acting_user=signed_in(request), season=season)
        return Response(status=204)
