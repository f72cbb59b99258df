"""What organisers automate: seasons made, filled, paired, scheduled and ruled on by programs.

Thin: bodies are checked for their form here, and everything else is the services' to judge.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from django.db import transaction
from django.db.models import Model, QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import accounts_named, signed_in
from accounts.api.serializers import UsernameField
from accounts.models import User
from core.api.bodies import InstantField, body_of, repeated
from core.api.idempotency import idempotent
from core.api.scopes import Scope, require_scope
from core.api.views import ApiView, FieldsView
from core.refusals import Forbidden, NotFound, Refusal, Together
from games.api.serializers import GameValidation
from games.pace import PACES
from games.rulesets import REGISTRY
from tournaments import audience
from tournaments.api.fields import (
    ContestantReference,
    DeathMatchField,
    FormatField,
    contestants_of,
    death_matches_among,
)
from tournaments.api.serializers import (
    ContestantSerializer,
    DeathMatchSerializer,
    GiftSerializer,
    RepertoireSerializer,
    RoundSerializer,
    SeasonSerializer,
)
from tournaments.api.views import (
    TAG,
    ContestantsReading,
    DeathMatchReading,
    GiftsReading,
    RoundsReading,
    SeasonReading,
    SeasonsReading,
    death_matches_whole,
    rounds_whole,
    seasons_whole,
)
from tournaments.formats.elimination import choice
from tournaments.formats.elimination.main_match import (
    Placed,
    last_of,
    must_be_whole,
    placements_record,
)
from tournaments.formats.registry import format_of
from tournaments.items.catalogue import item_of
from tournaments.models import (
    Contestant,
    DeathMatch,
    Episode,
    Gift,
    Leg,
    NoShowRule,
    Round,
    RulesetChoice,
    Season,
)
from tournaments.reading import season_for
from tournaments.services import deathmatches, legs, preflight, repertoire, seasons, starts
from tournaments.services.contestants import departures, enrolment
from tournaments.services.contestants.enrolment import Enrolment
from tournaments.services.contestants.names import Names, name_of
from tournaments.services.contestants.seeds import seeds_draw, seeds_set
from tournaments.services.guards import must_manage, reason
from tournaments.services.items import gifts
from tournaments.services.results import conclusion, corrections, rulings
from tournaments.services.rounds import (
    ManualPairing,
    death_match_schedule,
    leg_none,
    round_next,
    round_schedule,
)
from tournaments.services.scheduling import appointments, readiness
from tournaments.standings import METRICS, metrics

ORGANISE: Mapping[str, Scope] = MappingProxyType({"POST": Scope.ORGANISE})
# What contestants do for themselves takes `play`, the same for others `organise`: which of the two,
# the handler finds out (`_scope_needed`).
OWN_OR_ORGANISE: Mapping[str, Scope] = MappingProxyType({"POST": Scope.READ, "PATCH": Scope.READ})
ENROLLED_AT_ONCE = 1000
# Bytes of a body that names so many, each with everything that can be said of them.
BULK_MOST = 512 * 1024
_ID = re.compile(r"[1-9][0-9]{0,17}")
# What a reason may be refused for.
_WHY: Mapping[str, str] = MappingProxyType({"why.missing": "why", "why.too-long": "why"})

_M = TypeVar("_M", bound=Model)


def _scope_needed(request: Request, *, own: bool) -> None:
    """Raises ScopeMissing where a token allows neither."""
    require_scope(request.auth, Scope.PLAY if own else Scope.ORGANISE)


def _row_of(rows: QuerySet[_M], pk: int, code: str, sentence: str) -> _M:
    row = rows.filter(pk=pk).first()
    if row is None:
        raise NotFound(code, sentence)
    return row


def _managed_season(slug: str, caller: User) -> Season:
    """A season that the caller runs: what is wrong with a body tells of it. Raises NotFound, and
    Forbidden ``season.not-organiser``."""
    season = season_for(slug, caller)
    must_manage(season, caller)
    return season


def _contestant(season: Season, pk: int) -> Contestant:
    rows = season.contestants.select_related("user")
    return _row_of(rows, pk, "contestant.none", "There is no such contestant in this season.")


def _round(season: Season, number: int) -> Round:
    row = season.rounds.select_related("season").filter(number=number).first()
    if row is None:
        raise NotFound("round.none", "There is no such round.")
    return row


def _episode(season: Season, number: int) -> Episode:
    rows = Episode.objects.select_related("round__season", "ec", "dmo")
    row = rows.filter(round__season=season, round__number=number).first()
    if row is None:
        raise NotFound("round.none", "There is no such episode.")
    return row


def _death_match(rows: QuerySet[DeathMatch], pk: int) -> DeathMatch:
    return _row_of(rows, pk, "death-match.none", "There is no such death match.")


def _leg_that_counts(death_match: DeathMatch, number: int) -> Leg:
    leg = death_match.legs.exclude(status="void").filter(number=number).first()
    if leg is None:
        raise NotFound("leg.none", "There is no such match.")
    return leg


def _season_data(request: Request, pk: int) -> dict[str, Any]:
    """A season as its caller may see it now."""
    row = seasons_whole(request.user).get(pk=pk)
    shown: dict[str, Any] = SeasonSerializer(row, context={"request": request}).data
    return shown


def _death_match_data(request: Request, pk: int) -> dict[str, Any]:
    """A death match as its caller may see it now."""
    row = death_matches_whole(request.user).get(pk=pk)
    shown: dict[str, Any] = DeathMatchSerializer(row, context={"request": request}).data
    return shown


def _round_data(request: Request, pk: int) -> dict[str, Any]:
    """A round as its caller may see it now."""
    row = rounds_whole(request.user).get(pk=pk)
    shown: dict[str, Any] = RoundSerializer(row, context={"request": request}).data
    return shown


# -- the season ----------------------------------------------------------------------------------


class _SettingsSerializer(serializers.Serializer[dict[str, Any]]):
    """What organisers decide about a season."""

    rows = "repertoire"
    at_fault: ClassVar[Mapping[str, str]] = {
        "season.name.*": "name",
        "season.summary.*": "summary",
        "season.repertoire": "repertoire",
        "season.tie-breaks": "tie_breaks",
        "standings.*": "tie_breaks.*",
        "format.options": "format_options",
        "setup.ruleset": "repertoire.*.ruleset",
        "setup.variant": "repertoire.*.variant",
        "setup.options": "repertoire.*.options",
    }

    summary = serializers.CharField(required=False, allow_blank=True, max_length=2000)
    format_options = serializers.DictField(
        required=False,
        help_text="See `docs/seasons.md`; keys that a format does not know are refused.",
    )
    open_enrolment = serializers.BooleanField(required=False)
    repertoire = serializers.ListField(
        child=RepertoireSerializer(), required=False, max_length=repertoire.REPERTOIRE_MAX
    )
    ruleset_choice = serializers.ChoiceField(choices=RulesetChoice.choices, required=False)
    pace = serializers.ChoiceField(choices=[each.id for each in PACES], required=False)
    tie_breaks = serializers.ListField(
        child=serializers.CharField(max_length=40), required=False, max_length=len(METRICS)
    )
    no_show_minutes = serializers.IntegerField(required=False, min_value=0, max_value=10_080)
    no_show_rule = serializers.ChoiceField(choices=NoShowRule.choices, required=False)

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """What a service would say of each setting; games are judged one by one. Options of a
        format hang on which it is."""
        season = self.context["about"]
        form = sound.get("format") if season is None else season.format
        left_out = {"format", "repertoire", "tie_breaks", *(() if form else ("format_options",))}
        told = Together()
        with told.of():
            given = {key: value for key, value in sound.items() if key not in left_out}
            seasons.settings_validate(form or "", given)
        named = sound.get("tie_breaks", ())
        for number, key in enumerate(named):
            if key is not serializers.empty:
                with told.of(number):
                    metrics.must_be_metric(key, named[:number])
        yield from told.refused


class NewSeasonSerializer(_SettingsSerializer):
    """A season to be made."""

    name = serializers.CharField(max_length=80)
    format = FormatField()


class SeasonChangesSerializer(_SettingsSerializer):
    """What is to be changed."""

    name = serializers.CharField(max_length=80, required=False)


class StepSerializer(serializers.Serializer[dict[str, Any]]):
    """A step in a season's life."""

    at_fault = _WHY

    step = serializers.ChoiceField(
        choices=["list", "unlist", "start", "finish", "cancel", "archive"]
    )
    why = serializers.CharField(
        required=False, allow_blank=True, max_length=500, help_text="To cancel: the public reason."
    )
    winner = ContestantReference(
        required=False, help_text="To finish: the id of the contestant who won, where it is open."
    )

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Everybody reads why a season is called off."""
        told = Together()
        if sound.get("step") == "cancel" and ("why" in sound or "why" not in self.initial_data):
            with told.of():
                reason(sound.get("why", ""))
        yield from told.refused


class WarningSerializer(serializers.Serializer[Any]):
    """Something to know before a step."""

    code = serializers.CharField()
    sentence = serializers.CharField()
    stops = serializers.BooleanField(help_text="The step would be refused for it.")


@extend_schema_view(get=extend_schema(operation_id="seasons", tags=TAG, summary="Seasons"))
class SeasonsView(SeasonsReading):
    """Seasons."""

    scopes = ORGANISE

    @extend_schema(
        operation_id="season_create",
        tags=TAG,
        summary="Create a season",
        request=NewSeasonSerializer,
        responses={201: SeasonSerializer},
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Make a draft, which nobody but its organisers sees until it is listed. The caller is its
        first organiser."""
        caller = signed_in(request)
        given = body_of(request, NewSeasonSerializer)
        season = seasons.season_create(
            acting_user=caller,
            name=given.pop("name"),
            format=given.pop("format"),
            settings=given,
        )
        shown = _season_data(request, season.pk)
        return Response(shown, status=201, headers={"Location": shown["links"]["view"]})


