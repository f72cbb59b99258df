"""The form of how one wants to be told: a choice for each kind and way of the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django import forms
from django.forms import BoundField

from accounts.announcing import kinds
from accounts.announcing.kinds import CHOICES, WAYS, Kind, Way, When
from accounts.announcing.services import Choices, when_of


class Row(NamedTuple):
    """A line of the table: a kind, and its field for each way."""

    kind: Kind
    fields: list[BoundField]


class ChoicesForm(forms.Form):
    """What somebody chooses of each kind and by each of the ways that they are asked about."""

    def __init__(self, data: Any = None, *, chosen: Choices, ways: Sequence[Way]) -> None:
        super().__init__(data)
        self.ways = ways
        for kind in kinds.known().values():
            for way in ways:
                self.fields[_name(kind, way)] = forms.ChoiceField(
                    label=WAYS[way],
                    choices=[(when.value, kind.words(way, when)) for when in CHOICES[way]],
                    initial=when_of(kind, way, chosen).value,
                )

    def groups(self) -> list[tuple[str, list[Row]]]:
        """The table by its headings, with the fields."""
        return [
            (group, [Row(kind, [self[_name(kind, way)] for way in self.ways]) for kind in of_group])
            for group, of_group in kinds.groups().items()
        ]

    def chosen(self) -> dict[tuple[str, Way], When]:
        """What was chosen, once the form is valid."""
        return {
            (kind.key, way): When(self.cleaned_data[_name(kind, way)])
            for kind in kinds.known().values()
            for way in self.ways
        }


def _name(kind: Kind, way: Way) -> str:
    return f"{kind.key}-{way}"
