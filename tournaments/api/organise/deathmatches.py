"""Death matches, for programs: what is played and when, who is ready, and rulings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from django.db import transaction
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from accounts.models import User
from core.api.bodies import InstantField, body_of
from core.api.idempotency import idempotent
from core.api.scopes import Scope
from core.api.views import ApiView
from core.refusals import NotFound, Together
from games.api.serializers import GameValidation
from tournaments import audience
from tournaments.api.fields import ContestantReference, contestants_of
from tournaments.api.organise.common import (
    ORGANISE,
    OWN_OR_ORGANISE,
    WHY_AT_FAULT,
    WhySerializer,
    death_match_data,
    must_be_new_and_ahead,
    require_play_or_organise,
    row_of,
)
from tournaments.api.serializers import DeathMatchSerializer
from tournaments.api.views import TAG, DeathMatchReading
from tournaments.models import DeathMatch, Leg
from tournaments.reading.whole import death_matches_whole
from tournaments.rights import Right
from tournaments.services import deathmatches, legs
from tournaments.services.guards import must_hold, must_not_be_own
from tournaments.services.results.corrections import death_match_correct, leg_void
from tournaments.services.results.rulings import death_match_declare, death_match_walkover
from tournaments.services.rounds import death_match_schedule, leg_none
from tournaments.services.scheduling.readiness import leg_confirm, leg_unconfirm, must_be_player


def _death_match(caller: User, pk: int) -> DeathMatch:
    rows = death_matches_whole(caller)
    return row_of(rows, pk, "death-match.none", "There is no such death match.")


def _must_rule(death_match: DeathMatch, caller: User, *rights: Right) -> None:
    """Raises Refusal as `guards.must_hold` does where none of these rights is held, and
    ``death-match.own`` where they play in it."""
    held = audience.rights_of(death_match.round.season, caller)
    must_hold(held, next((right for right in rights if right in held), rights[0]))
    must_not_be_own(death_match, caller)


def _leg_that_counts(death_match: DeathMatch, number: int) -> Leg:
    leg = death_match.legs.exclude(status="void").filter(number=number).first()
    if leg is None:
        raise NotFound("leg.none", "There is no such match.")
    return leg


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
        faults = Together()
        with faults.of():
            must_be_new_and_ahead(death_match, sound.get("scheduled_at"))
        if "leg" in sound and not death_match.legs.filter(number=sound["leg"]).exists():
            faults.note(leg_none(death_match, sound["leg"]))
        yield from faults.refused


class ResultSerializer(WhySerializer):
    """A result that does not come from the board."""

    at_fault: ClassVar[Mapping[str, str]] = {**WHY_AT_FAULT, "death-match.winner": "winner"}

    winner = ContestantReference(help_text="The id of the contestant who wins.")
    how = serializers.ChoiceField(
        choices=["ruling", "walkover", "correction"],
        help_text="`correction` gives a decided death match to the other side.",
    )

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Whoever wins plays."""
        yield from super().validation_faults(sound)
        faults = Together()
        if "winner" in sound:
            with faults.of():
                deathmatches.seat_of_side(self.context["about"], sound["winner"])
        yield from faults.refused


@extend_schema_view(
    get=extend_schema(operation_id="death_match", tags=TAG, summary="A death match")
)
class DeathMatchView(DeathMatchReading):
    """One death match."""

    scopes = OWN_OR_ORGANISE

    def authorise(self, request: Request, death_match_id: int) -> DeathMatch:
        """The death match, for the lower seed where that one chooses, and for those who rule on
        it."""
        caller = signed_in(request)
        found = _death_match(caller, death_match_id)
        if not audience.may_choose_rules(found, caller):
            require_play_or_organise(request, own=False)
            _must_rule(found, caller, Right.MATCHES, Right.EPISODES)
        return found

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
        found: DeathMatch = self.about
        given = body_of(self, DeathMatchChangesSerializer)
        own = "scheduled_at" not in given and audience.may_choose_rules(found, caller)
        require_play_or_organise(request, own=own)
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
        return Response(death_match_data(request, found.pk))


class ResultView(ApiView):
    """An organiser decides."""

    scopes = ORGANISE

    def authorise(self, request: Request, death_match_id: int) -> DeathMatch:
        """The death match, for those who rule on it."""
        caller = signed_in(request)
        found = _death_match(caller, death_match_id)
        _must_rule(found, caller, Right.MATCHES)
        return found

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
        found: DeathMatch = self.about
        here = contestants_of(found.round.season)
        given = body_of(self, ResultSerializer, contestants=here)
        service = {
            "ruling": death_match_declare,
            "walkover": death_match_walkover,
            "correction": death_match_correct,
        }[given["how"]]
        service(
            acting_user=signed_in(request),
            death_match=found,
            winner=given["winner"],
            why=given["why"],
        )
        return Response(death_match_data(request, found.pk))


class ReplayView(ApiView):
    """A match is played again."""

    scopes = ORGANISE

    def authorise(self, request: Request, death_match_id: int, number: int) -> Leg:
        """The match of that number, for those who rule on its death match."""
        caller = signed_in(request)
        found = _death_match(caller, death_match_id)
        _must_rule(found, caller, Right.RUN)
        return _leg_that_counts(found, number)

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
        leg: Leg = self.about
        given = body_of(self, WhySerializer)
        leg_void(acting_user=signed_in(request), leg=leg, why=given["why"])
        return Response(death_match_data(request, leg.death_match_id))


class LegReadySerializer(serializers.Serializer[dict[str, Any]]):
    """Whether one is ready."""

    ready = serializers.BooleanField()


class LegReadyView(ApiView):
    """A player says that they are ready."""

    scopes: ClassVar[Mapping[str, Scope]] = MappingProxyType({"PUT": Scope.PLAY})

    def authorise(self, request: Request, death_match_id: int, number: int) -> Leg:
        """The match of that number, for the two who play it."""
        caller = signed_in(request)
        leg = _leg_that_counts(_death_match(caller, death_match_id), number)
        must_be_player(leg.death_match, caller)
        return leg

    @extend_schema(
        operation_id="leg_ready",
        tags=TAG,
        summary="Say that you are ready for a match",
        request=LegReadySerializer,
        responses={200: DeathMatchSerializer},
    )
    def put(self, request: Request, death_match_id: int, number: int) -> Response:
        """Be ready, or not after all. A match begins when both are ready and its time has come."""
        leg: Leg = self.about
        given = body_of(self, LegReadySerializer)
        service = leg_confirm if given["ready"] else leg_unconfirm
        service(acting_user=signed_in(request), leg=leg)
        return Response(death_match_data(request, leg.death_match_id))
