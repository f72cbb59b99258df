"""What contestants do on the seasons' pages: enter and leave, choose, be ready, give and bring
items."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from core.refusals import Forbidden, Refusal
from tournaments import audience
from tournaments.actions import players
from tournaments.actions.episodes import CHOOSE
from tournaments.actions.ladder import CHALLENGE
from tournaments.actions.subjects import AtContestant, AtDeathMatch, AtPerson, AtRound
from tournaments.formats.elimination.choice import choosable
from tournaments.items import catalogue
from tournaments.lifecycle import STILL_IN, GiftStatus
from tournaments.models import Contestant, Gift, Leg
from tournaments.reading.episodes import EpisodeWithPlacements
from tournaments.reading.items import item_named
from tournaments.reading.sheet import Sheet
from tournaments.services.items.declarations import item_declare, item_undeclare
from tournaments.services.scheduling.readiness import leg_confirm, leg_unconfirm
from tournaments.views.actions import perform
from tournaments.views.common import FORMS, season_page, shown, with_user


def me_in(sheet: Sheet, user: User) -> Contestant:
    """``user``'s place in the season. Raises Refusal ``contestant.not-in``."""
    for each in sheet.contestants:
        if each.user_id == user.pk:
            return each
    raise Forbidden("contestant.not-in", "You are not a contestant of this season.")


@require_http_methods(FORMS)
@season_page
@with_user
def join(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Enrol."""
    back = sheet.season.get_absolute_url()
    return perform(request, players.JOIN, AtPerson(user, sheet, user), back=back)


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
    allowed = {each.pk for each in choosable(found.row)}
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
    row, leg = found.row, found.leg(leg_id)
    if request.POST.get("ready") == "no":
        leg_unconfirm(acting_user=user, leg=leg)
        messages.success(request, "You are not down as ready any more.")
        return redirect(row.get_absolute_url())
    leg = leg_confirm(acting_user=user, leg=leg)
    if leg.match_id is not None:
        return redirect("games:match", leg.match_id)
    messages.success(request, "You are ready. The match begins when both of you are.")
    return redirect(row.get_absolute_url())


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
        more={"catalogue": catalogue.catalogue()},
    )


@require_http_methods(FORMS)
@season_page
@with_user
def declare(request: HttpRequest, sheet: Sheet, user: User, pk: int, leg_id: int) -> HttpResponse:
    """Which items one brings into a match, and what Copy and Block are aimed at."""
    found = sheet.death_match(pk)
    row, leg = found.row, found.leg(leg_id)
    seat = audience.seat_of(row, user)
    if seat is None:
        raise Forbidden("item.not-yours", "Only those who play bring items.")
    refused: Refusal | None = None
    mine = [
        each
        for each in sheet.gifts
        if each.receiver.user_id == user.pk and each.status == GiftStatus.HELD
    ]
    if request.method == "POST":
        try:
            _declare(request, user, leg, mine, sheet.gifts)
        except Refusal as refusal:
            refused = refusal
        else:
            return redirect("tournaments:declare", sheet.season.slug, pk, leg_id)
    declared = {each.gift_id: each for each in leg.declarations.all()}
    opponent = row.away_id if seat == 0 else row.home_id
    context = {
        "row": row,
        "leg": leg,
        "refused": refused,
        "offers": [
            {
                "gift": each,
                "name": item_named(each)[0],
                "text": item_named(each)[1],
                "declared": declared.get(each.pk),
                "targets": _targets(each, sheet.gifts, mine, opponent),
            }
            for each in mine
        ],
    }
    status = 200 if refused is None else 422
    return shown(request, sheet, "declare.html", context, status=status)


def _targets(
    gift: Gift, gifts: Sequence[Gift], mine: Sequence[Gift], opponent: int | None
) -> list[Gift]:
    """What a Copy or a Block may be aimed at, before the service has judged it."""
    if gift.ruleset:
        return []
    held = [each for each in gifts if each.status == GiftStatus.HELD and each.pk != gift.pk]
    theirs = [each for each in held if each.receiver_id == opponent]
    if gift.item == catalogue.BLOCK:
        return theirs
    return [each for each in held if each in mine or each in theirs]


def _declare(
    request: HttpRequest, user: User, leg: Leg, mine: Sequence[Gift], gifts: Sequence[Gift]
) -> None:
    wanted = request.POST.get("gift", "")
    gift = next((each for each in mine if str(each.pk) == wanted), None)
    if gift is None:
        raise Refusal("item.gone", "You do not hold this item any more.")
    if request.POST.get("bring") == "no":
        item_undeclare(acting_user=user, leg=leg, gift=gift)
        messages.success(request, "You leave it at home.")
        return
    aimed = request.POST.get("target", "")
    target = next((each for each in gifts if str(each.pk) == aimed), None)
    item_declare(acting_user=user, leg=leg, gift=gift, target=target)
    messages.success(request, "You bring it. Nobody else sees so before the match begins.")


# -- ladders -------------------------------------------------------------------------------------


@require_http_methods(FORMS)
@season_page
@with_user
def challenge(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Challenge somebody above on the ladder."""
    if not sheet.format.challenges:
        raise Http404("Nobody challenges anybody here.")
    subject = AtContestant(user, sheet, me_in(sheet, user))
    return perform(request, CHALLENGE, subject, back=sheet.season.get_absolute_url())
