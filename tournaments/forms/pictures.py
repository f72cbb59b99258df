"""The forms of pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms

from tournaments.forms.base import ServiceForm
from tournaments.models.pictures import ALT_MAX
from tournaments.photographs import BYTES_MAX, TYPES


class PictureForm(ServiceForm):
    """A picture, from a file or a phone's camera."""

    at_field: ClassVar[Mapping[str, str]] = {"picture.alt": "alt", "picture": "picture"}

    picture = forms.FileField(
        label="Picture",
        help_text=f"JPEG, PNG or WebP, at most {BYTES_MAX // 2**20} MB. On a phone you can take "
        "one. Where and when it was taken is not kept.",
        # Named one by one: a phone then hands out as JPEG what it keeps as HEIC.
        widget=forms.FileInput(attrs={"accept": ",".join(TYPES)}),
        # What is empty the service refuses, as everything else.
        allow_empty_file=True,
    )

    @property
    def content(self) -> bytes:
        """The bytes of a valid form. Of far too many, one more than are taken."""
        file: Any = self.cleaned_data["picture"]
        read: bytes = file.read(BYTES_MAX + 1)
        return read


class SeasonPictureForm(PictureForm):
    """A picture of a season, with what it shows."""

    alt = forms.CharField(
        label="What it shows",
        required=False,
        max_length=ALT_MAX,
        help_text="For those who cannot see it.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class MainMatchPictureForm(PictureForm):
    """A picture of a main match, with what it shows."""

    alt = forms.CharField(
        label="What it shows",
        max_length=ALT_MAX,
        help_text="It stands below the picture.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
