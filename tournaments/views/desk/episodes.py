"""The desk of an elimination season: its episodes, and the final."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from accounts.models import User
from core.actions import Done, Offer
from core.clock import now_utc
from core.refusals import Refusal, refusal_of
from games.reasons import READY
from tournaments.actions.death_matches import DEATH_MATCH, DECLARE
from tournaments.actions.episodes import (
    CHOOSE,
    FINAL,
    OPEN,
    PLACEMENTS,
    RECORD,
    SKIP,
    choosable,
    main_match_form,
    opens_first,
    standing_at,
)
from tournaments.actions.legs import LEG
from tournaments.actions.pictures import keeps_pictures
from tournaments.actions.scores import SCORES, must_be_settled, scores_form
from tournaments.actions.subjects import AtDeathMatch, AtLeg, AtRound, AtSeason
from tournaments.lifecycle import PLAYABLE
from tournaments.models import Contestant, Round
from tournaments.reading.death_matches import DeathMatchWithLegs
from tournaments.reading.sheet import Sheet
from tournaments.views.actions import go_on, perform
from tournaments.views.common import FORMS, organisers_only, shown

# Why a main match cannot be recorded, where how the episode stands says it.
_SHOWN = {"episode.placed", "round.not-closed", "episode.too-few"}


class Way(NamedTuple):
    """What leads to an action on a death match, and its address."""

    offer: Offer
    address: str


class Ruling(NamedTuple):
    """A form that rules who of some has won, with ready-made reasons: where it is sent to, and what
    follows."""

    address: str
    people: Sequence[Contestant]
    reasons: Sequence[str]
    follows: Sequence[str]


class Meeting(NamedTuple):
    """A death match, what can be done about it next, and how it is ruled; None: it is not."""

    found: DeathMatchWithLegs
    ways: Sequence[Way]
    ruling: Ruling | None


@require_http_methods(FORMS)
@organisers_only
def episode(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Everything of an episode: how it stands, what can be done now, and, once it is complete, the
    main match of the next one. ``look`` and ``tap`` are buttons that only show what would be
    recorded; ``scores`` in the address has the placement filled in that follows from them."""
    subject = AtSeason(user, sheet)
    looking = request.method == "POST" and not {"look", "tap"}.isdisjoint(request.POST)
    refusal = RECORD.refusal(subject)
    if request.method == "POST" and not looking:
        # Its own page is this one, whatever can be done on it just now.
        return perform(
            request,
            RECORD,
            subject,
            back=subject.address("episode"),
            template="desk_episode.html",
            more=_standing(subject),
        )
    form = None
    why_not = "" if refusal is None or refusal.code in _SHOWN else refusal.sentence
    if refusal is None:
        try:
            made = main_match_form(subject, by_scores="scores" in request.GET and not looking)
        except Refusal as unsettled:
            made, why_not = main_match_form(subject), unsettled.sentence
        form = made(request.POST, looking=True) if looking else made()
        if looking:
            form.looked()
    context = {
        "form": form,
        "why_not": why_not,
        "prompt": RECORD.prompt(subject),
    }
    return shown(request, sheet, "desk_episode.html", _standing(subject) | context)


def _standing(subject: AtSeason) -> dict[str, Any]:
    """How an episode stands, and what can be done about it besides recording it."""
    sheet = subject.sheet
    current = sheet.current
    played = current or (sheet.rounds[-1] if sheet.rounds else None)
    found = None if played is None else sheet.episode_of(played)
    context: dict[str, Any] = {
        "round": played,
        "episode": None if found is None else found.row,
        "complete": current is None,
        "opens": OPEN.offered(subject),
        "opens_first": opens_first(subject),
        "opens_final": FINAL.offered(subject),
        "meetings": [] if played is None else _meetings(subject, played, found is not None),
    }
    if current is not None and found is not None:
        there = AtRound(subject.user, sheet, current)
        if CHOOSE.offered(there):
            context["people"] = choosable(there)
            context["seen"] = standing_at(there)
            context["over"] = found.row.choose_by is not None and found.row.choose_by < now_utc()
        context["skips"] = SKIP.offered(there)
        context["scores"] = SCORES.offer(there) if SCORES.offered(there) else None
    return context


