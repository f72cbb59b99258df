"""What lets somebody in to an account: addresses, and what OAuth 2 keeps. A session that was stolen
of an administrator must not make any."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, ClassVar

from allauth.account.admin import EmailAddressAdmin
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.db import transaction
from django.db.models import Model, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from oauth2_provider.admin import (
    AccessTokenAdmin,
    ApplicationAdmin,
    GrantAdmin,
    IDTokenAdmin,
    RefreshTokenAdmin,
)
from oauth2_provider.models import (
    get_access_token_model,
    get_application_model,
    get_grant_model,
    get_id_token_model,
    get_refresh_token_model,
)

from accounts.addresses import own_address
from accounts.models import User
from accounts.roles import is_administrator
from accounts.signin.given import administrator_tell
from accounts.signin.recent import ask_to_confirm, is_recently_confirmed
from core.admin.writes import tell_write


class KeyAdmin(admin.ModelAdmin):
    """Rows that let somebody in, or give them power: those alone change them who have confirmed
    lately that it is they. Whoever may only look is not asked.

    `leading` names the actions of the list that only lead to a page, which asks for itself where
    what it does wants that.
    """

    leading: ClassVar[Collection[str]] = ()

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: Any = None,
    ) -> Any:
        """The form by which a row is added or changed."""
        may_write = (
            self.has_add_permission(request)
            if object_id is None
            else self.has_change_permission(request)
        )
        if may_write and not is_recently_confirmed(request):
            return ask_to_confirm(request)
        return super().changeform_view(request, object_id, form_url, extra_context)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        """The question whether a row is to be deleted."""
        if self.has_delete_permission(request) and not is_recently_confirmed(request):
            return ask_to_confirm(request)
        return super().delete_view(request, object_id, extra_context)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """The list; whoever does something to several rows is asked."""
        chosen = request.POST.getlist("action")
        leads = bool(chosen) and all(each in self.leading for each in chosen)
        if request.method == "POST" and not leads and not is_recently_confirmed(request):
            return ask_to_confirm(request)
        return super().changelist_view(request, extra_context)


class PowerAdmin(KeyAdmin):
    """Rows by which one could be let in as anybody, or give oneself any power. Django's permission
    to write them would be that of an administrator; so administrators alone do, and alone do what
    a library's list offers, which asks for no permission. To look, the permission is enough."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Whether somebody may add a row."""
        return is_administrator(request.user) and super().has_add_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether somebody may change a row."""
        return is_administrator(request.user) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether somebody may delete a row."""
        return is_administrator(request.user) and super().has_delete_permission(request, obj)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Those of the list."""
        found: dict[str, Any] = super().get_actions(request)
        return found if is_administrator(request.user) else {}


class LibrarysAdmin(PowerAdmin):
    """Rows of a library that let somebody in to an account. Each change of one leaves an entry in
    the audit log, also by an action of the library's, and the account's owner is written to: at the
    address that the account had before, which may be what is changed."""

    def save_model(self, request: HttpRequest, obj: Any, form: ModelForm, change: bool) -> None:
        """Save, and tell whose row it was, and whose it is now."""
        before = type(obj).objects.filter(pk=obj.pk).first() if change else None
        owners = _owners(before) | _owners(obj)
        super().save_model(request, obj, form, change)
        _tell(owners, "changed" if change else "added", before or obj, obj)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete, and tell."""
        owners = _owners(obj)
        super().delete_model(request, obj)
        _tell(owners, "deleted", obj, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Delete several, and tell."""
        rows = [(row, _owners(row)) for row in queryset]
        super().delete_queryset(request, queryset)
        for row, owners in rows:
            _tell(owners, "deleted", row, row)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Those of the list, of which the library's own tell what they have changed."""
        found: dict[str, Any] = super().get_actions(request)
        return {
            name: (do if name == "delete_selected" else _telling(do, name), name, words)
            for name, (do, _name, words) in found.items()
        }


def _telling(do: Callable[..., Any], name: str) -> Callable[..., Any]:
    def telling(model_admin: Any, request: HttpRequest, rows: QuerySet[Any]) -> Any:
        with transaction.atomic():
            before = [(row, _held(row), _owners(row)) for row in rows.all()]
            answer = do(model_admin, request, rows)
            for row, held, owners in before:
                after = type(row).objects.filter(pk=row.pk).first()
                if after is None or _held(after) != held:
                    tell_write(request, row, name)
                    _tell(owners, "deleted" if after is None else "changed", row, after or row)
        return answer

    return telling


def _held(row: Model) -> dict[str, Any]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def _owners(row: Any) -> dict[User, str]:
    """Whose a row is, with the address of their account as it is now."""
    user = getattr(row, "user", None)
    return {} if user is None else {user: own_address(user)}


def _tell(owners: dict[User, str], done: str, before: Any, now: Any) -> None:
    for user, address in owners.items():
        administrator_tell(user, f"{done} {_said_of(before, now)}", address=address)


def _said_of(before: Any, now: Any) -> str:
    """What a row is to an account's owner, who is told no secret that stands in it."""
    if not isinstance(now, EmailAddress):
        return f"a key to your account ({now._meta.verbose_name})"
    other = f", which is {now.email} now" if now.email != before.email else ""
    state = "confirmed" if now.verified else "not confirmed"
    return f"the address {before.email} of your account{other} ({state})"


_LIBRARYS: tuple[tuple[Any, type[admin.ModelAdmin]], ...] = (
    (EmailAddress, EmailAddressAdmin),
    (get_application_model(), ApplicationAdmin),
    (get_access_token_model(), AccessTokenAdmin),
    (get_grant_model(), GrantAdmin),
    (get_id_token_model(), IDTokenAdmin),
    (get_refresh_token_model(), RefreshTokenAdmin),
)
for _model, _admin in _LIBRARYS:
    admin.site.unregister(_model)
    admin.site.register(_model, type(_admin.__name__, (LibrarysAdmin, _admin), {}))
