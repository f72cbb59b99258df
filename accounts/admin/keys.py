"""What lets somebody in to an account: addresses, and what OAuth 2 keeps. A session that was stolen
of an administrator must not make any."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

from allauth.account.admin import EmailAddressAdmin
from allauth.account.models import EmailAddress
from django.contrib import admin
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

from accounts.signin.recent import ask_to_confirm, is_recently_confirmed


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
    admin.site.register(_model, type(_admin.__name__, (KeyAdmin, _admin), {}))
