"""Who plays in a season, for programs: enrolled, seeded, withdrawn, back again, replaced."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from django.db.models import prefetch_related_objects
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import accounts_named, signed_in
from accounts.api.serializers import UsernameField
from accounts.models import User
from core.api.bodies import body_of, repeated
from core.api.idempotency import idempotent
from core.api.scopes import Scope
from core.api.views import ApiView
from core.refusals import Together
from tournaments.api.fields import contestants_of
from tournaments.api.organise.common import (
    BULK_MOST,
    ORGANISE,
    OWN_OR_ORGANISE,
    ROWS_MOST,
    WhySerializer,
    managed_season,
    require_play_or_organise,
    row_of,
)
from tournaments.api.serializers import ContestantSerializer
from tournaments.api.views import TAG, ContestantsReading
from tournaments.models import Contestant, Season
from tournaments.reading.seasons import season_for
from tournaments.rights import Right
from tournaments.services.contestants.departures import (
    contestant_replace,
    contestant_return,
    contestant_withdraw,
)
from tournaments.services.contestants.enrolment import Enrolment, contestants_enrol
from tournaments.services.contestants.names import Names, name_of
from tournaments.services.contestants.seeds import seeds_draw, seeds_set
from tournaments.services.guards import must_manage, must_not_meet

_ID = re.compile(r"[1-9][0-9]{0,17}")


def _contestant(season: Season, pk: int) -> Contestant:
    rows = season.contestants.select_related("user")
    return row_of(rows, pk, "contestant.none", "There is no such contestant in this season.")


def _shown(request: Request, contestants: Sequence[Contestant]) -> list[Any]:
    """How the API shows contestants, whose pictures have whole addresses."""
    # However many they are: who they are and what they look like is read at once.
    prefetch_related_objects(contestants, "user", "picture__season")
    context = {"request": request}
    return list(ContestantSerializer(contestants, many=True, context=context).data)


class EntrySerializer(serializers.Serializer[dict[str, Any]]):
    """Somebody to be enrolled."""

    username = UsernameField(max_length=20)
    name = serializers.CharField(
        required=False, allow_blank=True, max_length=200, help_text="By default, as they are shown."
    )
    seed = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=10_000)


class EntriesSerializer(serializers.Serializer[dict[str, Any]]):
    """Everybody to be enrolled."""

    rows = "contestants"
    at_fault: ClassVar[Mapping[str, str]] = {
        "contestant.name.*": "contestants.*.name",
        "seed.range": "contestants.*.seed",
    }

    contestants = serializers.ListField(child=EntrySerializer(), min_length=1, max_length=ROWS_MOST)

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Nobody, and no seed, stands there twice; names are some."""
        yield from repeated(
            sound,
            "contestants",
            username=("contestant.repeated", "This person is named twice."),
            seed=("seed.repeated", "This seed is given twice."),
        )
        faults = Together()
        rows = [row if isinstance(row, Mapping) else {} for row in sound.get("contestants", ())]
        known = Names(
            (row["name"], row["username"])
            for row in rows
            if row.get("name") and isinstance(row.get("username"), User)
        )
        for number, row in enumerate(rows):
            if not row.get("name"):
                continue
            with faults.of(number):
                name_of(row["name"])
                if isinstance(row.get("username"), User):
                    known.of(row["name"], row["username"])
        yield from faults.refused


class ReplacementSerializer(WhySerializer):
    """Who takes over, and why."""

    username = UsernameField(max_length=20)


