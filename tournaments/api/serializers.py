"""How things of a season look in the API: public facts only.

What is prepared for a match, who declared which item and everything else that is secret until a
match begins has no field here.
"""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from games.api.serializers import GameValidation
from tournaments.items.catalogue import item_of
from tournaments.models import (
    Contestant,
    DeathMatch,
    Episode,
    Gift,
    ItemEvent,
    Leg,
    MainMatchPicture,
    Placement,
    Round,
    Season,
    SeasonEvent,
)
from tournaments.reading.scores import score_sheet, sees_winnings
from tournaments.services.pictures import OWNERS

NO_ACCOUNT = (
    "Null without an account here: its organisers gave the name, for a place that they hold, or "
    "another installation, with the season. It is nobody's on this site, whatever it looks like."
)


class PersonField(serializers.Serializer[Any]):
    """A contestant in a few words."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    username = serializers.SerializerMethodField(help_text=NO_ACCOUNT)

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_username(self, contestant: Contestant) -> str | None:
        return contestant.user.username if contestant.user else None


class PictureField(serializers.Serializer[Any]):
    """A picture, as WebP; where it is never changes, and another picture is elsewhere."""

    alt = serializers.CharField(help_text="What it shows.")
    sizes = serializers.DictField(
        child=serializers.URLField(), help_text="Its addresses, by their widths in pixels."
    )


def picture_shown(
    owner: Season | Contestant | MainMatchPicture, request: Any
) -> dict[str, Any] | None:
    """What is told of the picture of a season, a contestant or a main match."""
    picture = owner.picture
    if picture is None:
        return None
    named = owner.shown_name if isinstance(owner, Contestant) else str(owner)
    return {
        "alt": picture.alt or named,
        "sizes": {
            str(width): request.build_absolute_uri(picture.address(width))
            for width in OWNERS[type(owner)].shape.widths
        },
    }


class ContestantSerializer(serializers.ModelSerializer[Contestant]):
    """A contestant of a season."""

    username = serializers.SerializerMethodField(help_text=NO_ACCOUNT)
    replaces = serializers.PrimaryKeyRelatedField[Contestant](read_only=True, allow_null=True)
    picture = serializers.SerializerMethodField()

    class Meta:
        model = Contestant
        fields = (
            "id", "name", "username", "seed", "status", "since_round", "place", "replaces",
            "enrolled_at", "left_at", "picture",
        )  # fmt: skip

    @extend_schema_field(PictureField(allow_null=True))
    def get_picture(self, contestant: Contestant) -> dict[str, Any] | None:
        """Their picture, square."""
        return picture_shown(contestant, self.context["request"])

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_username(self, contestant: Contestant) -> str | None:
        return contestant.user.username if contestant.user else None


class RepertoireSerializer(GameValidation):
    """One way in which a season's matches may be played."""

    ruleset = serializers.CharField(max_length=40)
    variant = serializers.CharField(max_length=40)
    options = serializers.DictField(required=False)


class SeasonLinksSerializer(serializers.Serializer[dict[str, Any]]):
    """Where a season is, and what belongs to it."""

    view = serializers.URLField(help_text="The season, here.")
    page = serializers.URLField(help_text="For people.")
    contestants = serializers.URLField()
    standings = serializers.URLField()
    bracket = serializers.URLField()
    rounds = serializers.URLField()
    items = serializers.URLField()
    events = serializers.URLField()
    leaderboard = serializers.URLField()
    records = serializers.URLField()


_PARTS = [name for name in SeasonLinksSerializer().get_fields() if name not in ("view", "page")]


