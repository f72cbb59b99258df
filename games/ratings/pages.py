"""Pages about ratings: leaderboards, and somebody's whole history."""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.db.models import F, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.preferences import hides_results, keeps_results_wish, results_asked
from accounts.profile import Section
from core.refusals import Refusal
from core.replica.reading import from_replica
from games.engine.ruleset import Ruleset
from games.models import Match
from games.ratings import keys
from games.ratings.boards import (
    Cursor,
    board_page,
    ladder_name,
    ladder_named,
    ladders,
    player_ladders,
    ranked_words,
)
from games.ratings.forms import BoardForm, HistoryForm
from games.ratings.models import OVERALL, RatingPoint
from games.reading import selectors
from games.rulesets import REGISTRY
from games.views.common import one_page
from games.views.everybody import for_everybody, is_for_one


@require_safe
@from_replica
def leaderboard(request: HttpRequest, ladder: str = OVERALL) -> HttpResponse:
    """Who stands where, of one game or of all together."""
    try:
        name = ladder_name(ladder_named(ladder))
    except Refusal as refusal:
        raise Http404(refusal.sentence) from refusal
    form = BoardForm(request.GET)
    wanted = form.wanted()
    cursor = _cursor(request.GET.get("cursor", ""))
    version = keys.version_of(ladder)

    def whole() -> HttpResponse:
        # What was asked for wrongly is shown with the form, for this once.
        what = f"page {wanted!r} {cursor!r}"
        content = make() if form.errors else keys.kept(ladder, version, what, make)
        # Made by the template below.
        context = {"ladder": ladder, "name": name, "content": mark_safe(content)}  # noqa: S308
        return render(request, "ratings/leaderboard.html", context)

    def make() -> str:
        context = {
            "ladder": ladder,
            "name": name,
            "ladders": ladders(),
            "form": form,
            "query": wanted.query,
            "asked": urlencode(wanted.query),
            "first": cursor is None,
            "ranked": ranked_words(),
            "least": least_answers(ladder),
            "board": board_page(ladder, wanted, cursor=cursor),
        }
        return render_to_string("ratings/_leaderboard.html", context)

    response = whole() if is_for_one(request) else for_everybody(request, version, whole)
    response["Cache-Control"] = "private, no-cache"
    return response


def least_answers(ladder: str) -> int:
    """How many decisions are to be answered before a match of a ladder counts: of all games
    together, in most of them."""
    return (Ruleset if ladder == OVERALL else REGISTRY.get(ladder)).least_answers


def _cursor(text: str) -> Cursor | None:
    """The place in an address; one that makes no sense is the beginning."""
    try:
        return Cursor.read(text) if text else None
    except Refusal:
        return None


@require_safe
@keeps_results_wish
@from_replica
def history(request: HttpRequest, username: str) -> HttpResponse:
    """Every match of somebody that is over, with what it did to their rating; neither where the
    reader does not want to be told how matches ended. `?result=` is which of them are listed."""
    name = User.normalize_username(username)
    person = get_object_or_404(User, username=name)
    if name != username:
        return redirect("games:history", name, permanent=True)
    asked = request.GET.copy()
    if results_asked(request):
        del asked["result"]
    form = HistoryForm(asked)
    chosen = form.chosen()
    page = one_page(request, matches_of(person, request.user, **chosen))
    matches: list[Any] = list(page)
    context = {
        "person": person,
        "form": form,
        "page": page,
        "matches": matches,
        "points": _with_points(person, matches),
        "filtered": any(chosen.values()),
        "untold": hides_results(request),
    }
    return render(request, "ratings/history.html", context)


def matches_of(
    person: User, viewer: Any, *, game: str = "", result: str = "", opponent: str = ""
) -> QuerySet[Match]:
    """The matches of ``person`` that are over and that ``viewer`` may see, the latest first."""
    won = Q(winner=F("players__seat"))
    results = {"": Q(), "won": won, "lost": ~won, "void": Q(winner__isnull=True)}
    seat = Q(players__user=person) & results[result]
    if result == "lost":
        seat &= Q(winner__isnull=False)
    matches = selectors.matches_over(viewer).select_related("rating_ruling")
    matches = selectors.matches_filtered(matches, ruleset=game).filter(seat)
    return matches.filter(players__user__username=opponent) if opponent else matches


class MatchWithPoint(NamedTuple):
    """A match that is over, and what it did to somebody's rating in its game; None where it did
    nothing."""

    match: Match
    point: RatingPoint | None


def _with_points(person: User, matches: list[Match]) -> list[MatchWithPoint]:
    points = RatingPoint.objects.filter(user=person, match__in=[match.pk for match in matches])
    found = {(point.match_id, point.ladder_id): point for point in points.exclude(ladder=OVERALL)}
    return [MatchWithPoint(match, found.get((match.pk, match.ruleset))) for match in matches]


def ratings_section(_request: HttpRequest, person: User) -> Section | None:
    """What somebody's public page shows of their ratings."""
    seen = player_ladders(person)
    if not seen:
        return None
    context = {
        "overall": seen[0],
        "games": seen[1:],
        "listed": person.is_active,
        "ranked": ranked_words(),
    }
    return Section("Ratings", "ratings/_profile.html", context)
