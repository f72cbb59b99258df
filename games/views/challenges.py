"""Pages around challenges. Everything that changes one is a POST to a service.

No action of a table (`core.actions`): they are players' own, and their buttons stand on cards and
pages for readers without an account too, whom an action, which is somebody's, cannot be offered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from accounts.moderation.standing import silence_of
from core.refusals import FORM_REFUSED, NotFound, Refusal, allowed
from games.audience import may_prepare, seat_of
from games.engine.capabilities import Supply, supply_of
from games.forms import ChallengeForm
from games.models import Challenge, HouseBot
from games.reading import selectors
from games.rulesets import REGISTRY
from games.services.challenges import (
    challenge_accept,
    challenge_cancel,
    challenge_create,
    challenge_decline,
    must_be_challenger,
    must_be_open,
    must_be_opponent,
)
from games.views.common import (
    FRAGMENT_HEADER,
    explains_refusals,
    forbid_caching,
    needs_sign_in,
    retried,
    signed_in,
)


@require_http_methods(["GET", "HEAD", "POST"])
@needs_sign_in
def challenge_new(request: HttpRequest, user: User) -> HttpResponse:
    """Offer a match. `?game=` and `?opponent=` fill the form in; who is to challenge one of the
    site's own bots is led to where it can be played."""
    bot = HouseBot.objects.filter(user__username=request.GET.get("opponent", "")).first()
    if bot is not None:
        return redirect(f"{reverse('games:practice')}?level={bot.level}")
    kept = selectors.preparations_of(user) if may_prepare(user) else []
    silence = silence_of(user)
    if request.method != "POST":
        initial = ChallengeForm.initial_of(request.GET)
        form = ChallengeForm(initial=initial, preparations=kept, silence=silence)
        return render(request, "games/challenge_new.html", {"form": form})
    form = ChallengeForm(request.POST, preparations=kept, silence=silence)
    refused: Refusal | None = None
    if form.is_valid():
        try:
            challenge = challenge_create(acting_user=user, **form.offer())
        except Refusal as refusal:
            form.refuse(refusal)
            refused = refusal
        else:
            by_link = "Your link is ready." if challenge.is_by_link else "Your challenge is out."
            messages.success(request, by_link)
            return redirect(challenge)
    status = FORM_REFUSED if refused is None else refused.form_status
    answer = render(request, "games/challenge_new.html", {"form": form}, status=status)
    return answer if refused is None else retried(answer, refused)


@require_safe
@explains_refusals
def challenge_detail(request: HttpRequest, challenge_id: int) -> HttpResponse:
    """One challenge, to wait at or to answer; once accepted, the way to its match.

    How it stands may change at any moment, so no browser is to show it again without asking, when
    its reader goes back to it or forward either; the page's script asks for the changing part.
    """
    challenge = _challenge(challenge_id, request.user)
    if challenge.match is not None and FRAGMENT_HEADER not in request.headers:
        return forbid_caching(redirect(challenge.match))
    return _challenge_page(request, challenge)


@require_safe
@explains_refusals
def invite(request: HttpRequest, token: str) -> HttpResponse:
    """A challenge for whoever has this link: signed in or not, they may look at it, and whoever is
    signed in may accept. Its challenger, and once it is accepted its players, go where it leads
    them; to anybody else it says that it has been used."""
    challenge = _invited(token, request.user)
    user = signed_in(request)
    if FRAGMENT_HEADER not in request.headers and user is not None:
        match = challenge.match
        if match is not None and seat_of(match, user) is not None:
            return forbid_caching(redirect(match))
        if allowed(must_be_challenger, challenge, user):
            return forbid_caching(redirect(challenge))
    response = _challenge_page(request, challenge, token=token)
    response["X-Robots-Tag"] = "noindex"
    return response


@require_POST
@explains_refusals
def invite_accept(request: HttpRequest, token: str) -> HttpResponse:
    """Accept by the link; whoever is not signed in is sent to do so, and comes back to it."""
    challenge = _invited(token, request.user)
    user = signed_in(request)
    if user is None:
        return redirect_to_login(challenge.get_invite_url())
    return redirect(challenge_accept(acting_user=user, challenge=challenge, token=token))


def _challenge_page(request: HttpRequest, challenge: Challenge, *, token: str = "") -> HttpResponse:
    user = signed_in(request)
    own = user is not None and allowed(must_be_challenger, challenge, user)
    link = challenge.get_invite_url() if own and challenge.is_by_link else ""
    context = {
        "challenge": challenge,
        "own": own,
        "supplied": _supply_of(challenge),
        "to_me": user is not None and allowed(must_be_opponent, challenge, user),
        "acceptable": allowed(must_be_open, challenge),
        "token": token,
        "link": request.build_absolute_uri(link) if link else "",
    }
    alone = FRAGMENT_HEADER in request.headers
    page = "games/_challenge_live.html" if alone else "games/challenge_detail.html"
    return forbid_caching(render(request, page, context))


@require_POST
@needs_sign_in
@explains_refusals
def challenge_accept_view(request: HttpRequest, user: User, challenge_id: int) -> HttpResponse:
    """Accept; the match begins, or waits for both of them."""
    match = challenge_accept(acting_user=user, challenge=_challenge(challenge_id, user))
    return redirect(match)


@require_POST
@needs_sign_in
@explains_refusals
def challenge_decline_view(request: HttpRequest, user: User, challenge_id: int) -> HttpResponse:
    """Decline a challenge made to the reader."""
    return _close(request, user, challenge_id, challenge_decline, "The challenge is declined.")


@require_POST
@needs_sign_in
@explains_refusals
def challenge_cancel_view(request: HttpRequest, user: User, challenge_id: int) -> HttpResponse:
    """Take the reader's own challenge back."""
    return _close(request, user, challenge_id, challenge_cancel, "Your challenge is taken back.")


def _close(
    request: HttpRequest,
    user: User,
    challenge_id: int,
    service: Callable[..., Challenge],
    sentence: str,
) -> HttpResponse:
    challenge = service(acting_user=user, challenge=_challenge(challenge_id, user))
    if challenge.rematch_of is not None:
        return redirect(challenge.rematch_of)
    messages.success(request, sentence)
    return redirect("games:lobby")


def _supply_of(challenge: Challenge) -> Supply | None:
    """What the challenger supplies; whoever accepts should know."""
    if challenge.preparation is None:
        return None
    return supply_of(REGISTRY.get(challenge.ruleset), challenge.preparation.key)


def _invited(token: str, user: Any) -> Challenge:
    challenge = selectors.challenge_by_link(token, user)
    if challenge is None:
        raise NotFound("challenge.none", "There is no such challenge.")
    return challenge


def _challenge(challenge_id: int, user: Any) -> Challenge:
    challenge = selectors.challenge_visible(challenge_id, user)
    if challenge is None:
        raise NotFound("challenge.none", "There is no such challenge.")
    return challenge
