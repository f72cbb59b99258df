"""The queue of reports, and those that wait on the start page."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

from accounts.admin.search import about_people, details_name
from accounts.models import Report, User
from accounts.moderation import reports
from accounts.moderation.actions import MUTE, REPORT, SUSPEND, WARN, AtReport, AtUser
from accounts.roles import is_moderator
from core.admin.actions import ActionsAdmin, action_address
from core.admin.links import list_address, row_address, row_link, row_links
from core.admin.panels import Panel, register_panel
from core.admin.readers import ModeratorView, ReadOnly, person
from core.refusals import allowed

# What can be done to whom a report is about, and what leads there.
_SANCTIONS = (
    (WARN, "Warn them…"),
    (MUTE, "Mute them…"),
    (SUSPEND, "Suspend them…"),
)

# Who has filed a report that no person did.
THE_SITE = "The site itself"

about_people(Report, "about")
details_name(Report, User, "pk", "$.about")


class ReportStateFilter(admin.SimpleListFilter):
    """The queue: what waits, unless told otherwise."""

    title = "state"
    parameter_name = "state"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, Any]]:
        return [("mine", "Mine"), ("closed", "Closed"), ("all", "All")]

    def choices(self, changelist: Any) -> Any:
        """As usual, with "Open" in the place of "All"."""
        first, *rest = super().choices(changelist)
        yield {**first, "display": "Open"}
        yield from rest

    def queryset(self, request: HttpRequest, queryset: QuerySet[Report]) -> QuerySet[Report]:
        if self.value() == "mine":
            return queryset.filter(closed_at__isnull=True, claimed_by=person(request))
        if self.value() == "closed":
            return queryset.filter(closed_at__isnull=False)
        if self.value() == "all":
            return queryset
        return queryset.filter(closed_at__isnull=True)


class ReportsAbout(admin.SimpleListFilter):
    """The reports that concern somebody: about them, or one of the site's own that they are in. By
    the address alone, from their page."""

    title = "person concerned"
    parameter_name = "concerns"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, Any]]:
        value = self.used_parameters.get(self.parameter_name)
        return [] if value is None else [(str(value), "This person")]

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Report]) -> QuerySet[Report]:
        number = self.value() or ""
        if not number:
            return queryset
        if not (number.isascii() and number.isdigit() and len(number) < 19):
            return queryset.none()
        return queryset.filter(reports.concerning(int(number)))


@admin.register(Report)
class ReportAdmin(ModeratorView, ReadOnly, ActionsAdmin, admin.ModelAdmin):
    """What players have reported, with what it looked like then."""

    row_actions = REPORT
    list_display = ("id", "title", "reason", "excerpt", "filed_by", "at", "state")
    list_display_links = ("id", "title")
    list_filter = (ReportStateFilter, ReportsAbout, "reason", "target_type")
    list_select_related = ("reporter", "claimed_by", "about")
    search_fields = ("=id", "title", "words", "reporter__username", "about__username")
    date_hierarchy = "at"
    ordering = ("at",)
    fieldsets = (
        (None, {"fields": ("what", "person_concerned", "reason", "words", "as_it_was")}),
        ("From", {"fields": ("reported_by", "at", "others")}),
        (
            "Work",
            {
                "fields": (
                    "state", "claimed_by", "claimed_at", "sanctions_from_it", "outcome", "answer",
                    "note", "closed_by", "closed_at",
                )
            },
        ),
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Report]:
        """Without those about matches in which this moderator plays."""
        concerned = reports.queue_of(person(request)).values("pk")
        return super().get_queryset(request).filter(pk__in=concerned)

    def get_fieldsets(self, request: HttpRequest, obj: Report | None = None) -> Any:
        """What the site itself has found are no words of a reporter's."""
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None or obj.reporter_id is not None:
            return fieldsets
        (name, first), *rest = fieldsets
        fields = ["found" if each == "words" else each for each in first["fields"]]
        return [(name, {**first, "fields": fields}), *rest]

    def subject_of(self, request: HttpRequest, row: Report) -> AtReport:
        """The moderator, and the report."""
        return AtReport(person(request), row)

    def row_links(self, request: HttpRequest, row: Report) -> list[tuple[str, str]]:
        """What can be done about it, one click away and linked to this report."""
        links: list[tuple[str, str]] = []
        if allowed(reports.must_be_open, person(request), row):
            if row.about is not None:
                subject = AtUser(person(request), row.about, row)
                links = [
                    (words, f"{action_address(row.about, action.name)}?report={row.pk}")
                    for action, words in _SANCTIONS
                    if action.offered(subject)
                ]
            links += reports.remedies_of(row)
        return [*links, *super().row_links(request, row)]

    @admin.display(description="words")
    def excerpt(self, report: Report) -> str:
        """How the reporter's words begin."""
        return report.words if len(report.words) <= 80 else f"{report.words[:79]}…"

    @admin.display(description="what the site has found")
    def found(self, report: Report) -> str:
        """The site's own words."""
        return report.words

    @admin.display(description="state")
    def state(self, report: Report) -> str:
        """Open, or whose it is, or what came of it."""
        if report.closed_at is not None:
            return report.get_outcome_display()
        return "open" if report.claimed_by is None else f"with {report.claimed_by}"

    @admin.display(description="what")
    def what(self, report: Report) -> SafeString:
        """What is reported, and where it is."""
        return format_html('<a href="{}">{}</a>', report.url, report.title)

    @admin.display(description="about")
    def person_concerned(self, report: Report) -> SafeString:
        """The person concerned."""
        return row_link(report.about)

    @admin.display(description="as it was")
    def as_it_was(self, report: Report) -> str:
        """What was captured when it was reported."""
        return render_to_string("admin/report_context.html", {"context": report.context})

    @admin.display(description="reporter", ordering="reporter__username")
    def filed_by(self, report: Report) -> str:
        """Who reported it, on the list."""
        return THE_SITE if report.reporter is None else str(report.reporter)

    @admin.display(description="reported by")
    def reported_by(self, report: Report) -> SafeString | str:
        """Who reported it."""
        return THE_SITE if report.reporter is None else row_link(report.reporter)

    @admin.display(description="other reports")
    def others(self, report: Report) -> str:
        """How often this was reported, and how often this reporter reports."""
        same = Report.objects.filter(target_type=report.target_type, target_id=report.target_id)
        if report.reporter is None:
            return f"{same.count()} of this"
        made = Report.objects.filter(reporter=report.reporter)
        acted = made.filter(outcome=Report.Outcome.ACTED).count()
        return (
            f"{same.count()} of this; {made.count()} by this reporter, of which {acted} led to "
            "something"
        )

    @admin.display(description="sanctions")
    def sanctions_from_it(self, report: Report) -> SafeString | str:
        """What was done because of it."""
        return row_links(report.sanctions.all())


def _open_reports(request: HttpRequest) -> Panel | None:
    if not is_moderator(request.user):
        return None
    waiting = reports.queue_of(person(request)).open().select_related("claimed_by").order_by("at")
    rows = [
        (
            f"{report.get_reason_display()}: {report.title}",
            row_address(report),
            f"with {report.claimed_by}" if report.claimed_by else _ago(report),
        )
        for report in waiting[:8]
    ]
    return Panel(
        "Open reports",
        Report,
        rows,
        more=list_address(Report),
        count=waiting.count(),
        empty="Nobody waits for an answer.",
    )


def _ago(report: Report) -> str:
    return f"for {timesince(report.at, depth=1)}"


register_panel(_open_reports, order=10)
