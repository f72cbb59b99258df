"""Seasons in the admin site: to be searched and read. What can be done here calls services."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.admin.search import Former, about_people, details_name, was_about_people
from accounts.models import AuditEntry
from accounts.roles import is_moderator
from core.admin.actions import ActionsAdmin
from core.admin.links import list_address, row_link, row_links
from core.admin.readers import ModeratorView, ReadOnly, person
from tournaments.actions.pictures import PICTURE, AtPicture
from tournaments.actions.seasons import MODERATED, SEASONS
from tournaments.actions.subjects import AtSeason
from tournaments.models import (
    Contestant,
    DeathMatch,
    Episode,
    Gift,
    ItemEvent,
    Leg,
    MainMatchPicture,
    Picture,
    Season,
    SeasonEvent,
    SeasonMessage,
)
from tournaments.reading.sheet import Sheet
from tournaments.services.guards import heirs_of
from tournaments.services.pictures import owner_of

# What a search of the audit log for a person finds.
_PLACES: dict[type[Model], tuple[str, ...]] = {
    DeathMatch: ("home", "away"),
    Leg: ("death_match__home", "death_match__away"),
    Episode: ("ec", "dmo", "placements__contestant", "scores__rows__contestant"),
    Gift: ("receiver",),
}


def _had_places(*sides: str) -> Former:
    """Rows with a place that somebody took over from people, and the entry of that action: what was
    done before was done to whoever had the place then, too."""

    def find(keys: Sequence[Any]) -> Iterator[tuple[Q, int]]:
        for heir in Contestant.objects.filter(replaces__user__in=keys):
            heirs = {heir.pk, *heirs_of([heir.pk])}
            taken = AuditEntry.objects.filter(
                action="contestant.replace",
                target_type=Contestant._meta.label_lower,
                target_id=str(heir.pk),
            ).first()
            if taken is not None:
                yield reduce(or_, (Q(**{f"{side}__in": heirs}) for side in sides)), taken.pk

    return find


about_people(Contestant, "user")
for _model, _sides in _PLACES.items():
    about_people(_model, *(f"{_side}__user" for _side in _sides))
    was_about_people(_model, _had_places(*_sides))
about_people(Gift, "giver__user", "receiver__user")
details_name(Season, Contestant, "user", "$.winner", "$.keyvalue().key")
details_name(Contestant, Contestant, "user", "$.replaces")
details_name(DeathMatch, Contestant, "user", "$.winner", "$.from", "$.to", "$.challenger",
             "$.defender")  # fmt: skip
details_name(Leg, Contestant, "user", "$.absent")
details_name(Episode, Contestant, "user", "$.ec", "$.dmo", "$.placements[*][0]",
             "$.changed[*][0]")  # fmt: skip
details_name(Gift, Contestant, "user", "$.receiver")


class _SeasonPart(ModeratorView, ReadOnly, ActionsAdmin, admin.ModelAdmin):
    """Rows of a season. Drafts are for their organisers: moderators have nothing to do there."""

    of_season = "season"
    lookups: ClassVar[tuple[str, ...]] = ("season__id__exact",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        seen = Season.objects.visible_to(request.user)
        return rows.filter(**{f"{self.of_season}__in": seen})


class _PartInline(ReadOnly, admin.TabularInline):
    """Rows below another row, for everybody who may see that one."""

    extra = 0
    can_delete = False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_moderator(request.user) or super().has_view_permission(request, obj)


class ContestantInline(_PartInline):
    model = Contestant
    fk_name = "season"
    fields = ("seed", "name", "account", "status", "place")
    readonly_fields = ("account",)
    ordering = ("seed", "pk")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Contestant]:
        rows: QuerySet[Contestant] = super().get_queryset(request)
        return rows.select_related("user", "season")

    @admin.display(description="account")
    def account(self, contestant: Contestant) -> SafeString:
        """Whose place it is."""
        return row_link(contestant.user)


@admin.register(Season)
class SeasonAdmin(ModeratorView, ReadOnly, ActionsAdmin, admin.ModelAdmin):
    """Seasons: archived and listed by moderators, called off by those who run them."""

    list_display = ("name", "format", "status", "visibility", "run_by", "created_at")
    list_filter = ("status", "visibility", "format", "open_enrolment")
    search_fields = ("name", "slug", "contestants__name", "organisers__user__username")
    search_help_text = "The name of a season, a contestant or an organiser."
    date_hierarchy = "created_at"
    fields = (
        "name", "slug", "uid", "summary", "format", "format_options", "visibility", "status",
        "run_by", "open_enrolment", "by_application", "places", "repertoire", "ruleset_choice",
        "pace", "tie_breaks", "no_show_minutes", "no_show_rule", "late_s", "times_by",
        "play_within_days", "secret_gifts", "trade", "predictions", "winner", "created_at",
        "started_at", "finished_at",
    )  # fmt: skip
    readonly_fields = ("run_by",)
    inlines = (ContestantInline,)
    row_actions = MODERATED
    list_actions = SEASONS

    def subject_of(self, request: HttpRequest, row: Season) -> AtSeason:
        """Who is at the admin site, and the season."""
        return AtSeason(person(request), Sheet(row))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Season]:
        seen = Season.objects.visible_to(request.user)
        return seen.order_by("-created_at", "-pk").prefetch_related("organisers__user")

    def row_links(self, request: HttpRequest, row: Season) -> list[tuple[str, str]]:
        """The season itself, and everything that belongs to it."""
        return [
            ("The season", row.get_absolute_url()),
            ("Contestants", list_address(Contestant, season__id__exact=row.pk)),
            ("Death matches", list_address(DeathMatch, round__season__id__exact=row.pk)),
            ("Items", list_address(Gift, season__id__exact=row.pk)),
            ("What happened", list_address(SeasonEvent, season__id__exact=row.pk)),
            ("Pictures", list_address(Picture, season__id__exact=row.pk)),
            ("Messages", list_address(SeasonMessage, season__id__exact=row.pk)),
            *super().row_links(request, row),
        ]

    @admin.display(description="Run by")
    def run_by(self, season: Season) -> SafeString | str:
        """Its organisers."""
        return row_links(each.user for each in season.organisers.all() if not each.is_helper)

    def view_on_site(self, season: Season) -> str:
        """The season's page."""
        return season.get_absolute_url()


