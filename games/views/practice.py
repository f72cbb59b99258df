"""Playing against the site's own bots, with an account or without one."""

from __future__ import annotations

from typing import Any, NamedTuple

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.guests import as_stranger, player_of, welcomes_guests
from core.refusals import FORM_REFUSED, Refusal
from games.engine.capabilities import thinks_of
from games.models import HouseBot
from games.reading import lessons
from games.reading.selectors import practice_of
from games.rulesets import REGISTRY
from games.services.practice import must_be_practised, practice_start
from games.views.common import limited, problem, signed_in
from games.words import game_name

SHOWN_AT_MOST = 12


class Game(NamedTuple):
    """A game to practise: what forms call it, its name, what it is about, its ruleset and
    variant."""

    key: str
    name: str
    summary: str
    ruleset: str
    variant: str


def games() -> list[Game]:
    """All that bots play, each variant by itself."""
    return [
        Game(
            f"{ruleset.id}/{variant.id}",
            game_name(ruleset.id, variant.id),
            ruleset.summary if len(ruleset.variants) == 1 else variant.summary,
            ruleset.id,
            variant.id,
        )
        for ruleset in REGISTRY
        if thinks_of(ruleset) is not None
        for variant in ruleset.variants
    ]


class PracticeForm(forms.Form):
    """Which game, and against whom. The game is the button that is pressed."""

    game = forms.CharField(max_length=90)
    level = forms.ChoiceField(
        choices=HouseBot.Level.choices, initial=HouseBot.Level.NOVICE, required=False
    )

    @property
    def wanted(self) -> dict[str, Any]:
        """What `practice_start` takes, of a form that is valid."""
        ruleset, _, variant = self.cleaned_data["game"].partition("/")
        level = self.cleaned_data["level"] or HouseBot.Level.NOVICE.value
        return {"ruleset_id": ruleset, "variant": variant, "level": level}


@require_http_methods(["GET", "HEAD", "POST"])
@welcomes_guests
def practice(request: HttpRequest) -> HttpResponse:
    """What there is to practise, and what the reader has going; a POST begins a match, for who has
    no account as well."""
    if request.method == "POST":
        return _begin(request)
    player = signed_in(request)
    matches = [] if player is None else list(practice_of(player)[:SHOWN_AT_MOST])
    context = {
        "games": games(),
        "lessons": {game.key for game in lessons.games()},
        "levels": HouseBot.Level.choices,
        "level": _level(request),
        "running": [match for match in matches if not match.is_over],
        "over": [match for match in matches if match.is_over],
    }
    as_stranger(request)
    response = render(request, "games/practice.html", context)
    response["Cache-Control"] = "private, no-store"
    return response


@limited("practice")
def _begin(request: HttpRequest) -> HttpResponse:
    form = PracticeForm(request.POST)
    if not form.is_valid():
        sentence = "Please choose a game and how strong the bot is."
        return _refuse(request, Refusal("practice.form", sentence))
    try:
        must_be_practised(**form.wanted)  # before anybody is made a guest for it
        match = practice_start(acting_user=player_of(request), **form.wanted)
    except Refusal as refusal:
        return _refuse(request, refusal)
    return redirect(match)


def _refuse(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    as_stranger(request)
    answer = problem(request, refusal)
    answer.status_code = FORM_REFUSED
    return answer


def _level(request: HttpRequest) -> str:
    wanted = request.GET.get("level", "")
    return wanted if wanted in HouseBot.Level.values else HouseBot.Level.NOVICE.value
