"""The admin site itself: who may enter, and its start page."""

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

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Show what waits for a moderator, before the list of everything."""
        panels = adminkit.panels(request)
        response: HttpResponse = super().index(request, {**(extra_context or {}), "panels": panels})
        return response
