"""The rounds of a season, for programs: opened, paired, and given their times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from core.api.bodies import InstantField, body_of, repeated
from core.api.idempotency import idempotent
from core.api.scopes import Scope
from core.api.views import ApiView
from core.refusals import NotFound, Together
from games.api.serializers import GameValidation
from tournaments.api.fields import (
    ContestantReference,
    DeathMatchField,
    contestants_of,
    death_matches_among,
)
from tournaments.api.organise.common import (
    BULK_MOST,
    ORGANISE,
    ROWS_MOST,
    managed_season,
    must_be_new_and_ahead,
    round_data,
)
from tournaments.api.serializers import RoundSerializer
from tournaments.api.views import TAG, RoundsReading
from tournaments.formats.registry import format_of
from tournaments.models import DeathMatch, Round, Season
from tournaments.rights import Right
from tournaments.services.guards import must_be_ahead
from tournaments.services.rounds import ManualPairing, round_next, round_schedule


def _round(season: Season, number: int) -> Round:
    row = season.rounds.select_related("season").filter(number=number).first()
    if row is None:
        raise NotFound("round.none", "There is no such round.")
    return row


class PairingSerializer(GameValidation):
    """Two contestants who are to meet."""

    home = ContestantReference(help_text="The id of the contestant on seat 0.")
    away = ContestantReference(help_text="The id of the contestant on seat 1.")
    ruleset = serializers.CharField(required=False, allow_blank=True, max_length=40)
    variant = serializers.CharField(required=False, allow_blank=True, max_length=40)
    scheduled_at = InstantField(required=False, allow_null=True)

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """A variant is one of a game's."""
        if sound.get("variant") and "ruleset" not in sound:
            yield serializers.ValidationError({"variant": "Only together with `ruleset`."})
        yield from super().validation_faults(sound)


class NewRoundSerializer(serializers.Serializer[dict[str, Any]]):
    """The next round."""

    rows = "pairings"
    at_fault: ClassVar[Mapping[str, str]] = {
        "pairing.twice": "pairings.*",
        "ladder.self": "pairings.*",
        "pairing.needed": "pairings",
        "pairing.not-by-hand": "pairings",
        "setup.ruleset": "pairings.*.ruleset",
        "setup.variant": "pairings.*.variant",
        "schedule.past": "pairings.*.scheduled_at",
        "schedule.far": "pairings.*.scheduled_at",
    }

    scheduled_at = InstantField(
        required=False, allow_null=True, help_text="When all its matches are to be played."
    )
    pairings = serializers.ListField(
        child=PairingSerializer(),
        required=False,
        max_length=ROWS_MOST,
        help_text="Pairings by hand, where the format takes them. Without them it pairs.",
    )

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Whether anybody can be paired by hand, and so; times are still to come."""
        faults = Together()
        with faults.of():
            must_be_ahead(sound.get("scheduled_at"))
        rows = [row if isinstance(row, Mapping) else {} for row in sound.get("pairings", ())]
        for number, row in enumerate(rows):
            with faults.of(number):
                must_be_ahead(row.get("scheduled_at"))
        if "pairings" in sound or "pairings" not in self.initial_data:
            pairs = [(row.get("home"), row.get("away")) for row in rows]
            with faults.of():
                own = format_of(self.context["about"].format)
                own.must_be_pairs(pairs if "pairings" in sound else None)
        yield from faults.refused


@extend_schema_view(
    get=extend_schema(
        operation_id="season_rounds", tags=TAG, summary="Rounds, episodes, bracket of a season"
    )
)
class RoundsView(RoundsReading):
    """The rounds of a season with their death matches: the bracket, the episodes, the pairings. In
    a bracket, `key` names a death match; sides that are not known yet are null."""

    scopes = ORGANISE
    body_most = BULK_MOST

    def authorise(self, request: Request, slug: str) -> Season:
        """The season, for those who run it."""
        return managed_season(slug, signed_in(request), Right.EPISODES)

    @extend_schema(
        operation_id="season_round_open",
        tags=TAG,
        summary="Open the next round with all its matches",
        request=NewRoundSerializer,
        responses={201: RoundSerializer},
    )
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Open the next round and give its matches their times: everything, or nothing. The format
        pairs, unless pairings are given; in an elimination season the next episode is opened, or
        the final of the last two."""
        season: Season = self.about
        given = body_of(self, NewRoundSerializer, contestants=contestants_of(season))
        pairings = [
            ManualPairing(
                home=each["home"],
                away=each["away"],
                ruleset=each.get("ruleset", ""),
                variant=each.get("variant", ""),
                scheduled_at=each.get("scheduled_at"),
            )
            for each in given.get("pairings", ())
        ]
        opened = round_next(
            acting_user=signed_in(request),
            season=season,
            scheduled_at=given.get("scheduled_at"),
            pairings=pairings if "pairings" in given else None,
        )
        return Response(round_data(request, opened.pk), status=201)


class DeathMatchTimeSerializer(serializers.Serializer[dict[str, Any]]):
    """When a death match is to be played."""

    death_match = DeathMatchField()
    scheduled_at = InstantField(allow_null=True)


class TimesSerializer(serializers.Serializer[dict[str, Any]]):
    """Times of a round."""

    rows = "times"
    at_fault: ClassVar[Mapping[str, str]] = {
        "schedule.past": "times.*.scheduled_at",
        "schedule.far": "times.*.scheduled_at",
    }

    times = serializers.ListField(
        child=DeathMatchTimeSerializer(), min_length=1, max_length=ROWS_MOST
    )

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """A death match has one time, which is still to come."""
        said = ("death-match.repeated", "It is named twice.")
        yield from repeated(sound, "times", death_match=said)
        faults = Together()
        for number, row in enumerate(sound.get("times", ())):
            if isinstance(row, Mapping):
                with faults.of(number):
                    must_be_new_and_ahead(row.get("death_match"), row.get("scheduled_at"))
        yield from faults.refused


class ScheduleView(ApiView):
    """The times of a round."""

    scopes: ClassVar[Mapping[str, Scope]] = MappingProxyType({"PUT": Scope.ORGANISE})
    body_most = BULK_MOST

    def authorise(self, request: Request, slug: str, number: int) -> Round:
        """The round, for those who run the season."""
        return _round(managed_season(slug, signed_in(request), Right.EPISODES), number)

    @extend_schema(
        operation_id="season_round_schedule",
        tags=TAG,
        summary="Give a round's matches their times, all or none",
        request=TimesSerializer,
        responses={200: RoundSerializer},
    )
    def put(self, request: Request, slug: str, number: int) -> Response:
        """Say when the next match of each death match named is to be played; null: not fixed."""
        played: Round = self.about
        here = death_matches_among(DeathMatch.objects.filter(round=played))
        given = body_of(self, TimesSerializer, death_matches=here)
        times = {each["death_match"].pk: each["scheduled_at"] for each in given["times"]}
        round_schedule(acting_user=signed_in(request), round=played, times=times)
        return Response(round_data(request, played.pk))