@extend_schema_view(
    get=extend_schema(operation_id="season_contestants", tags=TAG, summary="Contestants")
)
class ContestantsView(ContestantsReading):
    """Everybody who ever entered a season."""

    scopes = ORGANISE
    body_most = BULK_MOST

    def authorise(self, request: Request, slug: str) -> Season:
        """The season, for those who run it."""
        return managed_season(slug, signed_in(request), Right.PEOPLE)

    @extend_schema(
        operation_id="season_enrol",
        tags=TAG,
        summary="Enrol contestants, all or none",
        request=EntriesSerializer,
        responses={201: ContestantSerializer(many=True)},
    )
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Enrol people by their usernames: all of them, or nobody. In a season that is running they
        are late entries."""
        season: Season = self.about
        given = body_of(self, EntriesSerializer, users=accounts_named)
        entered = contestants_enrol(
            acting_user=signed_in(request),
            season=season,
            entries=[
                Enrolment(entry["username"], entry.get("name", ""), entry.get("seed"))
                for entry in given["contestants"]
            ],
        )
        return Response(_shown(request, entered), status=201)


class WithdrawView(ApiView):
    """Somebody leaves."""

    scopes = OWN_OR_ORGANISE

    def authorise(self, request: Request, slug: str, contestant_id: int) -> Contestant:
        """The contestant, for themselves and for those who run the season."""
        caller = signed_in(request)
        contestant = _contestant(season_for(slug, caller), contestant_id)
        own = contestant.user_id == caller.pk
        require_play_or_organise(request, own=own)
        if not own:
            must_manage(contestant.season, caller, Right.PEOPLE)
            must_not_meet(contestant, caller)
        return contestant

    @extend_schema(
        operation_id="contestant_withdraw",
        tags=TAG,
        summary="Withdraw a contestant",
        request=WhySerializer,
        responses={200: ContestantSerializer},
    )
    @idempotent
    def post(self, request: Request, slug: str, contestant_id: int) -> Response:
        """Take a contestant out: what they have still to play is lost. For oneself a token needs
        `play`."""
        contestant: Contestant = self.about
        given = body_of(self, WhySerializer)
        gone = contestant_withdraw(
            acting_user=signed_in(request), contestant=contestant, why=given["why"]
        )
        return Response(_shown(request, [gone])[0])


class ReturnView(ApiView):
    """Somebody comes back."""

    scopes = ORGANISE

    def authorise(self, request: Request, slug: str, contestant_id: int) -> Contestant:
        """The contestant, for those who run the season."""
        return _contestant(managed_season(slug, signed_in(request), Right.PEOPLE), contestant_id)

    @extend_schema(
        operation_id="contestant_return",
        tags=TAG,
        summary="Bring back a contestant who has withdrawn",
        request=WhySerializer,
        responses={200: ContestantSerializer},
    )
    @idempotent
    def post(self, request: Request, slug: str, contestant_id: int) -> Response:
        """Have somebody play again who has withdrawn from a season that is running. What they lost
        by leaving stays lost."""
        contestant: Contestant = self.about
        given = body_of(self, WhySerializer)
        back = contestant_return(
            acting_user=signed_in(request), contestant=contestant, why=given["why"]
        )
        return Response(_shown(request, [back])[0])


class ReplaceView(ApiView):
    """Somebody takes over."""

    scopes = ORGANISE

    def authorise(self, request: Request, slug: str, contestant_id: int) -> Contestant:
        """The contestant, for those who run the season and do not meet them."""
        caller = signed_in(request)
        contestant = _contestant(managed_season(slug, caller, Right.PEOPLE), contestant_id)
        must_not_meet(contestant, caller)
        return contestant

    @extend_schema(
        operation_id="contestant_replace",
        tags=TAG,
        summary="Put somebody else in a contestant's place",
        request=ReplacementSerializer,
        responses={200: ContestantSerializer},
    )
    @idempotent
    def post(self, request: Request, slug: str, contestant_id: int) -> Response:
        """Have somebody take over a contestant's seed and pairings."""
        contestant: Contestant = self.about
        given = body_of(self, ReplacementSerializer, users=accounts_named)
        new = contestant_replace(
            acting_user=signed_in(request),
            contestant=contestant,
            user=given["username"],
            why=given["why"],
        )
        return Response(_shown(request, [new])[0])


class SeedsSerializer(serializers.Serializer[dict[str, Any]]):
    """Seeds by contestant, or the wish to have them drawn."""

    rows = "seeds"
    at_fault: ClassVar[Mapping[str, str]] = {"contestant.none": "seeds.*"}

    seeds = serializers.DictField(
        child=serializers.IntegerField(min_value=1, max_value=10_000, allow_null=True),
        required=False,
        help_text="Seed by the contestant's id; null takes one away.",
    )
    draw = serializers.BooleanField(required=False, default=False, help_text="Draw all by lot.")

    def validate_seeds(self, seeds: dict[str, int | None]) -> dict[int, int | None]:
        """By ids."""
        return {int(key): seed for key, seed in seeds.items() if _ID.fullmatch(key)}

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Exactly one of the two; seeds by contestants of this season, none of them twice."""
        if "draw" in sound and sound["draw"] == ("seeds" in self.initial_data):
            yield serializers.ValidationError("Either `seeds` or `draw`, please.")
        seeds = sound.get("seeds", {})
        given = self.initial_data.get("seeds")
        keys = [str(key) for key in given] if isinstance(given, Mapping) else []
        ids = {key: int(key) for key in keys if _ID.fullmatch(key)}
        known = self.context["lookups"]["contestants"](set(ids.values()))
        twice = [seed for seed, times in Counter(seeds.values()).items() if seed and times > 1]
        wrong: dict[str, Any] = {
            key[:60]: serializers.ErrorDetail(
                "There is no such contestant in this season.", code="contestant.none"
            )
            for key in keys
            if ids.get(key) not in known
        }
        for key, seed in seeds.items():
            if seed in twice:
                said = serializers.ErrorDetail("This seed is given twice.", code="seed.repeated")
                wrong.setdefault(key[:60], said)
        if wrong:
            yield serializers.ValidationError({"seeds": wrong})


class SeedsView(ApiView):
    """The seeds."""

    scopes: ClassVar[Mapping[str, Scope]] = MappingProxyType({"PUT": Scope.ORGANISE})
    body_most = BULK_MOST

    def authorise(self, request: Request, slug: str) -> Season:
        """The season, for those who run it."""
        return managed_season(slug, signed_in(request), Right.PEOPLE)

    @extend_schema(
        operation_id="season_seeds",
        tags=TAG,
        summary="Set or draw seeds",
        request=SeedsSerializer,
        responses={200: ContestantSerializer(many=True)},
    )
    def put(self, request: Request, slug: str) -> Response:
        """Set seeds, or have all of them drawn by lot, before the season begins."""
        caller = signed_in(request)
        season: Season = self.about
        given = body_of(self, SeedsSerializer, contestants=contestants_of(season))
        if given["draw"]:
            seeded = seeds_draw(acting_user=caller, season=season)
        else:
            seeded = seeds_set(acting_user=caller, season=season, seeds=given["seeds"])
        return Response(_shown(request, seeded))
