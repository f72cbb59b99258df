"""Moves that people keep for themselves, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from core.api.bodies import body_of
from core.api.scopes import Scope
from core.api.views import FieldsView, SignedInView
from core.refusals import Together
from games.engine.ruleset import Ruleset
from games.models import SavedMove
from games.rulesets import REGISTRY
from games.services.saved import (
    NAME_MAX,
    move_text,
    name_of,
    saved_move_delete,
    saved_move_save,
    saved_moves_of,
)


class SavedMoveSerializer(serializers.Serializer[SavedMove]):
    """A move and the name it is kept under."""

    at_fault: ClassVar[Mapping[str, str]] = {
        "saved.name-empty": "name",
        "saved.name-too-long": "name",
        "notation.*": "text",
    }

    id = serializers.IntegerField(read_only=True)
    name = serializers.CharField(max_length=NAME_MAX)
    text = serializers.CharField(max_length=2000, help_text="A move in the ruleset's notation.")

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """The text is a move of the ruleset that the address names, and the name is one."""
        faults = Together()
        if "name" in sound:
            with faults.of():
                name_of(sound["name"])
        if "text" in sound:
            with faults.of():
                move_text(self.context["about"], sound["text"])
        yield from faults.refused


class SavedMovesView(SignedInView, FieldsView):
    """The caller's own saved moves for a ruleset."""

    guests = True
    serializer_class = SavedMoveSerializer
    scopes = MappingProxyType({"POST": Scope.PLAY})

    @extend_schema(
        operation_id="saved_moves",
        tags=["saved moves"],
        summary="Your saved moves for a ruleset",
        responses={200: SavedMoveSerializer(many=True)},
    )
    def get(self, request: Request, ruleset: str) -> Response:
        """What the caller keeps, by name."""
        kept = saved_moves_of(user=signed_in(request), ruleset=ruleset)
        return Response(self.get_serializer(kept, many=True).data)

    def authorise(self, request: Request, ruleset: str) -> Ruleset[Any, Any]:
        """The ruleset: for each, everybody keeps moves of their own."""
        return REGISTRY.get(ruleset)

    @extend_schema(
        operation_id="saved_move_save",
        request=SavedMoveSerializer,
        tags=["saved moves"],
        summary="Save a move under a name",
        responses={200: SavedMoveSerializer},
    )
    def post(self, request: Request, ruleset: str) -> Response:
        """Keep a move under a name, in place of what had this name before."""
        given = body_of(self, SavedMoveSerializer)
        saved = saved_move_save(
            acting_user=signed_in(request),
            ruleset=ruleset,
            name=given["name"],
            text=given["text"],
        )
        return Response(SavedMoveSerializer(saved).data)


class SavedMoveView(SignedInView):
    """One of the caller's own saved moves."""

    guests = True
    scopes = MappingProxyType({"DELETE": Scope.PLAY})

    @extend_schema(
        operation_id="saved_move_delete",
        tags=["saved moves"],
        summary="Forget a saved move",
        responses={204: None},
    )
    def delete(self, request: Request, ruleset: str, saved_move_id: int) -> Response:
        """Forget it."""
        saved_move_delete(
            acting_user=signed_in(request), ruleset=ruleset, saved_move_id=saved_move_id
        )
        return Response(status=204)