@extend_schema_view(get=extend_schema(operation_id="season", tags=TAG, summary="A season"))
class SeasonView(SeasonReading):
    """One season."""

    scopes: ClassVar[Mapping[str, Scope]] = MappingProxyType({"PATCH": Scope.ORGANISE})

    @extend_schema(
        operation_id="season_update",
        tags=TAG,
        summary="Change a season's settings",
        request=SeasonChangesSerializer,
        responses={200: SeasonSerializer},
    )
    def patch(self, request: Request, slug: str) -> Response:
        """Change what is named; the rest stays."""
        caller = signed_in(request)
        season = _managed_season(slug, caller)
        given = body_of(request, SeasonChangesSerializer, about=season)
        seasons.season_update(acting_user=caller, season=season, changes=given)
        return Response(_season_data(request, season.pk))


class PreflightView(FieldsView):
    """What to know before a step."""

    serializer_class = WarningSerializer
    query = ("step",)
    choices: ClassVar[list[str]] = ["list", "start", "finish", "cancel", "archive"]

    @extend_schema(
        operation_id="season_preflight",
        tags=TAG,
        summary="Warnings before a step",
        parameters=[
            OpenApiParameter(
                "step",
                str,
                required=True,
                enum=choices,
                description="The step that is to be taken.",
            )
        ],
        responses={200: WarningSerializer(many=True), 403: None},
    )
    def get(self, request: Request, slug: str) -> Response:
        """What an organiser should know before a step that cannot simply be undone."""
        season = season_for(slug, request.user)
        if not audience.may_manage(season, request.user):
            raise Forbidden("season.not-organiser", "Only an organiser of this season may do this.")
        step = self.query_value("step", serializers.ChoiceField(self.choices))
        warnings = preflight.preflight(season, step, signed_in(request))
        return Response(self.get_serializer(warnings, many=True).data)


