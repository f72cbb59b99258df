"""How matches and challenges look in lists. What a match looks like from inside is a view
(`docs/views.md`), and comes from `games.reading.matches`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

from accounts.api.callers import signed_in
from accounts.api.serializers import PersonSerializer, UsernameField
from core.api.bodies import InstantField
from core.refusals import Refusal, Together
from games.models import Challenge, HostedMatch, Match, MatchPlayer
from games.options import hosting
from games.options.late import DELAYS, must_be_a_delay
from games.options.terms import (
    counting_terms,
    counts,
    is_rated,
    supplied_by_challenger,
    terms_of,
)
from games.services.challenges import must_answer, must_be_another, must_be_open_to
from games.services.hosting import ITEMS_AT_MOST, MESSAGE_MAX, must_be_three
from games.services.matches import game_of


class PlayerSerializer(serializers.ModelSerializer[MatchPlayer]):
    """Who sits where."""

    username = serializers.CharField(
        source="user.username", default=None, allow_null=True, help_text="Null: not of this site."
    )
    is_bot = serializers.BooleanField(source="user.is_bot", default=False)

    class Meta:
        model = MatchPlayer
        fields = ("seat", "name", "username", "is_bot")
        extra_kwargs = {"name": {"help_text": "The name at the time of the match."}}


class LinksSerializer(serializers.Serializer[dict[str, Any]]):
    """Where more of a match is."""

    view = serializers.URLField(help_text="The match as you may see it.")
    log = serializers.URLField()
    page = serializers.URLField(help_text="For people.")
    picture = serializers.URLField(help_text="The board as SVG.")
    picture_png = serializers.URLField(help_text="The board as PNG.")
    record = serializers.URLField(allow_null=True, help_text="Once the match is over.")


class MatchSerializer(serializers.ModelSerializer[Match]):
    """A match from outside: what everybody may know at any time.

    Nothing here depends on what has been chosen in secret: no deadlines, no counts of entries, no
    scores before the end.
    """

    players = PlayerSerializer(many=True)
    scores = serializers.ListField(
        child=serializers.IntegerField(), help_text="By seat; empty before the end."
    )
    links = serializers.SerializerMethodField()
    options = serializers.DictField(help_text="Only what differs from the ruleset's defaults.")
    rated = serializers.SerializerMethodField(
        help_text="False where it is casual, whoever offered it brought something of their own, it "
        "was too short, or it was ruled since that it counts for nobody."
    )
    terms = serializers.SerializerMethodField(
        help_text="Why it counts for no rating, or for another winner than it was played, in words"
        ". Empty: it counts as it was played."
    )

    class Meta:
        model = Match
        fields = (
            "id", "ruleset", "variant", "options", "source", "rated", "terms", "late_s", "status",
            "paused", "players", "waits_until", "winner", "reason", "scores", "created_at",
            "finished_at", "links",
        )  # fmt: skip
        extra_kwargs = {
            "waits_until": {
                "help_text": "Set while it waits for both players, in ms since 1970, and kept "
                "where they did not come: it is void then."
            },
            "winner": {"help_text": "A seat; null before the end, and for a void match."},
            "reason": {"help_text": "How it ended; empty before the end."},
        }

    def get_rated(self, match: Match) -> bool:
        """Imported ones name nobody of this site."""
        return counts(match)

    def get_terms(self, match: Match) -> str:
        """With the reason of a ruling, which is public."""
        return counting_terms(match)

    @extend_schema_field(LinksSerializer)
    def get_links(self, match: Match) -> dict[str, str | None]:
        """Addresses."""
        absolute = self.context["request"].build_absolute_uri

        def address(name: str) -> str:
            found: str = absolute(reverse(name, args=[match.pk]))
            return found

        return {
            "view": address("api:match"),
            "log": address("api:match_log"),
            "page": address("games:match"),
            "picture": address("games:board"),
            "picture_png": address("games:board_png"),
            "record": address("api:record") if match.is_over else None,
        }


class ChallengeLinksSerializer(serializers.Serializer[dict[str, Any]]):
    """Where a challenge is."""

    view = serializers.URLField(help_text="The challenge, here.")
    page = serializers.URLField(help_text="For people.")
    invite = serializers.URLField(
        required=False,
        help_text="Only of one by a link, and only for its challenger: who has this may accept.",
    )


class ChallengeSerializer(serializers.ModelSerializer[Challenge]):
    """An offer to play."""

    links = serializers.SerializerMethodField()
    challenger = PersonSerializer()
    opponent = PersonSerializer(
        allow_null=True, help_text="Null: anybody may accept, or whoever has the link."
    )
    open_to = serializers.SerializerMethodField(
        help_text="Who may accept: `anybody`, `player` or, whoever has it, `link`."
    )
    match = serializers.PrimaryKeyRelatedField[Match](
        read_only=True, allow_null=True, help_text="The match, once it is accepted."
    )
    options = serializers.DictField(help_text="Only what differs from the ruleset's defaults.")
    supplied = serializers.SerializerMethodField(
        help_text="What the challenger supplies instead of having it drawn, by name."
    )
    rated = serializers.SerializerMethodField(help_text="Whether the match would count.")
    terms = serializers.SerializerMethodField(
        help_text="Why it would count for no rating: that it is casual, or what the challenger "
        "brings for themselves. Empty: it would."
    )

    class Meta:
        model = Challenge
        fields = (
            "id", "challenger", "opponent", "open_to", "challenger_seat", "ruleset", "variant",
            "options", "advantage", "supplied", "rated", "terms", "late_s", "message", "status",
            "created_at", "expires_at", "match", "rematch_of", "links",
        )  # fmt: skip

    @extend_schema_field(serializers.ChoiceField(choices=["anybody", "player", "link"]))
    def get_open_to(self, challenge: Challenge) -> str:
        if challenge.is_by_link:
            return "link"
        return "anybody" if challenge.opponent_id is None else "player"

    def get_supplied(self, challenge: Challenge) -> list[str]:
        """Never what it is: only what kind of thing."""
        return supplied_by_challenger(challenge)

    def get_rated(self, challenge: Challenge) -> bool:
        return is_rated(challenge)

    def get_terms(self, challenge: Challenge) -> str:
        return terms_of(challenge)

    @extend_schema_field(ChallengeLinksSerializer)
    def get_links(self, challenge: Challenge) -> dict[str, str]:
        """Addresses."""
        request = self.context["request"]
        absolute = request.build_absolute_uri
        links = {
            "view": absolute(reverse("api:challenge", args=[challenge.pk])),
            "page": absolute(challenge.get_absolute_url()),
        }
        if challenge.is_by_link and challenge.challenger_id == request.user.pk:
            links["invite"] = absolute(challenge.get_invite_url())
        return links


class OpponentField(UsernameField):
    """Who is challenged."""

    none = ("challenge.opponent-none", "There is nobody called {}.")


LATE_HELP: Final = (
    f"By how many seconds spectators see a match late: {', '.join(str(each) for each in DELAYS)}."
)


class GameValidation(serializers.Serializer[Any]):
    """Mixed into what has `ruleset` and `variant`, and perhaps `options`: a game to be played."""

    at_fault: ClassVar[Mapping[str, str]] = {
        "setup.ruleset": "ruleset",
        "setup.variant": "variant",
        "setup.options": "options",
    }

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Whether there is such a game: what hangs on the ruleset only where that is known."""
        faults = Together()
        if sound.get("ruleset"):
            with faults.of():
                game_of(sound["ruleset"], sound.get("variant"), sound.get("options", {}))
        with faults.of():
            must_be_a_delay(sound.get("late_s", 0))
        yield from faults.refused


