"""The page of an action: what will happen is said first, then there is a button.

One view and one template show the actions of every table (`tournaments.actions`), so that a refusal
is always a sentence beside the form, and nothing that was filled in is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from core.actions import Action, Done
from core.refusals import FORM_REFUSED, Refusal, RefusalKind
from tournaments.actions.subjects import AtSeason
from tournaments.forms.base import NoForm
from tournaments.views.common import shown

S = TypeVar("S")


def go_on(request: HttpRequest, done: Done, back: str) -> HttpResponse:
    """Say what was done, and lead on: to where the action leads, else to ``back``."""
    if done.words:
        messages.success(request, done.words)
    return redirect(done.address or back)


def press(request: HttpRequest, action: Action[S], subject: S, *, back: str) -> HttpResponse:
    """Do what a button asks for without a page of its own, and lead on as `go_on` does. Raises what
    the service refuses."""
    return go_on(request, action.do(subject), back)


def press_or_say(
    request: HttpRequest,
    action: Action[S],
    subject: S,
    *,
    back: str,
    after: Callable[[HttpRequest, Done, str], HttpResponse] = go_on,
) -> HttpResponse:
    """As `press`, and answer with ``after``; what the service refuses is said where it leads back
    to."""
    try:
        done = action.do(subject)
    except Refusal as refusal:
        messages.error(request, refusal.sentence)
        return redirect(back)
    return after(request, done, back)


def perform(
    request: HttpRequest,
    action: Action[S],
    subject: S,
    *,
    back: str,
    template: str = "action.html",
    more: dict[str, Any] | None = None,
    after: Callable[[HttpRequest, Done, str], HttpResponse] = go_on,
) -> HttpResponse:
    """Show the page of an action, or do it and answer with ``after``. Raises what the action's
    check does to whoever may not; what cannot be done just now the page says."""
    refusal = action.refusal(subject)
    if refusal is not None and refusal.kind in (RefusalKind.FORBIDDEN, RefusalKind.NOT_FOUND):
        raise refusal
    make = NoForm if action.form is None else action.form(subject)
    prompt = action.prompt(subject)
    status = 200
    if request.method == "POST":
        status = FORM_REFUSED
        form = make(request.POST, request.FILES)
        if form.is_valid():
            try:
                done = action.do(subject, form)
            except Refusal as reason:
                form.refuse(reason)
                status = reason.form_status
            else:
                return after(request, done, back)
    else:
        form = make()
        if refusal is not None:
            prompt = prompt.stopped_by(refusal)
    context = {"prompt": prompt, "form": form, "back": back, **(more or {})}
    if isinstance(subject, AtSeason):
        return shown(request, subject.sheet, template, context, status=status)
    return render(request, f"tournaments/{template}", context, status=status)
