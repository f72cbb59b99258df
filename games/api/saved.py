"""Moves that people keep for themselves, over HTTP."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import UserRateThrottle
from rest_framework.views import APIView

from games.api.callers import signed_in
from games.api.views import ProblemSerializer
from games.models import SavedMove
from games.services.saved import saved_move_delete, saved_move_save, saved_moves_of


class SavedThrottle(UserRateThrottle):
    """How often one user may save, list and delete."""

    scope = "saved"
    rate = "60/min"


class SavedMoveSerializer(serializers.Serializer[SavedMove]):
    """A move and the name it is kept under."""

    id = serializers.IntegerField(read_only=True)
    name = serializers.CharField(max_length=200)
    text = serializers.CharField(max_length=2000, help_text="A move in the ruleset's notation.")


class _SavedView(APIView):
    permission_classes = (IsAuthenticated,)
    throttle_classes = (SavedThrottle,)


class SavedMovesView(_SavedView):
    """The caller's own saved moves for a ruleset."""

    @extend_schema(
        operation_id="saved_moves",
        responses={200: SavedMoveSerializer(many=True), 403: ProblemSerializer},
    )
    def get(self, request: Request, ruleset: str) -> Response:
        """What the caller keeps, by name."""
        kept = saved_moves_of(user=signed_in(request), ruleset=ruleset)
        return _private([SavedMoveSerializer(each).data for each in kept])

    @extend_schema(
        operation_id="saved_move_save",
        request=SavedMoveSerializer,
        responses={
            200: SavedMoveSerializer,
            400: ProblemSerializer,
            403: ProblemSerializer,
            404: ProblemSerializer,
            409: ProblemSerializer,
            429: ProblemSerializer,
        },
    )
    def post(self, request: Request, ruleset: str) -> Response:
        """Keep a move under a name, in place of what had this name before."""
        body = SavedMoveSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        saved = saved_move_save(
            acting_user=signed_in(request),
            ruleset=ruleset,
            name=body.validated_data["name"],
            text=body.validated_data["text"],
        )
        return _private(SavedMoveSerializer(saved).data)


class SavedMoveView(_SavedView):
    """One of the caller's own saved moves."""

    @extend_schema(
        operation_id="saved_move_delete",
        responses={204: None, 403: ProblemSerializer, 404: ProblemSerializer},
    )
    def delete(self, request: Request, ruleset: str, saved_move_id: int) -> Response:
        """Forget it."""
        saved_move_delete(
            acting_user=signed_in(request), ruleset=ruleset, saved_move_id=saved_move_id
        )
        return Response(status=204)


def _private(data: Any) -> Response:
    response = Response(data)
    response["Cache-Control"] = "private, no-store"
    return response
