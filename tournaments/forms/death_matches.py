"""Forms about one death match: what it is played in, and who has won it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django import forms

from accounts.models import User
from games.forms import games_offered
from games.models import Preparation
from games.options import pace
from tournaments.forms.base import PublicReasonForm, ServiceForm
from tournaments.forms.fields import ContestantField
from tournaments.forms.games import game_of, ruleset_name, value_of
from tournaments.models import Contestant, Leg


class RulesForm(ServiceForm):
    """What a death match is played in."""

    at_field: ClassVar[Mapping[str, str]] = {
        "setup.prepared": "prepared",
        "setup.supply": "prepared",
        "setup.options": "turn_time",
        "setup": "game",
        "rules": "game",
        "leg": "leg_number",
        "item": "game",
    }

    def __init__(
        self,
        *args: Any,
        legs: Sequence[Leg],
        user: User,
        games: Sequence[Mapping[str, Any]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        offered = [(value, card.title) for value, card in games_offered()]
        if games is not None:
            allowed = {value_of(each) for each in games}
            offered = [each for each in offered if each[0] in allowed]
        chosen = next((f"{leg.ruleset}/{leg.variant}" for leg in legs if leg.ruleset), None)
        self.fields["game"] = forms.ChoiceField(label="Game", choices=offered, initial=chosen)
        if games is not None:
            return
        if len(legs) > 1:
            numbers = [("", "All that have not begun")]
            numbers += [(str(leg.number), f"Match {leg.number}") for leg in legs]
            self.fields["leg_number"] = forms.TypedChoiceField(
                label="Which match", choices=numbers, coerce=int, empty_value=None, required=False
            )
        for key, words in (("turn_time", "Turn"), ("reserve", "Reserve")):
            self.fields[key] = forms.FloatField(
                label=f"{words}, in seconds",
                required=False,
                min_value=0,
                max_value=90 * pace.DAY,
                help_text="Empty: as the season's pace says.",
            )
        kept = list(Preparation.objects.visible_to(user).order_by("ruleset", "key", "name"))
        self._kept = {str(each.pk): each for each in kept}
        if kept:
            self.fields["prepared"] = forms.MultipleChoiceField(
                label="Prepared",
                required=False,
                choices=[
                    (str(each.pk), f"{ruleset_name(each.ruleset)}: {each.name}") for each in kept
                ],
                widget=forms.CheckboxSelectMultiple,
                help_text="What you have prepared instead of having it drawn.",
            )

    def rules(self) -> dict[str, Any]:
        """What the service wants to know, of a valid form."""
        data = self.cleaned_data
        game = game_of(data["game"])
        options = {key: data[key] for key in ("turn_time", "reserve") if data.get(key) is not None}
        prepared: dict[str, str] = {}
        for pk in data.get("prepared") or []:
            prepared |= self._kept[pk].prepared
        return {
            "ruleset": game["ruleset"],
            "variant": game["variant"],
            "options": options,
            "prepared": prepared,
            "leg_number": data.get("leg_number"),
        }


class WinnerForm(PublicReasonForm):
    """Who has won, and why."""

    at_field: ClassVar[Mapping[str, str]] = {"why": "why", "death-match.winner": "winner"}

    def __init__(self, *args: Any, people: Sequence[Contestant], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Of one there is nothing to choose; the page says who it is.
        one = [each.pk for each in people] if len(people) == 1 else []
        self.fields["winner"] = ContestantField(
            people,
            label="Winner",
            initial=one[0] if one else None,
            widget=forms.HiddenInput if one else forms.RadioSelect,
        )
        self.order_fields(["winner", "why"])
