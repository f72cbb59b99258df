"""Episodes of elimination seasons, for programs: main matches, and the choice of a DMO."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from core.api.bodies import body_of
from core.api.idempotency import idempotent
from core.api.views import ApiView
from core.refusals import NotFound, Together
from tournaments import audience
from tournaments.api.fields import ContestantReference, contestants_of
from tournaments.api.organise.common import (
    BULK_MOST,
    ORGANISE,
    OWN_OR_ORGANISE,
    ROWS_MOST,
    death_match_data,
    managed_season,
    require_play_or_organise,
    round_data,
)
from tournaments.api.serializers import DeathMatchSerializer, RoundSerializer
from tournaments.api.views import TAG
from tournaments.formats.elimination import choice, main_match
from tournaments.models import Episode, Season
from tournaments.reading.seasons import season_for
from tournaments.rights import Right


def _episode(season: Season, number: int) -> Episode:
    rows = Episode.objects.select_related("round__season", "ec", "dmo")
    row = rows.filter(round__season=season, round__number=number).first()
    if row is None:
        raise NotFound("round.none", "There is no such episode.")
    return row


class PlacedSerializer(serializers.Serializer[dict[str, Any]]):
    """How somebody came off in a main match."""

    contestant = ContestantReference()
    place = serializers.IntegerField(min_value=1, max_value=10_000)
    immune = serializers.BooleanField(required=False, default=False)


def _placements_of(rows: Sequence[Mapping[str, Any]]) -> list[main_match.Placing]:
    return [main_match.Placing(each["contestant"], each["place"], each["immune"]) for each in rows]


class PlacementsSerializer(serializers.Serializer[dict[str, Any]]):
    """The result of a main match."""

    rows = "placements"
    at_fault: ClassVar[Mapping[str, str]] = {
        "placements.stranger": "placements.*.contestant",
        "placements.twice": "placements.*.contestant",
        "placements.missing": "placements",
        "placements.nobody-left": "placements",
        "placements.tie": "ec",
        "placements.ec-not-last": "ec",
        "placements.ec-immune": "ec",
        "episode.main-match.too-long": "main_match",
        "episode.notes.too-long": "notes",
    }

    placements = serializers.ListField(child=PlacedSerializer(), min_length=1, max_length=ROWS_MOST)
    ec = ContestantReference(
        required=False, allow_null=True, help_text="Which of several who share the last place."
    )
    main_match = serializers.CharField(required=False, allow_blank=True, default="", max_length=120)
    notes = serializers.CharField(required=False, allow_blank=True, default="", max_length=4000)

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Everybody is placed, once; and it is known who came last."""
        rows = [row if isinstance(row, Mapping) else {} for row in sound.get("placements", ())]
        placed = [row.get("contestant") for row in rows]
        faults = Together()
        if rows:
            with faults.of():
                main_match.must_be_whole(self.context["about"], placed)
        is_whole = (
            rows
            and not faults.refused
            and all({"contestant", "place", "immune"} <= set(row) for row in rows)
        )
        if is_whole and ("ec" in sound or "ec" not in self.initial_data):
            with faults.of():
                main_match.last_of(_placements_of(rows), sound.get("ec"))
        yield from faults.refused


class PlacementsView(ApiView):
    """An episode's main match."""

    scopes = ORGANISE
    body_most = BULK_MOST

    def authorise(self, request: Request, slug: str, number: int) -> Episode:
        """The episode, for those who run the season."""
        return _episode(managed_season(slug, signed_in(request), Right.EPISODES), number)

    @extend_schema(
        operation_id="episode_placements",
        tags=TAG,
        summary="Record the main match of an episode",
        request=PlacementsSerializer,
        responses={200: RoundSerializer},
    )
    @idempotent
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Say how everybody came off; whoever came last is the elimination candidate."""
        episode: Episode = self.about
        here = contestants_of(episode.round.season)
        given = body_of(self, PlacementsSerializer, contestants=here)
        main_match.placements_record(
            acting_user=signed_in(request),
            episode=episode,
            placements=_placements_of(given["placements"]),
            ec=given.get("ec"),
            main_match=given["main_match"],
            notes=given["notes"],
        )
        return Response(round_data(request, episode.round_id))


class ChoiceSerializer(serializers.Serializer[dict[str, Any]]):
    """Who is to be the death-match opponent."""

    contestant = ContestantReference()


class ChoiceView(ApiView):
    """The EC chooses."""

    scopes = OWN_OR_ORGANISE

    def authorise(self, request: Request, slug: str, number: int) -> Episode:
        """The episode, for its EC and those who run the season."""
        caller = signed_in(request)
        episode = _episode(season_for(slug, caller), number)
        require_play_or_organise(request, own=audience.may_choose_dmo(episode, caller))
        choice.must_be_able_to_choose(episode, caller)
        return episode

    @extend_schema(
        operation_id="episode_choose",
        tags=TAG,
        summary="Name the death-match opponent",
        request=ChoiceSerializer,
        responses={201: DeathMatchSerializer},
    )
    @idempotent
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Name the DMO: the EC within the time (a token needs `play`), or an organiser
        (`organise`)."""
        episode: Episode = self.about
        here = contestants_of(episode.round.season)
        given = body_of(self, ChoiceSerializer, contestants=here)
        made = choice.dmo_choose(
            acting_user=signed_in(request), episode=episode, contestant=given["contestant"]
        )
        return Response(death_match_data(request, made.pk), status=201)
