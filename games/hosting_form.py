"""The form of hosted matches. What it takes is judged by the service, whose refusals it shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django import forms
from django.utils.html import format_html

from accounts.models import User
from core.moments import MomentField, zone_text
from core.refusals import Refusal
from games.engine.decisions import Seat
from games.engine.ruleset import HeldItem, ItemRule, Ruleset
from games.forms import ChallengeForm, Segments
from games.rulesets import REGISTRY
from games.services.hosting import ITEMS_AT_MOST

_ADVANTAGE: Mapping[str, Seat | None] = {"lot": None, "first": 0, "second": 1}
_NAMES = {"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}


class ItemFields(NamedTuple):
    """An item, the variants that know it (empty: every one), and how many each seat brings."""

    item: ItemRule
    variants: str
    first: forms.BoundField
    second: forms.BoundField


class HostingForm(ChallengeForm):
    """Invite two others to a match."""

    first = forms.CharField(
        label="First player", max_length=31, help_text="A username. Has the first seat.",
        widget=forms.TextInput(attrs={**_NAMES, "list": "people", "data-person": True}),
    )  # fmt: skip
    second = forms.CharField(
        label="Second player", max_length=31, help_text="A username.",
        widget=forms.TextInput(attrs={**_NAMES, "list": "people", "data-person": True}),
    )  # fmt: skip

    # Which field a refusal of the service is shown at; all others stand above the form.
    _FIELDS: Mapping[str, str] = {
        "hosted.bot": "", "hosted.duration": "lasts", "hosted.start": "starts",
        "hosted.advantage": "advantage", "hosted.message-too-long": "message",
        "hosted.muted": "message", "setup.ruleset": "game", "setup.variant": "game",
        "setup.options": "pace", "setup.supply": "preparation", "preparation.none": "preparation",
    }  # fmt: skip

    def __init__(self, *args: Any, host: User, **more: Any) -> None:
        super().__init__(*args, **more)
        self._people: dict[str, User] = {}
        del self.fields["opponent"], self.fields["open_to"]
        self.fields["rated"].initial = "casual"
        self.fields["rated"].help_text = "A casual match leaves both players' ratings as they are."
        self.fields["advantage"] = forms.ChoiceField(
            label="Who has the advantage",
            choices=[
                ("lot", "Drawn by lot"),
                ("first", "First player"),
                ("second", "Second player"),
            ],
            initial="lot",
            widget=Segments,
            help_text="What the rules call the player with the advantage. Where the variant says "
            "so, more items give it instead of the lot. Where you name somebody, the match counts "
            "for no rating.",
        )
        self.fields["message"].help_text = "Shown with the invitation."
        at_once = "The two and you see it at once. How it ends is told at once, too."
        late = f"So late that nobody who watches can help a player. {at_once}"
        self.fields["late_s"].help_text = late
        if "preparation" in self.fields:
            self.fields["preparation"].help_text = (
                "What you have prepared. The players are told that you supply it, but not what it "
                "is before it comes into play, and the match counts for no rating."
            )
        self.fields["starts"] = MomentField(
            zone=host.time_zone,
            moment=None,
            label="Begins",
            help_text=format_html(
                "In your zone, {}. Empty: as soon as both have accepted.", zone_text(host.time_zone)
            ),
        )
        self.fields[
            "lasts"
        ].help_text = "Where it begins at a time, the invitation is open until then."
        for _, name, _, label in _item_fields():
            self.fields[name] = forms.IntegerField(
                label=label, required=False, min_value=0, max_value=ITEMS_AT_MOST,
                widget=forms.NumberInput(attrs={"inputmode": "numeric", "placeholder": "0"}),
            )  # fmt: skip

    @property
    def items(self) -> list[tuple[Ruleset[Any, Any], list[ItemFields]]]:
        """The fields for the items of each game that has any."""
        return [
            (
                ruleset,
                [
                    ItemFields(
                        item,
                        " ".join(item.variants),
                        self[_item_name(ruleset, item, 0)],
                        self[_item_name(ruleset, item, 1)],
                    )
                    for item in ruleset.items
                ],
            )
            for ruleset in REGISTRY
            if ruleset.items
        ]

    @property
    def items_wanted(self) -> bool:
        """Whether anything was put into those fields, so that they must be in sight."""
        return any(self[name].errors or self[name].data for _, name, _, _ in _item_fields())

    def clean_first(self) -> str:
        """The name, and whose it is."""
        return self._named("first")

    def clean_second(self) -> str:
        """The same of the other one."""
        return self._named("second")

    def _named(self, field: str) -> str:
        name = User.normalize_username(self.cleaned_data[field].strip().removeprefix("@"))
        found = User.objects.filter(username=name).first()
        if found is None:
            raise forms.ValidationError(
                f"There is no player called “{name}”.", code="hosted.no-such-player"
            )
        self._people[field] = found
        return name

    def offer(self) -> dict[str, Any]:
        """What the service wants to know, of a valid form."""
        data = self.cleaned_data
        # What a challenge has besides is no matter of two others.
        kept = ("ruleset_id", "variant", "options", "preparation_id", "message", "lasts", "late_s")
        offered = {key: value for key, value in super().offer().items() if key in kept}
        return {
            **offered,
            "first": self._people["first"],
            "second": self._people["second"],
            "items": list(self._held(offered["ruleset_id"])),
            "advantage": _ADVANTAGE[data["advantage"]],
            "rated": data["rated"] == "rated",
            "starts_at": data["starts"],
        }

    def _held(self, ruleset_id: str) -> Iterator[HeldItem]:
        for ruleset, name, (item, seat), _ in _item_fields():
            if ruleset.id == ruleset_id:
                for _ in range(self.cleaned_data.get(name) or 0):
                    yield HeldItem(seat, item.id)

    def _option_field(self, refusal: Refusal) -> str | None:
        if refusal.field in self.fields:
            return refusal.field
        if refusal.code in {
            "hosted.bot", "hosted.player-closed", "hosted.player-away",
        }:  # fmt: skip
            # The sentence says of whom.
            return next(
                (
                    field
                    for field, user in self._people.items()
                    if user.shown_name in refusal.sentence
                ),
                None,
            )
        return super()._option_field(refusal)

    @staticmethod
    def initial_of(query: Mapping[str, str]) -> dict[str, str]:
        """What a link to the form fills in."""
        given = ChallengeForm.initial_of(query)
        return {
            **given,
            "first": query.get("first", "")[:31],
            "second": query.get("second", "")[:31],
        }


def _item_name(ruleset: Ruleset[Any, Any], item: ItemRule, seat: Seat) -> str:
    return f"item_{ruleset.id}_{item.id}_{seat}"


def _item_fields() -> Iterator[tuple[Ruleset[Any, Any], str, tuple[ItemRule, Seat], str]]:
    """For each item of each game and each seat: the name of its field and its label."""
    for ruleset in REGISTRY:
        for item in ruleset.items:
            for seat in (0, 1):
                whose = "second player" if seat else "first player"
                label = f"{item.name}, {whose}"
                yield ruleset, _item_name(ruleset, item, seat), (item, seat), label
