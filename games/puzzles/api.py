"""Puzzles over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from core.api.bodies import body_of, nothing_in
from core.api.lists import Filters
from core.api.scopes import Scope
from core.api.views import FieldsView, ListView, SignedInView
from core.refusals import NotFound
from games.puzzles import reading
from games.puzzles.models import Puzzle, PuzzleQuerySet
from games.puzzles.services import LONGEST, Verdict, puzzle_answer, puzzle_show
from games.puzzles.telling import verdict_of
from games.rulesets import REGISTRY
from games.words import game_name


class PuzzleSerializer(serializers.ModelSerializer[Puzzle]):
    """A puzzle, without its position."""

    name = serializers.SerializerMethodField(help_text="The game, for people.")
    seat = serializers.IntegerField(help_text="Which player it is to be solved for: 0 or 1.")
    question = serializers.SerializerMethodField(help_text="What is asked, in a sentence.")
    rating = serializers.SerializerMethodField(help_text="How hard it is.")
    attempts = serializers.IntegerField(help_text="How many have answered it.")
    solved = serializers.IntegerField(help_text="How many of them rightly, at the first try.")
    page = serializers.SerializerMethodField(help_text="The path of its page.")

    class Meta:
        model = Puzzle
        fields = (
            "id", "ruleset", "variant", "name", "seat", "question", "rating", "attempts", "solved",
            "created_at", "page",
        )  # fmt: skip

    def get_name(self, row: Puzzle) -> str:
        """As lists of games have it."""
        return game_name(row.ruleset, row.variant)

    def get_question(self, row: Puzzle) -> str:
        """By the rules as they are."""
        return reading.question_of(row)

    def get_rating(self, row: Puzzle) -> int:
        """On the scale of players."""
        return row.strength.estimate

    def get_page(self, row: Puzzle) -> str:
        """Where people solve it."""
        return row.get_absolute_url()


class PositionSerializer(PuzzleSerializer):
    """A puzzle with its position, as its seat sees it."""

    view = serializers.SerializerMethodField(
        help_text="A match view (`docs/protocol.md`) that stands still."
    )

    class Meta(PuzzleSerializer.Meta):
        fields = (*PuzzleSerializer.Meta.fields, "view")  # type: ignore[assignment]

    def get_view(self, row: Puzzle) -> dict[str, Any]:
        """What the board shows."""
        view: dict[str, Any] = reading.shown(row)["view"]
        return view


class PuzzleFilters(Filters):
    """What puzzles can be filtered by."""

    ruleset = filters.ChoiceFilter(
        choices=[(each.id, each.name) for each in REGISTRY], help_text="The game."
    )
    variant = filters.CharFilter(max_length=40, help_text="How it is played.")


@extend_schema_view(get=extend_schema(operation_id="puzzles", tags=["puzzles"], summary="Puzzles"))
class PuzzlesView(ListView):
    """All puzzles, without their positions."""

    serializer_class = PuzzleSerializer
    filterset_class = PuzzleFilters
    queryset = Puzzle.objects.none()

    def get_queryset(self) -> PuzzleQuerySet:
        """Those that the caller may see."""
        return reading.puzzles_visible(self.request.user)


class PuzzleView(FieldsView):
    """One puzzle."""

    serializer_class = PositionSerializer
    shared = False

    @extend_schema(
        operation_id="puzzle",
        tags=["puzzles"],
        summary="A puzzle",
        responses={200: PositionSerializer},
    )
    def get(self, request: Request, puzzle_id: int) -> Response:
        """The position as the seat sees it whose turn it is, and what is asked."""
        row = reading.puzzle_for(puzzle_id, request.user)
        return Response(self.get_serializer(row).data)


class DailyPuzzleView(FieldsView):
    """The puzzle of the day."""

    serializer_class = PositionSerializer
    shared = False

    @extend_schema(
        operation_id="puzzle_daily",
        tags=["puzzles"],
        summary="The puzzle of the day",
        responses={200: PositionSerializer},
    )
    def get(self, request: Request) -> Response:
        """The same for all until midnight, UTC. 404 where there are no puzzles."""
        row = reading.puzzle_daily()
        if row is None:
            raise NotFound("puzzle.none", "There are no puzzles.")
        return Response(self.get_serializer(row).data)


class NewAnswerSerializer(serializers.Serializer[dict[str, Any]]):
    """An answer."""

    text = serializers.CharField(max_length=LONGEST, help_text="A move in notation.")

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Whether it is a move, the position says."""
        yield from ()


class StepSerializer(serializers.Serializer[dict[str, Any]]):
    """A position that follows."""

    seat = serializers.IntegerField(allow_null=True, help_text="Who has moved.")
    text = serializers.CharField(help_text="The move in notation.")
    events = serializers.ListField(child=serializers.DictField(), help_text="As in logs.")
    view = serializers.DictField(help_text="The match view as the puzzle's seat sees it.")
    scores = serializers.ListField(child=serializers.IntegerField(), help_text="By seat.")


class GradedSerializer(serializers.Serializer[dict[str, Any]]):
    """A puzzle after an answer."""

    rating = serializers.IntegerField()
    attempts = serializers.IntegerField()
    solved = serializers.IntegerField()


class SolverSerializer(serializers.Serializer[dict[str, Any]]):
    """The caller after an answer."""

    rating = serializers.IntegerField()
    change = serializers.IntegerField(help_text="By how much this answer changed it.")
    answered = serializers.IntegerField()
    solved = serializers.IntegerField()
    streak = serializers.IntegerField(help_text="Daily puzzles solved in a row.")


class VerdictSerializer(serializers.Serializer[Verdict]):
    """What the rules say of an answer."""

    text = serializers.CharField(help_text="The answer in canonical notation.")
    right = serializers.BooleanField()
    words = serializers.CharField(help_text="What it brings.")
    steps = StepSerializer(many=True)
    counted = serializers.BooleanField(help_text="Whether it was the first, which alone counts.")
    puzzle = GradedSerializer()
    you = SolverSerializer()


class _SolvingView(SignedInView):
    """What whoever solves a puzzle does to it."""

    guests = True
    scopes = MappingProxyType({"POST": Scope.PLAY})
    counted_as: ClassVar[Mapping[str, str]] = {"POST": "puzzle"}

    def authorise(self, request: Request, puzzle_id: int) -> Puzzle:
        """The puzzle, for everybody."""
        return reading.puzzle_for(puzzle_id, signed_in(request))


class PuzzleAnswersView(_SolvingView):
    """Answering a puzzle."""

    @extend_schema(
        operation_id="puzzle_answer",
        tags=["puzzles"],
        summary="Answer a puzzle",
        request=NewAnswerSerializer,
        responses={200: VerdictSerializer},
    )
    def post(self, request: Request, puzzle_id: int) -> Response:
        """Have an answer judged by the rules. The first one counts for both ratings; of others
        nothing is kept."""
        given = body_of(self, NewAnswerSerializer)
        verdict = puzzle_answer(
            acting_user=signed_in(request), puzzle=self.about, text=given["text"]
        )
        return Response(verdict_of(verdict))


class PuzzleSolutionView(_SolvingView):
    """Being shown the solution."""

    @extend_schema(
        operation_id="puzzle_solution",
        tags=["puzzles"],
        summary="See the solution",
        request=None,
        responses={200: VerdictSerializer},
    )
    def post(self, request: Request, puzzle_id: int) -> Response:
        """A right answer. To ask before the first answer counts as a wrong one."""
        nothing_in(self)
        verdict = puzzle_show(acting_user=signed_in(request), puzzle=self.about)
        return Response(verdict_of(verdict))
