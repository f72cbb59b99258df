"""Accounts and roles."""

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.contrib.auth.forms import UserChangeForm as DjangoUserChangeForm
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.decorators import method_decorator
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.debug import sensitive_post_parameters

from accounts.addresses import own_address
from accounts.admin.keys import KeyAdmin, PowerAdmin
from accounts.admin.search import about_people, details_name
from accounts.models import (
    AccountMerge,
    ApiToken,
    AuditEntry,
    DiscordLink,
    Report,
    Sanction,
    User,
)
from accounts.moderation import reports
from accounts.moderation.actions import PEOPLE, USER, USERS, AtPeople, AtUser
from accounts.moderation.ways import sharing_with
from accounts.names.impostors import refuse_impersonation
from accounts.names.validators import normalise_display_name
from accounts.roles import has_any_role, is_administrator
from accounts.services import audit_record, password_given, rights_announce_change
from accounts.signin.given import administrator_tell
from accounts.signin.recent import ask_to_confirm, is_recently_confirmed
from core.admin.actions import ActionsAdmin
from core.admin.links import list_address, row_address, row_link
from core.admin.readers import ModeratorView, person
from core.refusals import Refusal

about_people(ApiToken, "user")
details_name(User, User, "pk", "$.keep", "$.duplicate")


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
# The sign-in library's: nothing is ever in them.
admin.site.unregister([SocialApp, SocialAccount, SocialToken])
# And its second factors: a row is a secret, and removing one is an action with a reason.
admin.site.unregister(Authenticator)


@admin.register(Group)
class GroupAdmin(PowerAdmin, DjangoGroupAdmin):
    """Roles, and what they may do."""

    filter_horizontal = ()  # as for accounts


@admin.register(User)
class UserAdmin(KeyAdmin, ModeratorView, ActionsAdmin, DjangoUserAdmin):
    """Accounts. What is done to them has a page of its own, so that each leaves its entry."""

    row_actions = USER
    list_actions = USERS
    several_actions = PEOPLE
    leading = tuple(action.name for action in PEOPLE)
    writes_entries = True
    form = UserChangeForm
    add_form = UserCreationForm
    list_display = ("username", "display_name", "email", "standing", "is_staff", "date_joined")
    list_filter = (UserStandingFilter, "is_staff", "is_superuser", "groups")
    search_fields = ("username", "display_name", "email", "emailaddress__email")
    search_help_text = "Username, display name or email address."
    ordering = ("username",)
    date_hierarchy = "date_joined"
    readonly_fields = (
        "username", "is_active", "standing", "discord", "second_factor", "groups", "last_login",
        "date_joined", "device_zone",
    )  # fmt: skip
    # Django's widget of two lists has signs that nobody hears of.
    filter_horizontal = ()
    fieldsets = (
        (None, {"fields": ("username", "password", "standing")}),
        (
            "Person",
            {
                "fields": (
                    "display_name",
                    "email",
                    "discord",
                    "second_factor",
                    "time_zone",
                    "device_zone",
                    "theme",
                    "sound_muted",
                )
            },
        ),
        (
            "Rights",
            {"fields": ("is_active", "groups", "is_staff", "is_superuser", "user_permissions")},
        ),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = ((None, {"fields": ("username", "usable_password", "password1", "password2")}),)

    def subject_of(self, request: HttpRequest, row: User) -> AtUser:
        """The moderator, and the person. `?report=` names the report that led there."""
        moderator = person(request)
        report = reports.numbered(request.GET.get("report", ""), moderator, about=row)
        return AtUser(moderator, row, report)

    def subject_of_several(self, request: HttpRequest, rows: list[User]) -> AtPeople:
        """The moderator, and the people chosen."""
        return AtPeople(person(request), rows)

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

    @admin.display(description="Discord")
    def discord(self, user: User) -> str:
        """What this person is called at Discord, and since when that is linked."""
        link = DiscordLink.objects.filter(user=user).first()
        if link is None:
            return "—"
        return f"{link.name} ({link.discord_id}), since {date_format(link.linked_at, 'j F Y')}"

    @admin.display(description="second factor")
    def second_factor(self, user: User) -> str:
        """What this person signs in with besides a password."""
        kinds = Authenticator.objects.filter(user=user).values_list("type", flat=True)
        return ", ".join(sorted({Authenticator.Type(kind).label.lower() for kind in kinds})) or "—"

    def row_links(self, request: HttpRequest, row: User) -> list[tuple[str, str]]:
        """The public page, and what moderators have of this person."""
        own = [
            ("Public page", row.get_absolute_url()),
            ("Sanctions", list_address(Sanction, user__id__exact=row.pk)),
            (
                "Reports about them",
                list_address(Report, concerns=row.pk, state="all"),
            ),
            ("Their actions", list_address(AuditEntry, who__id__exact=row.pk)),
            ("Actions by and to them", list_address(AuditEntry, q=row.username)),
            *(
                (f"Shares with @{each.username}: {', '.join(kinds).lower()}", row_address(each))
                for each, kinds in sharing_with(acting_user=person(request), user=row).items()
            ),
        ]
        return [*own, *super().row_links(request, row)]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Moderators see no rights and no passwords: they cannot change either."""
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None or request.user.is_superuser or self.has_change_permission(request, obj):
            return fieldsets
        person_only = {
            "fields": ("username", "display_name", "email", "discord", "time_zone", "standing")
        }
        return ((None, person_only), fieldsets[-1])

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Names are for life; only superusers hand out rights."""
        if obj is None:
            return ()
        fields = tuple(self.readonly_fields)
        if not request.user.is_superuser:
            fields += ("is_staff", "is_superuser", "user_permissions", "email")
        return fields

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever gives somebody a password can sign in as them: who holds any power is changed by
        administrators alone, and by themselves."""
        if obj is not None and has_any_role(obj) and obj != request.user:
            return is_administrator(request.user)
        return super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Accounts are closed, never deleted: matches and the audit log point at them."""
        return False

    def save_model(self, request: HttpRequest, obj: User, form: ModelForm, change: bool) -> None:
        """Save, and say in the audit log which fields were changed, and to the address that the
        account had that it has another."""
        before = User.objects.filter(pk=obj.pk).first()
        address = "" if before is None else own_address(before)
        super().save_model(request, obj, form, change)
        if before is not None and before.email != obj.email:
            now = f"changed the address of your account to {obj.email}"
            what = now if obj.email else "taken the address off your account"
            administrator_tell(obj, what, address=address)
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
        """Set somebody's password, or take it away, and say so in the audit log. Administrators
        alone do: it leads to whatever that account may do, in seasons and matches too."""
        if not is_administrator(request.user):
            raise PermissionDenied
        if not is_recently_confirmed(request):
            return ask_to_confirm(request)
        with transaction.atomic():
            before = self.get_object(request, unquote(id))
            response = super().user_change_password(request, id, form_url)
            after = self.get_object(request, unquote(id))
            if before is not None and after is not None and before.password != after.password:
                password_given(acting_user=person(request), user=after)
                given = after.has_usable_password()
                what = "given your account another password"
                administrator_tell(
                    after,
                    what if given else "taken the password off your account",
                    address=own_address(after),
                )
        return response
