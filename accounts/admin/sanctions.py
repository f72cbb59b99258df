"""Sanctions, and the latest of them on the start page. They are given on a person's page."""

from typing import Any

from django.contrib import admin
from django.db.models import Prefetch, QuerySet, prefetch_related_objects
from django.http import HttpRequest
from django.utils.safestring import SafeString

from accounts.admin.search import about_people
from accounts.models import Sanction
from accounts.moderation.actions import SANCTION, SANCTIONS, AtSanction, AtSanctions
from accounts.moderation.appeals import queue_of
from accounts.roles import is_moderator
from core.admin.actions import ActionsAdmin
from core.admin.links import list_address, row_address, row_link, row_links
from core.admin.panels import Panel, register_panel
from core.admin.readers import ModeratorView, ReadOnly, person

about_people(Sanction, "user")


class SanctionStandingFilter(admin.SimpleListFilter):
    """Sanctions by whether they bind."""

    title = "standing"
    parameter_name = "standing"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, Any]]:
        return [("in-force", "In force"), ("over", "Over"), ("lifted", "Lifted")]

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Sanction]) -> QuerySet[Sanction]:
        binding = Sanction.objects.in_force() | Sanction.objects.unread_warnings()
        if self.value() == "in-force":
            return queryset.filter(pk__in=binding.values("pk"))
        if self.value() == "over":
            rest = queryset.filter(lifted_at__isnull=True)
            return rest.exclude(pk__in=binding.values("pk"))
        if self.value() == "lifted":
            return queryset.filter(lifted_at__isnull=False)
        return queryset


@admin.register(Sanction)
class SanctionAdmin(ModeratorView, ReadOnly, ActionsAdmin, admin.ModelAdmin):
    """What was laid upon whom. They are given on a person's page, and lifted here."""

    row_actions = SANCTION
    several_actions = SANCTIONS
    lookups = ("user__id__exact",)
    list_display = ("kind", "whom", "state", "reason", "by", "at", "until")
    list_filter = ("kind", SanctionStandingFilter)
    list_select_related = ("user", "by")
    search_fields = ("user__username", "user__display_name", "reason", "by__username")
    date_hierarchy = "at"
    fields = (
        "kind", "whom", "state", "reason", "note", "at", "until", "by", "because_of",
        "acknowledged_at", "lifted_at", "lifted_by", "lifted_why", "appealed",
    )  # fmt: skip

    def get_object(self, request: HttpRequest, *named: Any) -> Sanction | None:
        """The sanction with those of its appeals that the reader may read."""
        row: Sanction | None = super().get_object(request, *named)
        if row is not None:
            theirs = queue_of(person(request)).select_related("sanction__user")
            prefetch_related_objects([row], Prefetch("appeals", theirs))
        return row

    def subject_of(self, request: HttpRequest, row: Sanction) -> AtSanction:
        """The moderator, and the sanction."""
        return AtSanction(person(request), row)

    def subject_of_several(self, request: HttpRequest, rows: list[Sanction]) -> AtSanctions:
        """The moderator, and the sanctions chosen."""
        return AtSanctions(person(request), rows)

    @admin.display(description="whom", ordering="user__username")
    def whom(self, sanction: Sanction) -> SafeString:
        """Whom it binds."""
        return row_link(sanction.user)

    @admin.display(description="state")
    def state(self, sanction: Sanction) -> str:
        """Whether it binds."""
        return sanction.standing

    @admin.display(description="report")
    def because_of(self, sanction: Sanction) -> SafeString:
        """The report that led to it."""
        return row_link(sanction.report)

    @admin.display(description="appeals")
    def appealed(self, sanction: Sanction) -> SafeString | str:
        """What the person has said against it."""
        return row_links(sanction.appeals.all())


def _latest_sanctions(request: HttpRequest) -> Panel | None:
    if not is_moderator(request.user):
        return None
    latest: Any = Sanction.objects.select_related("user", "by")[:8]
    rows = [(str(each), row_address(each), f"{each.standing}, by {each.by}") for each in latest]
    return Panel(
        "Latest sanctions",
        Sanction,
        rows,
        more=list_address(Sanction),
        empty="There is none yet.",
    )


register_panel(_latest_sanctions, order=30)
