"""Administration of people. Deeds go through services; the audit log can only be read."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.db.models import Model, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.models import AuditEntry, User
from accounts.roles import Role
from accounts.services import (
    Refusal,
    audit_record,
    role_grant,
    role_revoke,
    user_close,
    user_reopen,
)


class UserCreationForm(AdminUserCreationForm):
    """Creates an account by name; its owner sets the rest."""

    class Meta(AdminUserCreationForm.Meta):
        model = User
        fields = ("username",)

    def clean_username(self) -> str:
        self.cleaned_data["username"] = User.normalize_username(self.cleaned_data["username"])
        name: str = super().clean_username()
        return name


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    """Accounts. Closing, reopening and roles are actions, so that each leaves its audit entry."""

    add_form = UserCreationForm
    list_display = ("username", "display_name", "email", "is_active", "is_staff", "date_joined")
    list_filter = ("is_active", "is_staff", "is_superuser", "groups")
    search_fields = ("username", "display_name", "email")
    ordering = ("username",)
    date_hierarchy = "date_joined"
    readonly_fields = ("username", "is_active", "groups", "last_login", "date_joined")
    filter_horizontal = ("user_permissions",)
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (_("Person"), {"fields": ("display_name", "email", "time_zone", "theme", "sound_muted")}),
        (
            _("Rights"),
            {"fields": ("is_active", "groups", "is_staff", "is_superuser", "user_permissions")},
        ),
        (_("Dates"), {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = ((None, {"fields": ("username", "usable_password", "password1", "password2")}),)
    actions = (
        "close_accounts",
        "reopen_accounts",
        "make_organisers",
        "make_moderators",
        "unmake_organisers",
        "unmake_moderators",
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Names are for life; only superusers hand out rights."""
        if obj is None:
            return ()
        fields = tuple(self.readonly_fields)
        if not request.user.is_superuser:
            fields += ("is_staff", "is_superuser", "user_permissions", "email")
        return fields

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Accounts are closed, never deleted: matches and the audit log point at them."""
        return False

    def save_model(self, request: HttpRequest, obj: User, form: ModelForm, change: bool) -> None:
        """Save, and say in the audit log which fields were changed."""
        super().save_model(request, obj, form, change)
        assert isinstance(request.user, User)  # noqa: S101  (the admin site admits nobody else)
        audit_record(
            acting_user=request.user,
            action="user.admin_change" if change else "user.admin_create",
            target=obj,
            data={"fields": sorted(form.changed_data)},
        )

    @admin.action(description=_("Close the selected accounts"))
    def close_accounts(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        self._each(request, queryset, user_close, reason="by an administrator")

    @admin.action(description=_("Reopen the selected accounts"))
    def reopen_accounts(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        self._each(request, queryset, user_reopen, reason="by an administrator")

    @admin.action(description=_("Make organisers"))
    def make_organisers(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        self._each(request, queryset, role_grant, role=Role.ORGANISER)

    @admin.action(description=_("Make moderators"))
    def make_moderators(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        self._each(request, queryset, role_grant, role=Role.MODERATOR)

    @admin.action(description=_("No longer organisers"))
    def unmake_organisers(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        self._each(request, queryset, role_revoke, role=Role.ORGANISER)

    @admin.action(description=_("No longer moderators"))
    def unmake_moderators(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        self._each(request, queryset, role_revoke, role=Role.MODERATOR)

    def _each(
        self, request: HttpRequest, queryset: QuerySet[User], service: Any, **details: Any
    ) -> None:
        done = 0
        for user in queryset:
            try:
                service(acting_user=request.user, user=user, **details)
            except Refusal as refusal:
                self.message_user(request, f"{user}: {refusal.sentence}", messages.WARNING)
            else:
                done += 1
        if done:
            self.message_user(request, _("Done for %d.") % done, messages.SUCCESS)


@admin.register(AuditEntry)
class AuditEntryAdmin(admin.ModelAdmin):
    """The audit log, to read."""

    list_display = ("at", "who", "action", "target_type", "target_id")
    list_filter = ("action", "target_type")
    list_select_related = ("who",)
    search_fields = ("who__username", "target_id", "action")
    date_hierarchy = "at"
    fields = ("at", "who", "action", "target_type", "target_id", "data")
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
