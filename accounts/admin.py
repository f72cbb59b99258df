"""Administration of people. Actions go through services; the audit log can only be read."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.contrib.auth.forms import UserChangeForm as DjangoUserChangeForm
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.views.decorators.debug import sensitive_post_parameters

from accounts import adminkit
from accounts.actions import REPORT, SANCTION, USER, AtReport, AtSanction, AtUser
from accounts.adminkit import (
    ActionsAdmin,
    ModeratorView,
    Panel,
    ReadOnly,
    action_address,
    each_done,
    list_address,
    person,
    row_address,
    row_link,
    target_link,
)
from accounts.models import AccountMerge, ApiToken, AuditEntry, Report, Sanction, User
from accounts.moderation import merging, reports
from accounts.names.validators import normalise_display_name
from accounts.roles import Role, is_moderator
from accounts.services import (
    audit_record,
    refuse_impersonation,
    rights_announce_change,
    role_grant,
    role_revoke,
)
from core.refusals import Refusal, allowed

# -- people --------------------------------------------------------------------------------------


class UserCreationForm(AdminUserCreationForm):
    """Creates an account by name; its owner sets the rest."""

    class Meta(AdminUserCreationForm.Meta):
        model = User
        fields = ("username",)

    def clean_username(self) -> str:
        self.cleaned_data["username"] = User.normalize_username(self.cleaned_data["username"])
        name: str = super().clean_username()
        return name


class UserChangeForm(DjangoUserChangeForm):
    """Changes an account. A new display name is judged as anybody's own."""

    def clean_display_name(self) -> str:
        name = normalise_display_name(self.cleaned_data["display_name"])
        if name != self.instance.display_name:
            try:
                refuse_impersonation(
                    User(
                        pk=self.instance.pk,
                        username=self.instance.username,
                        is_superuser=self.instance.is_superuser,
                        display_name=name,
                    )
                )
            except Refusal as refusal:
                raise ValidationError(refusal.sentence, code=refusal.code) from refusal
        return name


class UserStandingFilter(admin.SimpleListFilter):
    """People by what binds them."""

    title = "standing"
    parameter_name = "standing"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, Any]]:
        return [
            ("muted", "Muted"),
            ("suspended", "Suspended"),
            ("sanctioned", "Ever under a sanction"),
            ("closed", "Closed"),
            ("merged", "Merged into another"),
        ]

    def queryset(self, _request: HttpRequest, queryset: QuerySet[User]) -> QuerySet[User]:
        binding = Sanction.objects.in_force()
        wanted = {
            "muted": Q(pk__in=binding.filter(kind=Sanction.Kind.MUTE).values("user")),
            "suspended": Q(pk__in=binding.filter(kind=Sanction.Kind.SUSPENSION).values("user")),
            "sanctioned": Q(pk__in=Sanction.objects.values("user")),
            "closed": Q(is_active=False),
            "merged": Q(pk__in=AccountMerge.objects.values("duplicate")),
        }
        return queryset.filter(wanted.get(self.value() or "", Q()))


admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin):
    """Roles, and what they may do."""

    filter_horizontal = ()  # as for accounts


