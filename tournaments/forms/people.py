"""Forms about who takes part in a season, and who runs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar, cast

from django import forms
from django.core.exceptions import ValidationError
from django.utils.html import format_html

from accounts.models import User
from core.moments import MomentField, zone_text
from core.refusals import Refusal
from games.reasons import WHY_MAX
from tournaments.forms.base import PublicReasonForm, ServiceForm
from tournaments.forms.fields import NAMES, UserField
from tournaments.models import Contestant, MessageTo, Round, SeasonApplication
from tournaments.models.applications import WHY_MAX as DECLINED_WHY_MAX
from tournaments.models.applications import WORDS_MAX as APPLICATION_MAX
from tournaments.models.invitations import LIMIT_MAX, NOTE_MAX
from tournaments.models.messages import TITLE_MAX, WORDS_MAX
from tournaments.rights import OF_HELPERS, Role
from tournaments.services.contestants.rosters import FaultyRoster, LineFault


class RosterForm(ServiceForm):
    """Many at once: a list that was pasted, or a file."""

    at_field: ClassVar[Mapping[str, str]] = {"contestants": "text"}
    faults: Sequence[LineFault] = ()

    text = forms.CharField(
        label="One a line",
        required=False,
        max_length=200_000,
        help_text="A username; or username, name and seed with commas between them. For somebody "
        "without an account begin with the comma: a place is held for them, with a link to it.",
        widget=forms.Textarea(attrs={"rows": 6, **NAMES}),
    )
    file = forms.FileField(
        label="Or a CSV file",
        required=False,
        help_text="With the headings username (or discord), name, seed, email; at most 200 kB.",
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,text/csv,text/plain"}),
    )

    def clean_file(self) -> str:
        upload = self.cleaned_data["file"]
        if not upload:
            return ""
        if upload.size > 200_000:
            raise ValidationError("This file is too large.", code="too-large")
        try:
            return str(upload.read().decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise ValidationError("This file is not UTF-8 text.", code="not-text") from None

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.errors and not (data.get("text", "").strip() or data.get("file")):
            raise ValidationError("Name somebody, or choose a file.", code="nobody")
        return data

    def roster(self) -> str:
        """The lines, of a valid form."""
        lines: str = self.cleaned_data["file"] or self.cleaned_data["text"]
        return lines

    def refuse(self, refusal: Refusal) -> None:
        """What is wrong line by line stands in ``faults``, and a word about it on top."""
        if isinstance(refusal, FaultyRoster):
            self.faults = refusal.faults
            refusal = refusal.reworded("Nobody was enrolled: see above what is wrong.")
        super().refuse(refusal)


class SeedsForm(ServiceForm):
    """Everybody's seed, by hand."""

    def __init__(self, *args: Any, contestants: Sequence[Contestant], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._contestants = contestants
        for each in contestants:
            self.fields[f"seed_{each.pk}"] = forms.IntegerField(
                label=each.shown_name,
                required=False,
                min_value=1,
                initial=each.seed,
                widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
            )

    def seeds(self) -> dict[int, int | None]:
        """Seeds by contestant, of a valid form."""
        return {each.pk: self.cleaned_data[f"seed_{each.pk}"] for each in self._contestants}


class PartForm(ServiceForm):
    """What somebody is in a season that they run, or help to run."""

    at_field: ClassVar[Mapping[str, str]] = {
        "organiser.rights": "rights",
        "organiser.role": "role",
        "organiser.same": "role",
    }

    role = forms.ChoiceField(
        label="As",
        choices=[(Role.HELPER, "A helper"), (Role.ORGANISER, "A co-organiser")],
        initial=Role.HELPER,
        widget=forms.RadioSelect,
        help_text="A co-organiser may do everything but call the season off and remove its owner.",
    )
    rights = forms.MultipleChoiceField(
        label="What a helper does",
        choices=[(right.value, right.label) for right in OF_HELPERS],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Co-organisers do all of this.",
    )

    def part(self) -> dict[str, Any]:
        """What is given, as services take it."""
        helps = self.cleaned_data["role"] == Role.HELPER
        return {
            "role": self.cleaned_data["role"],
            "rights": self.cleaned_data["rights"] if helps else [],
        }


class OrganiserForm(PartForm):
    """Somebody who is to run the season too, or to help: by name, or by a link."""

    at_field: ClassVar[Mapping[str, str]] = {**PartForm.at_field, "organiser": "user"}
    field_order = ("user", "role", "rights")

    user = UserField(
        label="Username",
        required=False,
        help_text="Leave it empty for a link: whoever opens it first, and says yes.",
    )


class InvitationForm(ServiceForm):
    """A link by which people enter by themselves."""

    at_field: ClassVar[Mapping[str, str]] = {
        "invitation.note": "note",
        "invitation.limit": "limit",
        "invitation.expiry": "lasts",
    }
    #: Days.
    LASTS: ClassVar = [("1", "A day"), ("7", "A week"), ("30", "30 days"), ("", "Until it begins")]

    note = forms.CharField(
        label="What it is for",
        required=False,
        max_length=NOTE_MAX,
        help_text="For you to tell links apart; nobody else reads it.",
    )
    limit = forms.IntegerField(
        label="For how many",
        required=False,
        min_value=1,
        max_value=LIMIT_MAX,
        help_text="Empty: for as many as like.",
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    lasts = forms.ChoiceField(
        label="It lasts", choices=LASTS, required=False, initial="7", widget=forms.RadioSelect
    )

    def expires_at(self, at: datetime) -> datetime | None:
        """When the link expires, of a valid form that is sent ``at``."""
        days = self.cleaned_data["lasts"]
        return at + timedelta(days=int(days)) if days else None


class ApplicationForm(ServiceForm):
    """Asking to take part."""

    at_field: ClassVar[Mapping[str, str]] = {"application.words": "words"}
    words = forms.CharField(
        label="What you would like the organisers to know",
        required=False,
        max_length=APPLICATION_MAX,
        help_text=f"They alone read it; up to {APPLICATION_MAX} characters.",
        widget=forms.Textarea(attrs={"rows": 5}),
    )


class ApplicationsForm(ServiceForm):
    """Those of the applications that are ticked."""

    def __init__(
        self, *args: Any, applications: Sequence[SeasonApplication], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        known = {each.pk: each for each in applications}
        self.fields["tick"] = forms.TypedMultipleChoiceField(
            label="Approve",
            choices=[(each.pk, each.user.shown_name) for each in applications],
            coerce=lambda value: known[int(value)],
            widget=forms.CheckboxSelectMultiple,
            error_messages={
                "required": "Tick somebody first.",
                "invalid_choice": "Somebody ticked is decided about by now.",
            },
        )


class DeclineForm(ServiceForm):
    """Declining somebody, with a reason or without one."""

    at_field: ClassVar[Mapping[str, str]] = {"why": "why"}
    why = forms.CharField(
        label="Reason",
        required=False,
        max_length=DECLINED_WHY_MAX,
        help_text="They alone are told. It can be left out.",
    )


class CheckInForm(ServiceForm):
    """Until when contestants check in."""

    at_field: ClassVar[Mapping[str, str]] = {"check-in.until": "until"}

    def __init__(self, *args: Any, user: User, until: datetime | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["until"] = MomentField(
            zone=user.time_zone,
            moment=until,
            label="Open until",
            required=True,
            help_text=format_html("In the time of {}.", zone_text(user.time_zone)),
        )


class MessageForm(ServiceForm):
    """What organisers write to contestants."""

    at_field: ClassVar[Mapping[str, str]] = {
        "message.title": "title",
        "message.words": "words",
        "message.whom": "whom",
        "message.nobody": "whom",
        "round": "whom",
    }

    whom = forms.ChoiceField(label="To", widget=forms.RadioSelect)
    title = forms.CharField(label="Title", max_length=TITLE_MAX)
    # Forms send line breaks as two characters: the service counts what is kept.
    words = forms.CharField(
        label="Message",
        help_text=f"At most {WORDS_MAX} characters. It cannot be taken back.",
        widget=forms.Textarea(attrs={"rows": 6, "maxlength": str(WORDS_MAX)}),
    )

    # By which it is known where it is sent again.
    form = forms.CharField(required=False, max_length=20, widget=forms.HiddenInput)

    def __init__(self, *args: Any, rounds: Sequence[Round], key: str, **kwargs: Any) -> None:
        begins = {"whom": MessageTo.STILL_IN.value, "form": key}
        kwargs["initial"] = begins | kwargs.get("initial", {})
        super().__init__(*args, **kwargs)
        self._rounds = {f"round-{each.number}": each for each in rounds}
        field = cast(forms.ChoiceField, self.fields["whom"])
        field.choices = [
            (MessageTo.STILL_IN.value, MessageTo.STILL_IN.label),
            (MessageTo.EVERYBODY.value, MessageTo.EVERYBODY.label),
            *((key, f"Those whose death match in {each.name} is still open")
              for key, each in self._rounds.items()),
        ]  # fmt: skip

    @property
    def to(self) -> tuple[str, Round | None]:
        """To whom, and of which round, of a valid form."""
        whom = str(self.cleaned_data["whom"])
        played = self._rounds.get(whom)
        return (whom, None) if played is None else (MessageTo.ROUND.value, played)


class WithdrawForm(ServiceForm):
    """Leaving a season; a contestant need not say why."""

    at_field: ClassVar[Mapping[str, str]] = {"why": "why"}
    why = forms.CharField(
        label="Reason", required=False, max_length=WHY_MAX, help_text="Everybody will read it."
    )


class ReplaceForm(PublicReasonForm):
    """Somebody who takes a contestant's place."""

    at_field: ClassVar[Mapping[str, str]] = {"why": "why", "contestant": "user"}
    user = UserField(label="Who takes over")
    field_order = ("user", "why")
