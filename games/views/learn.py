"""Learning a game: its rules on cards, and a lesson on its own board. Open to all, and nothing of
it is kept: the answers are judged over the API."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.pictures.boards import as_still, board_of
from games.reading.lessons import NAMES, cards_of, game_of, games, lesson_of
from games.rulesets import REGISTRY
from games.views.common import explains_refusals


@require_safe
def learn(request: HttpRequest) -> HttpResponse:
    """What there is to learn."""
    return render(request, "games/learn.html", {"games": games()})


@require_safe
@explains_refusals
def cards(request: HttpRequest, ruleset_id: str, variant_id: str) -> HttpResponse:
    """The rules of one game on cards, each with a drawn example and no longer than a phone's
    screen."""
    game = game_of(ruleset_id, variant_id)
    return render(request, "games/learn_cards.html", {"game": game, "cards": cards_of(game)})


@require_safe
@explains_refusals
def lesson(request: HttpRequest, ruleset_id: str, variant_id: str) -> HttpResponse:
    """A lesson. Context: `game`; `lesson` as the API has it; `picture` of the first position, for
    readers without scripts."""
    game = game_of(ruleset_id, variant_id)
    whole = lesson_of(ruleset_id, variant_id)
    view = whole["steps"][0]["view"]
    context = {
        "game": game,
        "lesson": whole,
        "picture": as_still(board_of(REGISTRY.get(ruleset_id), view, NAMES)),
    }
    return render(request, "games/lesson.html", context)
