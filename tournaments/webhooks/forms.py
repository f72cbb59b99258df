"""Forms of the webhooks' pages. What they take is judged by services; what those refuse is shown
here."""

from __future__ import annotations

from typing import Any

from django import forms

from core.refusals import Refusal
from tournaments.webhooks.kinds import BY_DEFAULT, CHOICES, FOR_PEOPLE
from tournaments.webhooks.models import Webhook
from tournaments.webhooks.services import NAME_MOST

# Which field a refusal is about, by the beginning of its code.
_FIELDS = {
    "webhook.name": "name",
    "webhook.url": "url",
    "webhook.flavour": "flavour",
    "webhook.kinds": "kinds",
}
_GROUPS = {
    "Season": ("season.", "ruling"),
    "Contestants": ("contestant.",),
    "Rounds and episodes": ("round.", "episode."),
    "Death matches": ("death-match.",),
    "Items": ("item.",),
}


def kinds_grouped() -> list[tuple[str, list[tuple[str, str]]]]:
    """The events to choose from, under headings."""
    return [
        (label, [(kind, words) for kind, words in CHOICES.items() if kind.startswith(starts)])
        for label, starts in _GROUPS.items()
    ]


class WebhookForm(forms.Form):
    """Name, address and events of a webhook."""

    name = forms.CharField(max_length=NAME_MOST, help_text="To tell it from the others.")
    url = forms.CharField(
        label="Address",
        max_length=500,
        widget=forms.URLInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text="Begins with https:// and leads to the public internet.",
    )
    kinds = forms.MultipleChoiceField(
        label="Events", choices=kinds_grouped, widget=forms.CheckboxSelectMultiple
    )

    def refuse(self, refusal: Refusal) -> None:
        """Show what a service refused, beside the field that it is about."""
        found = (field for start, field in _FIELDS.items() if refusal.code.startswith(start))
        field = next(found, None)
        self.add_error(field if field in self.fields else None, refusal.sentence)

    def groups(self) -> list[tuple[str, list[tuple[str, str, bool]]]]:
        """The events under headings, each with whether it is chosen."""
        chosen = set(self["kinds"].value() or ())
        return [
            (label, [(kind, words, kind in chosen) for kind, words in kinds])
            for label, kinds in kinds_grouped()
        ]


class NewWebhookForm(WebhookForm):
    """A new webhook: what it speaks, too, which never changes afterwards."""

    flavour = forms.ChoiceField(label="What it speaks", choices=Webhook.Flavour.choices)
    field_order = ("flavour", "name", "url", "kinds")

    def __init__(self, *args: Any, flavour: str = Webhook.Flavour.JSON, **kwargs: Any) -> None:
        people = flavour == Webhook.Flavour.DISCORD
        initial = {"flavour": flavour, "kinds": FOR_PEOPLE if people else BY_DEFAULT}
        super().__init__(*args, **{"initial": initial, **kwargs})


class ChangeWebhookForm(WebhookForm):
    """A webhook's settings. An address of Discord is not shown again, since it is a password; an
    empty field leaves it as it is."""

    def __init__(self, *args: Any, webhook: Webhook, **kwargs: Any) -> None:
        sealed = webhook.flavour == Webhook.Flavour.DISCORD
        initial = {
            "name": webhook.name,
            "url": "" if sealed else webhook.url,
            "kinds": webhook.kinds,
        }
        super().__init__(*args, **{"initial": initial, **kwargs})
        if sealed:
            url = self.fields["url"]
            url.required = False
            url.help_text = "Whoever knows it can write there: leave empty to keep it."

    def changes(self) -> dict[str, Any]:
        """What the service wants to know, of a valid form."""
        return {key: value for key, value in self.cleaned_data.items() if key != "url" or value}
