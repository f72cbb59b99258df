"""Lessons over HTTP: open to all, and nothing of them is kept."""

from __future__ import annotations

from typing import Any

import msgspec
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.problems import ProblemSerializer
from core.api.views import FieldsView
from games.reading.lessons import answer_judged, lesson_of

LONGEST = 2000
"""Characters of an answer, as of a submission."""


class LessonStepSerializer(serializers.Serializer[Any]):
    """One step of a lesson."""

    number = serializers.IntegerField(help_text="From 1.")
    title = serializers.CharField()
    words = serializers.CharField(help_text="What the rule is, and what to do.")
    hint = serializers.CharField()
    solution = serializers.CharField(help_text="An answer that does it, in notation.")
    view = serializers.DictField(help_text="The position as a match's view, to seat 0.")


class LessonSerializer(serializers.Serializer[Any]):
    """A lesson, whole."""

    ruleset = serializers.CharField()
    variant = serializers.CharField()
    name = serializers.CharField(help_text="Of the game, with its variant.")
    header = serializers.DictField(help_text="As a match's.")
    you = serializers.IntegerField(help_text="The learner's seat.")
    steps = LessonStepSerializer(many=True)


class LessonAnswerSerializer(serializers.Serializer[Any]):
    """What an answer has come to."""

    reached = serializers.BooleanField(help_text="Whether it is what was asked for.")
    sentence = serializers.CharField(help_text="What has come of it, or what is missing.")
    text = serializers.CharField(help_text="The answer in canonical notation.")
    events = serializers.ListField(
        child=serializers.DictField(), help_text="What happened, as in a match's log."
    )
    view = serializers.DictField(help_text="The position after it, to seat 0.")


class LessonView(FieldsView):
    """A lesson."""

    serializer_class = LessonSerializer
    max_age = 300

    @extend_schema(
        operation_id="lesson",
        tags=["rulesets"],
        summary="A lesson",
        responses={200: LessonSerializer, 404: ProblemSerializer},
    )
    def get(self, request: Request, ruleset_id: str, variant_id: str) -> Response:
        """A handful of positions, in each of which one answer is asked for, with the words that go
        with them."""
        (shown,) = self.only(lesson_of(ruleset_id, variant_id))
        return Response(shown)


class LessonAnswerView(FieldsView):
    """An answer to a step of a lesson."""

    serializer_class = LessonAnswerSerializer
    query = ("text",)
    max_age = 300

    @extend_schema(
        operation_id="lesson_answer",
        tags=["rulesets"],
        summary="An answer to a step of a lesson",
        parameters=[
            OpenApiParameter(
                "text", OpenApiTypes.STR, required=True, description="The answer, in notation."
            )
        ],
        responses={
            200: LessonAnswerSerializer,
            400: ProblemSerializer,
            404: ProblemSerializer,
            409: OpenApiResponse(ProblemSerializer, description="It cannot be played."),
        },
    )
    def get(self, request: Request, ruleset_id: str, variant_id: str, number: int) -> Response:
        """What an answer comes to, judged by the rules: nothing is kept, and each step begins in
        its own position. What the rules do not allow is refused as in a match."""
        text = self.query_value("text", serializers.CharField(max_length=LONGEST), default="")
        answer = answer_judged(ruleset_id, variant_id, number, text)
        (shown,) = self.only(msgspec.to_builtins(answer))
        return Response(shown)