class SeasonSerializer(serializers.ModelSerializer[Season]):
    """A season."""

    url = serializers.CharField(
        source="get_absolute_url",
        read_only=True,
        help_text="The path of its page; `links` has whole addresses.",
    )
    links = serializers.SerializerMethodField()
    organisers = serializers.SerializerMethodField(help_text="Usernames.")
    winner = PersonField(read_only=True, allow_null=True)
    picture = serializers.SerializerMethodField()
    repertoire = RepertoireSerializer(many=True, read_only=True)
    tie_breaks = serializers.ListField(child=serializers.CharField(), read_only=True)
    format_options = serializers.DictField(read_only=True)
    trade = serializers.DictField(
        read_only=True, help_text="What is traded in it; empty: nothing is."
    )

    class Meta:
        model = Season
        fields = (
            "slug", "uid", "name", "summary", "url", "format", "format_options", "visibility",
            "status", "open_enrolment", "by_application", "places", "repertoire",
            "ruleset_choice", "pace", "tie_breaks", "no_show_minutes", "no_show_rule", "late_s",
            "times_by", "play_within_days", "secret_gifts", "trade", "predictions", "organisers",
            "winner", "picture",
            "created_at", "started_at", "finished_at", "changed_at", "links",
        )  # fmt: skip
        read_only_fields = fields

    @extend_schema_field(SeasonLinksSerializer)
    def get_links(self, season: Season) -> dict[str, str]:
        """Addresses."""
        absolute = self.context["request"].build_absolute_uri
        return {
            "view": absolute(reverse("api:season", args=[season.slug])),
            "page": absolute(season.get_absolute_url()),
            **{
                part: absolute(reverse(f"api:season_{part}", args=[season.slug])) for part in _PARTS
            },
        }

    @extend_schema_field(PictureField(allow_null=True))
    def get_picture(self, season: Season) -> dict[str, Any] | None:
        """Its picture, 1200 to 630."""
        if season.picture is not None:
            season.picture.season = season
        return picture_shown(season, self.context["request"])

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_organisers(self, season: Season) -> list[str]:
        return [each.user.username for each in season.organisers.all()]


class PlacementSerializer(serializers.ModelSerializer[Placement]):
    """How a contestant came off in the main match."""

    contestant = PersonField(read_only=True)

    class Meta:
        model = Placement
        fields = ("contestant", "place", "immune")


class ScoreColumnSerializer(serializers.Serializer[Any]):
    """A column of a table of scores."""

    name = serializers.CharField()
    counts = serializers.BooleanField(help_text="Whether it is part of the total.")
    decides = serializers.IntegerField(
        help_text="In which turn it breaks ties, from 1; 0: it does not."
    )
    low = serializers.BooleanField(help_text="Whether the lowest is the best there.")
    wins = serializers.BooleanField(
        help_text="Whether it is what somebody wins of the season's currency. Where what everybody "
        "has is hidden the column is there for those who see it."
    )


class ScoreLineSerializer(serializers.Serializer[Any]):
    """What somebody has in each column."""

    contestant = PersonField(read_only=True)
    cells = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        help_text="Decimals as text, one for each column; empty where there is nothing.",
    )
    total = serializers.CharField(help_text="The sum of what counts; empty where nothing does.")
    note = serializers.CharField()


class ScoresSerializer(serializers.Serializer[Any]):
    """The scores of a main match, the best first."""

    about = serializers.CharField(source="row.about", help_text="How the game goes.")
    recorded_at = serializers.DateTimeField(
        source="row.recorded_at",
        allow_null=True,
        help_text="When the placement was recorded by them. Null: they are shown as they stand.",
    )
    columns = ScoreColumnSerializer(many=True)
    rows = ScoreLineSerializer(many=True, source="lines")


class EpisodeSerializer(serializers.ModelSerializer[Episode]):
    """What an elimination season's round is about."""

    ec = PersonField(read_only=True, allow_null=True, help_text="The elimination candidate.")
    dmo = PersonField(read_only=True, allow_null=True, help_text="The death-match opponent.")
    placements = PlacementSerializer(many=True, read_only=True)
    scores = serializers.SerializerMethodField(
        help_text="The scores of the main match, as far as everybody sees them; null: none."
    )

    pictures = serializers.SerializerMethodField(
        help_text="Pictures of the main match in order, as far as everybody sees them."
    )

    class Meta:
        model = Episode
        fields = (
            "status", "main_match", "notes", "ec", "dmo", "choose_by", "chosen_at", "placements",
            "scores", "pictures",
        )  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Asked once for each season, not for each of its episodes.
        self._sees: dict[int, bool] = {}

    @extend_schema_field(PictureField(many=True))
    def get_pictures(self, episode: Episode) -> list[Any]:
        """Four by three."""
        request = self.context["request"]
        return [picture_shown(each, request) for each in episode.pictures.all()]

    @extend_schema_field(ScoresSerializer(allow_null=True))
    def get_scores(self, episode: Episode) -> Any:
        """The table, for whoever asks."""
        table = getattr(episode, "scores", None)
        if table is None:
            return None
        season = episode.round.season
        if season.pk not in self._sees:
            self._sees[season.pk] = sees_winnings(season, self.context["request"].user)
        rows = list(table.rows.all())
        sheet = score_sheet(table, rows, sees_winnings=self._sees[season.pk])
        return ScoresSerializer(sheet, context=self.context).data


