"""What every form of the seasons' pages does: call one service, and show what it refuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError

from core.refusals import Refusal, each_of
from games.forms import ReasonInput
from games.reasons import READY, WHY_MAX


class ServiceForm(forms.Form):
    """A form whose sending calls one service."""

    # Which field a refusal is shown at, by its code or the beginning of it; others stand on top.
    at_field: ClassVar[Mapping[str, str]] = {}

    def row_fields(self) -> Sequence[str]:
        """The field at which each row's refusal is shown; none: on top."""
        return ()

    def refuse(self, refusal: Refusal) -> None:
        """Show what the service refused: each at its own field, rows too."""
        for each in each_of(refusal):
            self._refuse_one(each)

    def _refuse_one(self, refusal: Refusal) -> None:
        rows = self.row_fields()
        if rows and refusal.row is not None:
            error = ValidationError(refusal.sentence, code=refusal.code)
            self.add_error(rows[refusal.row], error)
            return
        own = self.part_field(refusal)
        sentence = refusal.sentence if own in self.fields else refusal.alone
        known = (f for code, f in self.at_field.items() if refusal.code.startswith(code))
        field = next((each for each in (own, *known) if each in self.fields), None)
        self.add_error(field, ValidationError(sentence, code=refusal.code))

    @property
    def mistakes(self) -> list[tuple[str, str]]:
        """Why nothing was done: each sentence with the id of where it is put right; none where that
        is nowhere in particular."""
        return [
            (self.fault_said(name, str(sentence)), self.fault_id(name))
            for name, sentences in self.errors.items()
            for sentence in sentences
        ]

    def fault_said(self, name: str, sentence: str) -> str:
        """What is said away from a field of what is wrong there."""
        return sentence

    def fault_id(self, name: str) -> str:
        """The id of where a field is filled in."""
        if name == NON_FIELD_ERRORS or self.fields[name].widget.is_hidden:
            return ""
        return self[name].id_for_label

    def part_field(self, refusal: Refusal) -> str:
        """What the field for the part of a refusal, such as an option, would be called."""
        return refusal.field


class PublicReasonForm(ServiceForm):
    """An action that everybody will read the reason of, or those whom ``read_by`` names in a
    sentence; ``act``: whose ready-made ones are offered (`games.reasons.READY`)."""

    at_field: ClassVar[Mapping[str, str]] = {"why": "why"}

    why = forms.CharField(
        label="Reason",
        max_length=WHY_MAX,
        help_text="Everybody will read it.",
    )

    def __init__(self, *args: Any, act: str, read_by: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if read_by:
            self.fields["why"].help_text = read_by
        self.fields["why"].widget = widget = ReasonInput(READY[act])
        widget.is_required = True
        widget.attrs["maxlength"] = str(WHY_MAX)


class NoForm(ServiceForm):
    """An action that needs nothing but the word."""
