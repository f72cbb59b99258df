"""The pages' forms, filled in by a command: what they do not take is said in their sentences."""

from __future__ import annotations

from typing import Any

from django import forms

from core.refusals import NotUnderstood


def must_be_valid(form: forms.Form) -> None:
    """Raises Refusal ``form.invalid`` with all that the form says, one sentence behind another."""
    if form.is_valid():
        return
    said: list[str] = []
    for field, errors in form.errors.items():
        label = form.fields[field].label if field in form.fields else ""
        said += [_with_label(str(error), label) for error in errors]
    raise NotUnderstood("form.invalid", " ".join(dict.fromkeys(said)))


def _with_label(error: str, label: Any) -> str:
    """A sentence that says by itself nothing of the field that it is about, with its label."""
    ours = error.endswith((".", "!", "?")) and not error.startswith(("This field", "Select"))
    return error if ours or not label else f"{label}: {error}"