class BroughtSerializer(serializers.Serializer[Any]):
    """An item that was brought into a match."""

    gift = serializers.IntegerField()
    seat = serializers.IntegerField()
    item = serializers.CharField(help_text="An id of the catalogue.")
    target = serializers.IntegerField(
        allow_null=True, help_text="Of Copy and Block: the gift that it is for."
    )


class ItemStepSerializer(serializers.Serializer[Any]):
    """What Copy and Block did, in order."""

    what = serializers.ChoiceField(choices=["blocked", "copied", "no-effect"])
    gift = serializers.IntegerField(allow_null=True, help_text="To which gift.")
    by = serializers.IntegerField(help_text="By which gift.")
    words = serializers.CharField()


class LegItemsSerializer(serializers.Serializer[Any]):
    """The items of a match that has begun."""

    brought = BroughtSerializer(many=True)
    steps = ItemStepSerializer(many=True)
    held = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        min_length=2,
        max_length=2,
        help_text="What home and away hold in the end: ids.",
    )


class LegSerializer(serializers.ModelSerializer[Leg]):
    """One match of a death match."""

    ready = serializers.SerializerMethodField(help_text="Whether home and away are ready.")
    options = serializers.DictField(read_only=True)
    items = LegItemsSerializer(
        read_only=True, allow_null=True, help_text="Null before it begins, and without items."
    )
    match = serializers.PrimaryKeyRelatedField(  # type: ignore[var-annotated]
        read_only=True, allow_null=True, help_text="`/matches/{id}/`, once it has begun."
    )

    waits_until = serializers.IntegerField(
        source="match.waits_until",
        read_only=True,
        allow_null=True,
        default=None,
        help_text="As its match has it: set while that waits for both players, in ms since 1970, "
        "and kept where they did not come.",
    )

    class Meta:
        model = Leg
        fields = (
            "id", "number", "attempt", "status", "ruleset", "variant", "options", "advantage",
            "scheduled_at", "ready", "items", "match", "waits_until", "winner_seat", "how",
            "started_at", "finished_at",
        )  # fmt: skip

    @extend_schema_field(
        serializers.ListField(child=serializers.BooleanField(), min_length=2, max_length=2)
    )
    def get_ready(self, leg: Leg) -> list[bool]:
        return [leg.home_ready_at is not None, leg.away_ready_at is not None]


class DeathMatchLinksSerializer(serializers.Serializer[dict[str, Any]]):
    """Where a death match is."""

    view = serializers.URLField(help_text="The death match, here.")
    page = serializers.URLField(help_text="For people.")
    season = serializers.URLField(help_text="Its season, here.")


class DeathMatchSerializer(serializers.ModelSerializer[DeathMatch]):
    """Two contestants meet. `home` has seat 0, `away` seat 1."""

    season = serializers.CharField(source="round.season.slug", read_only=True)
    round = serializers.IntegerField(source="round.number", read_only=True)
    url = serializers.CharField(
        source="get_absolute_url",
        read_only=True,
        help_text="The path of its page; `links` has whole addresses.",
    )
    links = serializers.SerializerMethodField()
    home = PersonField(read_only=True, allow_null=True)
    away = PersonField(read_only=True, allow_null=True)
    winner = PersonField(read_only=True, allow_null=True)
    legs = LegSerializer(many=True, read_only=True)

    class Meta:
        model = DeathMatch
        fields = (
            "id", "url", "season", "round", "number", "key", "home", "away", "best_of", "status",
            "winner", "how", "home_score", "away_score", "why", "decided_at", "legs", "links",
        )  # fmt: skip

    @extend_schema_field(DeathMatchLinksSerializer)
    def get_links(self, death_match: DeathMatch) -> dict[str, str]:
        """Addresses."""
        absolute = self.context["request"].build_absolute_uri
        season = death_match.round.season.slug
        return {
            "view": absolute(reverse("api:death_match", args=[death_match.pk])),
            "page": absolute(death_match.get_absolute_url()),
            "season": absolute(reverse("api:season", args=[season])),
        }


class RoundSerializer(serializers.ModelSerializer[Round]):
    """A round: an episode, a round of pairings, the final."""

    episode = EpisodeSerializer(read_only=True, allow_null=True)
    death_matches = DeathMatchSerializer(many=True, read_only=True)
    options = serializers.DictField(read_only=True)

    class Meta:
        model = Round
        fields = (
            "number", "name", "is_final", "status", "ruleset", "variant", "options", "opened_at",
            "closed_at", "episode", "death_matches",
        )  # fmt: skip

    def to_representation(self, instance: Round) -> dict[str, Any]:
        # A round without an episode has no row there, which would count as "not there" at all.
        shown: dict[str, Any] = super().to_representation(instance)
        if "episode" in self.fields:
            shown.setdefault("episode", None)
        return shown


