"""The admin site itself: who may enter, what its lists can be asked, and its start page."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from accounts import adminkit
from accounts.roles import is_moderator


class GauntletAdminSite(admin.AdminSite):
    """Open to moderators as well as to staff. What they may do there each page asks for itself."""

    site_title = _("Gauntlet")
    site_header = _("Gauntlet · administration")
    index_title = _("What is going on")

    def has_permission(self, request: HttpRequest) -> bool:
        return super().has_permission(request) or is_moderator(request.user)

    def register(
        self, model_or_iterable: Any, admin_class: type[Any] | None = None, **options: Any
    ) -> None:
        """Register as usual, with `adminkit.Guarded` before whatever the class says itself: a class
        that forgets it, or comes with a library, cannot be without it."""
        chosen = adminkit.guarded(admin_class or admin.ModelAdmin)
        super().register(model_or_iterable, chosen, **options)

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Show what waits for a moderator, before the list of everything."""
        panels = adminkit.panels(request)
        response: HttpResponse = super().index(request, {**(extra_context or {}), "panels": panels})
        return response
