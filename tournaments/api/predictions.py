"""Who is thought to win a season and its death matches, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from core.api.bodies import body_of
from core.api.problems import ProblemSerializer
from core.api.scopes import Scope
from core.api.views import FieldsView
from core.instants import instant_of_request
from core.refusals import Together
from tournaments.api.fields import (
    ContestantReference,
    DeathMatchField,
    contestants_of,
    death_matches_among,
)
from tournaments.api.serializers import PersonField
from tournaments.api.views import TAG
from tournaments.models import DeathMatch, Season
from tournaments.reading.predictions import Line, lines_of, predictions_of
from tournaments.reading.seasons import season_for
from tournaments.reading.sheet import Sheet
from tournaments.services import predictions

#: So many lines of the table are told.
TABLE_MOST: Final = 100


class ShareSerializer(serializers.Serializer[Any]):
    """How many say that a contestant wins."""

    contestant = PersonField()
    count = serializers.IntegerField(source="number")
    percent = serializers.IntegerField()


class AskedSerializer(serializers.Serializer[Any]):
    """Something of which it is said who wins."""

    death_match = serializers.IntegerField(
        source="row.pk", default=None, allow_null=True, help_text="Null: the season itself."
    )
    open = serializers.BooleanField(help_text="Whether it can be said now.")
    match = serializers.IntegerField(
        allow_null=True,
        help_text="A death match that is one match and has begun: it is said at this match, as "
        "long as predictions are open there.",
    )
    yours = PersonField(allow_null=True, help_text="Whom the caller has named.")
    winner = PersonField(allow_null=True, help_text="Who has won, where that counts.")
    shares = ShareSerializer(
        many=True,
        allow_null=True,
        help_text="Null: the caller is not told yet. It is shown to whoever has said it, and to "
        "all others once it is closed; to contestants once it is decided.",
    )


class LineSerializer(serializers.Serializer[Any]):
    """Somebody of whose predictions something is decided."""

    rank = serializers.IntegerField(source="ranked.rank")
    shared = serializers.BooleanField(
        source="ranked.shared", help_text="Others have as many points."
    )
    username = serializers.CharField(source="user.username")
    name = serializers.CharField(source="user.shown_name")
    points = serializers.IntegerField(source="ranked.tally.points")
    right = serializers.IntegerField(
        source="ranked.tally.right", help_text="How many death matches."
    )
    of = serializers.IntegerField(source="ranked.tally.of")
    winner = serializers.BooleanField(
        source="ranked.tally.winner",
        allow_null=True,
        help_text="Whether they knew the winner of the season. Null: there is none yet, or they "
        "named nobody.",
    )


class SeasonPredictionsSerializer(serializers.Serializer[Any]):
    """The predictions of a season."""

    may = serializers.BooleanField(
        help_text="Whether the caller may predict what is open: whoever has an account and neither "
        "plays in the season, nor has played, nor runs it."
    )
    winner = AskedSerializer()
    death_matches = AskedSerializer(
        many=True, help_text="Those whose two sides are known: what is decided comes last."
    )
    table = LineSerializer(many=True, help_text=f"The best first, {TABLE_MOST} of them at most.")
    own = LineSerializer(
        allow_null=True,
        help_text="The caller's own line of it. Null: nothing of theirs is decided yet.",
    )


class NewSeasonPredictionSerializer(serializers.Serializer[dict[str, Any]]):
    """Who will win."""

    at_fault: ClassVar[Mapping[str, str]] = {"prediction.contestant": "contestant"}

    contestant = ContestantReference(help_text="The id of the contestant who will win.")
    death_match = DeathMatchField(
        required=False, allow_null=True, help_text="Which death match; null: the season itself."
    )

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Whoever wins a death match plays it."""
        faults = Together()
        if "contestant" in sound and sound.get("death_match") is not None:
            with faults.of():
                predictions.must_be_a_side(sound["death_match"], sound["contestant"])
        yield from faults.refused


class SeasonPredictionsView(FieldsView):
    """What those expect of a season who only watch it."""

    serializer_class = SeasonPredictionsSerializer
    shared = False
    scopes: ClassVar[Mapping[str, Scope]] = MappingProxyType({"PUT": Scope.PLAY})

    @extend_schema(
        operation_id="season_predictions",
        tags=TAG,
        summary="Who is thought to win a season",
        responses={200: SeasonPredictionsSerializer, 404: ProblemSerializer},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Who is thought to win the season and its death matches, and who knew best. Nobody is told
        who says what before it is decided."""
        return Response(self._told(season_for(slug, request.user), request.user))

    def authorise(self, request: Request, slug: str) -> Season:
        """The season, for those who only watch it."""
        caller = signed_in(request)
        season = season_for(slug, caller)
        predictions.must_be_a_spectator(season, caller)
        return season

    @extend_schema(
        operation_id="season_predict",
        tags=TAG,
        summary="Say who will win a season, or a death match",
        request=NewSeasonPredictionSerializer,
        responses={200: SeasonPredictionsSerializer},
    )
    def put(self, request: Request, slug: str) -> Response:
        """Say who will win, or change one's mind, as long as that is open: the season until its
        first main match is recorded, or its scores are shown, or its first death match begins; a
        death match until it begins, and one that is a single match as long as that match is open.
        The same again changes nothing."""
        at = instant_of_request(request)
        season: Season = self.about
        caller = signed_in(request)
        rows = DeathMatch.objects.filter(round__season=season).select_related("round__season")
        given = body_of(
            self,
            NewSeasonPredictionSerializer,
            contestants=contestants_of(season),
            death_matches=death_matches_among(rows),
        )
        contestant, death_match = given["contestant"], given.get("death_match")
        if death_match is None:
            predictions.winner_predict(
                acting_user=caller, season=season, contestant=contestant, at=at
            )
        else:
            predictions.death_match_predict(
                acting_user=caller, death_match=death_match, contestant=contestant, at=at
            )
        return Response(self._told(season, caller))

    def _told(self, season: Season, user: Any) -> dict[str, Any]:
        predictions.must_be_on(season)
        told = predictions_of(Sheet(season), user)
        own = told.own(user)
        shown: dict[str, Any] = self.get_serializer(
            {
                "may": user.is_authenticated and told.refusal is None,
                "winner": told.winner,
                "death_matches": [*told.death_matches, *told.decided],
                "table": lines_of(told.table[:TABLE_MOST]),
                "own": None if own is None else Line(own, user),
            }
        ).data
        return shown
