"""The admin site itself: who may enter, what its lists can be asked, and its start page."""

from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

from core.admin.links import page_of
from core.admin.lists import guarded
from core.admin.looks import tell_list_look, tell_look
from core.admin.panels import panels
from core.admin.readers import is_kept_out, moderates


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else 0


class GauntletAdminSite(admin.AdminSite):
    """Open to moderators as well as to staff. What they may do there each page asks for itself."""

    site_title = "Gauntlet"
    site_header = "Gauntlet · administration"
    index_title = "What is going on"

    def has_permission(self, request: HttpRequest) -> bool:
        if moderates(request.user):
            return True
        return super().has_permission(request) and not is_kept_out(request.user)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """As usual; and what is shown is told (`core.admin.looks`), whichever class shows it."""

        @wraps(view)
        def telling(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            response = view(request, *args, **kwargs)
            tell_look(request, response)
            return response

        return super().admin_view(telling, cacheable)

    @method_decorator(never_cache)
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Lead to the site's own page: it is the one way in, with the limits that guessing has. Who
        is signed in and has no business here is told so; signing in would lead them back."""
        if self.has_permission(request):
            return redirect("admin:index")
        if request.user.is_authenticated:
            raise PermissionDenied
        asked = request.GET.get("next") or request.POST.get("next") or reverse("admin:index")
        return redirect(f"{reverse('account_login')}?{urlencode({'next': asked})}")

    def password_change(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        """Lead to the site's own page: whoever sets a password there ends what is open with it."""
        return redirect("account_change_password")

    def register(
        self, model_or_iterable: Any, admin_class: type[Any] | None = None, **options: Any
    ) -> None:
        """Register as usual, with `Guarded` before whatever the class says itself: a class
        that forgets it, or comes with a library, cannot be without it."""
        chosen = guarded(admin_class or admin.ModelAdmin)
        super().register(model_or_iterable, chosen, **options)

    def get_urls(self) -> list[Any]:
        """The library's addresses, but for the one that leads to a row's page on the site: that
        one would find any row of any table, and stumble over those that have none."""
        urls = super().get_urls()
        for each in urls:
            if getattr(each, "name", None) == "view_on_site":
                each.callback = self.admin_view(self.to_page)
        return urls

    def to_page(self, request: HttpRequest, content_type_id: str, object_id: str) -> HttpResponse:
        """Lead from a row that the reader finds here to its page on the site, if it has one."""
        kind = ContentType.objects.filter(pk=_number(content_type_id)).first()
        model = kind and kind.model_class()
        model_admin = self._registry.get(model) if model else None
        row = model_admin and model_admin.get_object(request, object_id)
        if not (model_admin and row and model_admin.has_view_permission(request, row)):
            raise Http404
        page = page_of(row)
        if page is None:
            raise Http404
        return redirect(page)

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Show what waits for a moderator, before the list of everything."""
        shown = panels(request)
        context = {**(extra_context or {}), "panels": shown}
        response: HttpResponse = super().index(request, context)
        for panel in shown:
            if panel.of is not None and panel.rows:
                tell_list_look(request, panel.of)
        return response
