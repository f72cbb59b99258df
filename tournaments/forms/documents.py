"""The form of a season as a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from django import forms

from tournaments.forms.base import ServiceForm


class RestoreForm(ServiceForm):
    """A season as a file."""

    at_field: ClassVar[Mapping[str, str]] = {"document.exists": "beside", "": "document"}
    document = forms.FileField(
        label="Season",
        help_text="What another installation of this site has exported.",
        widget=forms.ClearableFileInput(attrs={"accept": ".json,.zip"}),
    )
    match_accounts = forms.BooleanField(
        label="Contestants become those of the accounts here that have their usernames",
        required=False,
        help_text="Otherwise they are names without an account.",
    )
    beside = forms.BooleanField(
        label="If this season is here already, import it beside it as a copy",
        required=False,
        help_text="The copy has matches and an address of its own, and “(copy)” in its name. "
        "Otherwise a season that is here already is refused.",
    )
