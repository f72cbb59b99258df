"""The form of an item for somebody: a gift, or one that organisers grant."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from django import forms

from tournaments.forms.base import ServiceForm
from tournaments.forms.fields import ContestantField
from tournaments.forms.games import ruleset_name
from tournaments.items import catalogue
from tournaments.items.catalogue import Item
from tournaments.models import Contestant, DeathMatch, SecretGifts
from tournaments.services.items.gifts import Meeting, items_fitting


class GiftForm(ServiceForm):
    """An item for somebody, of those that fit what is played: in a match of ``meetings`` (death
    matches with the legs that items can be given for), or, where there are ``givers`` and so a
    gift for any match, in one of ``games`` (a season's repertoire; none: whatever there is).
    ``secrets``: the season's rule about secret gifts."""

    at_field: ClassVar[Mapping[str, str]] = {
        "item.unknown": "item",
        "item.unfit": "item",
        "item.giver": "giver",
        "item.given-already": "death_match",
        "item.receiver": "receiver",
        "item.oneself": "receiver",
        "item.match": "death_match",
        "item.for-which": "death_match",
        "item.leg": "leg_number",
        "item.note": "note",
        "item.not-secret": "secret",
    }
    note = forms.CharField(
        label="Note", required=False, max_length=300, help_text="Public, beside the item."
    )

    def __init__(
        self,
        *args: Any,
        receivers: Sequence[Contestant],
        givers: Sequence[Contestant] | None,
        meetings: Sequence[Meeting],
        games: Sequence[Mapping[str, Any]],
        secrets: str,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        fits = {
            str(each.pk): found
            for each, legs in meetings
            if (found := {str(leg.number): it for leg in legs if (it := items_fitting(leg, games))})
        }
        # Where no item fits there is nothing to choose.
        death_matches = [each for each, _ in meetings if str(each.pk) in fits]
        self._matches = {str(each.pk): each for each in death_matches}
        offered = {each for legs in fits.values() for found in legs.values() for each in found}
        if givers is not None:
            offered.update(catalogue.items_among(games))
        else:
            plays = {pk for each in death_matches for pk in (each.home_id, each.away_id)}
            receivers = [each for each in receivers if each.pk in plays]
        self.fields["item"] = forms.ChoiceField(
            label="Item",
            choices=_item_choices(offered),
            widget=forms.Select(attrs={"data-fits": json.dumps(_as_values(fits))}),
        )
        self.fields["receiver"] = ContestantField(
            receivers,
            label="For",
            widget=forms.Select(attrs={"data-plays": _players(death_matches)}),
        )
        if givers is not None:
            self.fields["giver"] = ContestantField(
                givers, empty="Nobody: granted by the organisers", label="From", required=False
            )
        matches = [("", "Any match of the season in its game")] if givers is not None else []
        matches += [(pk, f"{each} ({each.round.name})") for pk, each in self._matches.items()]
        self.fields["death_match"] = forms.ChoiceField(
            label="For which death match", choices=matches, required=givers is None
        )
        if any(each.best_of > 1 for each in death_matches):
            numbers = sorted({int(number) for found in fits.values() for number in found})
            self.fields["leg_number"] = self._leg_number(numbers, own=givers is None)
        if secrets == SecretGifts.CHOICE:
            self.fields["secret"] = forms.BooleanField(
                label="It is a secret",
                required=False,
                help_text="Only who gives it, who gets it and organisers who do not play know of "
                "it, until it is used or the season is over.",
            )
            self.fields["note"].help_text = "Beside the item: public, unless it is a secret."
        elif secrets == SecretGifts.ALWAYS:
            self.fields["note"].help_text = (
                "Beside the item. Only who gives it, who gets it and organisers who do not play "
                "know of either, until it is used or the season is over."
            )
        self.order_fields(
            ["item", "giver", "receiver", "death_match", "leg_number", "note", "secret"]
        )

    def _leg_number(self, numbers: Sequence[int], *, own: bool) -> forms.Field:
        # One's gifts for a final are one for each match of it; organisers grant for all of them.
        finals = [each.round.is_final and each.best_of > 1 for each in self._matches.values()]
        one = own and all(finals)
        some = any(finals) and not own
        return forms.TypedChoiceField(
            label="For which match of it",
            choices=[
                *([] if one else [("", "Any")]),
                *((str(number), f"Match {number}") for number in numbers),
            ],
            coerce=int,
            empty_value=None,
            required=one,
            help_text="What contestants give in a final is for one match of it." if some else "",
        )

    def gift(self) -> dict[str, Any]:
        """What the service wants to know, of a valid form."""
        data = self.cleaned_data
        item, _, ruleset = data["item"].partition("@")
        return {
            "item": item,
            "ruleset": ruleset,
            "receiver": data["receiver"],
            "death_match": self._matches.get(data["death_match"]),
            "leg_number": data.get("leg_number"),
            "note": data["note"],
            "secret": data.get("secret"),
        }


def _players(death_matches: Iterable[DeathMatch]) -> str:
    """Who plays in which, for the script that offers only them."""
    return json.dumps({str(each.pk): [each.home_id, each.away_id] for each in death_matches})


def _as_values(fits: Mapping[str, Mapping[str, Sequence[Item]]]) -> dict[str, Any]:
    return {
        pk: {number: [_value(each) for each in found] for number, found in legs.items()}
        for pk, legs in fits.items()
    }


def _value(item: Item) -> str:
    return f"{item.id}@{item.ruleset}"


def _item_choices(offered: Iterable[Item]) -> list[tuple[str, list[tuple[str, str]]]]:
    """These items in the catalogue's order, each under the name of its ruleset."""
    wanted = set(offered)
    groups: dict[str, list[tuple[str, str]]] = {}
    for item in catalogue.catalogue():
        if item in wanted:
            name = ruleset_name(item.ruleset) if item.ruleset else "Works on other items"
            groups.setdefault(name, []).append((_value(item), item.name))
    return list(groups.items())