class StepsView(ApiView):
    """A season's life."""

    scopes = ORGANISE

    @extend_schema(
        operation_id="season_step",
        tags=TAG,
        summary="List, start, finish, cancel or archive a season",
        request=StepSerializer,
        responses={200: SeasonSerializer},
    )
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Take a season a step further; see `preflight` for what to know before."""
        caller = signed_in(request)
        season = season_for(slug, caller)
        if not audience.may_shelve(season, caller):  # the least that a step takes
            must_manage(season, caller)
        given = body_of(request, StepSerializer, contestants=contestants_of(season))
        match given["step"]:
            case "cancel":
                seasons.season_cancel(acting_user=caller, season=season, why=given.get("why", ""))
            case "finish":
                conclusion.season_end(acting_user=caller, season=season, winner=given.get("winner"))
            case "list":
                seasons.season_list(acting_user=caller, season=season)
            case "unlist":
                seasons.season_unlist(acting_user=caller, season=season)
            case "archive":
                seasons.season_archive(acting_user=caller, season=season)
            case _:
                starts.season_start(acting_user=caller, season=season)
        return Response(_season_data(request, season.pk))


# -- contestants ---------------------------------------------------------------------------------


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

    contestants = serializers.ListField(
        child=EntrySerializer(), min_length=1, max_length=ENROLLED_AT_ONCE
    )

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Nobody, and no seed, stands there twice; names are some."""
        yield from repeated(
            sound,
            "contestants",
            username=("contestant.repeated", "This person is named twice."),
            seed=("seed.repeated", "This seed is given twice."),
        )
        told = Together()
        rows = [row if isinstance(row, Mapping) else {} for row in sound.get("contestants", ())]
        known = Names(
            (row["name"], row["username"])
            for row in rows
            if row.get("name") and isinstance(row.get("username"), User)
        )
        for number, row in enumerate(rows):
            if not row.get("name"):
                continue
            with told.of(number):
                name_of(row["name"])
                if isinstance(row.get("username"), User):
                    known.of(row["name"], row["username"])
        yield from told.refused


