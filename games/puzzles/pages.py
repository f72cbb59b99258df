"""Pages of puzzles, for people with an account and without one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_POST, require_safe

from accounts.guests import as_stranger, guest_of, player_of, welcomes_guests
from accounts.models import User
from accounts.profile import Section
from core.refusals import Refusal
from games.pictures.boards import as_still, svg_response
from games.puzzles import kept, reading
from games.puzzles.reading import Shelf
from games.puzzles.services import puzzle_answer, puzzle_judge, puzzle_show
from games.puzzles.telling import verdict_of
from games.ratings.rating import Strength
from games.views.common import explains_refusals, limited
from games.words import game_name

PASSED_AT_MOST: Final = 200


@require_safe
@welcomes_guests
def index(request: HttpRequest) -> HttpResponse:
    """The games that there are puzzles of, the daily one, and how the reader does."""
    user = request.user
    solver = reading.solver_of(user)
    shelves = reading.shelves(user)
    daily = daily_card()
    context = {
        "shelves": shelves,
        "puzzles": sum(shelf.puzzles for shelf in shelves),
        "all_done": bool(shelves) and all(shelf.is_done for shelf in shelves),
        "done": next(
            (each for each in _done(shelves) if each.game == request.GET.get("game")), None
        ),
        "daily": daily,
        "standing": "open" if daily is None else reading.standing_of(daily["puzzle"].pk, user),
        "solver": solver,
        "streak": 0 if solver is None else solver.streak_on(reading.today()),
    }
    return _private(request, "games/puzzles/index.html", context)


@require_safe
@welcomes_guests
def following(request: HttpRequest) -> HttpResponse:
    """The reader's next puzzle: of all games, or of `?game=`, and none of `?after=`, as long as
    there are others. What somebody has passed who answers nothing stands in the address only."""
    game = request.GET.get("game", "")
    ruleset, _, variant = game.partition("/")
    passed = _passed(request)
    row = reading.puzzle_next(request.user, ruleset=ruleset, variant=variant, passed=passed)
    if row is None:
        response = redirect(reverse("games:puzzles") + _what_is_done(request.user, game))
    else:
        response = redirect(row.get_absolute_url() + _on_the_way(game, passed))
    response["Cache-Control"] = "private, no-store"
    return response


def _done(shelves: Iterable[Shelf]) -> list[Shelf]:
    return [shelf for shelf in shelves if shelf.is_done]


def _what_is_done(user: Any, game: str) -> str:
    """What an address says of a game all of whose puzzles its reader has answered."""
    done = [shelf.game for shelf in _done(reading.shelves(user))] if game else []
    return f"?{urlencode({'game': game}, safe='/')}" if game in done else ""


def _passed(request: HttpRequest) -> list[int]:
    """The puzzles that a reader has passed, the latest last; nothing of what is none."""
    numbers = request.GET.get("after", "").split(",")[-PASSED_AT_MOST:]
    return [int(each) for each in numbers if each.isascii() and each.isdigit() and len(each) < 16]


def _on_the_way(game: str, passed: Iterable[int]) -> str:
    """What an address says of where its reader comes from: the one game that they go through, and
    what they have passed."""
    said = {"game": game, "after": ",".join(map(str, passed))}
    found = urlencode({name: value for name, value in said.items() if value}, safe=",/")
    return f"?{found}" if found else ""


@require_safe
@welcomes_guests
@explains_refusals
def puzzle(request: HttpRequest, puzzle_id: int) -> HttpResponse:
    """A puzzle on the board."""
    row = reading.puzzle_for(puzzle_id, request.user)
    shown = reading.shown(row)
    context = {
        "puzzle": row,
        "onwards": _on_the_way(
            request.GET.get("game", ""),
            [*(each for each in _passed(request) if each != row.pk), row.pk],
        ),
        "shown": shown,
        "name": game_name(row.ruleset, row.variant),
        "question": shown["question"],
        "answer": reading.answer_of(row, request.user),
        "picture": as_still(reading.picture_of(row)),
        "seats": [
            {"name": seat["name"], "score": score, "yours": number == row.seat}
            for number, (seat, score) in enumerate(
                zip(shown["header"]["seats"], shown["scores"], strict=True)
            )
        ],
    }
    return _private(request, "games/puzzles/puzzle.html", context)


@require_POST
@welcomes_guests
@limited("puzzle")
def answer(request: HttpRequest, puzzle_id: int) -> HttpResponse:
    """Judge an answer (`text`), or show the solution (`show`), as JSON; or why not, with
    ``{"code", "sentence", "squares"}``. Who has no account becomes a guest by it."""
    try:
        row = reading.puzzle_for(puzzle_id, request.user)
        if request.POST.get("show"):
            verdict = puzzle_show(acting_user=player_of(request), puzzle=row)
        else:
            text = request.POST.get("text", "")
            puzzle_judge(puzzle=row, text=text)  # before anybody is made a guest for it
            verdict = puzzle_answer(acting_user=player_of(request), puzzle=row, text=text)
    except Refusal as refusal:
        body: dict[str, Any] = {
            "code": refusal.code,
            "sentence": refusal.sentence,
            "squares": list(refusal.squares),
        }
        response = JsonResponse(body, status=refusal.status)
    else:
        response = JsonResponse(verdict_of(verdict))
    response["Cache-Control"] = "private, no-store"
    return response


@require_safe
@explains_refusals
def board(request: HttpRequest, puzzle_id: int) -> HttpResponse:
    """The position as a picture. It stays the same for good."""
    row = reading.puzzle_for(puzzle_id, request.user)
    return svg_response(request, lambda: reading.picture_of(row), what=f"puzzle {row.pk} {row.key}")


def daily_card() -> dict[str, Any] | None:
    """The daily puzzle, as cards show it: nothing but what everybody sees."""
    row = reading.puzzle_daily()
    if row is None:
        return None
    return {
        "puzzle": row,
        "name": game_name(row.ruleset, row.variant),
        "question": reading.question_of(row),
        "whose": reading.whose(row),
        "day": reading.today(),
    }


def daily_section(request: HttpRequest) -> SafeString:
    """The daily puzzle on the front door; nothing where there are no puzzles. The same for all who
    stand alike to it, and kept: to be asked for at each visit it is looked at too often."""
    cards = kept.daily_cards(_daily_made)
    if cards is None:
        return SafeString("")
    puzzle_id, html = cards
    reader = request.user if isinstance(request.user, User) else guest_of(request)
    return mark_safe(html[reading.standing_of(puzzle_id, reader)])  # noqa: S308  (made below)


def _daily_made() -> kept.Cards:
    card = daily_card()
    if card is None:
        return None
    return card["puzzle"].pk, {
        standing: render_to_string(
            "games/puzzles/_daily.html", {"daily": card, "standing": standing}
        )
        for standing in reading.STANDINGS
    }


def puzzles_section(_request: HttpRequest, person: User) -> Section | None:
    """What somebody's public page shows of their puzzles."""
    solver = reading.solver_of(person)
    if solver is None or not solver.answered:
        return None
    strength: Strength = solver.strength
    context = {"solver": solver, "strength": strength, "streak": solver.streak_on(reading.today())}
    return Section("Puzzles", "games/puzzles/_profile.html", context)


def _private(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    as_stranger(request)
    response = render(request, template, context)
    response["Cache-Control"] = "private, no-store"
    return response
