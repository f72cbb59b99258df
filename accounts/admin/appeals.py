"""The queue of appeals, and those that wait on the start page."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

from accounts.admin.search import about_people
from accounts.models import Appeal
from accounts.moderation import appeals
from accounts.moderation.appeal_actions import APPEAL, AtAppeal
from accounts.roles import is_moderator
from core.admin.actions import ActionsAdmin
from core.admin.links import list_address, row_address, row_link
from core.admin.lists import register_withheld
from core.admin.panels import Panel, register_panel
from core.admin.readers import ModeratorView, ReadOnly, person

about_people(Appeal, "sanction__user")


class AppealStateFilter(admin.SimpleListFilter):
    """The queue: what waits, unless told otherwise."""

    title = "state"
    parameter_name = "state"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, Any]]:
        return [
            ("mine", "Mine"),
            ("over", "Over by themselves"),
            ("answered", "Answered"),
            ("withdrawn", "Withdrawn"),
            ("all", "All"),
        ]

    def choices(self, changelist: Any) -> Any:
        """As usual, with "Open" in the place of "All"."""
        first, *rest = super().choices(changelist)
        yield {**first, "display": "Open"}
        yield from rest

    def queryset(self, request: HttpRequest, queryset: QuerySet[Appeal]) -> QuerySet[Appeal]:
        still_open = Appeal.objects.open().values("pk")
        if self.value() == "mine":
            return queryset.filter(pk__in=still_open, claimed_by=person(request))
        if self.value() == "over":
            unanswered = Appeal.objects.unanswered().exclude(pk__in=still_open)
            return queryset.filter(pk__in=unanswered.values("pk"))
        if self.value() == "answered":
            return queryset.filter(answered_at__isnull=False)
        if self.value() == "withdrawn":
            return queryset.filter(withdrawn_at__isnull=False)
        if self.value() == "all":
            return queryset
        return queryset.filter(pk__in=still_open)


@admin.register(Appeal)
class AppealAdmin(ModeratorView, ReadOnly, ActionsAdmin, admin.ModelAdmin):
    """What people have said against sanctions of theirs."""

    row_actions = APPEAL
    list_display = ("id", "against", "excerpt", "whose", "laid_by", "at", "state")
    list_display_links = ("id", "against")
    list_filter = (AppealStateFilter,)
    list_select_related = ("sanction__user", "sanction__by", "claimed_by")
    search_fields = ("=id", "words", "sanction__user__username", "sanction__reason")
    date_hierarchy = "at"
    ordering = ("at",)
    fieldsets = (
        (None, {"fields": ("whose", "sanction_link", "given_for", "laid_by", "words", "at")}),
        (
            "Work",
            {
                "fields": (
                    "state", "claimed_by", "claimed_at", "withdrawn_at", "outcome", "until",
                    "answer", "note", "answered_by", "answered_at",
                )
            },
        ),
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Appeal]:
        """Nothing of one's own, and for whoever is no moderator nothing at all, whatever Django
        lets them see."""
        theirs = appeals.queue_of(person(request)).values("pk")
        rows = super().get_queryset(request).filter(pk__in=theirs)
        return rows.select_related("sanction__user", "sanction__by", "claimed_by")

    def subject_of(self, request: HttpRequest, row: Appeal) -> AtAppeal:
        """The moderator, and the appeal."""
        return AtAppeal(person(request), row)

    @admin.display(description="against")
    def against(self, appeal: Appeal) -> str:
        """The sanction."""
        return str(appeal.sanction)

    @admin.display(description="against")
    def sanction_link(self, appeal: Appeal) -> SafeString:
        """The sanction, with the way to it."""
        return row_link(appeal.sanction)

    @admin.display(description="given for")
    def given_for(self, appeal: Appeal) -> str:
        """What the person was told, and whether it still counts."""
        return f"{appeal.sanction.reason} ({appeal.sanction.standing})"

    @admin.display(description="whose")
    def whose(self, appeal: Appeal) -> SafeString:
        """Who appeals."""
        return row_link(appeal.sanction.user)

    @admin.display(description="sanction laid by")
    def laid_by(self, appeal: Appeal) -> str:
        """Who should not answer it."""
        return str(appeal.sanction.by)

    @admin.display(description="words")
    def excerpt(self, appeal: Appeal) -> str:
        """How the words begin."""
        return appeal.words if len(appeal.words) <= 80 else f"{appeal.words[:79]}…"

    @admin.display(description="state")
    def state(self, appeal: Appeal) -> str:
        """Open, or whose it is, or what came of it."""
        if appeal.standing == "claimed":
            return f"with {appeal.claimed_by}"
        if appeal.standing == Appeal.Outcome.GRANTED:
            return "granted" if appeal.until is None else "granted: shortened"
        return appeal.standing


def _open_appeals(request: HttpRequest) -> Panel | None:
    if not is_moderator(request.user):
        return None
    waiting = appeals.queue_of(person(request)).open().order_by("at")
    rows = [
        (
            str(appeal.sanction),
            row_address(appeal),
            f"with {appeal.claimed_by}" if appeal.claimed_by else _ago(appeal),
        )
        for appeal in waiting.select_related("claimed_by", "sanction__user")[:8]
    ]
    return Panel(
        "Open appeals",
        Appeal,
        rows,
        more=list_address(Appeal),
        count=waiting.count(),
        empty="Nobody waits for an answer.",
    )


def _ago(appeal: Appeal) -> str:
    return f"for {timesince(appeal.at, depth=1)}"


# Who has taken one's own on is on no page, the audit log's included.
register_withheld("accounts.auditentry", appeals.entries_about)
register_panel(_open_appeals, order=15)
