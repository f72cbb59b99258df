"""A season as a whole, for programs: it is made, changed, and taken from step to step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from core.api.bodies import body_of
from core.api.idempotency import idempotent
from core.api.scopes import Scope
from core.api.views import ApiView, FieldsView
from core.refusals import Together
from games.api.serializers import LATE_HELP
from games.options.late import DELAYS
from games.options.pace import PACES
from tournaments import audience
from tournaments.api.fields import ContestantReference, FormatField, contestants_of
from tournaments.api.organise.common import ORGANISE, WHY_AT_FAULT, managed_season
from tournaments.api.serializers import RepertoireSerializer, SeasonSerializer
from tournaments.api.views import TAG, SeasonReading, SeasonsReading
from tournaments.models import NoShowRule, RulesetChoice, Season, SecretGifts, TimesRule
from tournaments.models.seasons import PLACES_MIN
from tournaments.reading.seasons import season_for
from tournaments.reading.whole import seasons_whole
from tournaments.services import preflight, repertoire, seasons, starts
from tournaments.services.guards import must_manage, reason
from tournaments.services.results.conclusion import season_end
from tournaments.standings import METRICS, metrics


def _season_data(request: Request, pk: int) -> dict[str, Any]:
    """A season as its caller may see it now."""
    row = seasons_whole(request.user).get(pk=pk)
    shown: dict[str, Any] = SeasonSerializer(row, context={"request": request}).data
    return shown


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
        "setup.late": "late_s",
        "season.play-within": "play_within_days",
        "trade.*": "trade",
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
    by_application = serializers.BooleanField(
        required=False,
        help_text="Who enrols themselves, where that is open, only applies, and organisers decide.",
    )
    places = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=PLACES_MIN,
        max_value=seasons.PLACES_MAX,
        help_text="How many may be in when it begins; null: as many as like.",
    )
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
    late_s = serializers.IntegerField(
        required=False, min_value=0, max_value=max(DELAYS), help_text=LATE_HELP
    )
    times_by = serializers.ChoiceField(
        choices=TimesRule.choices, required=False, help_text="Who says when it is played."
    )
    play_within_days = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=seasons.PLAY_WITHIN_MAX,
        help_text="By how many days after it is known who meets a death match is to begin, where "
        "players agree on the time; null: no such end.",
    )
    predictions = serializers.BooleanField(
        required=False, help_text="Whether those who only watch say who will win."
    )
    secret_gifts = serializers.ChoiceField(
        choices=SecretGifts.choices,
        required=False,
        help_text="Whether items that contestants give are secret until they are used.",
    )
    trade = serializers.DictField(
        required=False,
        help_text="What is traded: `currency`, `singular`, `plural`, `start`, `payments`, "
        "`hidden`, `tokens`, `tokens_given`, `stakes`, `stake`, `stake_token`, `leaving`; see "
        "`docs/seasons.md`.",
    )

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """What a service would say of each setting; games are judged one by one. Options of a
        format hang on which it is."""
        season = self.context["about"]
        form = sound.get("format") if season is None else season.format
        left_out = {"format", "repertoire", "tie_breaks", *(() if form else ("format_options",))}
        faults = Together()
        with faults.of():
            given = {key: value for key, value in sound.items() if key not in left_out}
            seasons.settings_validate(form or "", given)
        named = sound.get("tie_breaks", ())
        for number, key in enumerate(named):
            if key is not serializers.empty:
                with faults.of(number):
                    metrics.must_be_metric(key, named[:number])
        yield from faults.refused


class NewSeasonSerializer(_SettingsSerializer):
    """A season to be made."""

    name = serializers.CharField(max_length=80)
    format = FormatField()


class SeasonChangesSerializer(_SettingsSerializer):
    """What is to be changed."""

    name = serializers.CharField(max_length=80, required=False)


class StepSerializer(serializers.Serializer[dict[str, Any]]):
    """A step in a season's life."""

    at_fault = WHY_AT_FAULT

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
        faults = Together()
        if sound.get("step") == "cancel" and ("why" in sound or "why" not in self.initial_data):
            with faults.of():
                reason(sound.get("why", ""))
        yield from faults.refused


class WarningSerializer(serializers.Serializer[Any]):
    """Something to know before a step."""

    code = serializers.CharField()
    sentence = serializers.CharField()
    stops = serializers.BooleanField(help_text="The step would be refused for it.")


@extend_schema_view(get=extend_schema(operation_id="seasons", tags=TAG, summary="Seasons"))
class SeasonsView(SeasonsReading):
    """Seasons."""

    scopes = ORGANISE

    def authorise(self, request: Request) -> None:
        """There is no season yet. Raises Refusal ``season.not-allowed``."""
        seasons.must_be_allowed_to_create(signed_in(request))

    @extend_schema(
        operation_id="season_create",
        tags=TAG,
        summary="Create a season",
        request=NewSeasonSerializer,
        responses={201: SeasonSerializer},
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Make a draft, which nobody but its organisers sees until it is listed. The caller owns
        it."""
        given = body_of(self, NewSeasonSerializer)
        season = seasons.season_create(
            acting_user=signed_in(request),
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

    def authorise(self, request: Request, slug: str) -> Season:
        """The season, for those who run it."""
        return managed_season(slug, signed_in(request))

    @extend_schema(
        operation_id="season_update",
        tags=TAG,
        summary="Change a season's settings",
        request=SeasonChangesSerializer,
        responses={200: SeasonSerializer},
    )
    def patch(self, request: Request, slug: str) -> Response:
        """Change what is named; the rest stays."""
        season: Season = self.about
        given = body_of(self, SeasonChangesSerializer)
        seasons.season_update(acting_user=signed_in(request), season=season, changes=given)
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
        must_manage(season, request.user)
        step = self.query_value("step", serializers.ChoiceField(self.choices))
        warnings = preflight.preflight(season, step, signed_in(request))
        return Response(self.get_serializer(warnings, many=True).data)


class StepsView(ApiView):
    """A season's life."""

    scopes = ORGANISE

    def authorise(self, request: Request, slug: str) -> Season:
        """The season, for those whom any step is open to: who may archive it may do the least."""
        caller = signed_in(request)
        season = season_for(slug, caller)
        if not audience.may_shelve(season, caller):
            must_manage(season, caller)
        return season

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
        season: Season = self.about
        given = body_of(self, StepSerializer, contestants=contestants_of(season))
        match given["step"]:
            case "cancel":
                seasons.season_cancel(acting_user=caller, season=season, why=given.get("why", ""))
            case "finish":
                season_end(acting_user=caller, season=season, winner=given.get("winner"))
            case "list":
                seasons.season_list(acting_user=caller, season=season)
            case "unlist":
                seasons.season_unlist(acting_user=caller, season=season)
            case "archive":
                seasons.season_archive(acting_user=caller, season=season)
            case _:
                starts.season_start(acting_user=caller, season=season)
        return Response(_season_data(request, season.pk))