class NewChallengeSerializer(GameValidation):
    """What is offered."""

    at_fault: ClassVar[Mapping[str, str]] = {
        **GameValidation.at_fault,
        "challenge.yourself": "opponent",
        "challenge.house-bot": "opponent",
        "challenge.open-to": "open_to",
        "challenge.link-names-somebody": "opponent",
        "challenge.advantage": "advantage",
        "challenge.message-too-long": "message",
        "setup.late": "late_s",
        "challenge.duration": "lasts_s",
    }

    ruleset = serializers.CharField(max_length=40)
    variant = serializers.CharField(max_length=40)
    opponent = OpponentField(
        max_length=20, required=False, help_text="A username. Without: anybody may accept."
    )
    open_to = serializers.ChoiceField(
        choices=["anybody", "player", "link"],
        required=False,
        help_text="Without: the player who is named, or anybody. `link`: whoever has the address "
        "that the answer gives as `links.invite`, once.",
    )
    options = serializers.DictField(
        required=False, help_text="What differs from the defaults; see the ruleset's schema."
    )
    advantage = serializers.ChoiceField(
        choices=Challenge.Advantage.choices, default=Challenge.Advantage.LOT.value
    )
    rated = serializers.BooleanField(
        default=True, help_text="False: casual, the match counts for no rating."
    )
    late_s = serializers.IntegerField(
        min_value=0, max_value=max(DELAYS), default=0, help_text=LATE_HELP
    )
    message = serializers.CharField(max_length=200, required=False, allow_blank=True)
    lasts_s = serializers.IntegerField(
        min_value=60,
        max_value=30 * 86_400,
        required=False,
        help_text="For how many seconds it stays open.",
    )

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Nobody challenges themselves, or a bot that answers nobody."""
        yield from super().validation_faults(sound)
        faults = Together()
        with faults.of():
            must_be_another(signed_in(self.context["request"]), sound.get("opponent"))
        with faults.of():
            must_answer(sound.get("opponent"))
        # Whoever is named and is not to be found is told of as that alone.
        if ("opponent" in sound) == ("opponent" in self.initial_data):
            with faults.of():
                must_be_open_to(sound.get("open_to"), sound.get("opponent"))
        yield from faults.refused


class HeldItemSerializer(serializers.Serializer[Any]):
    """One use of an item."""

    seat = serializers.IntegerField(min_value=0, max_value=1)
    item = serializers.CharField(max_length=40, help_text="As `items` of the ruleset has it.")


class InvitedSerializer(PersonSerializer):
    """Who is invited."""

    accepted = serializers.BooleanField(read_only=True)

    class Meta(PersonSerializer.Meta):
        fields = (*PersonSerializer.Meta.fields, "accepted")  # type: ignore[assignment]


class HostedMatchSerializer(serializers.ModelSerializer[HostedMatch]):
    """A match between two others to which an organiser has invited them."""

    links = serializers.SerializerMethodField()
    host = PersonSerializer()
    players = serializers.SerializerMethodField(help_text="By seat, and who has accepted.")
    match = serializers.PrimaryKeyRelatedField[Match](
        read_only=True, allow_null=True, help_text="The match, once it is called."
    )
    options = serializers.DictField(help_text="Only what differs from the ruleset's defaults.")
    items = HeldItemSerializer(many=True)
    supplied = serializers.SerializerMethodField(
        help_text="What the host supplies instead of having it drawn, by name."
    )
    rated = serializers.SerializerMethodField(
        help_text="Whether the match would count: it was asked for, the host supplies nothing and "
        "has named nobody for the advantage."
    )
    terms = serializers.SerializerMethodField(help_text="What the players should know, in words.")
    ended_by = PersonSerializer(allow_null=True, help_text="Who declined or cancelled it.")

    class Meta:
        model = HostedMatch
        fields = (
            "id", "host", "players", "ruleset", "variant", "options", "items", "advantage",
            "supplied", "rated", "terms", "late_s", "message", "starts_at", "status", "ended_by",
            "why", "created_at", "expires_at", "match", "links",
        )  # fmt: skip

    def get_supplied(self, hosted: HostedMatch) -> list[str]:
        """Never what it is: only what kind of thing."""
        return hosting.supplied_by_host(hosted)

    def get_rated(self, hosted: HostedMatch) -> bool:
        return hosting.is_rated(hosted)

    def get_terms(self, hosted: HostedMatch) -> str:
        return hosting.terms_of(hosted)

    @extend_schema_field(InvitedSerializer(many=True))
    def get_players(self, hosted: HostedMatch) -> list[dict[str, Any]]:
        """Both, by seat."""
        return [
            {**PersonSerializer(player).data, "accepted": hosted.has_accepted(seat)}
            for seat, player in enumerate((hosted.first, hosted.second))
        ]

    @extend_schema_field(ChallengeLinksSerializer)
    def get_links(self, hosted: HostedMatch) -> dict[str, str]:
        """Addresses."""
        absolute = self.context["request"].build_absolute_uri
        return {
            "view": absolute(reverse("api:hosted", args=[hosted.pk])),
            "page": absolute(hosted.get_absolute_url()),
        }


class InvitedField(UsernameField):
    """Who is invited."""

    none = ("hosted.player-none", "There is nobody called {}.")


class NewHostedMatchSerializer(GameValidation):
    """To what two others are invited."""

    at_fault: ClassVar[Mapping[str, str]] = {
        **GameValidation.at_fault,
        "hosted.items": "items",
        "setup.item": "items",
        "hosted.advantage": "advantage",
        "hosted.start": "starts_at",
        "hosted.duration": "lasts_s",
        "hosted.message-too-long": "message",
        "setup.late": "late_s",
    }

    first = InvitedField(max_length=20, help_text="A username: who has seat 0.")
    second = InvitedField(max_length=20, help_text="A username: who has seat 1.")
    ruleset = serializers.CharField(max_length=40)
    variant = serializers.CharField(max_length=40)
    options = serializers.DictField(
        required=False, help_text="What differs from the defaults; see the ruleset's schema."
    )
    items = serializers.ListField(
        child=HeldItemSerializer(),
        required=False,
        max_length=ITEMS_AT_MOST,
        help_text="What each seat brings.",
    )
    advantage = serializers.IntegerField(
        min_value=0,
        max_value=1,
        required=False,
        allow_null=True,
        help_text="The seat that has it. Without: drawn by lot, or given by items.",
    )
    rated = serializers.BooleanField(
        default=False,
        help_text="It counts for no rating all the same where the host supplies something or names "
        "who has the advantage.",
    )
    late_s = serializers.IntegerField(
        min_value=0, max_value=max(DELAYS), default=0, help_text=LATE_HELP
    )
    message = serializers.CharField(max_length=MESSAGE_MAX, required=False, allow_blank=True)
    starts_at = InstantField(
        required=False, allow_null=True, help_text="Without: as soon as both have accepted."
    )
    lasts_s = serializers.IntegerField(
        min_value=60,
        max_value=30 * 86_400,
        required=False,
        help_text="For how many seconds it stays open, where it begins at no time.",
    )

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """Nobody is named twice, and the game has these items."""
        yield from super().validation_faults(sound)
        yield from _unknown_items(sound)
        faults = Together()
        with faults.of():
            caller = signed_in(self.context["request"])
            must_be_three(caller, sound.get("first"), sound.get("second"))
        yield from faults.refused


def _unknown_items(sound: Mapping[str, Any]) -> Iterator[ValidationError]:
    """Every item that the variant does not have; nothing where there is no such variant."""
    try:
        ruleset, _options = game_of(sound.get("ruleset", ""), sound.get("variant", ""), {})
    except Refusal:
        return
    wrong: dict[str, Any] = {}
    for number, row in enumerate(sound.get("items", ())):
        if isinstance(row, Mapping) and "item" in row:
            try:
                ruleset.item(row["item"], sound["variant"])
            except Refusal as refusal:
                said = ErrorDetail(refusal.sentence, code=refusal.code)
                wrong[str(number)] = {"item": [said]}
    if wrong:
        yield ValidationError({"items": wrong})
