"""Who comments on matches, and what they say, over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import accounts_named, signed_in
from accounts.api.serializers import UsernameField
from core.api.bodies import body_of
from core.api.problems import ProblemSerializer
from core.api.scopes import Scope
from core.api.views import ApiView, FieldsView
from games.api.lists import ChatMessageSerializer
from games.reading.matches import match_for
from games.services.commentary import (
    commentator_dismiss,
    commentator_name,
    commentators_of,
    comments_of,
    must_name_commentators,
)


class CommentatorSerializer(serializers.Serializer[dict[str, Any]]):
    """Who comments on a match."""

    name = serializers.CharField(help_text="What pages show; not unique.")
    username = serializers.CharField()


class CommentSerializer(ChatMessageSerializer):
    """Something that a commentator said."""

    step = serializers.IntegerField(
        allow_null=True,
        help_text="The step of the replay during which it was said; null before the end.",
    )


class CommentarySerializer(serializers.Serializer[dict[str, Any]]):
    """The commentary on a match: the latest comments, oldest first."""

    commentators = CommentatorSerializer(many=True)
    comments = CommentSerializer(many=True)


class NamedSerializer(serializers.Serializer[Any]):
    """Who is to comment."""

    username = UsernameField(max_length=20)


class CommentatorsSerializer(serializers.Serializer[dict[str, Any]]):
    """Who comments now."""

    commentators = CommentatorSerializer(many=True)


class CommentaryView(FieldsView):
    """The commentary on a match. It is written as the room `commentary` of the chat."""

    serializer_class = CommentSerializer
    within = "comments"
    shared = False
    scopes: ClassVar[Mapping[str, Scope]] = MappingProxyType({"POST": Scope.ORGANISE})

    @extend_schema(
        operation_id="match_commentary",
        tags=["matches"],
        summary="The commentary on a match",
        responses={200: CommentarySerializer, 403: ProblemSerializer},
    )
    def get(self, request: Request, match_id: int) -> Response:
        """Who comments, and what they have said. Players read it once the match is over."""
        match = match_for(match_id, request.user)
        comments = comments_of(match=match, user=request.user)
        return Response(
            {"commentators": commentators_of(match_id), "comments": self.only(*comments)}
        )

    def authorise(self, request: Request, match_id: int) -> None:
        """Those who may organise the match."""
        must_name_commentators(match_for(match_id, request.user), signed_in(request))

    @extend_schema(
        operation_id="commentator_name",
        tags=["matches"],
        summary="Name a commentator",
        request=NamedSerializer,
        responses={200: CommentatorsSerializer},
    )
    def post(self, request: Request, match_id: int) -> Response:
        """Have somebody who does not play comment on the match, for all who watch it."""
        given = body_of(self, NamedSerializer, users=accounts_named)
        commentator_name(acting_user=signed_in(request), match_id=match_id, user=given["username"])
        return Response({"commentators": commentators_of(match_id)})


class CommentatorView(ApiView):
    """Somebody who comments on a match."""

    scopes: ClassVar[Mapping[str, Scope]] = MappingProxyType({"DELETE": Scope.ORGANISE})

    @extend_schema(
        operation_id="commentator_dismiss",
        tags=["matches"],
        summary="Dismiss a commentator",
        responses={204: None},
    )
    def delete(self, request: Request, match_id: int, username: str) -> Response:
        """Have them comment no longer. What they said stays."""
        commentator_dismiss(acting_user=signed_in(request), match_id=match_id, username=username)
        return Response(status=204)
