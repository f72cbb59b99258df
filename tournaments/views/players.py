"""What contestants do on the seasons' pages: enter and leave, choose, be ready, give and bring
items."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from core.refusals import Forbidden, NotFound, Refusal
from tournaments import audience, catalogue
from tournaments.formats.elimination.episodes import choosable, dmo_choose
from tournaments.formats.ladder.format import ladder_challenge
from tournaments.forms import ChooseForm, GiftForm, NoForm, PairForm, RulesForm, WithdrawForm
from tournaments.lifecycle import PLAYABLE, STILL_IN, ContestantStatus, EpisodeStatus, GiftStatus
from tournaments.models import Contestant, DeathMatch, Episode, Gift, Leg
from tournaments.reading import Sheet, item_named
from tournaments.services.contestants import contestant_join, contestant_withdraw
from tournaments.services.items import item_declare, item_give, item_undeclare
from tournaments.services.legs import rules_set
from tournaments.services.scheduling import leg_confirm, leg_unconfirm
from tournaments.services.seasons import Warned
from tournaments.views.acts import Act, perform
from tournaments.views.common import FORMS, leg_of, season_page, shown, with_user


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
    act = Act(
        title=f"Enrol in {sheet.season.name}",
        button="Enrol",
        done="You are enrolled.",
        back=sheet.season.get_absolute_url(),
        says=[
            "Your name stands on the season's public pages from now on.",
            "You can withdraw again before it begins without anything being lost.",
        ],
        run=lambda _form: contestant_join(acting_user=user, season=sheet.season) and None,
    )
    return perform(request, sheet, act)


@require_http_methods(FORMS)
@season_page
@with_user
def withdraw(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Leave."""
    me = me_in(sheet, user)
    begun = me.status == ContestantStatus.ACTIVE
    says = ["You leave the season. Only its organisers can bring you back."]
    if begun:
        says.append("Your death matches that are not decided yet are won by your opponents.")
    act = Act(
        title=f"Withdraw from {sheet.season.name}",
        button="Withdraw",
        done="You have withdrawn.",
        back=sheet.season.get_absolute_url(),
        says=says,
        form=WithdrawForm,
        danger=True,
        run=lambda form: (
            contestant_withdraw(acting_user=user, contestant=me, why=form.cleaned_data["why"])
            and None
        ),
    )
    return perform(request, sheet, act)


# -- the choice ----------------------------------------------------------------------------------


@require_http_methods(FORMS)
@season_page
@with_user
def choose(request: HttpRequest, sheet: Sheet, user: User, number: int) -> HttpResponse:
    """The EC chooses an opponent; or an organiser, where the EC did not."""
    played = sheet.round(number)
    episode: Episode | None = getattr(played, "told", None)
    if episode is None:
        raise NotFound("round.none", "This round is no episode.")
    if episode.status != EpisodeStatus.CHOOSING:
        raise Refusal("choice.closed", "There is nothing to choose in this episode now.")
    mine = audience.may_choose_dmo(episode, user)
    if not mine and not audience.may_manage(sheet.season, user):
        raise Forbidden("choice.not-yours", "Only the elimination candidate chooses.")
    people = choosable(episode)
    allowed = {each.pk for each in people}
    act = Act(
        title="Choose your opponent" if mine else f"Name the opponent of {episode.ec}",
        button="This is my choice" if mine else "Name the opponent",
        done="The choice is made.",
        back=reverse("tournaments:round", args=[sheet.season.slug, number]),
        says=[
            "Whoever you choose has the advantage in the death match."
            if mine
            else "The EC did not choose, or cannot: whoever you name has the advantage.",
            "The choice is public at once and cannot be changed.",
        ],
        form=partial(ChooseForm, people=people),
        template="choose.html",
        more={
            "episode": episode,
            "round": played,
            "faces": [
                (each, each.pk in allowed, _why_not(episode, each))
                for each in sheet.contestants
                if each.status in STILL_IN
            ],
        },
        run=lambda form: dmo_choose(
            acting_user=user, episode=episode, contestant=form.cleaned_data["contestant"]
        ).get_absolute_url(),
    )
    return perform(request, sheet, act)