class WhySerializer(serializers.Serializer[dict[str, Any]]):
    """A reason."""

    at_fault: ClassVar[Mapping[str, str]] = _WHY

    why = serializers.CharField(max_length=500, help_text="Public.")

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """It says something."""
        told = Together()
        if "why" in sound:
            with told.of():
                reason(sound["why"])
        yield from told.refused


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
        caller = signed_in(request)
        season = _managed_season(slug, caller)
        given = body_of(request, EntriesSerializer, users=accounts_named)
        entered = enrolment.contestants_enrol(
            acting_user=caller,
            season=season,
            entries=[
                Enrolment(entry["username"], entry.get("name", ""), entry.get("seed"))
                for entry in given["contestants"]
            ],
        )
        return Response(ContestantSerializer(entered, many=True).data, status=201)


class WithdrawView(ApiView):
    """Somebody leaves."""

    scopes = OWN_OR_ORGANISE

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
        caller = signed_in(request)
        contestant = _contestant(season_for(slug, caller), contestant_id)
        _scope_needed(request, own=contestant.user_id == caller.pk)
        if contestant.user_id != caller.pk:
            must_manage(contestant.season, caller)
        given = body_of(request, WhySerializer)
        gone = departures.contestant_withdraw(
            acting_user=caller, contestant=contestant, why=given["why"]
        )
        return Response(ContestantSerializer(gone).data)


class ReturnView(ApiView):
    """Somebody comes back."""

    scopes = ORGANISE

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
        caller = signed_in(request)
        contestant = _contestant(_managed_season(slug, caller), contestant_id)
        given = body_of(request, WhySerializer)
        back = departures.contestant_return(
            acting_user=caller, contestant=contestant, why=given["why"]
        )
        return Response(ContestantSerializer(back).data)