@admin.register(User)
class UserAdmin(ModeratorView, ActionsAdmin, DjangoUserAdmin):
    """Accounts. What is done to them has a page of its own, so that each leaves its entry."""

    row_actions = USER
    form = UserChangeForm
    add_form = UserCreationForm
    list_display = ("username", "display_name", "email", "standing", "is_staff", "date_joined")
    list_filter = (UserStandingFilter, "is_staff", "is_superuser", "groups")
    search_fields = ("username", "display_name", "email", "emailaddress__email")
    search_help_text = "Username, display name or email address."
    ordering = ("username",)
    date_hierarchy = "date_joined"
    readonly_fields = (
        "username", "is_active", "standing", "groups", "last_login", "date_joined",
    )  # fmt: skip
    # Django's widget of two lists has signs that nobody hears of.
    filter_horizontal = ()
    fieldsets = (
        (None, {"fields": ("username", "password", "standing")}),
        ("Person", {"fields": ("display_name", "email", "time_zone", "theme", "sound_muted")}),
        (
            "Rights",
            {"fields": ("is_active", "groups", "is_staff", "is_superuser", "user_permissions")},
        ),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = ((None, {"fields": ("username", "usable_password", "password1", "password2")}),)
    actions = ("make_organisers", "make_moderators", "unmake_organisers", "unmake_moderators")

    def subject_of(self, request: HttpRequest, row: User) -> AtUser:
        """The moderator, and the person. `?report=` names the report that led there."""
        moderator = person(request)
        report = reports.numbered(request.GET.get("report", ""), moderator, about=row)
        return AtUser(moderator, row, report)

    def back_of(self, subject: AtUser, row: User) -> str:
        """The report that led there, or the person."""
        return row_address(subject.report or row)

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """People, each with what binds them: the list would else ask for every one."""
        ours = super().get_queryset(request)
        return ours.prefetch_related("groups", "sanctions", "merged_into__keep")

    @admin.display(description="standing")
    def standing(self, user: User) -> SafeString | str:
        """What binds this person now, and their roles."""
        if not user.is_active:
            merge = getattr(user, "merged_into", None)
            if merge is not None:
                return format_html("merged into {}", row_link(merge.keep))
            return "closed"
        binding = [s.get_kind_display() for s in user.sanctions.all() if s.standing == "in force"]
        roles = [group.name.removesuffix("s") for group in user.groups.all()]
        return ", ".join([*map(str, binding), *roles]) or "—"

    def row_links(self, request: HttpRequest, row: User) -> list[tuple[str, str]]:
        """The public page, and what moderators have of this person."""
        own = [
            ("Public page", row.get_absolute_url()),
            ("Sanctions", list_address(Sanction, user__id__exact=row.pk)),
            (
                "Reports about them",
                list_address(Report, about__id__exact=row.pk, state="all"),
            ),
            ("Their actions", list_address(AuditEntry, who__id__exact=row.pk)),
            ("Actions by and to them", list_address(AuditEntry, q=row.username)),
        ]
        return [*own, *super().row_links(request, row)]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Moderators see no rights and no passwords: they cannot change either."""
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None or request.user.is_superuser or self.has_change_permission(request, obj):
            return fieldsets
        person_only = {"fields": ("username", "display_name", "email", "time_zone", "standing")}
        return ((None, person_only), fieldsets[-1])

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Names are for life; only superusers hand out rights."""
        if obj is None:
            return ()
        fields = tuple(self.readonly_fields)
        if not request.user.is_superuser:
            fields += ("is_staff", "is_superuser", "user_permissions", "email")
        return fields

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Roles are for superusers to give; the service says so too."""
        return super().get_actions(request) if request.user.is_superuser else {}

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Accounts are closed, never deleted: matches and the audit log point at them."""
        return False

    def save_model(self, request: HttpRequest, obj: User, form: ModelForm, change: bool) -> None:
        """Save, and say in the audit log which fields were changed."""
        super().save_model(request, obj, form, change)
        audit_record(
            acting_user=person(request),
            action="user.admin_change" if change else "user.admin_create",
            target=obj,
            data={"fields": sorted(form.changed_data)},
        )
        # What they may do may have changed with it.
        rights_announce_change(obj.pk)

    @method_decorator(sensitive_post_parameters())
    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> Any:  # noqa: A002
        """Set somebody's password, or take it away, and say so in the audit log."""
        with transaction.atomic():
            before = self.get_object(request, unquote(id))
            response = super().user_change_password(request, id, form_url)
            after = self.get_object(request, unquote(id))
            if before is not None and after is not None and before.password != after.password:
                audit_record(
                    acting_user=person(request), action="user.admin_password", target=after
                )
                rights_announce_change(after.pk)
        return response

    @admin.action(description="Make organisers")
    def make_organisers(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        self._each(request, queryset, role_grant, Role.ORGANISER)

    @admin.action(description="Make moderators")
    def make_moderators(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        self._each(request, queryset, role_grant, Role.MODERATOR)

    @admin.action(description="No longer organisers")
    def unmake_organisers(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        self._each(request, queryset, role_revoke, Role.ORGANISER)

    @admin.action(description="No longer moderators")
    def unmake_moderators(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        self._each(request, queryset, role_revoke, Role.MODERATOR)

    def _each(
        self,
        request: HttpRequest,
        users: QuerySet[User],
        service: Callable[..., None],
        role: Role,
    ) -> None:
        give = partial(service, acting_user=person(request), role=role)
        each_done(self, request, users, lambda user: give(user=user))


# -- sanctions, merges ---------------------------------------------------------------------------


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
    lookups = ("user__id__exact",)
    list_display = ("kind", "whom", "state", "reason", "by", "at", "until")
    list_filter = ("kind", SanctionStandingFilter)
    list_select_related = ("user", "by")
    search_fields = ("user__username", "user__display_name", "reason", "by__username")
    date_hierarchy = "at"
    fields = (
        "kind", "whom", "state", "reason", "note", "at", "until", "by", "because_of",
        "acknowledged_at", "lifted_at", "lifted_by", "lifted_why",
    )  # fmt: skip

    def subject_of(self, request: HttpRequest, row: Sanction) -> AtSanction:
        """The moderator, and the sanction."""
        return AtSanction(person(request), row)

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


@admin.register(AccountMerge)
class AccountMergeAdmin(ModeratorView, ReadOnly, ActionsAdmin, admin.ModelAdmin):
    """Which accounts were one person's."""

    list_display = ("id", "gone", "kept", "by", "at", "what")
    list_select_related = ("keep", "duplicate", "by")
    search_fields = ("keep__username", "duplicate__username", "reason")
    date_hierarchy = "at"
    fields = ("gone", "kept", "by", "at", "reason", "what")

    @admin.display(description="merged")
    def gone(self, merge: AccountMerge) -> SafeString:
        """The account that is closed now."""
        return row_link(merge.duplicate)

    @admin.display(description="into")
    def kept(self, merge: AccountMerge) -> SafeString:
        """The account that has everything now."""
        return row_link(merge.keep)

    @admin.display(description="moved")
    def what(self, merge: AccountMerge) -> str:
        """What was moved."""
        return merging.merge_summary(merge.moved)


# -- reports -------------------------------------------------------------------------------------


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


@admin.register(Report)
class ReportAdmin(ModeratorView, ReadOnly, ActionsAdmin, admin.ModelAdmin):
    """What players have reported, with what it looked like then."""

    row_actions = REPORT
    lookups = ("about__id__exact",)
    list_display = ("id", "title", "reason", "excerpt", "reporter", "at", "state")
    list_display_links = ("id", "title")
    list_filter = (ReportStateFilter, "reason", "target_type")
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

    def subject_of(self, request: HttpRequest, row: Report) -> AtReport:
        """The moderator, and the report."""
        return AtReport(person(request), row)

    def row_links(self, request: HttpRequest, row: Report) -> list[tuple[str, str]]:
        """What can be done about it, one click away and linked to this report."""
        links: list[tuple[str, str]] = []
        if allowed(reports.must_be_open, person(request), row):
            if row.about is not None:
                links = [
                    (words, f"{action_address(row.about, name)}?report={row.pk}")
                    for name, words in (
                        ("warn", "Warn them…"),
                        ("mute", "Mute them…"),
                        ("suspend", "Suspend them…"),
                    )
                ]
            links += reports.remedies_of(row)
        return [*links, *super().row_links(request, row)]

    @admin.display(description="words")
    def excerpt(self, report: Report) -> str:
        """How the reporter's words begin."""
        return report.words if len(report.words) <= 80 else f"{report.words[:79]}…"

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

    @admin.display(description="reported by")
    def reported_by(self, report: Report) -> SafeString:
        """Who reported it."""
        return row_link(report.reporter)

    @admin.display(description="other reports")
    def others(self, report: Report) -> str:
        """How often this was reported, and how often this reporter reports."""
        same = Report.objects.filter(target_type=report.target_type, target_id=report.target_id)
        made = Report.objects.filter(reporter=report.reporter)
        acted = made.filter(outcome=Report.Outcome.ACTED).count()
        return (
            f"{same.count()} of this; {made.count()} by this reporter, of which {acted} led to "
            "something"
        )

    @admin.display(description="sanctions")
    def sanctions_from_it(self, report: Report) -> SafeString | str:
        """What was done because of it."""
        return adminkit.row_links_told(report.sanctions.all())


# -- the audit log -------------------------------------------------------------------------------


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


adminkit.about_people(Sanction, "user")
adminkit.about_people(Report, "about")
adminkit.about_people(AccountMerge, "keep", "duplicate")
adminkit.about_people(ApiToken, "user")
adminkit.details_name(User, User, "pk", "$.keep", "$.duplicate")
adminkit.details_name(Report, User, "pk", "$.about")


@admin.register(AuditEntry)
class AuditEntryAdmin(ModeratorView, ReadOnly, admin.ModelAdmin):
    """The audit log, to read. The database refuses every change of it."""

    lookups = ("who__id__exact", "target_type", "target_id")
    list_display = ("at", "actor", "action", "target", "details")
    list_filter = (ActorFilter, "target_type", "action")
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

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[AuditEntry], search_term: str
    ) -> tuple[QuerySet[AuditEntry], bool]:
        """What people whom the words name did, and what was done to them."""
        found, doubles = super().get_search_results(request, queryset, search_term)
        name = User.normalize_username(search_term.strip().removeprefix("@"))
        people = User.objects.filter(username=name)
        if name and people.exists():
            found |= queryset.filter(adminkit.done_to(people))
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
        told = "; ".join(f"{name}: {value}" for name, value in entry.data.items())
        return told if len(told) <= 100 else f"{told[:99]}…"


# -- the start page ------------------------------------------------------------------------------


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
        rows,
        more=list_address(Report),
        count=waiting.count(),
        empty="Nobody waits for an answer.",
    )


def _latest_sanctions(request: HttpRequest) -> Panel | None:
    if not is_moderator(request.user):
        return None
    latest: Any = Sanction.objects.select_related("user", "by")[:8]
    rows = [(str(each), row_address(each), f"{each.standing}, by {each.by}") for each in latest]
    return Panel(
        "Latest sanctions",
        rows,
        more=list_address(Sanction),
        empty="There is none yet.",
    )


def _ago(report: Report) -> str:
    return f"for {timesince(report.at, depth=1)}"


adminkit.register_panel(_open_reports, order=10)
adminkit.register_panel(_latest_sanctions, order=30)