@admin.register(Contestant)
class ContestantAdmin(_SeasonPart):
    """Contestants of all seasons."""

    list_display = ("name", "account", "of_what", "seed", "status", "place")
    list_filter = ("status", "season__format")
    search_fields = ("name", "user__username", "season__name")
    list_select_related = ("user", "season")
    fields = (
        "of_what", "account", "name", "seed", "status", "since_round", "place", "replaces",
        "enrolled_at", "left_at",
    )  # fmt: skip
    readonly_fields = ("account", "of_what")

    @admin.display(description="Account")
    def account(self, contestant: Contestant) -> SafeString:
        """Whose place it is."""
        return row_link(contestant.user)

    @admin.display(description="Season")
    def of_what(self, contestant: Contestant) -> SafeString:
        """The season that they are in."""
        return row_link(contestant.season)


class LegInline(_PartInline):
    """The matches of a death match. What was prepared for them stays their organisers' secret."""

    model = Leg
    fields = (
        "number", "attempt", "status", "ruleset", "variant", "advantage", "scheduled_at", "match",
        "winner_seat", "how",
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Leg]:
        rows: QuerySet[Leg] = super().get_queryset(request)
        return rows.select_related("match", "death_match__home", "death_match__away").defer(
            "match__snapshot"
        )


@admin.register(DeathMatch)
class DeathMatchAdmin(_SeasonPart):
    """Death matches of all seasons."""

    of_season = "round__season"
    lookups = ("round__season__id__exact",)
    list_display = ("__str__", "round", "status", "winner", "how", "decided_at")
    list_filter = ("status", "how", "round__season__format")
    search_fields = ("=pk", "home__name", "away__name", "round__season__name", "why")
    list_select_related = ("round__season", "home", "away", "winner")
    fields = (
        "round", "number", "key", "home", "away", "best_of", "status", "winner", "how",
        "home_score", "away_score", "why", "decided_at",
    )  # fmt: skip
    inlines = (LegInline,)

    def row_links(self, request: HttpRequest, row: DeathMatch) -> list[tuple[str, str]]:
        """The death match itself, and what happened in it."""
        return [
            ("The death match", row.get_absolute_url()),
            ("What happened", list_address(SeasonEvent, death_match__id__exact=row.pk)),
            *super().row_links(request, row),
        ]


