"""Fields that several forms have: a user by name, one of some contestants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError

from accounts.models import User
from tournaments.models import Contestant

NAMES: Final = {"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}


def user_named(name: str) -> User:
    """The user of that name, as people write it. Raises ValidationError."""
    plain = User.normalize_username(name.strip().removeprefix("@"))
    found = User.objects.filter(username=plain).first() if plain else None
    if found is None:
        raise ValidationError(f"There is no player called “{name}”.", code="no-such-player")
    return found


class UserField(forms.CharField):
    """A username; gives the user."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**{"max_length": 31, "widget": forms.TextInput(attrs=NAMES), **more})

    def clean(self, value: Any) -> User | None:
        name = super().clean(value)
        return user_named(name) if name else None


class ContestantField(forms.TypedChoiceField):
    """One of some contestants; gives the contestant."""

    def __init__(self, people: Sequence[Contestant], *, empty: str = "", **more: Any) -> None:
        known = {each.pk: each for each in people}
        first: list[tuple[Any, str]] = [("", empty)] if empty else []
        super().__init__(
            choices=[*first, *((each.pk, each.shown_name) for each in people)],
            coerce=lambda value: known[int(value)],
            empty_value=None,
            **more,
        )