def _why_not(episode: Episode, contestant: Contestant) -> str:
    """Why somebody cannot be chosen; empty for those who can."""
    if contestant.pk == episode.ec_id:
        return "the candidate"
    places = {each.contestant_id: each for each in episode.places}  # type: ignore[attr-defined]
    placed = places.get(contestant.pk)
    if placed is None:
        return "not in the main match"
    return f"immune (place {placed.place})" if placed.immune else ""


# -- before a death match ------------------------------------------------------------------------


@require_POST
@season_page
@with_user
def ready(request: HttpRequest, sheet: Sheet, user: User, pk: int, leg_id: int) -> HttpResponse:
    """Say that one is ready, or not after all."""
    row = sheet.death_match(pk)
    leg = leg_of(row, leg_id)
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
    row = sheet.death_match(pk)
    if audience.seat_of(row, user) is None:
        raise Forbidden("rules.not-allowed", "Only those who play choose here.")
    act = Act(
        title="Choose the game",
        button="Play this",
        done="It is decided what is played.",
        back=row.get_absolute_url(),
        says=["The lower seed chooses, once, from the season's list."],
        form=partial(
            RulesForm,
            legs=row.legs_told,  # type: ignore[attr-defined]
            user=user,
            games=sheet.season.repertoire,
        ),
        run=lambda form: (
            rules_set(
                acting_user=user,
                death_match=row,
                ruleset=form.rules()["ruleset"],
                variant=form.rules()["variant"],
            )
            and None
        ),
    )
    return perform(request, sheet, act)


# -- items ---------------------------------------------------------------------------------------


def open_matches(sheet: Sheet) -> list[DeathMatch]:
    """Death matches that items can be given for."""
    return [each for each in sheet.death_matches if each.status in PLAYABLE]


@require_http_methods(FORMS)
@season_page
@with_user
def give(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """An eliminated contestant gives an item."""
    me = me_in(sheet, user)
    matches = open_matches(sheet)
    act = Act(
        title="Give an item",
        button="Give it",
        done="The item is given.",
        back=reverse("tournaments:items", args=[sheet.season.slug]),
        says=[
            "Who is out gives one item for a death match, and one for each match of the final.",
            "It is public from whom it comes.",
            "Only an organiser can take it back.",
        ],
        warnings=()
        if matches
        else [
            Warned(
                "item.match",
                "No death match is to be played at the moment. Items can be given as soon as it is "
                "known who meets whom.",
                stops=True,
            )
        ],
        form=partial(
            GiftForm,
            receivers=sheet.still_in,
            givers=None,
            death_matches=matches,
        ),
        more={"catalogue": catalogue.catalogue()},
        run=lambda form: (
            item_give(acting_user=user, season=sheet.season, giver=me, **form.gift()) and None
        ),
    )
    return perform(request, sheet, act)


@require_http_methods(FORMS)
@season_page
@with_user
def declare(request: HttpRequest, sheet: Sheet, user: User, pk: int, leg_id: int) -> HttpResponse:
    """Which items one brings into a match, and what Copy and Block are aimed at."""
    row = sheet.death_match(pk)
    leg = leg_of(row, leg_id)
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
    me = me_in(sheet, user)
    reach = (
        [sheet.by_id[each] for each in sheet.course.in_reach(me.pk)]
        if me.pk in sheet.course.ladder
        else []
    )
    act = Act(
        title="Challenge somebody above you",
        button="Challenge",
        done="The challenge stands.",
        back=sheet.season.get_absolute_url(),
        says=["Beat them and you take their rung; lose and everything stays as it is."],
        form=partial(PairForm, people=reach) if reach else NoForm,
        run=lambda form: _challenged(user, sheet, form).get_absolute_url(),
    )
    return perform(request, sheet, act)


def _challenged(user: User, sheet: Sheet, form: Any) -> DeathMatch:
    opponent = form.cleaned_data.get("opponent")
    if opponent is None:
        raise Refusal("ladder.out-of-reach", "Nobody above you can be challenged at the moment.")
    return ladder_challenge(acting_user=user, season=sheet.season, defender=opponent)
