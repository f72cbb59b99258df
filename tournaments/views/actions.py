"""The page of an action: what will happen is said first, then there is a button.

One view and one template show the actions of every table (`tournaments.actions`), so that a refusal
is always a sentence beside the form, and nothing that was filled in is lost.
"""

from __future__ import annotations

from typing import Any, TypeVar

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.actions import Action
from core.refusals import Refusal, RefusalKind
from tournaments.actions.subjects import AtSeason
from tournaments.forms.base import NoForm
from tournaments.views.common import shown

S = TypeVar("S", bound=AtSeason)


def perform(
    request: HttpRequest,
    action: Action[S],
    subject: S,
    *,
    back: str,
    template: str = "action.html",
    more: dict[str, Any] | None = None,
) -> HttpResponse:
    """Show the page of an action, or do it. Afterwards the reader is where the service's answer
    leads, if that is an address, else at ``back``. Raises what the action's check does to whoever
    may not; what cannot be done just now the page says."""
    refusal = action.refusal(subject)
    if refusal is not None and refusal.kind in (RefusalKind.FORBIDDEN, RefusalKind.NOT_FOUND):
        raise refusal
    make = NoForm if action.form is None else action.form(subject)
    prompt = action.prompt(subject)
    status = 200
    if request.method == "POST":
        done = action.said_when_done(subject)
        form = make(request.POST, request.FILES)
        if form.is_valid():
            try:
                target = action.run(subject, form)
            except Refusal as refused:
                form.refuse(refused)
            else:
                messages.success(request, done)
                return redirect(target if isinstance(target, str) else back)
        status = 422
    else:
        form = make()
        if refusal is not None:
            prompt = prompt.stopped_by(refusal)
    context = {"prompt": prompt, "form": form, "back": back, **(more or {})}
    return shown(request, subject.sheet, template, context, status=status)
