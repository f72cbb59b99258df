"""Who is thought to win a match, over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from core.api.bodies import body_of
from core.api.problems import ProblemSerializer
from core.api.scopes import Scope
from core.api.views import FieldsView
from core.clock import now_ms
from core.instants import instant_of_request
from games.reading.matches import match_for
from games.services.predictions import (
    must_be_able_to_predict,
    prediction_make,
    predictions_of,
)


class PredictionsSerializer(serializers.Serializer[dict[str, Any]]):
    """How many think that who will win a match."""

    match = serializers.IntegerField()
    open = serializers.BooleanField(
        help_text="Whether predictions are taken: until the sixth line of the log that spectators "
        "read, and two minutes after the first at least."
    )
    counts = serializers.ListField(child=serializers.IntegerField(), help_text="By seat.")
    may = serializers.BooleanField(
        help_text="Whether the caller may predict here while it is open: nobody who plays or may "
        "organise the match does."
    )
    yours = serializers.IntegerField(allow_null=True, help_text="The seat that the caller named.")
    right = serializers.IntegerField(
        allow_null=True, help_text="How many were right, once somebody has won."
    )


class NewPredictionSerializer(serializers.Serializer[Any]):
    """Who will win."""

    seat = serializers.IntegerField(min_value=0, max_value=1)


class PredictionsView(FieldsView):
    """What those who watch a match expect of it."""

    serializer_class = PredictionsSerializer
    shared = False
    scopes: ClassVar[Mapping[str, Scope]] = MappingProxyType({"PUT": Scope.PLAY})

    @extend_schema(
        operation_id="predictions",
        tags=["matches"],
        summary="Who is thought to win",
        responses={200: PredictionsSerializer, 403: ProblemSerializer},
    )
    def get(self, request: Request, match_id: int) -> Response:
        """How many think that each of the two will win; never who does. Players are told after the
        end."""
        match = match_for(match_id, request.user)
        (told,) = self.only(predictions_of(match=match, user=request.user, at=now_ms()))
        return Response(told)

    def authorise(self, request: Request, match_id: int) -> None:
        """Those who only watch."""
        must_be_able_to_predict(match_id, signed_in(request))

    @extend_schema(
        operation_id="predict",
        tags=["matches"],
        summary="Say who will win",
        request=NewPredictionSerializer,
        responses={200: PredictionsSerializer},
    )
    def put(self, request: Request, match_id: int) -> Response:
        """Say who will win, or change one's mind, while predictions are open. The same again
        changes nothing."""
        at = instant_of_request(request)
        given = body_of(self, NewPredictionSerializer)
        told = prediction_make(
            acting_user=signed_in(request), match_id=match_id, seat=given["seat"], at=at
        )
        return Response(told)