class ReplaceView(ApiView):
    """Somebody takes over."""

    scopes = ORGANISE

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
        caller = signed_in(request)
        contestant = _contestant(_managed_season(slug, caller), contestant_id)
        given = body_of(request, ReplacementSerializer, users=accounts_named)
        new = departures.contestant_replace(
            acting_user=caller,
            contestant=contestant,
            user=given["username"],
            why=given["why"],
        )
        return Response(ContestantSerializer(new).data)


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
        ids = {key: int(key) for key in seeds if _ID.fullmatch(key)}
        known = self.context["lookups"]["contestants"](set(ids.values()))
        twice = [seed for seed, times in Counter(seeds.values()).items() if seed and times > 1]
        wrong: dict[str, Any] = {
            key[:60]: serializers.ErrorDetail(
                "There is no such contestant in this season.", code="contestant.none"
            )
            for key in seeds
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
        season = _managed_season(slug, caller)
        given = body_of(request, SeedsSerializer, contestants=contestants_of(season))
        if given["draw"]:
            seeded = seeds_draw(acting_user=caller, season=season)
        else:
            seeded = seeds_set(acting_user=caller, season=season, seeds=given["seeds"])
        return Response(ContestantSerializer(seeded, many=True).data)


# -- rounds --------------------------------------------------------------------------------------


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
        max_length=ENROLLED_AT_ONCE,
        help_text="Pairings by hand (Swiss, ladder). Without them the format pairs.",
    )

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Whether anybody can be paired by hand, and so; times are still to come."""
        told = Together()
        with told.of():
            appointments.must_be_ahead(sound.get("scheduled_at"))
        rows = [row if isinstance(row, Mapping) else {} for row in sound.get("pairings", ())]
        for number, row in enumerate(rows):
            with told.of(number):
                appointments.must_be_ahead(row.get("scheduled_at"))
        if "pairings" in sound or "pairings" not in self.initial_data:
            pairs = [(row.get("home"), row.get("away")) for row in rows]
            with told.of():
                own = format_of(self.context["about"].format)
                own.must_be_pairs(pairs if "pairings" in sound else None)
        yield from told.refused


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
        caller = signed_in(request)
        season = _managed_season(slug, caller)
        given = body_of(
            request, NewRoundSerializer, about=season, contestants=contestants_of(season)
        )
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
            acting_user=caller,
            season=season,
            scheduled_at=given.get("scheduled_at"),
            pairings=pairings if "pairings" in given else None,
        )
        return Response(_round_data(request, opened.pk), status=201)


def _must_be_new_and_ahead(death_match: DeathMatch | None, when: datetime | None) -> None:
    """A time that it has already may be over: to give it once more changes nothing."""
    try:
        appointments.must_be_ahead(when)
    except Refusal:
        if death_match is None or not death_match.legs.filter(scheduled_at=when).exists():
            raise


class TimeSerializer(serializers.Serializer[dict[str, Any]]):
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

    times = serializers.ListField(child=TimeSerializer(), min_length=1, max_length=ENROLLED_AT_ONCE)

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """A death match has one time, which is still to come."""
        said = ("death-match.repeated", "It is named twice.")
        yield from repeated(sound, "times", death_match=said)
        told = Together()
        for number, row in enumerate(sound.get("times", ())):
            if isinstance(row, Mapping):
                with told.of(number):
                    _must_be_new_and_ahead(row.get("death_match"), row.get("scheduled_at"))
        yield from told.refused


class ScheduleView(ApiView):
    """The times of a round."""

    scopes: ClassVar[Mapping[str, Scope]] = MappingProxyType({"PUT": Scope.ORGANISE})
    body_most = BULK_MOST

    @extend_schema(
        operation_id="season_round_schedule",
        tags=TAG,
        summary="Give a round's matches their times, all or none",
        request=TimesSerializer,
        responses={200: RoundSerializer},
    )
    def put(self, request: Request, slug: str, number: int) -> Response:
        """Say when the next match of each death match named is to be played; null: not fixed."""
        caller = signed_in(request)
        played = _round(_managed_season(slug, caller), number)
        here = death_matches_among(DeathMatch.objects.filter(round=played))
        given = body_of(request, TimesSerializer, death_matches=here)
        times = {each["death_match"].pk: each["scheduled_at"] for each in given["times"]}
        round_schedule(acting_user=caller, round=played, times=times)
        return Response(_round_data(request, played.pk))


class PlacedSerializer(serializers.Serializer[dict[str, Any]]):
    """How somebody came off in a main match."""

    contestant = ContestantReference()
    place = serializers.IntegerField(min_value=1, max_value=10_000)
    immune = serializers.BooleanField(required=False, default=False)


def _placements_of(rows: Sequence[Mapping[str, Any]]) -> list[Placed]:
    return [Placed(each["contestant"], each["place"], each["immune"]) for each in rows]


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

    placements = serializers.ListField(
        child=PlacedSerializer(), min_length=1, max_length=ENROLLED_AT_ONCE
    )
    ec = ContestantReference(
        required=False, allow_null=True, help_text="Which of several who share the last place."
    )
    main_match = serializers.CharField(required=False, allow_blank=True, default="", max_length=120)
    notes = serializers.CharField(required=False, allow_blank=True, default="", max_length=4000)

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Everybody is placed, once; and it is known who came last."""
        rows = [row if isinstance(row, Mapping) else {} for row in sound.get("placements", ())]
        placed = [row.get("contestant") for row in rows]
        told = Together()
        if rows:
            with told.of():
                must_be_whole(self.context["about"], placed)
        is_whole = (
            rows
            and not told.refused
            and all({"contestant", "place", "immune"} <= set(row) for row in rows)
        )
        if is_whole and ("ec" in sound or "ec" not in self.initial_data):
            with told.of():
                last_of(_placements_of(rows), sound.get("ec"))
        yield from told.refused