def _meetings(subject: AtSeason, played: Round, is_episode: bool) -> list[Meeting]:
    """The death matches of a round, each with what can be done about it next."""
    found = []
    for each in subject.sheet.in_round(played):
        ways: list[Way] = []
        ruling = None
        if each.row.status in PLAYABLE:
            leg = each.next
            if leg is not None:
                at = AtLeg(subject.user, subject.sheet, each, leg)
                ways += [
                    Way(offer, subject.address("leg_act", each.row.pk, leg.pk, offer.name))
                    for offer in LEG.offered(at)
                ]
            at_match = AtDeathMatch(subject.user, subject.sheet, each)
            ways += [
                Way(offer, subject.address("match_act", each.row.pk, offer.name))
                for offer in DEATH_MATCH.offered(at_match)
            ]
            if is_episode and DECLARE.offered(at_match):
                ruling = _ruling(at_match)
        found.append(Meeting(each, ways, ruling))
    return found


def _ruling(subject: AtDeathMatch) -> Ruling:
    return Ruling(
        subject.address("match_act", subject.death_match.pk, DECLARE.name),
        subject.sides,
        READY["declare"],
        DECLARE.prompt(subject).follows,
    )


@require_http_methods(FORMS)
@organisers_only
def episode_new(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Open the next episode; with ``then=scores`` in the address the scores of its main match are
    entered next."""
    subject = AtSeason(user, sheet)
    number = len(sheet.rounds) + 1

    def after(request: HttpRequest, done: Done, back: str) -> HttpResponse:
        if request.GET.get("then") == "scores":
            back = subject.address("scores", number)
        return go_on(request, done, back)

    return perform(request, OPEN, subject, back=subject.address("episode"), after=after)


@require_http_methods(FORMS)
@organisers_only
def scores(request: HttpRequest, sheet: Sheet, user: User, number: int) -> HttpResponse:
    """The scores of a main match. ``look``, ``add`` and ``remove`` are buttons that keep nothing,
    and ``take`` is one that leads on to the placement that follows from what is saved; in the
    address it has the page say why none does."""
    played = sheet.round(number)
    subject = AtRound(user, sheet, played)
    back = subject.address("scores", number)
    more = {
        "round": played,
        "keeps_pictures": keeps_pictures(subject),
        "taking": request.method != "POST" and "take" in request.GET,
    }
    looking = request.method == "POST" and not {"look", "add", "remove"}.isdisjoint(request.POST)
    if looking and SCORES.offered(subject):
        form = scores_form(subject)(request.POST, looking=True)
        form.looked()
        context = {"form": form, "prompt": SCORES.prompt(subject), "back": back, **more}
        return shown(request, sheet, "desk_scores.html", context)

    def after(request: HttpRequest, done: Done, back: str) -> HttpResponse:
        if "take" not in request.POST:
            return go_on(request, done, back)
        if refusal_of(must_be_settled, subject) is not None:
            return go_on(request, done, f"{back}?take=1")
        return redirect(f"{subject.address('episode')}?scores=1")

    return perform(
        request, SCORES, subject, back=back, template="desk_scores.html", more=more, after=after
    )


@require_http_methods(FORMS)
@organisers_only
def placements(request: HttpRequest, sheet: Sheet, user: User, number: int) -> HttpResponse:
    """Record how everybody came off in the main match."""
    played = sheet.round(number)
    subject = AtRound(user, sheet, played)
    return perform(
        request,
        PLACEMENTS,
        subject,
        back=subject.address("round", number),
        template="desk_placements.html",
        more={"round": played},
    )


@require_http_methods(FORMS)
@organisers_only
def final(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Open the final."""
    subject = AtSeason(user, sheet)
    return perform(request, FINAL, subject, back=subject.address("episode"))
