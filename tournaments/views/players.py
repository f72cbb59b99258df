"""What contestants do on the seasons' pages: enter and leave, choose, be ready, give and bring
items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.blocking.services import blocked_keys
from accounts.models import User
from core.clock import now_utc
from core.refusals import Forbidden, Refusal, RefusalKind, allowed, refusal_of
from games.views.common import signed_in
from tournaments import audience
from tournaments.actions import players
from tournaments.actions.challenges import CHALLENGE
from tournaments.actions.episodes import CHOOSE, choosable
from tournaments.actions.items import items_known
from tournaments.actions.subjects import (
    AtContestant,
    AtDeathMatch,
    AtInvitation,
    AtItem,
    AtLeg,
    AtPerson,
    AtRound,
)
from tournaments.items.catalogue import item_of
from tournaments.lifecycle import STILL_IN, ApplicationStatus, GiftStatus
from tournaments.models import Contestant, Gift, WayIn
from tournaments.reading.episodes import EpisodeWithPlacements
from tournaments.reading.items import item_named
from tournaments.reading.messages import MESSAGES_SHOWN, messages_to
from tournaments.reading.sheet import Sheet
from tournaments.services.contestants.held import held_by
from tournaments.services.contestants.invitations import invitation_of, must_be_good
from tournaments.services.items import declarations
from tournaments.views.actions import perform, press, press_or_say
from tournaments.views.common import FORMS, season_page, shown, with_user


def me_in(sheet: Sheet, user: User) -> Contestant:
    """``user``'s place in the season. Raises Refusal ``contestant.not-in``."""
    own = sheet.contestant_of(user)
    if own is None:
        raise Forbidden("contestant.not-in", "You are not a contestant of this season.")
    return own


