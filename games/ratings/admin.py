"""Administration of ratings: to look at, and to rule on results through the services."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.admin.readers import person
from core.refusals import Forbidden, Refusal
from games.ratings.actions import RULE, AtRatings
from games.ratings.forms import RulingForm
from games.ratings.models import Rating, RatingRuling


@admin.register(RatingRuling)
class RatingRulingAdmin(admin.ModelAdmin):
    """Results that count otherwise than they were played. A ruling is made, and taken back, by
    adding one; what was ruled before stands in the audit log."""

    form = RulingForm
    fields = ("match", "counts", "why")
    list_display = ("match", "winner", "why", "by", "at")
    list_select_related = ("match", "by")
    search_fields = ("=match__id", "why", "by__username")
    date_hierarchy = "at"

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Whoever rules on some results; on which, the service says."""
        return RULE.offered(AtRatings(person(request)))

    def has_change_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: RatingRuling, form: Any, _change: bool) -> None:
        """Rule through the service; a refusal is shown, and nothing changes.

        Raises PermissionDenied for what is somebody else's to rule on."""
        try:
            done = RULE.do(AtRatings(person(request)), form)
        except Forbidden as refusal:
            raise PermissionDenied(refusal.sentence) from refusal
        except Refusal as refusal:
            obj.pk = None
            self.message_user(request, refusal.sentence, messages.ERROR)
        else:
            self.message_user(request, done.words, messages.SUCCESS)

    def log_addition(self, *_arguments: Any) -> Any:
        """The audit log has it, with more in it."""
        return None

    def response_add(self, _request: HttpRequest, _obj: Any, *_more: Any) -> HttpResponse:
        """Back to the list: what was added may be that there is no ruling any more."""
        return redirect("admin:games_ratingruling_changelist")


@admin.register(Rating)
class RatingAdmin(admin.ModelAdmin):
    """Where players stand: derived from the results, so there is nothing to edit."""

    list_display = ("user", "ladder", "shown", "mu", "sigma", "games", "wins", "last_played")
    list_filter = ("ladder",)
    list_select_related = ("user", "ladder")
    search_fields = ("user__username", "user__display_name")

    def has_add_permission(self, _request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        return False
