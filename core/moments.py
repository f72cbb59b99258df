"""Instants in forms: filled in in somebody's own zone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString


class MomentField(forms.CharField):
    """A date and a time in somebody's own zone (empty: UTC); gives the instant, or None.

    What is sent back as it was shown stays the instant it was: the field shows no seconds, nor
    which of two hours of the same name is meant. Where the clocks skip what is written it is
    refused; where they show it twice, the first is meant.
    """

    def __init__(self, *, zone: str, moment: datetime | None, **more: Any) -> None:
        self._zone = ZoneInfo(zone or "UTC")
        self._moment = moment
        shown = "" if moment is None else f"{moment.astimezone(self._zone):%Y-%m-%dT%H:%M}"
        # An account that names no zone: the page's script takes the device's instead of UTC.
        marks = {} if zone else {"data-utc": True}
        widget = forms.DateTimeInput(attrs={"type": "datetime-local", **marks})
        super().__init__(**{"required": False, "initial": shown, "widget": widget, **more})

    def clean(self, value: Any) -> datetime | None:
        text = super().clean(value)
        if not text:
            return None
        if text == self.initial:
            return self._moment
        try:
            found = datetime.fromisoformat(text)
            # A time that names its own zone means that one.
            if timezone.is_aware(found):
                return found.astimezone(UTC)
            there = found.replace(tzinfo=self._zone).astimezone(UTC)
            exists = there.astimezone(self._zone).replace(tzinfo=None) == found
        except (ValueError, OverflowError):
            raise ValidationError(
                "Write a date and a time, such as 2030-05-17T20:00.", code="no-time"
            ) from None
        if not exists:
            raise ValidationError(
                "There is no such time: the clocks are put forward past it.", code="skipped-time"
            )
        return there


def zone_text(zone: str) -> SafeString:
    """The zone in which times are filled in, for a sentence about it."""
    if zone:
        return format_html("{}", zone.replace("_", " "))
    return SafeString("<span data-zone>UTC</span>")
