"""The match in the best place, over HTTP."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from core.api.bodies import nothing_in
from core.api.scopes import Scope
from core.api.views import ApiView, FieldsView
from core.refusals import NotFound
from games.api.serializers import MatchSerializer
from games.models import Match
from games.reading.featured import match_featured
from games.reading.matches import match_for
from games.reading.selectors import matches_listed
from games.services.featuring import match_feature, match_unfeature, must_be_allowed_to_feature


class FeaturedSerializer(serializers.Serializer[dict[str, Any]]):
    """The match in the best place."""

    match = MatchSerializer()
    chosen = serializers.BooleanField(
        help_text="Whether organisers have chosen it; false: the site has."
    )
    spectators = serializers.IntegerField(help_text="How many watch it, as of the last seconds.")


class FeaturedView(FieldsView):
    """The match in the best place."""

    serializer_class = MatchSerializer
    within = "match"
    shared = False

    @extend_schema(
        operation_id="featured",
        tags=["matches"],
        summary="The featured match",
        responses={200: FeaturedSerializer},
    )
    def get(self, request: Request) -> Response:
        """The running match that pages show first: the one that organisers feature, else one at a
        live pace that the site chooses, by its spectators and then by its players' ratings. 404
        while there is none."""
        best: QuerySet[Any, Any] = match_featured(request.user)
        found = best.values_list("pk", "chosen", "spectators").first()
        if found is None:
            raise NotFound("featured.none", "No match is featured now.")
        pk, chosen, spectators = found
        match = matches_listed(request.user).get(pk=pk)
        (shown,) = self.only(self.get_serializer(match).data)
        return Response({"match": shown, "chosen": bool(chosen), "spectators": spectators})


class MatchFeaturedView(ApiView):
    """Showing a match in the best place."""

    scopes = MappingProxyType({"PUT": Scope.ORGANISE, "DELETE": Scope.ORGANISE})

    def authorise(self, request: Request, match_id: int) -> Match:
        """The match, for those who may feature it."""
        match = match_for(match_id, signed_in(request))
        must_be_allowed_to_feature(match, signed_in(request))
        return match

    @extend_schema(
        operation_id="match_feature",
        tags=["matches"],
        summary="Feature a match",
        request=None,
        responses={204: None},
    )
    def put(self, request: Request, match_id: int) -> Response:
        """Show a running match first, instead of whichever is shown so. For organisers, and not
        for players of the match."""
        nothing_in(self)
        match_feature(acting_user=signed_in(request), match=self.about)
        return Response(status=204)

    @extend_schema(
        operation_id="match_unfeature",
        tags=["matches"],
        summary="Feature a match no longer",
        responses={204: None},
    )
    def delete(self, request: Request, match_id: int) -> Response:
        """Show it first no longer: the site chooses one."""
        nothing_in(self)
        match_unfeature(acting_user=signed_in(request), match=self.about)
        return Response(status=204)