class PlacementsView(ApiView):
    """An episode's main match."""

    scopes = ORGANISE
    body_most = BULK_MOST

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
        caller = signed_in(request)
        season = _managed_season(slug, caller)
        episode = _episode(season, number)
        given = body_of(
            request, PlacementsSerializer, about=episode, contestants=contestants_of(season)
        )
        placements_record(
            acting_user=caller,
            episode=episode,
            placements=_placements_of(given["placements"]),
            ec=given.get("ec"),
            main_match=given["main_match"],
            notes=given["notes"],
        )
        return Response(_round_data(request, episode.round_id))


class ChoiceSerializer(serializers.Serializer[dict[str, Any]]):
    """Who is to be the death-match opponent."""

    contestant = ContestantReference()


class ChoiceView(ApiView):
    """The EC chooses."""

    scopes = OWN_OR_ORGANISE

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
        caller = signed_in(request)
        season = season_for(slug, caller)
        episode = _episode(season, number)
        _scope_needed(request, own=audience.may_choose_dmo(episode, caller))
        choice.must_be_able_to_choose(episode, caller)
        given = body_of(request, ChoiceSerializer, contestants=contestants_of(season))
        made = choice.dmo_choose(
            acting_user=caller, episode=episode, contestant=given["contestant"]
        )
        return Response(_death_match_data(request, made.pk), status=201)


# -- death matches -------------------------------------------------------------------------------


class DeathMatchChangesSerializer(GameValidation):
    """What a death match is played in, and when."""

    at_fault: ClassVar[Mapping[str, str]] = {
        **GameValidation.at_fault,
        "rules.not-in-repertoire": "ruleset",
        "leg.none": "leg",
        "schedule.past": "scheduled_at",
        "schedule.far": "scheduled_at",
    }

    ruleset = serializers.CharField(required=False, max_length=40)
    variant = serializers.CharField(required=False, max_length=40)
    options = serializers.DictField(required=False)
    leg = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=deathmatches.BEST_OF_MAX,
        help_text="Which one of several matches. By default a game is set for all, a time for the "
        "next.",
    )
    scheduled_at = InstantField(required=False, allow_null=True)

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """A game is named in full."""
        given = self.initial_data
        if ("ruleset" in given) != ("variant" in given):
            yield serializers.ValidationError("`ruleset` and `variant` go together.")
        if "options" in sound and "ruleset" not in given:
            yield serializers.ValidationError({"options": "Only together with `ruleset`."})
        yield from super().validation_faults(sound)
        death_match: DeathMatch = self.context["about"]
        told = Together()
        with told.of():
            _must_be_new_and_ahead(death_match, sound.get("scheduled_at"))
        if "leg" in sound and not death_match.legs.filter(number=sound["leg"]).exists():
            told.note(leg_none(death_match, sound["leg"]))
        yield from told.refused


