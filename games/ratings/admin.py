"""Administration of ratings: to look at, and to rule on results through the services."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from core.admin.actions import AddedByAction
from core.admin.readers import person
from games.ratings.actions import RULE, AtRatings
from games.ratings.forms import RulingForm
from games.ratings.models import Rating, RatingRuling


@admin.register(RatingRuling)
class RatingRulingAdmin(AddedByAction, admin.ModelAdmin):
    """Results that count otherwise than they were played. A ruling is made, and taken back, by
    adding one; what was ruled before stands in the audit log."""

    adds = RULE
    form = RulingForm
    fields = ("match", "counts", "why")
    list_display = ("match", "winner", "why", "by", "at")
    list_select_related = ("match", "by")
    search_fields = ("=match__id", "why", "by__username")
    date_hierarchy = "at"

    def adding(self, request: HttpRequest) -> AtRatings:
        """Whoever rules on some results; on which, the service says."""
        return AtRatings(person(request))


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
