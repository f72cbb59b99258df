"""The items of a season, for programs: given, and taken back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from accounts.models import User
from core.api.bodies import body_of
from core.api.idempotency import idempotent
from core.api.views import ApiView
from core.refusals import Together
from games.rulesets import REGISTRY
from tournaments import audience
from tournaments.api.fields import (
    ContestantReference,
    DeathMatchField,
    contestants_of,
    death_matches_among,
)
from tournaments.api.organise.common import (
    ORGANISE,
    OWN_OR_ORGANISE,
    WhySerializer,
    require_play_or_organise,
    row_of,
)
from tournaments.api.serializers import GiftSerializer
from tournaments.api.views import TAG, GiftsReading
from tournaments.items.catalogue import item_of
from tournaments.models import DeathMatch, Gift, Season
from tournaments.reading.seasons import season_for
from tournaments.services import deathmatches
from tournaments.services.guards import must_manage, must_not_meet
from tournaments.services.items.gifts import (
    item_give,
    must_be_another,
    must_be_for_one,
    must_be_for_one_leg,
    must_be_leg_of,
    must_take_part,
)
from tournaments.services.items.returns import item_take_back


def _gifts_of(season: Season, caller: User) -> QuerySet[Gift]:
    seen = audience.gifts_visible_to(season, caller)
    return Gift.objects.filter(seen, season=season).select_related(
        "season", "giver__user", "receiver__user"
    )


class NewGiftSerializer(serializers.Serializer[dict[str, Any]]):
    """An item to be given."""

    at_fault: ClassVar[Mapping[str, str]] = {
        "setup.ruleset": "ruleset",
        "item.unknown": "item",
        "item.oneself": "receiver",
        "item.leg": "leg_number",
        "item.for-which": "death_match",
        "item.note.too-long": "note",
        "item.not-secret": "secret",
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
    secret = serializers.BooleanField(
        required=False,
        allow_null=True,
        help_text="Whether nobody but the giver, the receiver and the organisers knows of it until "
        "it is used or the season is over, where the season's `secret_gifts` is `choice`. Null: as "
        "the season has it.",
    )

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Whether there is such an item: where the ruleset that it is of is at fault, nobody
        knows. And whether it is for somebody else, and for a match that there is."""
        faults = Together()
        with faults.of():
            if sound.get("ruleset"):
                REGISTRY.get(sound["ruleset"])
            if "item" in sound and "ruleset" in sound:
                item_of(sound["item"], sound["ruleset"])
        season, caller = self.context["about"], signed_in(self.context["request"])
        receiver, giver = sound.get("receiver"), sound.get("giver")
        with faults.of():
            if receiver is not None:
                must_be_another(receiver, giver, caller)
        death_match, number = sound.get("death_match"), sound.get("leg_number")
        # What is at fault is not missing.
        at_fault = self.initial_data.keys() - sound.keys()
        if "death_match" not in at_fault:
            with faults.of():
                must_be_leg_of(death_match, number)
            with faults.of():
                must_be_for_one(season, giver, caller, death_match)
            if "leg_number" not in at_fault:
                with faults.of():
                    must_be_for_one_leg(season, giver, death_match, number)
        yield from faults.refused


@extend_schema_view(
    get=extend_schema(operation_id="season_items", tags=TAG, summary="Items given in a season")
)
class GiftsView(GiftsReading):
    """The items of a season with their history."""

    scopes = OWN_OR_ORGANISE

    def authorise(self, request: Request, slug: str) -> Season:
        """The season, for those who play in it and those who run it."""
        caller = signed_in(request)
        season = season_for(slug, caller)
        own = audience.contestant_of(season, caller) is not None
        require_play_or_organise(request, own=own)
        must_take_part(season, caller)
        return season

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
        season: Season = self.about
        given = body_of(
            self,
            NewGiftSerializer,
            contestants=contestants_of(season),
            death_matches=death_matches_among(DeathMatch.objects.filter(round__season=season)),
        )
        giver = given.get("giver")
        require_play_or_organise(request, own=giver is not None and giver.user_id == caller.pk)
        gift = item_give(acting_user=caller, season=season, **given)
        shown = self.get_queryset().get(pk=gift.pk)
        return Response(GiftSerializer(shown).data, status=201)


class TakeBackView(ApiView):
    """An item goes back."""

    scopes = ORGANISE

    def authorise(self, request: Request, slug: str, gift_id: int) -> Gift:
        """The gift, for those who run the season and do not meet its receiver."""
        caller = signed_in(request)
        rows = _gifts_of(season_for(slug, caller), caller)
        gift = row_of(rows, gift_id, "item.none", "There is no such item.")
        must_manage(gift.season, caller)
        must_not_meet(gift.receiver, caller)
        return gift

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
        gift: Gift = self.about
        given = body_of(self, WhySerializer)
        caller = signed_in(request)
        item_take_back(acting_user=caller, gift=gift, why=given["why"])
        return Response(GiftSerializer(_gifts_of(gift.season, caller).get(pk=gift.pk)).data)
