"""Forms of moderators' actions."""

from datetime import datetime, timedelta
from typing import Any

from django import forms

from accounts.models import Report, User
from accounts.moderation.appeals import WORDS_MAX as APPEAL_WORDS_MAX
from accounts.moderation.reports import WORDS_MAX
from accounts.moderation.sanctions import REASON_MAX
from core.admin.forms import NOT_TYPED, ActionForm, phrase_field
from core.clock import now_utc

_HOURS = {"day": 24, "three": 72, "week": 7 * 24, "month": 30 * 24}
_LASTS = [
    ("day", "One day"),
    ("three", "Three days"),
    ("week", "A week"),
    ("month", "Thirty days"),
    ("until", "Until the moment below"),
    ("open", "Until a moderator lifts it"),
]


def _lines(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows})


class ReasonForm(ActionForm):
    """Why."""

    reason = forms.CharField(
        label="Reason",
        max_length=REASON_MAX,
        widget=_lines(3),
        help_text="Kept in the audit log.",
    )


class SanctionForm(ActionForm):
    """A warning, a mute or a suspension; the latter two have an end, or none. With a `phrase`, that
    phrase must be typed where there is no end."""

    reason = forms.CharField(
        label="Reason",
        max_length=REASON_MAX,
        widget=_lines(3),
        help_text="The person reads exactly this.",
    )
    lasts = forms.ChoiceField(
        label="How long", choices=_LASTS, initial="day", widget=forms.RadioSelect
    )
    until = forms.DateTimeField(
        label="Until",
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
        help_text="In UTC. Only for “Until the moment below”.",
    )
    note = forms.CharField(
        label="Note",
        required=False,
        max_length=2000,
        widget=_lines(2),
        help_text="For moderators only.",
    )

    def __init__(self, *args: Any, ends: bool, phrase: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ends = ends
        self.phrase = phrase
        if phrase:
            self.fields["typed"] = phrase_field(phrase, required=False)
        if not ends:
            del self.fields["lasts"]
            del self.fields["until"]

    def clean(self) -> dict[str, Any]:
        """Turn what was chosen into `until`, a moment or None; a warning has no such thing."""
        until = self._end() if self.ends else None
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        typed = cleaned.pop("typed", "")
        if self.phrase and until is None and not self.errors and typed != self.phrase:
            self.add_error("typed", NOT_TYPED)
        cleaned.pop("lasts", None)
        if self.ends:
            cleaned["until"] = until
        return cleaned

    def _end(self) -> datetime | None:
        lasts = self.cleaned_data.get("lasts", "")
        if lasts in _HOURS:
            return now_utc() + timedelta(hours=_HOURS[lasts])
        if lasts == "until":
            until: datetime | None = self.cleaned_data.get("until")
            if until is None and "until" not in self.errors:
                self.add_error("until", "Please say until when.")
            return until
        return None


class LiftForm(ActionForm):
    """Why a sanction ends before its time."""

    why = forms.CharField(
        label="Why is it lifted?",
        max_length=REASON_MAX,
        widget=_lines(2),
        help_text="Kept with it; the person is told that it is lifted, not why.",
    )


class GrantForm(ActionForm):
    """What a granted appeal leads to. ``ends``: the sanction may be shortened instead of lifted."""

    comes_to = forms.ChoiceField(
        label="What becomes of the sanction",
        choices=[("lift", "It is lifted now"), ("until", "It ends at the moment below")],
        initial="lift",
        widget=forms.RadioSelect,
    )
    until = forms.DateTimeField(
        label="Until",
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
        help_text="In UTC. Only for “It ends at the moment below”.",
    )
    answer = forms.CharField(
        label="Answer",
        required=False,
        max_length=APPEAL_WORDS_MAX,
        widget=_lines(3),
        help_text="The person reads exactly this, and not who wrote it.",
    )
    note = forms.CharField(
        label="Note",
        required=False,
        max_length=2000,
        widget=_lines(2),
        help_text="For moderators only.",
    )

    def __init__(self, *args: Any, ends: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not ends:
            del self.fields["comes_to"]
            del self.fields["until"]

    def clean(self) -> dict[str, Any]:
        """Turn what was chosen into `until`: a moment, or None where it is lifted."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        comes_to = cleaned.pop("comes_to", "lift")
        if comes_to != "until":
            cleaned["until"] = None
        elif cleaned.get("until") is None and "until" not in self.errors:
            self.add_error("until", "Please say until when.")
        return cleaned


class DenyForm(ActionForm):
    """Why a sanction stands."""

    answer = forms.CharField(
        label="Answer",
        max_length=APPEAL_WORDS_MAX,
        widget=_lines(3),
        help_text="The person reads exactly this, and not who wrote it.",
    )
    note = forms.CharField(
        label="Note",
        required=False,
        max_length=2000,
        widget=_lines(2),
        help_text="For moderators only.",
    )


class MergeForm(ActionForm):
    """Which account is kept."""

    keep = forms.CharField(
        label="Username of the account to keep",
        max_length=20,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    reason = forms.CharField(
        label="How do you know that both are one person's?",
        max_length=REASON_MAX,
        widget=_lines(3),
        help_text="Kept with the merge and in the audit log.",
    )

    def clean_keep(self) -> User:
        """Find the account."""
        name = User.normalize_username(self.cleaned_data["keep"].strip().removeprefix("@"))
        found = User.objects.filter(username=name).first()
        if found is None:
            raise forms.ValidationError("There is no account of this name.")
        return found


class ResolveForm(ActionForm):
    """What came of a report."""

    outcome = forms.ChoiceField(
        label="Outcome", choices=Report.Outcome.choices, widget=forms.RadioSelect
    )
    answer = forms.CharField(
        label="Answer",
        required=False,
        max_length=WORDS_MAX,
        widget=_lines(3),
        help_text="The reporter gets the outcome and these words.",
    )
    note = forms.CharField(
        label="Note",
        required=False,
        max_length=2000,
        widget=_lines(2),
        help_text="For moderators only.",
    )
