"""Administration of ratings: to look at, and to rule on results through the services."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from accounts.models import User
from accounts.roles import is_organiser
from core.refusals import Refusal
from games.models import Match
from games.ratings.models import Rating, RatingRuling
from games.ratings.services import WHY_MAX, rating_correct, rating_exclude, rating_include

COUNTS = [
    ("nobody", "For nobody"),
    ("0", "Won by the first player"),
    ("1", "Won by the second player"),
    ("played", "As it was played"),
]


class RulingForm(forms.ModelForm):
    """What a result shall count as, and why."""

    match = forms.ModelChoiceField(
        Match.objects.finished().defer("snapshot"), widget=forms.NumberInput, label="Match number"
    )
    counts = forms.ChoiceField(choices=COUNTS)
    why = forms.CharField(max_length=WHY_MAX, help_text="Everybody can read it.")

    class Meta:
        model = RatingRuling
        fields = ("match", "why")

    def validate_constraints(self) -> None:
        """Left to the service, which changes a ruling that is there already."""

    def validate_unique(self) -> None:
        """Left to the service as well."""


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
        """Organisers, who are told more exactly by the service."""
        return is_organiser(request.user)

    def has_change_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: RatingRuling, form: Any, _change: bool) -> None:
        """Rule through the service; a refusal is shown, and nothing changes."""
        assert isinstance(request.user, User)  # noqa: S101  (the admin site admits nobody else)
        counts = form.cleaned_data["counts"]
        said: dict[str, Any] = {
            "match_id": obj.match_id,
            "acting_user": request.user,
            "why": obj.why,
        }
        try:
            if counts == "played":
                rating_include(**said)
            elif counts == "nobody":
                rating_exclude(**said)
            else:
                rating_correct(**said, winner=int(counts))
        except Refusal as refusal:
            obj.pk = None
            self.message_user(request, refusal.sentence, messages.ERROR)
        else:
            self.message_user(request, "Ruled. Ratings follow within seconds.", messages.SUCCESS)

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
