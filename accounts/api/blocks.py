"""Whom the caller has blocked, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import accounts_named, signed_in
from accounts.api.serializers import PersonSerializer, UsernameField
from accounts.blocking.services import block_create, block_remove, must_be_somebody_else
from accounts.models import Block, User
from core.api.bodies import body_of
from core.api.scopes import Scope
from core.api.views import ListView, SignedInView
from core.refusals import NotFound, Together


class BlockSerializer(serializers.ModelSerializer[Block]):
    """Somebody whom the caller has blocked."""

    user = PersonSerializer(source="blocked")

    class Meta:
        model = Block
        fields = ("user", "at")
        extra_kwargs: ClassVar[dict[str, Any]] = {"at": {"help_text": "Since when."}}


class NewBlockSerializer(serializers.Serializer[Any]):
    """Whom to block."""

    at_fault: ClassVar[Mapping[str, str]] = {"block.yourself": "username"}

    username = UsernameField(max_length=20)

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Nobody blocks themselves."""
        faults = Together()
        if isinstance(sound.get("username"), User):
            with faults.of():
                must_be_somebody_else(signed_in(self.context["request"]), sound["username"])
        yield from faults.refused


@extend_schema_view(
    get=extend_schema(operation_id="blocks", tags=["people"], summary="Whom you have blocked")
)
class BlocksView(SignedInView, ListView):
    """Whom the caller has blocked. Nobody sees by whom they are."""

    serializer_class = BlockSerializer
    replica = False
    scopes = MappingProxyType({"POST": Scope.PLAY})
    queryset = Block.objects.none()

    def get_queryset(self) -> QuerySet[Block]:
        """The caller's own."""
        return Block.objects.visible_to(self.request.user).select_related("blocked")

    def authorise(self, request: Request) -> None:
        """Everybody may block anybody else."""

    @extend_schema(
        operation_id="block",
        tags=["people"],
        summary="Block somebody",
        request=NewBlockSerializer,
        responses={200: BlockSerializer},
    )
    def post(self, request: Request) -> Response:
        """Block somebody: no challenge of theirs is shown to the caller, they accept none of
        the caller's, and the two are never paired. They are not told. Again changes nothing."""
        given = body_of(self, NewBlockSerializer, users=accounts_named)
        block = block_create(acting_user=signed_in(request), user=given["username"])
        return Response(BlockSerializer(block, context={"request": request}).data)


class BlockView(SignedInView):
    """Somebody whom the caller has blocked."""

    scopes = MappingProxyType({"DELETE": Scope.PLAY})

    @extend_schema(
        operation_id="unblock",
        tags=["people"],
        summary="Unblock somebody",
        responses={204: None},
    )
    def delete(self, request: Request, username: str) -> Response:
        """Unblock them."""
        person = User.objects.filter(username=User.normalize_username(username)).first()
        if person is None:
            raise NotFound("block.none", "You have not blocked this person.")
        block_remove(acting_user=signed_in(request), user=person)
        return Response(status=204)
