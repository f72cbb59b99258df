"""Forms about when people are free, and the times that they propose to each other."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Final, NamedTuple

from django import forms
from django.core.exceptions import ValidationError
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.forms import time_zone_choices
from accounts.models import User
from core.clock import now_utc
from core.moments import MomentField, zone_text
from tournaments import audience
from tournaments.forms.base import ServiceForm
from tournaments.models import FreeDate, FreeHours, Leg
from tournaments.models.times import HOURS_A_WEEK, PROPOSED_MAX
from tournaments.reading.times import BothFree, both_free

DAYS: Final = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip


#: Said to those of whom no zone is known (`free_hours`).
OF_ALL: Final = "None is known of you yet: where you choose another than UTC, all times are in it."


class HourCell(NamedTuple):
    """An hour of a week in the grid."""

    value: int
    label: str
    marked: bool


class HourRow(NamedTuple):
    """The same hour of every day."""

    label: str
    cells: list[HourCell]


def hour_text(hour: int) -> str:
    """A full hour of a day."""
    return f"{hour:02}:00"


class FreeHoursForm(ServiceForm):
    """The hours of an ordinary week."""

    at_field: ClassVar[Mapping[str, str]] = {"free.zone": "zone", "free.hours": "hours"}

    zone = forms.ChoiceField()
    hours = forms.MultipleChoiceField(
        required=False, choices=[(str(number), str(number)) for number in range(HOURS_A_WEEK)]
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        row = FreeHours.objects.filter(user=user).first()
        self._before = "" if row is None else row.zone
        self._has_dates = row is not None and row.dates.exists()
        help_text = "In which you mean these hours. They stay the same when the clocks change."
        if self._has_dates:
            help_text += " Your single dates are in it, too: another zone moves them."
        self.fields["zone"] = _zone_field(
            user, self._before, bound=self.is_bound, label="Time zone", help_text=help_text
        )
        week = "" if row is None else row.week
        self.fields["hours"].initial = [str(n) for n, mark in enumerate(week) if mark == "1"]

    @property
    def days(self) -> list[tuple[str, str]]:
        """The days, short and whole."""
        return [(day[:2], day) for day in DAYS]

    @property
    def rows(self) -> list[HourRow]:
        """The grid: a row for each hour, a cell for each day."""
        marked = {str(each) for each in self["hours"].value() or []}
        rows = []
        for hour in range(24):
            text = hour_text(hour)
            cells = []
            for number, day in enumerate(DAYS):
                value = 24 * number + hour
                cells.append(HourCell(value, f"{day} {text}", str(value) in marked))
            rows.append(HourRow(text, cells))
        return rows

    @property
    def dates_move(self) -> bool:
        """Whether another zone moves single dates that were said before; of a valid form."""
        return self._has_dates and self.cleaned_data["zone"] != self._before

    def hours_set(self) -> dict[str, Any]:
        """What the service wants to know, of a valid form."""
        data = self.cleaned_data
        return {"zone": data["zone"], "hours": [int(each) for each in data["hours"]]}


class FreeDateForm(ServiceForm):
    """A single date, in the zone of the week; that is chosen here where it is said first."""

    at_field: ClassVar[Mapping[str, str]] = {
        "free.date": "date",
        "free.zone": "zone",
        "free.kind": "kind",
        "free.hours": "until",
        "free.too-many": "date",
    }

    date = forms.DateField(label="Date", widget=forms.DateInput(attrs={"type": "date"}))
    kind = forms.ChoiceField(
        label="On this date",
        choices=[("not", "I am not free"), ("also", "I am also free at these hours")],
        initial=FreeDate.Kind.NOT,
        widget=forms.RadioSelect,
    )
    first = forms.TypedChoiceField(
        label="From",
        coerce=int,
        choices=[(hour, hour_text(hour)) for hour in range(24)],
        initial=18,
    )
    until = forms.TypedChoiceField(
        label="Until",
        coerce=int,
        choices=[(hour, hour_text(hour)) for hour in range(1, 25)],
        initial=22,
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        # The week's form, on the same page, has a field of the same name.
        super().__init__(*args, **{"auto_id": "id_date_%s", **kwargs})
        row = FreeHours.objects.filter(user=user).first()
        if row is not None:
            self.fields["date"].help_text = f"In the zone of your week, {_zone_words(row.zone)}."
            return
        self.fields["zone"] = _zone_field(
            user,
            "",
            bound=self.is_bound,
            label="Time zone of the date",
            help_text="In which you mean it; your week is then in it, too.",
        )

    def date_added(self) -> dict[str, Any]:
        """What the service wants to know, of a valid form."""
        return dict(self.cleaned_data)


def _zone_words(zone: str) -> str:
    return zone.replace("_", " ")


def _zone_field(
    user: User, chosen: str, *, bound: bool, label: str, help_text: str
) -> forms.ChoiceField:
    """The zone in which somebody says when they are free: that which they have ``chosen``, or else
    their account's, or else their device's, as the page's script finds it."""
    zone = chosen or str(user.zone)
    known = [each for each in time_zone_choices() if each[0]]
    if zone not in {each[0] for each in known}:
        known.insert(0, (zone, _zone_words(zone)))
    # What has been sent back was chosen.
    marks = {} if chosen or user.time_zone or bound else {"data-device": True}
    return forms.ChoiceField(
        label=label,
        choices=known,
        initial=zone,
        help_text=help_text if user.time_zone or user.device_zone else f"{help_text} {OF_ALL}",
        widget=forms.Select(attrs=marks),
    )


