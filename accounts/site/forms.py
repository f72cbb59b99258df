"""Forms of what moderators say and decide for the whole site."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.models import RegistrationChange, SecondFactorRule, SiteAnnouncement
from accounts.roles import organisers_need_factor
from accounts.site.announcements import END_PAST, WORDS_MAX, may_end
from accounts.site.registration import registration_now


class SiteAnnouncementForm(forms.ModelForm):  # type: ignore[type-arg]
    """Words for every page, and from when until when."""

    words = forms.CharField(
        max_length=WORDS_MAX,
        widget=forms.Textarea(attrs={"rows": 3, "cols": 80}),
        help_text="Shown as they are on every page, to everybody.",
    )
    is_urgent = forms.BooleanField(
        label="Urgent",
        required=False,
        help_text="It stands out, and its readers cannot close it.",
    )

    begins_at = forms.DateTimeField(
        label="From",
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
        help_text="In UTC. Empty: now.",
    )
    ends_at = forms.DateTimeField(
        label="Until",
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
        help_text="In UTC. Empty: until somebody ends it.",
    )

    class Meta:
        model = SiteAnnouncement
        fields = ("words", "is_urgent", "begins_at", "ends_at")

    def clean(self) -> dict[str, Any]:
        """Where the end is wrong, the database's constraint is not asked, which has no words."""
        given = super().clean() or self.cleaned_data
        if not may_end(given.get("begins_at"), given.get("ends_at")):
            self.add_error("ends_at", END_PAST)
        return given


class SecondFactorRuleForm(forms.ModelForm):  # type: ignore[type-arg]
    """Whether organisers must have a second factor."""

    of_organisers = forms.TypedChoiceField(
        label="Organisers",
        choices=[("no", "May do without a second factor"), ("yes", "Must have a second factor")],
        coerce=lambda value: value == "yes",
        empty_value=None,
        help_text="Organisers of this site, whoever runs a season or helps to, and referees. Of "
        "moderators and administrators one is asked in any case.",
    )

    class Meta:
        model = SecondFactorRule
        fields = ("of_organisers",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """It begins with what stands, which saved as it is changes nothing and is refused."""
        stands = {"of_organisers": "yes" if organisers_need_factor() else "no"}
        kwargs["initial"] = stands | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)


class RegistrationForm(forms.ModelForm):  # type: ignore[type-arg]
    """Whether accounts are opened, and what is said while they are not."""

    is_open = forms.TypedChoiceField(
        label="Registration",
        choices=[("no", "Closed: nobody opens an account"), ("yes", "Open to everybody")],
        coerce=lambda value: value == "yes",
        empty_value=None,
    )
    words = forms.CharField(
        required=False,
        max_length=WORDS_MAX,
        help_text="Shown to whoever would register while it is closed.",
    )

    class Meta:
        model = RegistrationChange
        fields = ("is_open", "words")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """It begins with what stands, which saved as it is changes nothing and is refused."""
        last = registration_now()
        if last is not None:
            stands = {"is_open": "yes" if last.is_open else "no", "words": last.words}
        else:
            stands = {"is_open": "yes"}
        kwargs["initial"] = stands | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
