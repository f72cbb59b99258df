"""Forms about who meets whom, and when: a round as the format pairs it, one by hand, the times of
its death matches, a challenge on a ladder."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import forms

from core.moments import MomentField
from tournaments.forms.base import ServiceForm
from tournaments.forms.fields import ContestantField
from tournaments.models import Contestant, Leg


class NextRoundForm(ServiceForm):
    """The next round, as the format pairs it."""

    lenient = forms.BooleanField(required=False)


class PairingsForm(ServiceForm):
    """A whole round by hand: for each match two of those who play in it."""

    def __init__(
        self,
        *args: Any,
        people: Sequence[Contestant],
        proposed: Sequence[tuple[Contestant, Contestant]],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._count = len(people) // 2
        for number in range(1, self._count + 1):
            sides = proposed[number - 1] if number <= len(proposed) else (None, None)
            for name, side in zip(("home", "away"), sides, strict=True):
                self.fields[f"{name}_{number}"] = ContestantField(
                    people,
                    empty="—",
                    required=False,
                    label=f"Match {number}, {'first' if name == 'home' else 'second'} player",
                    initial=None if side is None else side.pk,
                )

    @property
    def rows(self) -> list[tuple[forms.BoundField, forms.BoundField]]:
        """The two fields of each match."""
        return [
            (self[f"home_{number}"], self[f"away_{number}"]) for number in range(1, self._count + 1)
        ]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for home, away in self.rows:
            sides = [data.get(home.name), data.get(away.name)]
            if sides.count(None) == 1 and not (home.errors or away.errors):
                alone = next(side for side in sides if side is not None)
                self.add_error(away.name, f"Whom does {alone} meet?")
        return data

    def row_fields(self) -> Sequence[str]:
        return [away.name for home, away in self.rows if self.cleaned_data[home.name] is not None]

    def pairings(self) -> list[tuple[Contestant, Contestant]]:
        """Who meets whom, of a valid form; matches that were left empty are left out."""
        sides = [
            (self.cleaned_data[home.name], self.cleaned_data[away.name]) for home, away in self.rows
        ]
        return [(home, away) for home, away in sides if home is not None]


class TimesForm(ServiceForm):
    """When the death matches of a round are played, in the organiser's own zone."""

    def __init__(self, *args: Any, zone: str, legs: Sequence[Leg], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._legs = legs
        for leg in legs:
            self.fields[f"when_{leg.death_match_id}"] = MomentField(
                zone=zone, moment=leg.scheduled_at, label=str(leg.death_match)
            )

    def times(self) -> dict[int, datetime | None]:
        """The time of each death match, of a valid form."""
        return {
            leg.death_match_id: self.cleaned_data[f"when_{leg.death_match_id}"]
            for leg in self._legs
        }


class PairForm(ServiceForm):
    """A challenge on a ladder."""

    def __init__(self, *args: Any, people: Sequence[Contestant], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["opponent"] = ContestantField(people, label="Whom")
