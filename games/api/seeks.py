"""Quick pairing over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from core.api.bodies import body_of, nothing_in
from core.api.scopes import Scope
from core.api.views import FieldsView, SignedInView
from core.clock import now_ms
from core.refusals import NotFound, Refusal, Together
from games.models import Seek
from games.services.matches import game_of
from games.services.seeks import must_be_quick, seek_cancel, seek_create, seek_look, seek_pair


class SeekSerializer(serializers.ModelSerializer[Seek]):
    """What the caller waits for, or what it has led to."""

    match = serializers.PrimaryKeyRelatedField[Any](
        read_only=True, allow_null=True, help_text="The match, once you are paired."
    )

    class Meta:
        model = Seek
        fields = ("ruleset", "variant", "pace", "rated", "since", "until", "match")
        extra_kwargs: ClassVar[dict[str, Any]] = {
            "since": {"help_text": "When you came, in ms since 1970."}
        }


class NewSeekSerializer(serializers.Serializer[Any]):
    """What to wait for."""

    at_fault: ClassVar[Mapping[str, str]] = {
        "setup.ruleset": "ruleset",
        "setup.variant": "variant",
        "seek.pace": "pace",
    }

    ruleset = serializers.CharField(
        max_length=40, required=False, allow_blank=True, help_text="Without: any game."
    )
    variant = serializers.CharField(max_length=40, required=False, allow_blank=True)
    pace = serializers.CharField(
        max_length=20, default="normal", help_text="A ready-made pace of less than an hour a turn."
    )
    rated = serializers.BooleanField(default=True, help_text="False: a casual match.")

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Whether there is such a game, and such a pace."""
        faults = Together()
        if sound.get("ruleset"):
            with faults.of():
                given = "variant" in self.initial_data
                game_of(sound["ruleset"], sound.get("variant", None if given else ""), {})
        # A ruleset that is at fault is told of as that alone.
        elif sound.get("variant") and ("ruleset" in sound) == ("ruleset" in self.initial_data):
            with faults.of():
                raise Refusal("setup.variant", "A variant is one of a game: say which.")
        if "pace" in sound:
            with faults.of():
                must_be_quick(sound["pace"])
        yield from faults.refused


class SeekView(SignedInView, FieldsView):
    """Being paired with whoever wants the same."""

    serializer_class = SeekSerializer
    scopes = MappingProxyType({"GET": Scope.PLAY, "POST": Scope.PLAY, "DELETE": Scope.PLAY})

    def authorise(self, request: Request) -> None:
        """Everybody may wait for an opponent."""

    @extend_schema(
        operation_id="seek",
        tags=["challenges"],
        summary="How it stands with your pairing",
        responses={200: SeekSerializer},
    )
    def get(self, request: Request) -> Response:
        """What the caller waits for. Asking shows that they are still there: ask at least once a
        minute, or you wait no longer. Once there is a `match`, it begins when both are there (at an
        hour a turn or more when both have looked in and their numbers are open)."""
        seek = seek_look(acting_user=signed_in(request))
        if seek is None:
            raise NotFound("seek.none", "You are not waiting for an opponent.")
        return Response(self.get_serializer(seek).data)

    @extend_schema(
        operation_id="seek_create",
        tags=["challenges"],
        summary="Be paired with somebody",
        request=NewSeekSerializer,
        responses={200: SeekSerializer},
    )
    def post(self, request: Request) -> Response:
        """Wait for whoever wants the same: the nearest in rating, at first nobody far away, after a
        minute anybody. Bots are paired with bots. Somebody waits for one thing at a time: again
        goes on waiting, or waits for something else instead."""
        given = body_of(self, NewSeekSerializer)
        user = signed_in(request)
        seek = seek_create(
            acting_user=user,
            ruleset_id=given.get("ruleset", ""),
            variant=given.get("variant", ""),
            pace_id=given["pace"],
            rated=given["rated"],
        )
        seek_pair(now=now_ms())
        return Response(self.get_serializer(seek_look(acting_user=user) or seek).data)

    @extend_schema(
        operation_id="seek_cancel",
        tags=["challenges"],
        summary="Wait no longer",
        responses={204: None},
    )
    def delete(self, request: Request) -> Response:
        """Wait no longer."""
        nothing_in(self)
        seek_cancel(acting_user=signed_in(request))
        return Response(status=204)
