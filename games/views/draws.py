"""What is drawn, and how anybody verifies it: what that is about in plain words, and a page that
takes a record. It is verified in the reader's browser: the server is not asked to be believed."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.views.decorators.http import require_safe

from games.folders import draws_name
from games.rulesets import REGISTRY


@require_safe
def draws(request: HttpRequest) -> HttpResponse:
    """What verifiable draws protect from, and what they do not."""
    return render(request, "games/draws.html")


@require_safe
def draws_check(request: HttpRequest) -> HttpResponse:
    """A record is dropped here. Context: `draws_of`, by ruleset the address of the module that
    knows its draws, empty where it draws nothing of its own."""
    names = {ruleset.id: draws_name(ruleset) for ruleset in REGISTRY}
    draws_of = {ruleset: static(name) if name else "" for ruleset, name in names.items()}
    return render(request, "games/draws_check.html", {"draws_of": draws_of})
