"""What the jobs that run by themselves could not do, for administrators."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest
from django.utils.formats import date_format
from django.utils.safestring import SafeString

from config.operations.actions import ASIDES, AtAside
from core.admin.actions import ListActionsAdmin
from core.admin.links import list_address, row_address, target_link
from core.admin.panels import Panel, register_panel
from core.admin.readers import ReadOnly, person
from core.clock import instant_of
from core.jobs import guard
from core.jobs.models import JobDone, SetAside
from games.models import ServiceProcess


@admin.register(SetAside)
class SetAsideAdmin(ReadOnly, ListActionsAdmin, admin.ModelAdmin):
    """Rows that a job failed at and has left alone since. For administrators only, as Django's
    permissions have it: moderators have nothing to mend here."""

    list_display = ("job", "target", "reason", "attempts", "since", "last_at", "next_at")
    list_filter = ("job",)
    search_fields = ("=key",)
    search_help_text = "The number of a row."
    fields = ("job", "target", "reason", "attempts", "since", "last_at", "next_at")
    readonly_fields = ("target",)
    list_actions = ASIDES
    list_words = "The next run tries them again: {}."

    @admin.display(description="row")
    def target(self, row: SetAside) -> SafeString | str:
        """The row itself, as a link where it has a page here."""
        return target_link(row.target_type, row.key)

    def subject_of(self, request: HttpRequest, row: SetAside) -> AtAside:
        """Who is at the admin site, and the row."""
        return AtAside(person(request), row)


@admin.register(JobDone)
class JobDoneAdmin(ReadOnly, admin.ModelAdmin):
    """When each periodic task was last done to its end."""

    list_display = ("task", "at")


@admin.register(ServiceProcess)
class ServiceProcessAdmin(ReadOnly, admin.ModelAdmin):
    """The site's processes: which of them is silent, and how far its host's clock is out."""

    list_display = ("kind", "host", "pid", "since", "heard_of", "skew_ms", "skew_out_by_ms")
    list_filter = ("kind",)
    fields = ("kind", "host", "pid", "since", "heard_of", "skew_ms", "skew_out_by_ms", "ahead_ms")
    readonly_fields = ("since", "heard_of")

    @admin.display(description="started", ordering="started_at")
    def since(self, row: ServiceProcess) -> str:
        """When it began, in UTC."""
        return date_format(instant_of(row.started_at), "j M Y, H:i:s")

    @admin.display(description="last heard of", ordering="at")
    def heard_of(self, row: ServiceProcess) -> str:
        """When it last gave a sign of life, in UTC."""
        return date_format(instant_of(row.at), "j M Y, H:i:s")


def _rows_panel(request: HttpRequest) -> Panel | None:
    """What waits for an administrator, on the start page."""
    if not request.user.has_perm("jobs.view_setaside"):
        return None
    count = guard.asides()
    if not count:
        return None
    rows = [(str(row), row_address(row), row.reason) for row in SetAside.objects.all()[:5]]
    return Panel("Set aside by periodic jobs", SetAside, rows, list_address(SetAside), count)


register_panel(_rows_panel, order=5)