def moment_text(moment: datetime, user: User) -> SafeString:
    """A moment in the reader's own zone, which the page's script puts into their device's where
    their account names none."""
    local = moment.astimezone(user.zone)
    return format_html(
        '<time datetime="{}" data-style="weekday">{}</time>',
        moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
        f"{local:%A}, {local.day} {local:%B %Y}, {local:%H:%M} {local.tzname()}",
    )


class ProposalForm(ServiceForm):
    """Up to three start times: of those at which both are free, or others."""

    at_field: ClassVar[Mapping[str, str]] = {}

    def __init__(self, *args: Any, leg: Leg, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.free: BothFree | None = both_free(leg.death_match)
        seat = audience.seat_of(leg.death_match, user)
        choices: list[tuple[str, Any]] = []
        if self.free is not None and seat is not None:
            other = self.free.sides[1 - seat]
            for start in self.free.starts(leg, now_utc(), user.zone):
                theirs = self.free.proposed(start, other).theirs
                beside = f"{theirs} for {other.shown_name}" if theirs else ""
                label = format_html(
                    '<span>{} <span class="muted small">{}</span></span>',
                    moment_text(start, user),
                    beside,
                )
                choices.append((start.isoformat(), label))
        if choices:
            # What was chosen stays one while suggestions move on with the clock.
            given = self.data.getlist("suggested") if hasattr(self.data, "getlist") else []
            known = {value for value, _label in choices}
            choices += [(each, each) for each in given if each not in known and _instant(each)]
            self.fields["suggested"] = forms.MultipleChoiceField(
                label="Both of you are free",
                required=False,
                choices=choices,
                widget=forms.CheckboxSelectMultiple,
            )
        for number in range(1, PROPOSED_MAX + 1):
            self.fields[f"other_{number}"] = MomentField(
                zone=user.time_zone,
                moment=None,
                label="Another time" if number == 1 else f"Another time ({number})",
                help_text=format_html("In your zone, {}.", zone_text(user.time_zone))
                if number == 1
                else "",
            )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        chosen = [_instant(each) for each in data.get("suggested") or []]
        others = [data.get(f"other_{number}") for number in range(1, PROPOSED_MAX + 1)]
        data["times"] = [each for each in (*chosen, *others) if each is not None]
        return data


def _instant(text: str) -> datetime | None:
    """An instant as forms send it, with its zone; None where it is none."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else None


def instant_sent(text: str) -> datetime | None:
    """The time that a button names."""
    return _instant(text)


class ScheduleForm(ServiceForm):
    """When a leg is played, in the organiser's own zone; first, when both players are free."""

    at_field: ClassVar[Mapping[str, str]] = {"schedule": "when"}

    def __init__(self, *args: Any, user: User, leg: Leg, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._scheduled_at = leg.scheduled_at
        zone = user.time_zone
        free = both_free(leg.death_match)
        starts = [] if free is None else free.starts(leg, now_utc(), user.zone)
        if starts:
            choices = [(each.isoformat(), moment_text(each, user)) for each in starts]
            self.fields["both_free"] = forms.CharField(
                label="Both players are free",
                required=False,
                initial=choices[0][0] if leg.scheduled_at is None else "",
                widget=forms.RadioSelect(choices=[*choices, ("", "At another time, or at none:")]),
            )
        self.fields["when"] = MomentField(
            zone=zone,
            moment=leg.scheduled_at,
            label="Begins",
            help_text=format_html("In your zone, {}. Empty: no fixed time.", zone_text(zone)),
        )

    def clean_both_free(self) -> datetime | None:
        text = self.cleaned_data["both_free"]
        found = _instant(text) if text else None
        if text and found is None:
            raise ValidationError("Choose one of these times.", code="no-time")
        return found

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        written = data.get("when")
        # What was written is meant, though one of the others is chosen from the beginning.
        if written is None or written == self._scheduled_at:
            data["when"] = data.get("both_free") or written
        return data