class ItemEventInline(_PartInline):
    model = ItemEvent
    fk_name = "gift"
    fields = ("at", "kind", "words", "other")


@admin.register(Gift)
class GiftAdmin(_SeasonPart):
    """Items that were given, each with its history."""

    list_display = ("item", "giver", "receiver", "season", "death_match", "status", "given_at")
    list_filter = ("status", "item")
    search_fields = ("item", "note", "giver__name", "receiver__name", "season__name")
    list_select_related = (
        "giver", "receiver", "season", "death_match__home", "death_match__away",
    )  # fmt: skip
    fields = (
        "season", "item", "ruleset", "giver", "receiver", "death_match", "leg_number", "note",
        "secret", "revealed_at", "status", "given_at", "given_by",
    )  # fmt: skip
    inlines = (ItemEventInline,)


@admin.register(SeasonEvent)
class SeasonEventAdmin(_SeasonPart):
    """What happened in seasons."""

    list_display = ("at", "season", "kind", "words")
    list_filter = ("kind",)
    search_fields = ("words", "season__name", "contestant__name")
    list_select_related = ("season",)
    date_hierarchy = "at"
    show_full_result_count = False
    fields = ("season", "at", "kind", "words", "data", "round", "death_match", "contestant")
    lookups = ("season__id__exact", "death_match__id__exact")


@admin.register(SeasonMessage)
class SeasonMessageAdmin(_SeasonPart):
    """What organisers have written to contestants, for moderators to read."""

    list_display = ("at", "of_what", "title", "written_by", "whom")
    list_filter = ("whom",)
    list_select_related = ("by", "season")
    search_fields = ("title", "words", "by__username", "season__name")
    date_hierarchy = "at"
    fields = ("of_what", "at", "written_by", "title", "words", "whom", "round", "went_to")

    @admin.display(description="Season")
    def of_what(self, message: SeasonMessage) -> SafeString:
        """To whose contestants it went."""
        return row_link(message.season)

    @admin.display(description="Written by")
    def written_by(self, message: SeasonMessage) -> SafeString:
        """The organiser."""
        return row_link(message.by)

    @admin.display(description="Went to")
    def went_to(self, message: SeasonMessage) -> SafeString | str:
        """The contestants who can read it."""
        return row_links(message.to.select_related("season").order_by("pk"))


@admin.register(Picture)
class PictureAdmin(_SeasonPart):
    """Pictures of seasons, their contestants and their main matches, and the moderators' way to
    take one away."""

    row_actions = PICTURE
    list_display = ("at", "of_what", "put_up_by", "off_at")
    list_filter = (("off_at", admin.EmptyFieldListFilter),)
    list_select_related = ("by", "season")
    search_fields = ("alt", "by__username", "season__name")
    date_hierarchy = "at"
    fields = ("of_what", "whose", "put_up_by", "at", "off_at", "alt", "shown")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Without those of main matches that not everybody sees yet."""
        return super().get_queryset(request).filter(pk__in=Picture.objects.visible_to(request.user))

    def subject_of(self, request: HttpRequest, row: Picture) -> AtPicture:
        """The moderator, and the picture."""
        return AtPicture(person(request), row)

    def back_of(self, subject: AtPicture, row: Picture) -> str:
        """The list: a picture that was taken away has no page."""
        del subject, row
        return list_address(Picture)

    @admin.display(description="Season")
    def of_what(self, picture: Picture) -> SafeString:
        """In which season it is."""
        return row_link(picture.season)

    @admin.display(description="Picture of")
    def whose(self, picture: Picture) -> SafeString | str:
        """Whose picture it is."""
        owner = owner_of(picture)
        return str(owner) if isinstance(owner, MainMatchPicture) else row_link(owner)

    @admin.display(description="Put up by")
    def put_up_by(self, picture: Picture) -> SafeString:
        """Who put it up."""
        return row_link(picture.by)

    @admin.display(description="The picture")
    def shown(self, picture: Picture) -> SafeString:
        """The picture itself, as large as it is kept."""
        width = max(picture.sizes.values_list("width", flat=True))
        return format_html('<img src="{}" alt="{}">', picture.address(width), picture.alt)