class ResultSerializer(WhySerializer):
    """A result that does not come from the board."""

    at_fault: ClassVar[Mapping[str, str]] = {**_WHY, "death-match.winner": "winner"}

    winner = ContestantReference(help_text="The id of the contestant who wins.")
    how = serializers.ChoiceField(
        choices=["ruling", "walkover", "correction"],
        help_text="`correction` gives a decided death match to the other side.",
    )

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Whoever wins plays."""
        yield from super().validation_faults(sound)
        told = Together()
        if "winner" in sound:
            with told.of():
                deathmatches.seat_of_side(self.context["about"], sound["winner"])
        yield from told.refused


@extend_schema_view(
    get=extend_schema(operation_id="death_match", tags=TAG, summary="A death match")
)
class DeathMatchView(DeathMatchReading):
    """One death match."""

    scopes = OWN_OR_ORGANISE

    @extend_schema(
        operation_id="death_match_update",
        tags=TAG,
        summary="Say what a death match is played in, and when",
        request=DeathMatchChangesSerializer,
        responses={200: DeathMatchSerializer},
    )
    def patch(self, request: Request, death_match_id: int) -> Response:
        """Set ruleset, variant and options, and the time, of matches that have not begun: all that
        is named, or nothing. The lower seed may choose the ruleset where the season leaves it to
        them (a token needs `play`), everything else takes `organise`."""
        caller = signed_in(request)
        found = self.get_object()
        if not audience.may_choose_rules(found, caller):
            _scope_needed(request, own=False)
            must_manage(found.round.season, caller)
        given = body_of(request, DeathMatchChangesSerializer, about=found)
        own = "scheduled_at" not in given and audience.may_choose_rules(found, caller)
        _scope_needed(request, own=own)
        with transaction.atomic():
            if "ruleset" in given:
                legs.rules_set(
                    acting_user=caller,
                    death_match=found,
                    ruleset=given["ruleset"],
                    variant=given["variant"],
                    options=given.get("options"),
                    leg_number=given.get("leg"),
                )
            if "scheduled_at" in given:
                death_match_schedule(
                    acting_user=caller,
                    death_match=found,
                    scheduled_at=given["scheduled_at"],
                    leg_number=given.get("leg"),
                )
        return Response(_death_match_data(request, found.pk))


class ResultView(ApiView):
    """An organiser decides."""

    scopes = ORGANISE

    @extend_schema(
        operation_id="death_match_result",
        tags=TAG,
        summary="Rule on a death match",
        request=ResultSerializer,
        responses={200: DeathMatchSerializer},
    )
    @idempotent
    def post(self, request: Request, death_match_id: int) -> Response:
        """Declare a winner, give a walkover or correct a result, with a public reason."""
        caller = signed_in(request)
        found = _death_match(death_matches_whole(caller), death_match_id)
        season = found.round.season
        must_manage(season, caller)
        given = body_of(request, ResultSerializer, about=found, contestants=contestants_of(season))
        service = {
            "ruling": rulings.death_match_declare,
            "walkover": rulings.death_match_walkover,
            "correction": corrections.death_match_correct,
        }[given["how"]]
        service(acting_user=caller, death_match=found, winner=given["winner"], why=given["why"])
        return Response(_death_match_data(request, found.pk))


class ReplayView(ApiView):
    """A match is played again."""

    scopes = ORGANISE

    @extend_schema(
        operation_id="leg_void",
        tags=TAG,
        summary="Declare a match void and have it played again",
        request=WhySerializer,
        responses={200: DeathMatchSerializer},
    )
    @idempotent
    def post(self, request: Request, death_match_id: int, number: int) -> Response:
        """Declare the match of that number void, running or finished; it is played again."""
        caller = signed_in(request)
        found = _death_match(death_matches_whole(caller), death_match_id)
        must_manage(found.round.season, caller)
        leg = _leg_that_counts(found, number)
        given = body_of(request, WhySerializer)
        corrections.leg_void(acting_user=caller, leg=leg, why=given["why"])
        return Response(_death_match_data(request, found.pk))


class ReadySerializer(serializers.Serializer[dict[str, Any]]):
    """Whether one is ready."""

    ready = serializers.BooleanField()


class LegReadyView(ApiView):
    """A player says that they are ready."""

    scopes: ClassVar[Mapping[str, Scope]] = MappingProxyType({"PUT": Scope.PLAY})

    @extend_schema(
        operation_id="leg_ready",
        tags=TAG,
        summary="Say that you are ready for a match",
        request=ReadySerializer,
        responses={200: DeathMatchSerializer},
    )
    def put(self, request: Request, death_match_id: int, number: int) -> Response:
        """Be ready, or not after all. A match begins when both are ready and its time has come."""
        caller = signed_in(request)
        found = _death_match(death_matches_whole(caller), death_match_id)
        leg = _leg_that_counts(found, number)
        given = body_of(request, ReadySerializer)
        service = readiness.leg_confirm if given["ready"] else readiness.leg_unconfirm
        service(acting_user=caller, leg=leg)
        return Response(_death_match_data(request, found.pk))


# -- items ---------------------------------------------------------------------------------------


class NewGiftSerializer(serializers.Serializer[dict[str, Any]]):
    """An item to be given."""

    at_fault: ClassVar[Mapping[str, str]] = {
        "setup.ruleset": "ruleset",
        "item.unknown": "item",
        "item.oneself": "receiver",
        "item.leg": "leg_number",
        "item.for-which": "death_match",
        "item.note.too-long": "note",
    }

    item = serializers.CharField(max_length=40, help_text="An id of the catalogue.")
    ruleset = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=40, help_text="As there."
    )
    receiver = ContestantReference(help_text="The id of a contestant.")
    giver = ContestantReference(
        required=False, allow_null=True, help_text="The id of a contestant. Null: granted."
    )
    death_match = DeathMatchField(
        required=False, allow_null=True, help_text="What it is for. Null: any match."
    )
    leg_number = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=deathmatches.BEST_OF_MAX
    )
    note = serializers.CharField(required=False, allow_blank=True, default="", max_length=300)

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Whether there is such an item: where the ruleset that it is of is at fault, nobody
        knows. And whether it is for somebody else, and for a match that there is."""
        told = Together()
        with told.of():
            if sound.get("ruleset"):
                REGISTRY.get(sound["ruleset"])
            if "item" in sound and "ruleset" in sound:
                item_of(sound["item"], sound["ruleset"])
        receiver, giver = sound.get("receiver"), sound.get("giver")
        with told.of():
            if receiver is not None:
                gifts.must_be_another(receiver, giver, signed_in(self.context["request"]))
        if "death_match" in sound or "death_match" not in self.initial_data:
            with told.of():
                gifts.must_be_leg_of(sound.get("death_match"), sound.get("leg_number"))
            # A number that is at fault is none that is missing.
            number = 1 if "leg_number" in self.initial_data else None
            with told.of():
                gifts.must_be_for_one(
                    season=self.context["about"],
                    giver=giver,
                    acting_user=signed_in(self.context["request"]),
                    death_match=sound.get("death_match"),
                    leg_number=sound.get("leg_number", number),
                )
        yield from told.refused


