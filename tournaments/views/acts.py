"""Deeds on a page of their own: what will happen is said first, then there is a button.

Every step that matters is one `Act`: its words, its form and the service it calls. One view and one
template show them all, so that a refusal is always a sentence beside the form and nothing that was
filled in is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.refusals import Refusal
from tournaments.forms import NoForm, ServiceForm
from tournaments.reading import Sheet
from tournaments.services.seasons import Warned
from tournaments.views.common import shown

MakeForm = Callable[..., ServiceForm]


@dataclass(frozen=True)
class Act:
    """One deed. ``run`` gets the valid form and calls the service; it may answer the address to go
    to, else ``back`` it is. ``says``: what will happen, in sentences. ``ways``: words and addresses
    of what must be seen to first."""

    title: str
    button: str
    done: str
    back: str
    run: Callable[[Any], Any]
    says: Sequence[str] = ()
    warnings: Sequence[Warned] = ()
    ways: Sequence[tuple[str, str]] = ()
    form: MakeForm = field(default=NoForm)
    danger: bool = False
    template: str = "act.html"
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def stopped(self) -> bool:
        """Whether something must be seen to first."""
        return any(warned.stops for warned in self.warnings)


def perform(request: HttpRequest, sheet: Sheet, act: Act) -> HttpResponse:
    """Show a deed, or do it."""
    status = 200
    if request.method == "POST":
        form = act.form(request.POST, request.FILES)
        if form.is_valid():
            try:
                target = act.run(form)
            except Refusal as refusal:
                form.refuse(refusal)
            else:
                messages.success(request, act.done)
                return redirect(target if isinstance(target, str) else act.back)
        status = 422
    else:
        form = act.form()
    context = {"act": act, "form": form, **act.more}
    return shown(request, sheet, act.template, context, status=status)
