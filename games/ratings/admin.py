"""Administration of ratings: to look at, and to rule on results through the services."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from accounts.admin.search import about_people, details_name
from accounts.models import User
from accounts.moderation import reports
from core.admin.actions import ActionsAdmin, AddedByAction
from core.admin.links import row_link, row_links
from core.admin.readers import ModeratorView, ReadOnly, person
from games.models import Match
from games.ratings.actions import PAIR_RULING, RULE, UNRATE, AtPairRuling, AtPairs, AtRatings
from games.ratings.forms import PairRulingForm, RingRulingForm, RulingForm
from games.ratings.models import PairRuling, Rating, RatingRuling, WaitingRuling
from games.ratings.pairs import PAIR
from games.ratings.winners import WINNER

about_people(PairRuling, "first", "second")
details_name(PairRuling, User, "pk", "$.players")


@admin.register(RatingRuling)
class RatingRulingAdmin(AddedByAction, admin.ModelAdmin):
    """Results that count otherwise than they were played. A ruling is made, and taken back, by
    adding one; what was ruled before stands in the audit log."""

    adds = RULE
    form = RulingForm
    fields = ("match", "counts", "why")
    list_display = ("match", "winner", "why", "by", "at")
    list_select_related = ("match", "by")
    search_fields = ("=match__id", "why", "by__username")
    date_hierarchy = "at"

    def adding(self, request: HttpRequest) -> AtRatings:
        """Whoever rules on some results; on which, the service says."""
        return AtRatings(person(request))


@admin.register(WaitingRuling)
class WaitingRulingAdmin(ReadOnly, admin.ModelAdmin):
    """What organisers have ruled on results that moderators have taken out with their pair: it
    holds once these take that back. For those who see what holds now."""

    list_display = ("match", "winner", "why", "by", "at")
    list_select_related = ("match", "by")
    search_fields = ("=match__id", "why", "by__username")
    date_hierarchy = "at"
    fields = ("of_match", "winner", "why", "ruled_by", "at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[WaitingRuling]:
        rows: QuerySet[WaitingRuling] = super().get_queryset(request)
        return rows.defer("match__snapshot")

    @admin.display(description="match")
    def of_match(self, ruling: WaitingRuling) -> SafeString:
        """The match that it is about."""
        return row_link(ruling.match)

    @admin.display(description="by")
    def ruled_by(self, ruling: WaitingRuling) -> SafeString | str:
        """Who has ruled so."""
        return "the site itself" if ruling.by is None else row_link(ruling.by)


@admin.register(PairRuling)
class PairRulingAdmin(AddedByAction, ModeratorView, ActionsAdmin, admin.ModelAdmin):
    """Pairs of players whose matches count for nobody. `?first=`, `?second=` and `?report=` name
    whom the page that adds one is about, and what led there; with the report of a winner alone it
    is about all of the ring, and adds one for each pair of it."""

    adds = UNRATE
    row_actions = PAIR_RULING
    form = PairRulingForm
    list_display = ("id", "first", "second", "how_many", "why", "by", "at", "lifted_at")
    list_select_related = ("first", "second", "by")
    search_fields = ("first__username", "second__username", "why", "by__username")
    date_hierarchy = "at"

    def get_fields(self, request: HttpRequest, obj: PairRuling | None = None) -> Any:
        if obj is not None:
            return (
                "first", "second", "which", "why", "by", "at", "report", "lifted_at", "lifted_by",
                "lifted_why",
            )  # fmt: skip
        if self.adding(request).ring is not None:
            return ("chosen", "why")
        return ("first", "second", "chosen", "why")

    def get_form(
        self,
        request: HttpRequest,
        obj: PairRuling | None = None,
        change: bool = False,
        **more: Any,
    ) -> Any:
        """One that knows of the report that led here."""
        subject = self.adding(request)
        if obj is None and subject.ring is not None:
            more = {"form": RingRulingForm, **more}
        form: Any = super().get_form(request, obj, change, **more)
        form.report = subject.report
        return form

    def get_queryset(self, request: HttpRequest) -> QuerySet[PairRuling]:
        """Without those about the moderator who asks."""
        reader = person(request)
        rows: QuerySet[PairRuling] = super().get_queryset(request)
        return rows.exclude(Q(first=reader) | Q(second=reader))

    def adding(self, request: HttpRequest) -> AtPairs:
        """The moderator; which pair, the form says."""
        moderator = person(request)
        number = request.GET.get("report", "")
        report = reports.numbered(number, moderator, target_type__in=[PAIR, WINNER])
        named = any(request.GET.get(name) for name in ("first", "second"))
        whole = report is not None and report.target_type == WINNER and not named
        return AtPairs(moderator, report, report if whole else None)

    def subject_of(self, request: HttpRequest, row: PairRuling) -> AtPairRuling:
        """The moderator, and what was ruled."""
        return AtPairRuling(person(request), row)

    @admin.display(description="matches")
    def how_many(self, ruling: PairRuling) -> int:
        """How many matches it is about."""
        return len(ruling.matches)

    @admin.display(description="matches")
    def which(self, ruling: PairRuling) -> SafeString | str:
        """The matches that it is about."""
        return row_links(Match.objects.filter(pk__in=ruling.matches).defer("snapshot"))


@admin.register(Rating)
class RatingAdmin(admin.ModelAdmin):
    """Where players stand: derived from the results, so there is nothing to edit."""

    list_display = (
        "user",
        "ladder",
        "shown",
        "mu",
        "sigma",
        "games",
        "wins",
        "opponents",
        "last_played",
    )
    list_filter = ("ladder",)
    list_select_related = ("user", "ladder")
    search_fields = ("user__username", "user__display_name")

    def has_add_permission(self, _request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        return False