class ItemEventSerializer(serializers.ModelSerializer[ItemEvent]):
    """One line of an item's history."""

    leg = serializers.PrimaryKeyRelatedField[Leg](read_only=True, allow_null=True)

    class Meta:
        model = ItemEvent
        fields = ("kind", "words", "leg", "at")


class GiftSerializer(serializers.ModelSerializer[Gift]):
    """An item that somebody holds or held."""

    name = serializers.SerializerMethodField()
    giver = PersonField(read_only=True, allow_null=True, help_text="Null: granted by an organiser.")
    receiver = PersonField(read_only=True)
    death_match = serializers.PrimaryKeyRelatedField[DeathMatch](
        read_only=True, allow_null=True, help_text="What it is for. Null: any match."
    )
    history = ItemEventSerializer(many=True, read_only=True)

    class Meta:
        model = Gift
        fields = (
            "id", "item", "name", "ruleset", "giver", "receiver", "death_match", "leg_number",
            "note", "secret", "revealed_at", "status", "given_at", "history",
        )  # fmt: skip

    @extend_schema_field(serializers.CharField())
    def get_name(self, gift: Gift) -> str:
        return item_of(gift.item, gift.ruleset).name


class SeasonEventSerializer(serializers.ModelSerializer[SeasonEvent]):
    """Something that happened."""

    round = serializers.IntegerField(
        source="round.number", read_only=True, allow_null=True, default=None
    )
    data = serializers.DictField(  # type: ignore[assignment]
        read_only=True, help_text="More about it, by kind."
    )

    class Meta:
        model = SeasonEvent
        fields = (
            "id", "kind", "words", "data", "round", "death_match", "leg", "contestant", "at",
        )  # fmt: skip
        read_only_fields = fields


class CatalogueSerializer(serializers.Serializer[Any]):
    """An item that can be given."""

    id = serializers.CharField()
    ruleset = serializers.CharField(help_text="Empty: Copy and Block, for every ruleset.")
    name = serializers.CharField()
    text = serializers.CharField(help_text="What it does.")
    copyable = serializers.BooleanField()
    blockable = serializers.BooleanField()
    variants = serializers.ListField(
        child=serializers.CharField(), help_text="Where it works. Empty: in every variant."
    )


class MetricSerializer(serializers.Serializer[Any]):
    """What a column of the standings counts."""

    key = serializers.CharField()
    name = serializers.CharField()
    abbreviation = serializers.CharField()
    explanation = serializers.CharField()


class StandingSerializer(serializers.Serializer[Any]):
    """One contestant's line."""

    rank = serializers.IntegerField()
    shared = serializers.BooleanField(help_text="Nothing could separate them from others.")
    contestant = PersonField()
    values = serializers.ListField(
        child=serializers.CharField(allow_null=True),
        help_text="In the order of `metrics`; whole numbers or fractions such as `7/2`. Null: did "
        "not apply.",
    )
    why = serializers.CharField(help_text="What the rank rests on.")


class StandingsSerializer(serializers.Serializer[Any]):
    """How a season stands."""

    metrics = MetricSerializer(many=True)
    rows = StandingSerializer(many=True)


class SourceSerializer(serializers.Serializer[Any]):
    """Where a side of a bracket comes from."""

    kind = serializers.ChoiceField(choices=["seed", "winner", "loser"])
    of = serializers.CharField(help_text="Of a seed its number; else the `key` of a match.")


class BracketMatchSerializer(serializers.Serializer[Any]):
    """A match of a bracket, whether it can be played already or not."""

    key = serializers.CharField()
    round = serializers.IntegerField(help_text="From 1, the final's is the last.")
    slot = serializers.IntegerField(help_text="Within the round, from 0, top to bottom.")
    third_place = serializers.BooleanField()
    home_from = SourceSerializer()
    away_from = SourceSerializer(allow_null=True, help_text="Null: home has a bye.")
    home = PersonField(allow_null=True, help_text="Null while it is not known.")
    away = PersonField(allow_null=True)
    winner = PersonField(allow_null=True)
    death_match = serializers.IntegerField(
        allow_null=True, help_text="`/death-matches/{id}/`; null for byes."
    )


class BracketSerializer(serializers.Serializer[Any]):
    """A bracket; empty for other formats and before the start."""

    champion = PersonField(allow_null=True)
    matches = BracketMatchSerializer(many=True)
