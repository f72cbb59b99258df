"""Pages that list matches and challenges."""

from __future__ import annotations

from functools import partial
from typing import cast

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.models import Block, User
from accounts.preferences import hides_results, keeps_results_wish
from core.clock import now_ms
from core.replica.reading import from_replica
from games import extras
from games.audience import may_import
from games.forms import WatchForm
from games.models import Match
from games.ratings.boards import Wanted, ratings_wanted
from games.ratings.models import OVERALL
from games.reading import selectors
from games.reading.featured import match_featured
from games.reading.here import here_now, sitting_at_once
from games.rulesets import REGISTRY
from games.services.seeks import seek_look
from games.views.cards import (
    cards_for,
    challenge_cards,
    featured_card,
    match_cards,
    result_cards,
)
from games.views.common import (
    FRAGMENT_HEADER,
    needs_sign_in,
    one_page,
    render_live,
    signed_in,
)
from games.views.seeks import SeekForm, seek_words

LIVE_AT_MOST = 48
COMMENTED = 10
# What a script asks for as `FRAGMENT_HEADER`, which wants the featured match alone.
FEATURED_PART = "featured"


def _featured_alone(request: HttpRequest) -> HttpResponse | None:
    """The card of the featured match, for a script that keeps it up to date as the match goes on;
    None for whoever wants more."""
    if request.headers.get(FRAGMENT_HEADER) != FEATURED_PART:
        return None
    (card,) = cards_for(request, featured_card(match_featured(request.user)))
    template = "games/_featured.html"
    return render_live(request, template, template, {"featured": card})


@require_safe
@keeps_results_wish
@from_replica
def home(request: HttpRequest) -> HttpResponse:
    """The front door."""
    if (alone := _featured_alone(request)) is not None:
        return alone
    untold = hides_results(request)
    featured, live, offered, over = cards_for(
        request,
        featured_card(match_featured(request.user)),
        match_cards(selectors.matches_live(request.user)[:6]),
        challenge_cards(selectors.challenges_for_anybody(request.user)[:6]),
        result_cards(selectors.matches_over(request.user)[:6], untold=untold),
    )
    context: dict[str, object] = {
        "featured": featured,
        "live_cards": live,
        "challenge_cards": offered,
        "result_cards": over,
        "untold": untold,
        "rulesets": list(REGISTRY),
        # Asked by the page, and not for its changing part alone.
        "first": partial(extras.home_sections, request, first=True),
        "more": partial(extras.home_sections, request),
        "waiting": partial(extras.waiting, request),
        "leaders": ratings_wanted(OVERALL, Wanted())
        .select_related("user")
        .order_by("-shown", "user")[:5],
    }
    # Asked by the page, and not for its changing part alone.
    if FRAGMENT_HEADER not in request.headers:
        context["duties"] = extras.duties(request)
    if isinstance(request.user, User):
        context |= _own_matches(request.user)
        context["challenges_to_me"] = selectors.challenges_to(request.user)[:60]
    return render_live(request, "home.html", "games/_home_live.html", context)


def _own_matches(user: User) -> dict[str, object]:
    """The running matches of somebody: those that wait for them, and those that wait for others."""
    own = selectors.own_running(user)
    return {
        "your_move": [each for each in own if each.to_move],
        "turns": [each.match.pk for each in own if each.to_move],  # of the header
        "other_move": [each for each in own if not each.to_move],
    }


@require_safe
def lobby(request: HttpRequest) -> HttpResponse:
    """Who wants to play, and what waits for the reader."""
    if (alone := _featured_alone(request)) is not None:
        return alone
    user = signed_in(request)
    featured, offered = cards_for(
        request,
        featured_card(match_featured(request.user)),
        challenge_cards(selectors.challenges_for_anybody(request.user)[:60]),
    )
    context: dict[str, object] = {
        "featured": featured,
        "challenge_cards": offered,
        "waiting": partial(extras.waiting, request),
    }
    # Asked by the page, and not for its changing part alone.
    if FRAGMENT_HEADER not in request.headers:
        context |= _lobby_page(request, user)
    if user is not None:
        context |= {
            "own_matches": selectors.own_running(user),
            "challenges_to_me": selectors.challenges_to(user)[:60],
            "challenges_by_me": selectors.challenges_by(user)[:60],
        }
    return render_live(request, "games/lobby.html", "games/_lobby_live.html", context)


def _lobby_page(request: HttpRequest, user: User | None) -> dict[str, object]:
    """What the page has besides its lists: quick pairing, and who is there."""
    if user is None:
        return {"here": here_now(), "seek_form": SeekForm()}
    seek = seek_look(acting_user=user)
    blocks = Block.objects.visible_to(user)
    blocked = dict(blocks.values_list("blocked", "blocked__username"))
    return {
        "seek": seek,
        "sits_in": sitting_at_once([user.pk]).get(user.pk),
        "waited": 0 if seek is None else now_ms() - seek.since,
        "seek_words": "" if seek is None else seek_words(seek),
        "seek_form": SeekForm(initial=SeekForm.initial_of(request.GET)),
        "here": here_now(but=blocked, also=user.pk),
        "blocked": list(blocked.values()),
    }


@require_safe
@keeps_results_wish
@from_replica
def watch(request: HttpRequest) -> HttpResponse:
    """What is on, and what has been."""
    if (alone := _featured_alone(request)) is not None:
        return alone
    form = WatchForm(request.GET)
    chosen = form.chosen()
    over = selectors.matches_filtered(selectors.matches_over(request.user), **chosen)
    page = one_page(request, over)
    live = selectors.matches_filtered(selectors.matches_live(request.user), **chosen)
    # Of other pages of replays, what is on is no part.
    untold = hides_results(request)
    lists = [result_cards(cast("QuerySet[Match]", page.object_list), untold=untold)]
    if page.number == 1:
        lists.append(match_cards(live[:LIVE_AT_MOST]))
    # Whoever looks for something else wants that first.
    if page.number == 1 and not any(chosen.values()):
        lists.append(featured_card(match_featured(request.user)))
    replays, *on = cards_for(request, *lists)
    context: dict[str, object] = {
        "form": form,
        "live_cards": on[0] if on else "",
        "featured": on[1] if len(on) > 1 else None,
        "live_at_most": LIVE_AT_MOST,
        "result_cards": replays,
        "untold": untold,
        "page": page,
        "may_import": may_import(request.user),
    }
    return render_live(request, "games/watch.html", "games/_watch_live.html", context)


@require_safe
@keeps_results_wish
@needs_sign_in
def mine(request: HttpRequest, user: User) -> HttpResponse:
    """The reader's own matches, and those that they comment on."""
    over = selectors.matches_filtered(selectors.matches_over(user), player=user)
    context: dict[str, object] = {
        "own_matches": selectors.own_running(user),
        "commented": selectors.matches_to_comment(user)[:COMMENTED],
        "page": one_page(request, over),
        "tallies": selectors.tallies_of(user, user),
        "untold": hides_results(request),
    }
    return render(request, "games/mine.html", context)
