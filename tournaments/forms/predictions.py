"""The form of predictions: who wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django import forms

from tournaments.forms.base import ServiceForm
from tournaments.forms.fields import ContestantField
from tournaments.models import Contestant


class PredictionForm(ServiceForm):
    """One of those who may win."""

    at_field: ClassVar[Mapping[str, str]] = {
        "prediction.contestant": "contestant",
        "prediction.left": "contestant",
    }

    def __init__(self, *args: Any, people: Sequence[Contestant], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["contestant"] = ContestantField(
            people, label="Who wins", widget=forms.RadioSelect
        )
