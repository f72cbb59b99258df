"""Practice against the site's own bots, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from core.api.bodies import body_of
from core.api.problems import ProblemSerializer
from core.api.scopes import Scope
from core.api.views import FieldsView, SignedInView
from core.clock import now_ms
from core.refusals import Together
from games.api.views import AckSerializer, ClientIdSerializer
from games.engine.capabilities import LEVELS
from games.models import Match
from games.publishing.frames import ack_frame
from games.reading.matches import match_for
from games.services.matches import game_of
from games.services.practice import (
    Advice,
    bot_level,
    practice_advise,
    practice_seat,
    practice_start,
    practice_take_back,
)


class NewPracticeSerializer(serializers.Serializer[dict[str, Any]]):
    """What to practise, and against whom."""

    at_fault: ClassVar[Mapping[str, str]] = {
        "setup.ruleset": "ruleset",
        "setup.variant": "variant",
        "practice.level": "level",
    }

    ruleset = serializers.CharField(max_length=40)
    variant = serializers.CharField(max_length=40)
    level = serializers.CharField(
        max_length=20, default=LEVELS[0], help_text="`novice` (as a rule), `club` or `strong`."
    )

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Whether there is such a game, and such a bot."""
        faults = Together()
        if "ruleset" in sound:
            with faults.of():
                game_of(sound["ruleset"], sound.get("variant"), {})
        if "level" in sound:
            with faults.of():
                bot_level(sound["level"])
        yield from faults.refused


class PracticeSerializer(serializers.Serializer[dict[str, Any]]):
    """The match that has begun."""

    match = serializers.IntegerField()
    url = serializers.CharField(help_text="The path of its page.")


class PracticeView(SignedInView, FieldsView):
    """Playing against the site's own bots."""

    serializer_class = PracticeSerializer
    scopes = MappingProxyType({"POST": Scope.PLAY})

    def authorise(self, request: Request) -> None:
        """Everybody may practise."""

    @extend_schema(
        operation_id="practice_start",
        tags=["practice"],
        summary="Play against a bot of the site's",
        request=NewPracticeSerializer,
        responses={201: PracticeSerializer},
    )
    def post(self, request: Request) -> Response:
        """Begin a match against the site's bot of that strength: at once, without haste, and for no
        rating. Nobody else sees it."""
        given = body_of(self, NewPracticeSerializer)
        match = practice_start(
            acting_user=signed_in(request),
            ruleset_id=given["ruleset"],
            variant=given["variant"],
            level=given["level"],
        )
        begun = {"match": match.pk, "url": match.get_absolute_url()}
        return Response(self.get_serializer(begun).data, status=201)


class AdviceSerializer(serializers.Serializer[Advice]):
    """What the strong bot would play in the caller's place."""

    decision = serializers.CharField(help_text="The id of the decision.")
    version = serializers.IntegerField(help_text="To submit with: the caller's version.")
    text = serializers.CharField(
        allow_null=True, help_text="In notation; null while it thinks: ask again in a moment."
    )


class AdviceView(SignedInView, FieldsView):
    """A hint in practice."""

    guests = True
    serializer_class = AdviceSerializer
    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.PLAY}

    @extend_schema(
        operation_id="advice",
        tags=["practice"],
        summary="A hint",
        responses={
            200: AdviceSerializer,
            403: OpenApiResponse(ProblemSerializer, description="It is not your practice."),
            409: OpenApiResponse(ProblemSerializer, description="There is nothing to advise on."),
        },
    )
    def get(self, request: Request, match_id: int) -> Response:
        """What the strong bot would play now in the caller's place, in practice only. It goes by
        the view of the caller's seat, so it gives nothing away."""
        caller = signed_in(request)
        advice = practice_advise(acting_user=caller, match=match_for(match_id, caller))
        return Response(self.get_serializer(advice).data)


class TakeBackSerializer(ClientIdSerializer):
    """A take-back, as submissions are."""

    id = serializers.CharField(max_length=64, help_text="Chosen by the client, new for each.")


class TakeBackView(SignedInView):
    """Taking a move back in practice."""

    guests = True
    scopes = MappingProxyType({"POST": Scope.PLAY})

    def authorise(self, request: Request, match_id: int) -> Match:
        """The match, for whoever practises in it."""
        caller = signed_in(request)
        match = match_for(match_id, caller)
        practice_seat(match, caller)
        return match

    @extend_schema(
        operation_id="take_back",
        tags=["practice"],
        summary="Take your last move back",
        request=TakeBackSerializer,
        responses={
            201: AckSerializer,
            200: OpenApiResponse(AckSerializer, description="Sent before: the same ack again."),
        },
    )
    def post(self, request: Request, match_id: int) -> Response:
        """Undo the caller's last move in practice, and all that followed from it."""
        match: Match = self.about
        given = body_of(self, TakeBackSerializer)
        answer = practice_take_back(
            acting_user=signed_in(request),
            match_id=match.pk,
            client_id=given["id"],
            at=now_ms(),
        )
        return Response(ack_frame(answer), status=200 if answer.resent else 201)