@require_http_methods(FORMS)
@season_page
@with_user
def join(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Enrol, or apply, whichever the season asks for; or see how one stands who has, and take it
    back."""
    subject = AtPerson(user, sheet, user)
    back = sheet.season.get_absolute_url()
    if "take-back" in request.POST:
        return press(request, players.TAKE_BACK, subject, back=back)
    apply = sheet.season.way_in is WayIn.APPLICATION
    return perform(
        request,
        players.APPLY if apply else players.JOIN,
        subject,
        back=back,
        template="join.html",
        more=standing_in(subject),
    )


def standing_in(subject: AtPerson) -> dict[str, Any]:
    """How somebody stands who has applied, or waits: for pages."""
    row = subject.application
    if row is None or row.status == ApplicationStatus.ADMITTED:
        return {}
    ahead = subject.sheet.waiting_list
    return {
        "application": row,
        "turn": ahead.index(row) + 1 if row in ahead else 0,
        "waiting_count": len(ahead),
        "takes_back": players.TAKE_BACK.offered(subject),
    }


@require_safe
@season_page
@with_user
def messages(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """What the organisers have written to the reader, who is or was a contestant."""
    me_in(sheet, user)
    rows = messages_to(sheet.season, user)
    page = Paginator(rows, MESSAGES_SHOWN).get_page(request.GET.get("page"))
    return shown(request, sheet, "messages.html", {"page": page})


@require_http_methods(FORMS)
@never_cache  # its address is a ticket
@season_page
def invited(request: HttpRequest, sheet: Sheet, token: str) -> HttpResponse:
    """A link by which one enters; who has no account yet comes back to it with one."""
    invitation = invitation_of(sheet.season, token)
    user = signed_in(request)
    back = sheet.season.get_absolute_url()
    place = held_by(invitation) if invitation.for_place else None
    if user is not None:
        subject = AtInvitation(user, sheet, invitation)
        if subject.own is not None and subject.own.status in STILL_IN:
            return redirect(back)  # whoever comes back by it is shown where they are
        response = perform(
            request,
            players.ACCEPT,
            subject,
            back=back,
            template="invited.html",
            more={"invitation": invitation, "place": place},
        )
    elif request.method == "POST":
        response = redirect_to_login(request.path)
    else:
        refused = refusal_of(must_be_good, invitation, sheet.season, None, now_utc())
        context = {"invitation": invitation, "refused": refused, "place": place}
        response = shown(request, sheet, "invited.html", context)
    response["X-Robots-Tag"] = "noindex"
    return response


@require_POST
@season_page
@with_user
def check_in(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Say that one is there, before the season begins."""
    subject = AtContestant(user, sheet, me_in(sheet, user))
    return press_or_say(request, players.CHECK_IN, subject, back=sheet.season.get_absolute_url())


@require_http_methods(FORMS)
@season_page
@with_user
def withdraw(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Leave."""
    subject = AtContestant(user, sheet, me_in(sheet, user))
    return perform(request, players.LEAVE, subject, back=sheet.season.get_absolute_url())


# -- the choice ----------------------------------------------------------------------------------


@require_http_methods(FORMS)
@season_page
@with_user
def choose(request: HttpRequest, sheet: Sheet, user: User, number: int) -> HttpResponse:
    """The EC chooses an opponent; or an organiser, where the EC did not."""
    subject = AtRound(user, sheet, sheet.round(number))
    found = subject.with_placements
    allowed = {each.pk for each in choosable(subject)}
    return perform(
        request,
        CHOOSE,
        subject,
        back=subject.address("round", number),
        template="choose.html",
        more={
            "episode": found.row,
            "round": subject.round,
            "faces": [
                (each, each.pk in allowed, _why_not(found, each))
                for each in sheet.contestants
                if each.status in STILL_IN
            ],
        },
    )


def _why_not(episode: EpisodeWithPlacements, contestant: Contestant) -> str:
    """Why somebody cannot be chosen; empty for those who can."""
    if contestant.pk == episode.row.ec_id:
        return "the candidate"
    placed = episode.placement_of(contestant)
    if placed is None:
        return "not in the main match"
    return f"immune (place {placed.place})" if placed.immune else ""


# -- before a death match ------------------------------------------------------------------------


@require_POST
@season_page
@with_user
def ready(request: HttpRequest, sheet: Sheet, user: User, pk: int, leg_id: int) -> HttpResponse:
    """Say that one is ready, or not after all."""
    found = sheet.death_match(pk)
    subject = AtLeg(user, sheet, found, found.leg(leg_id))
    action = players.UNCONFIRM if request.POST.get("ready") == "no" else players.CONFIRM
    return press(request, action, subject, back=found.row.get_absolute_url())


@require_http_methods(FORMS)
@season_page
@with_user
def rules(request: HttpRequest, sheet: Sheet, user: User, pk: int) -> HttpResponse:
    """The lower seed chooses what is played."""
    subject = AtDeathMatch(user, sheet, sheet.death_match(pk))
    back = subject.death_match.get_absolute_url()
    return perform(request, players.CHOOSE_RULES, subject, back=back)


# -- items ---------------------------------------------------------------------------------------


@require_http_methods(FORMS)
@season_page
@with_user
def give(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """An eliminated contestant gives an item."""
    subject = AtContestant(user, sheet, me_in(sheet, user))
    return perform(
        request,
        players.GIVE,
        subject,
        back=subject.address("items"),
        more={"catalogue": items_known(sheet)},
    )


@require_http_methods(FORMS)
@season_page
@with_user
def declare(request: HttpRequest, sheet: Sheet, user: User, pk: int, leg_id: int) -> HttpResponse:
    """Which items one brings into a match, and what Copy and Block are aimed at."""
    found = sheet.death_match(pk)
    subject = AtLeg(user, sheet, found, found.leg(leg_id))
    refused = refusal_of(declarations.bringing_seat, subject.leg, user)
    if refused is not None and refused.kind is RefusalKind.FORBIDDEN:
        raise refused
    mine = [
        AtItem(user, sheet, found, subject.leg, each)
        for each in sheet.gifts_for(user)
        if each.receiver.user_id == user.pk and each.status == GiftStatus.HELD
    ]
    status = 200
    if request.method == "POST":
        try:
            return _bring(request, mine, back=request.path)
        except Refusal as refusal:
            refused, status = refusal, refusal.form_status
    declared = {each.gift_id: each for each in subject.leg.declarations.all()}
    context = {
        "row": found.row,
        "leg": subject.leg,
        "refused": refused,
        "apart": blocked_keys(user),
        "offers": [
            {
                "gift": each.gift,
                "name": item_named(each.gift)[0],
                "text": item_named(each.gift)[1],
                "declared": declared.get(each.gift.pk),
                "targets": _targets(each),
                "barred": players.BRING.refusal(each),
                "leave": players.LEAVE_AT_HOME.offered(each),
            }
            for each in mine
        ],
    }
    return shown(request, sheet, "declare.html", context, status=status)


def _targets(subject: AtItem) -> list[Gift]:
    """What a Copy or a Block can be aimed at."""
    item = item_of(subject.gift.item, subject.gift.ruleset)
    seat = audience.seat_of(subject.death_match, subject.user)
    if not item.is_meta or seat is None:
        return []
    return [
        each
        for each in subject.sheet.gifts_for(subject.user)
        if each.pk != subject.gift.pk
        and allowed(declarations.must_be_a_target, subject.leg, seat, item, each)
    ]


def _bring(request: HttpRequest, mine: Sequence[AtItem], *, back: str) -> HttpResponse:
    """Bring the item that the form names, or leave it at home."""
    wanted = request.POST.get("gift", "")
    subject = next((each for each in mine if str(each.gift.pk) == wanted), None)
    if subject is None:
        raise Refusal("item.gone", "You do not hold this item any more.")
    if request.POST.get("bring") == "no":
        return press(request, players.LEAVE_AT_HOME, subject, back=back)
    aimed = request.POST.get("target", "")
    target = next(
        (each for each in subject.sheet.gifts_for(subject.user) if str(each.pk) == aimed), None
    )
    return press(request, players.BRING, replace(subject, target=target), back=back)


# -- challenges ----------------------------------------------------------------------------------


@require_http_methods(FORMS)
@season_page
@with_user
def challenge(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Challenge somebody."""
    sheet.format.must_take_challenges()
    subject = AtContestant(user, sheet, me_in(sheet, user))
    return perform(request, CHALLENGE, subject, back=sheet.season.get_absolute_url())
