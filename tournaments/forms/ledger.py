"""Forms of the ledger: what was won, what is given, and what is wagered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django import forms

from tournaments.forms.base import ServiceForm
from tournaments.forms.fields import ContestantField
from tournaments.models import Contestant, Round, Unit
from tournaments.models.ledger import AMOUNT_MAX
from tournaments.trade import Trade

NUMERIC = {"inputmode": "numeric"}


def _amount_field(label: str, *, least: int = 1) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        min_value=least,
        max_value=AMOUNT_MAX,
        widget=forms.NumberInput(attrs=NUMERIC),
    )


class _OfLedger(ServiceForm):
    """A form about something that is traded; where it is one thing, nobody is asked which."""

    at_field: ClassVar[Mapping[str, str]] = {
        "ledger.short": "amount",
        "ledger.amount": "amount",
        "ledger.unit": "unit",
        "ledger.out": "payee",
        "ledger.note": "note",
        "why": "why",
    }

    def _counts_once(self, key: str) -> None:
        """Have the form carry a key, by which it is known where it is sent again."""
        self.fields["form"] = forms.CharField(
            required=False, max_length=20, initial=key, widget=forms.HiddenInput
        )

    def _ask_for_unit(self, trade: Trade, units: Sequence[Unit]) -> None:
        self._units = units
        if len(units) > 1:
            self.fields["unit"] = forms.ChoiceField(
                label="What",
                choices=[(each.value, trade.said(None, each)) for each in units],
                initial=units[0],
                widget=forms.RadioSelect,
            )

    @property
    def unit(self) -> str:
        """What it is about, of a valid form."""
        return str(self.cleaned_data.get("unit") or self._units[0])


class GrantForm(_OfLedger):
    """What contestants have won: all of them at once, each as much."""

    def __init__(
        self,
        *args: Any,
        trade: Trade,
        people: Sequence[Contestant],
        rounds: Sequence[Round],
        key: str,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._counts_once(key)
        self._people = {str(each.pk): each for each in people}
        self._rounds = {str(each.pk): each for each in rounds}
        self.fields["contestants"] = forms.MultipleChoiceField(
            label="Who",
            choices=[(pk, each.shown_name) for pk, each in self._people.items()],
            widget=forms.CheckboxSelectMultiple(attrs={"class": "taps"}),
            error_messages={"required": "Please say who gets it."},
        )
        there = {Unit.CURRENCY: trade.currency, Unit.TOKEN: trade.tokens}
        self._ask_for_unit(trade, [each for each in Unit if there[each]])
        self.fields["amount"] = _amount_field("How much each")
        if rounds:
            self.fields["round"] = forms.ChoiceField(
                label="Won in",
                required=False,
                choices=[("", "—"), *((pk, each.name) for pk, each in self._rounds.items())],
            )
        self.fields["why"] = forms.CharField(
            label="For what",
            max_length=500,
            help_text="For whoever may see the entry." if trade.hidden else "Everybody reads it.",
        )

    def grant(self) -> dict[str, Any]:
        """What the service wants to know, of a valid form."""
        data = self.cleaned_data
        return {
            "contestants": [self._people[pk] for pk in data["contestants"]],
            "amount": data["amount"],
            "unit": self.unit,
            "round": self._rounds.get(data.get("round", "")),
            "why": data["why"],
            "form": data["form"],
        }


class PayForm(_OfLedger):
    """Something for another contestant."""

    def __init__(
        self,
        *args: Any,
        trade: Trade,
        people: Sequence[Contestant],
        key: str,
        may_write: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._counts_once(key)
        # Nobody is chosen to begin with: it cannot be undone.
        self.fields["payee"] = ContestantField(people, empty="Please choose", label="To")
        self._ask_for_unit(trade, trade.gives)
        self.fields["amount"] = _amount_field("How much")
        if trade.in_secret:
            self.fields["secret"] = forms.BooleanField(
                label="In secret",
                required=False,
                help_text="Nobody but the two of you, and organisers and administrators of the "
                "site who do not play, hears of it until the season is over. Then everybody sees "
                "it.",
            )
        if may_write:
            self.fields["note"] = forms.CharField(
                label="Note",
                required=False,
                max_length=200,
                help_text="For whoever may see the entry.",
            )

    def payment(self) -> dict[str, Any]:
        """What the service wants to know, of a valid form."""
        data = self.cleaned_data
        return {
            "payee": data["payee"],
            "amount": data["amount"],
            "unit": self.unit,
            "secret": data.get("secret", False),
            "note": data.get("note", ""),
            "form": data["form"],
        }


class WagerForm(_OfLedger):
    """How much is wagered."""

    def __init__(self, *args: Any, trade: Trade, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["amount"] = _amount_field(f"How many {trade.wagers_what}", least=0)
        self.fields["amount"].help_text = "0: nothing."


class HolderForm(ServiceForm):
    """Whose token is used."""

    def __init__(self, *args: Any, people: Sequence[Contestant], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["contestant"] = ContestantField(people, label="Whose token")