@extend_schema_view(
    get=extend_schema(operation_id="season_items", tags=TAG, summary="Items given in a season")
)
class GiftsView(GiftsReading):
    """The items of a season with their history."""

    scopes = OWN_OR_ORGANISE

    @extend_schema(
        operation_id="season_item_give",
        tags=TAG,
        summary="Give an item",
        request=NewGiftSerializer,
        responses={201: GiftSerializer},
    )
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Give somebody an item, for one match or for any: an organiser, or one's own (a token
        needs `play` for that)."""
        caller = signed_in(request)
        season = season_for(slug, caller)
        _scope_needed(request, own=audience.contestant_of(season, caller) is not None)
        gifts.must_take_part(season, caller)
        given = body_of(
            request,
            NewGiftSerializer,
            about=season,
            contestants=contestants_of(season),
            death_matches=death_matches_among(DeathMatch.objects.filter(round__season=season)),
        )
        giver = given.get("giver")
        _scope_needed(request, own=giver is not None and giver.user_id == caller.pk)
        gift = gifts.item_give(acting_user=caller, season=season, **given)
        shown = self.get_queryset().get(pk=gift.pk)
        return Response(GiftSerializer(shown).data, status=201)


class TakeBackView(ApiView):
    """An item goes back."""

    scopes = ORGANISE

    @extend_schema(
        operation_id="season_item_take_back",
        tags=TAG,
        summary="Take back an item",
        request=WhySerializer,
        responses={200: GiftSerializer},
    )
    @idempotent
    def post(self, request: Request, slug: str, gift_id: int) -> Response:
        """Take back an item that was given by mistake."""
        caller = signed_in(request)
        season = season_for(slug, caller)
        rows = Gift.objects.filter(season=season).select_related("giver__user", "receiver__user")
        gift = _row_of(rows, gift_id, "item.none", "There is no such item.")
        must_manage(season, caller)
        given = body_of(request, WhySerializer)
        gifts.item_take_back(acting_user=caller, gift=gift, why=given["why"])
        return Response(GiftSerializer(rows.get(pk=gift.pk)).data)
