"""Studies of finished matches, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from core.api.bodies import body_of, nothing_in
from core.api.errors import ParameterFault
from core.api.problems import ProblemSerializer
from core.api.scopes import Scope
from core.api.views import FieldsView
from core.clock import now_ms
from core.refusals import Together
from games.api.lists import ChatMessageSerializer
from games.api.views import ClientIdSerializer
from games.engine.variations import LONGEST
from games.models import Match
from games.reading.matches import match_for
from games.services.chat import TEXT_MAX, message_text
from games.services.studies import (
    line_validate,
    must_be_a_step,
    must_be_able_to_comment,
    position_of,
    study_ask,
    study_comment_post,
    study_comments,
    study_of,
)

_NOT_OVER = OpenApiResponse(ProblemSerializer, description="The match is not over.")


class WorthSerializer(serializers.Serializer[dict[str, Any]]):
    """What a seat can expect, from 0 (lost) to 1 (won)."""

    share = serializers.FloatField()
    low = serializers.FloatField(help_text="The lower end of the 95 % interval.")
    high = serializers.FloatField(help_text="The upper end of it.")
    tries = serializers.IntegerField(help_text="Ways in which it went on; 0: it is certain.")


class WeighedSerializer(WorthSerializer):
    """What seat 0 can expect of a position, as it truly was, hidden things included."""

    at = serializers.IntegerField(help_text="The step of the replay.")


class JudgementSerializer(serializers.Serializer[dict[str, Any]]):
    """An answer beside the strong bot's, both judged by what the seat could know then. `lost` is by
    how much the bot's is better, from -1 to 1."""

    move = serializers.IntegerField(help_text="The step of the replay that it led to.")
    at = serializers.IntegerField(help_text="The step in whose position it was asked for.")
    seat = serializers.IntegerField()
    played = serializers.CharField()
    best = serializers.CharField(help_text="What the strong bot answers.")
    played_worth = WorthSerializer()
    best_worth = WorthSerializer()
    lost = WorthSerializer()


class SwingSerializer(serializers.Serializer[dict[str, Any]]):
    """A change of the graph; the biggest come first. Shares are of seat 0."""

    move = serializers.IntegerField(help_text="The step after which it stood otherwise.")
    at = serializers.IntegerField(help_text="The step of the position before.")
    before = serializers.FloatField()
    after = serializers.FloatField()
    sure = serializers.BooleanField(
        help_text="Whether it is all but certain that it changed. Where one is, no other is told."
    )


class StudySerializer(serializers.Serializer[dict[str, Any]]):
    """What has been found out so far."""

    state = serializers.ChoiceField(
        choices=["none", "old", "working", "delayed", "done", "never"],
        help_text="`none`: nobody has asked; `old`: it was done in an earlier way, and can be "
        "asked for anew; `delayed`: it failed, and is tried again later; "
        "`never`: no bot plays this game.",
    )
    done = serializers.IntegerField(help_text="How many positions and answers are done.")
    total = serializers.IntegerField(help_text="Of how many; 0 before anybody has asked.")
    positions_total = serializers.IntegerField(help_text="Positions are weighed first, in order.")
    answers_total = serializers.IntegerField()
    positions = WeighedSerializer(many=True)
    answers = JudgementSerializer(many=True)
    swings = SwingSerializer(many=True)
    mistakes = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="The moves with which most was missed, the worst first; those with which it is "
        "certain that anything was, or else the few with which most may have been.",
    )


class StudyView(FieldsView):
    """What bots find out about a finished match."""

    guests = True
    shared = False
    serializer_class = StudySerializer
    scopes: ClassVar[Mapping[str, Scope]] = MappingProxyType({"POST": Scope.PLAY})
    counted_as: ClassVar[Mapping[str, str]] = MappingProxyType({"POST": "study"})

    @extend_schema(
        operation_id="study",
        tags=["studies"],
        summary="The study of a match",
        responses={200: StudySerializer, 409: _NOT_OVER},
    )
    def get(self, request: Request, match_id: int) -> Response:
        """What has been found out about a finished match so far."""
        return Response(self.only(study_of(match_for(match_id, request.user)))[0])

    def authorise(self, request: Request, match_id: int) -> Match:
        """The match, for whoever may see it."""
        return match_for(match_id, request.user)

    @extend_schema(
        operation_id="study_ask",
        tags=["studies"],
        summary="Have a match studied",
        request=None,
        responses={200: StudySerializer},
    )
    def post(self, request: Request, match_id: int) -> Response:
        """Have bots look at a finished match again. Asking once more changes nothing."""
        nothing_in(self)
        match: Match = self.about
        study_ask(match=match)
        return Response(study_of(match))


class StudiedPositionSerializer(serializers.Serializer[dict[str, Any]]):
    """A position of a finished match, or where a line leads to from it."""

    at = serializers.IntegerField()
    line = serializers.CharField(help_text="The line, with what chance brought.")
    views = serializers.DictField(
        help_text="As seat 0 (`0`) and seat 1 (`1`) could see it then, and everything (`all`)."
    )
    events = serializers.DictField(help_text="What happened last, to the same eyes.")


