"""The audit log, to read, and the way to it from every row's page."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.safestring import SafeString

from accounts.admin.search import done_to
from accounts.auditing.looks import ACTIONS
from accounts.auditing.sealing import audit_last_check
from accounts.models import AuditEntry, User
from accounts.roles import Role
from core.admin.links import register_links, row_link, target_link
from core.admin.panels import Panel, register_panel
from core.admin.readers import ModeratorView, ReadOnly, moderates


class ActorFilter(admin.SimpleListFilter):
    """Who did it, by role: there are too many people for a list of names."""

    title = "who"
    parameter_name = "by"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, Any]]:
        return [
            ("moderators", "Moderators"),
            ("organisers", "Organisers"),
            ("superusers", "Superusers"),
            ("system", "The system itself"),
        ]

    def queryset(
        self, _request: HttpRequest, queryset: QuerySet[AuditEntry]
    ) -> QuerySet[AuditEntry]:
        if self.value() == "system":
            return queryset.filter(who__isnull=True)
        if self.value() == "superusers":
            return queryset.filter(who__is_superuser=True)
        if self.value() in list(Role):
            # Not a join: somebody's groups must not double the rows.
            members = User.objects.filter(groups__name=self.value())
            return queryset.filter(who__in=members)
        return queryset


class WhatFilter(admin.SimpleListFilter):
    """What was done, and what was only looked at."""

    title = "what"
    parameter_name = "what"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, Any]]:
        return [("acts", "What was done"), ("looks", "What was looked at")]

    def queryset(
        self, _request: HttpRequest, queryset: QuerySet[AuditEntry]
    ) -> QuerySet[AuditEntry]:
        if self.value() == "acts":
            return queryset.exclude(action__in=ACTIONS)
        if self.value() == "looks":
            return queryset.filter(action__in=ACTIONS)
        return queryset


@admin.register(AuditEntry)
class AuditEntryAdmin(ModeratorView, ReadOnly, admin.ModelAdmin):
    """The audit log, to read. The database refuses every change of it; whether its chain holds
    stands above the list."""

    change_list_template = "admin/audit.html"
    lookups = ("who__id__exact", "target_type", "target_id")
    list_display = ("at", "actor", "action", "target", "details")
    list_filter = (ActorFilter, WhatFilter, "target_type", "action")
    list_select_related = ("who",)
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("=who__username", "=target_id", "action")
    search_help_text = (
        "A username (what they did, and what was done to them), the number of a row, or a part of "
        "an action."
    )
    date_hierarchy = "at"
    fields = ("at", "actor", "action", "target", "data")
    readonly_fields = fields

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        """The list, below what came of the last look over the chain."""
        context = {**(extra_context or {}), "audit_check": audit_last_check()}
        return super().changelist_view(request, context)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[AuditEntry], search_term: str
    ) -> tuple[QuerySet[AuditEntry], bool]:
        """What people whom the words name did, and what was done to them."""
        found, doubles = super().get_search_results(request, queryset, search_term)
        name = User.normalize_username(search_term.strip().removeprefix("@"))
        people = User.objects.filter(username=name)
        if name and people.exists():
            found |= queryset.filter(done_to(people))
        return found, doubles

    @admin.display(description="who", ordering="who__username")
    def actor(self, entry: AuditEntry) -> SafeString | str:
        """Who did it."""
        return "the system" if entry.who is None else row_link(entry.who)

    @admin.display(description="target")
    def target(self, entry: AuditEntry) -> SafeString | str:
        """The row that it was done to."""
        return target_link(entry.target_type, entry.target_id)

    @admin.display(description="details")
    def details(self, entry: AuditEntry) -> str:
        """How the details begin."""
        text = "; ".join(f"{name}: {value}" for name, value in entry.data.items())
        return text if len(text) <= 100 else f"{text[:99]}…"


def audit_address(row: Model) -> str:
    """The address of what the audit log says of a row."""
    address = reverse("admin:accounts_auditentry_changelist")
    query = urlencode({"target_type": row._meta.label_lower, "target_id": row.pk})
    return f"{address}?{query}"


def _history(_request: HttpRequest, row: Model) -> list[tuple[str, str]]:
    return [("Audit log", audit_address(row))]


def _broken_chain(request: HttpRequest) -> Panel | None:
    """What no administrator may overlook, on the start page."""
    if not moderates(request.user):
        return None
    last = audit_last_check()
    if last is None or not last.fault:
        return None
    address = reverse("admin:accounts_auditentry_changelist")
    seen = f"looked over on {date_format(last.at, 'j M Y, H:i')} UTC"
    return Panel("The audit log was changed", None, [(last.fault, address, seen)])


register_links(None, _history)
register_panel(_broken_chain, order=1)
