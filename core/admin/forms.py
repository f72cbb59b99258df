"""Forms of actions, and phrases that have to be typed where something cannot be undone."""

from typing import Final

from django import forms
from django.core.exceptions import ValidationError

from core.refusals import Refusal

NOT_TYPED: Final = "This is not what was to be typed. Nothing was done."


class ActionForm(forms.Form):
    """The form of an action; without fields of its own it asks for nothing but the word."""

    def refuse(self, refusal: Refusal) -> None:
        """Show what the service refused, at its field where there is one."""
        field = refusal.field if refusal.field in self.fields else None
        self.add_error(field, refusal.sentence)


def phrase_field(phrase: str, *, required: bool = True) -> forms.CharField:
    """A field for a phrase that has to be typed."""
    return forms.CharField(
        label=f"To confirm, type {phrase}",
        required=required,
        strip=True,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )


def ask_for_phrase(form: forms.Form, phrase: str, *, looks: bool) -> None:
    """Have a phrase typed before anything happens; a look needs no confirmation."""

    def must_be_it(typed: str) -> None:
        if typed != phrase and not looks:
            raise ValidationError(NOT_TYPED)

    field = phrase_field(phrase, required=not looks)
    field.validators.append(must_be_it)
    form.fields["typed"] = field