class StudiedPositionView(FieldsView):
    """Positions of a finished match, and what could have come of them."""

    guests = True
    shared = False
    serializer_class = StudiedPositionSerializer
    query = ("at", "line", "seat", "text")

    @extend_schema(
        operation_id="study_position",
        tags=["studies"],
        summary="A position of a finished match",
        parameters=[
            OpenApiParameter("at", int, required=True, description="The step of the replay."),
            OpenApiParameter(
                "line",
                str,
                description="What is played from there: steps parted by `~`, each with who made it "
                "(`0`, `1` or `chance`) before what.",
            ),
            OpenApiParameter(
                "seat", {"type": "integer", "enum": [0, 1]}, description="Who plays `text` then."
            ),
            OpenApiParameter("text", str, description="One more answer, in notation."),
        ],
        responses={
            200: StudiedPositionSerializer,
            409: OpenApiResponse(ProblemSerializer, description="It cannot be played."),
        },
    )
    def get(self, request: Request, match_id: int) -> Response:
        """A position as each could see it then, or where a line leads to from it. What chance
        owes is drawn and given back in the line; nothing is kept."""
        given = request.query_params
        match = match_for(match_id, request.user)
        seat = given.get("seat", "")
        if seat not in ("", "0", "1"):
            raise ParameterFault("seat", "A seat is 0 or 1.", code="study.seat")
        at = given.get("at", "")
        if not (at.isascii() and at.isdigit() and len(at) <= 6):
            raise ParameterFault("at", "A step is a number.", code="study.step")
        found = position_of(
            match,
            at=int(at),
            line=given.get("line", ""),
            seat=int(seat) if seat else None,
            text=given.get("text", ""),
        )
        answer = Response(self.only(found)[0])
        answer["Cache-Control"] = "private, no-store"
        return answer


class StudyCommentSerializer(ChatMessageSerializer):
    """Something said of a position."""

    step = serializers.IntegerField(help_text="The step of the replay.")
    line = serializers.CharField(help_text="The variation from there that it is of; mostly empty.")


class StudyCommentsSerializer(serializers.Serializer[dict[str, Any]]):
    """What is said of a match's positions: the latest comments, oldest first."""

    comments = StudyCommentSerializer(many=True)


class NewStudyCommentSerializer(ClientIdSerializer):
    """Something to say of a position."""

    at_fault: ClassVar[Mapping[str, str]] = {
        "frame.malformed": "id",
        "study.position": "step",
        "study.line": "line",
        "study.line-too-long": "line",
        "chat.empty": "text",
    }

    id = serializers.CharField(max_length=64, help_text="Chosen by the client, new for each.")
    step = serializers.IntegerField(min_value=0, max_value=1_000_000)
    line = serializers.CharField(
        required=False,
        allow_blank=True,
        default="",
        max_length=LONGEST,
        help_text="What could have happened from there, where that is what it is said of.",
    )
    text = serializers.CharField(max_length=TEXT_MAX)

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """The match has that step, and there is something to be read in the text."""
        yield from super().validation_faults(sound)
        faults = Together()
        if "step" in sound:
            with faults.of():
                must_be_a_step(self.context["about"], sound["step"])
                line_validate(self.context["about"], sound["step"], sound.get("line", ""))
        if "text" in sound:
            with faults.of():
                message_text(sound["text"])
        yield from faults.refused


class StudyCommentsView(FieldsView):
    """Comments on the positions of a finished match."""

    guests = True
    shared = False
    serializer_class = StudyCommentSerializer
    within = "comments"
    scopes: ClassVar[Mapping[str, Scope]] = MappingProxyType({"POST": Scope.PLAY})
    counted_as: ClassVar[Mapping[str, str]] = MappingProxyType({"POST": "study"})

    @extend_schema(
        operation_id="study_comments",
        tags=["studies"],
        summary="What is said of a match's positions",
        responses={200: StudyCommentsSerializer, 409: _NOT_OVER},
    )
    def get(self, request: Request, match_id: int) -> Response:
        """What is said of the positions of a finished match."""
        comments = study_comments(match_for(match_id, request.user))
        return Response({"comments": self.only(*comments)})

    def authorise(self, request: Request, match_id: int) -> Match:
        """The match, for whoever may see it and has an account."""
        caller = signed_in(request)
        match = match_for(match_id, caller)
        must_be_able_to_comment(match, caller)
        return match

    @extend_schema(
        operation_id="study_comment",
        tags=["studies"],
        summary="Say something of a position",
        request=NewStudyCommentSerializer,
        responses={201: StudyCommentSerializer},
    )
    def post(self, request: Request, match_id: int) -> Response:
        """Say something of a position, to everybody who may see the match. Sent again with the same
        `id` it is said once. It can be reported and taken away as what is said in a chat."""
        match: Match = self.about
        given = body_of(self, NewStudyCommentSerializer)
        said = study_comment_post(
            acting_user=signed_in(request),
            match=match,
            step=given["step"],
            line=given["line"],
            client_id=given["id"],
            text=given["text"],
            at=now_ms(),
        )
        return Response(said, status=201)
