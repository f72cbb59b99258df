"""The pages of seasons that anybody may read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.blocking.services import blocked_keys
from accounts.models import User
from core.actions import Offer
from core.refusals import allowed
from core.replica.reading import from_replica
from games.pictures.links import png_response
from games.views.common import one_page, signed_in
from tournaments import audience
from tournaments.actions.challenges import CHALLENGE
from tournaments.actions.episodes import CHOOSE
from tournaments.actions.follows import FOLLOW, UNFOLLOW
from tournaments.actions.ledger import OFFER
from tournaments.actions.pictures import keeps_pictures
from tournaments.actions.players import (
    APPLY,
    CHECK_IN,
    CHOOSE_RULES,
    CONFIRM,
    GIVE,
    JOIN,
    LEAVE,
    UNCONFIRM,
)
from tournaments.actions.predictions import PREDICT
from tournaments.actions.site import CREATE, RESTORE
from tournaments.actions.subjects import (
    AtContestant,
    AtDeathMatch,
    AtLeg,
    AtPerson,
    AtRound,
    AtSite,
)
from tournaments.lifecycle import UNDECIDED, LegStatus, SeasonStatus
from tournaments.models import Contestant, DeathMatch, Gift, Leg, SecretGifts
from tournaments.pictures import links
from tournaments.reading.death_matches import DeathMatchWithLegs
from tournaments.reading.ledger import treasury_of
from tournaments.reading.predictions import best_of
from tournaments.reading.seasons import fingerprint, seasons_by_stage, seasons_run_by
from tournaments.reading.sheet import Sheet
from tournaments.rights import opens
from tournaments.services.contestants.applications import must_take_applications
from tournaments.services.contestants.enrolment import must_be_open_to_everybody
from tournaments.services.follows import must_be_followable
from tournaments.services.items.declarations import bringing_seat
from tournaments.services.ledger.stakes import said_of, wagered
from tournaments.services.legs import by_items, more_items
from tournaments.services.scheduling.readiness import must_be_next, ready_from, ready_until
from tournaments.views.common import public_page, season_page, shown
from tournaments.views.players import standing_in
from tournaments.views.times import LegTimes, times_of
from tournaments.waiting import waiting_for


@require_safe
@from_replica
def seasons(request: HttpRequest) -> HttpResponse:
    """All seasons, by how far they are; those that the reader runs first."""
    user = signed_in(request)
    context: dict[str, Any] = {
        **seasons_by_stage(request.user),
        "mine": [] if user is None else seasons_run_by(user),
        "may_create": user is not None and CREATE.offered(AtSite(user)),
        "may_restore": user is not None and RESTORE.offered(AtSite(user)),
    }
    response = render(request, "tournaments/seasons.html", context)
    response["Cache-Control"] = "private, no-cache"
    return response


@require_safe
@from_replica
@public_page
def season(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """A season's home: how it stands, as a picture first."""
    user = signed_in(request)
    context = {
        "events": list(sheet.events()[:12]),
        "own": _own_actions(sheet, user),
        # What is kept for those without a session is not made anew when somebody follows.
        "followers": 0 if user is None else sheet.following(user).followers,
        "may_follow": _may_be_followed(sheet, user),
        **({} if user is None else standing_in(AtPerson(user, sheet, user))),
        "waiting": waiting_for(sheet, request.user),
        "treasury": treasury_of(sheet, request.user) if sheet.trade.is_on else None,
        "knew_best": best_of(sheet),
    }
    return shown(request, sheet, "season.html", context)


def _own_actions(sheet: Sheet, user: User | None) -> set[str]:
    """The names of what readers can do here for themselves; who is nobody yet is asked to sign in
    first."""
    if user is None:
        ways = ((JOIN, must_be_open_to_everybody), (APPLY, must_take_applications))
        return {each.name for each, check in ways if allowed(check, sheet.season)}
    person = AtPerson(user, sheet, user)
    own = {each.name for each in (JOIN, APPLY) if each.offered(person)}
    if person.contestant is not None:
        subject = AtContestant(user, sheet, person.contestant)
        own |= {each.name for each in (GIVE, CHALLENGE, CHECK_IN, LEAVE) if each.offered(subject)}
    return own


def _may_be_followed(sheet: Sheet, user: User | None) -> str:
    """What the button of those who watch does: ``follow`` or ``unfollow``; empty: there is none.
    Who is nobody yet is asked to sign in first."""
    if user is None:
        check = partial(must_be_followable, contestant=None, organises=False, already=False)
        return FOLLOW.name if allowed(check, sheet.season) else ""
    person = AtPerson(user, sheet, user)
    return next((each.name for each in (FOLLOW, UNFOLLOW) if each.offered(person)), "")


@require_safe
@from_replica
@public_page
def table(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """The standings, and why everybody stands where they do."""
    return shown(request, sheet, "standings.html", {})


@require_safe
@from_replica
@public_page
def contestants(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """Everybody who ever entered, and what has become of them."""
    of_nobody = [each for each in sheet.contestants if each.user_id is None]
    context = {
        "records": sheet.records,
        "names_held": any(each.came_by_link for each in of_nobody),
        "names_brought": not all(each.came_by_link for each in of_nobody),
    }
    return shown(request, sheet, "contestants.html", context)


@require_safe
@from_replica
@public_page
def schedule(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """What is on and what is still to be played."""
    return shown(request, sheet, "schedule.html", {})


@require_safe
@from_replica
@public_page
def results(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """Every round with what came of it."""
    return shown(request, sheet, "results.html", {"rounds": list(reversed(sheet.by_round))})


@require_safe
@from_replica
@public_page
def round_page(request: HttpRequest, sheet: Sheet, number: int) -> HttpResponse:
    """One round, or episode: the main match, who met, what was said."""
    played = sheet.round(number)
    found = sheet.episode_of(played)
    user = signed_in(request)
    ec = None if found is None else found.row.ec
    context = {
        "round": played,
        "episode": None if found is None else found.row,
        # Organisers, who may name somebody too, do so from the desk.
        "may_choose": user is not None
        and ec is not None
        and ec.user_id == user.pk
        and CHOOSE.offered(AtRound(user, sheet, played)),
        "placements": () if found is None else found.placements,
        "scores": None if found is None else sheet.scores_of(found, request.user),
        "pictures": [] if found is None else sheet.pictures_of(found, public=True),
        "keeps_pictures": user is not None and keeps_pictures(AtRound(user, sheet, played)),
        "matches": sheet.in_round(played),
        "events": list(sheet.events().filter(round=played)[:50]),
    }
    return shown(request, sheet, "round.html", context)


@require_safe
@from_replica
@public_page
def items(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """Every item: from whom, to whom, and what became of it."""
    reader = signed_in(request)
    context = {
        "own": _own_actions(sheet, reader),
        "items": sheet.items_for(request.user),
        "apart": blocked_keys(reader),
    }
    return shown(request, sheet, "items.html", context)


@require_safe
@from_replica
@public_page
def history(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """All that happened, the latest first."""
    context = {"page": one_page(request, sheet.events()), "rulings": False}
    return shown(request, sheet, "history.html", context)


@require_safe
@from_replica
@public_page
def rulings(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """What organisers decided, with their reasons."""
    rows = sheet.events(rulings=True)
    context = {"page": one_page(request, rows), "rulings": True}
    return shown(request, sheet, "history.html", context)


# -- one death match -----------------------------------------------------------------------------


@require_safe
@from_replica
@public_page
def death_match(request: HttpRequest, sheet: Sheet, pk: int) -> HttpResponse:
    """Who meets whom, when, in what, with which items, and how it went."""
    found = sheet.death_match(pk)
    row = found.row
    user = signed_in(request)
    seat = audience.seat_of(row, user)
    # What is in the bank is the winner's, whatever the rule is by now.
    in_the_know = seat is not None or not sheet.trade.hidden
    trades = sheet.trade.is_on and (in_the_know or audience.sees_whole_ledger(sheet.season, user))
    context = {
        "may_wager": user is not None
        and seat is not None
        and OFFER.offered(AtDeathMatch(user, sheet, found)),
        "may_predict": user is not None
        and sheet.season.predictions
        and PREDICT.offered(AtDeathMatch(user, sheet, found)),
        "wagered": wagered(row) if trades else (),
        "offered": _offered_by_other(sheet, row, user),
        "stakes": sheet.trade.stakes_rules if row.status in UNDECIDED else (),
        "row": row,
        "seat": seat,
        "in_episode": sheet.episode_of(row.round) is not None,
        "legs": [leg_facts(sheet, found, leg, request.user) for leg in found.legs],
        # Not by what there is: that there is something would be told by it.
        "may_be_secrets": sheet.season.secret_gifts != SecretGifts.NEVER
        and not audience.sees_all_gifts(sheet.season, request.user),
        "may_rule": seat is None and opens("match_desk", sheet.rights_of(request.user)),
        "may_choose_rules": user is not None
        and seat is not None
        and CHOOSE_RULES.offered(AtDeathMatch(user, sheet, found)),
        "events": list(sheet.events().filter(death_match=row)[:50]),
        "gifts": [each for each in sheet.gifts_for(user) if each.death_match_id == row.pk],
    }
    return shown(request, sheet, "death_match.html", context)


def _offered_by_other(sheet: Sheet, row: DeathMatch, user: User | None) -> str:
    """What the other side would wager, in words, for whoever plays there."""
    seat, unit = audience.seat_of(row, user), sheet.trade.wagers
    if seat is None or unit is None or row.status not in UNDECIDED:
        return ""
    said = said_of(row, user) if user is not None else None
    amount = None if said is None else said[1 - seat]
    return sheet.trade.said(amount, unit) if amount else ""


class BroughtGift(NamedTuple):
    """An item that is brought into a leg, and what it is aimed at."""

    gift: Gift
    target: Gift | None


@dataclass(frozen=True)
class LegFacts:
    """A leg with what one reader may know of it.

    brought   for each seat the items, or None where they are still secret
    leads     who would have the advantage by the items given for it so far that the reader knows
              of: a contestant, or "" for neither; None where items do not decide
    waits     whether players can say that they are ready now or soon, it being the next
    opens     when that begins, and `closes` when it ends, where it is limited
    early     whether it is too early for the reader to say so
    readiness what the reader can say now of being ready
    may_bring whether the reader can bring items
    times     what the reader can do about its time, where they play it
    """

    leg: Leg
    brought: tuple[list[BroughtGift] | None, list[BroughtGift] | None]
    leads: Contestant | str | None
    waits: bool
    opens: datetime | None
    closes: datetime | None
    early: bool
    readiness: Offer | None
    may_bring: bool
    times: LegTimes | None = None


def leg_facts(sheet: Sheet, found: DeathMatchWithLegs, leg: Leg, user: User | Any) -> LegFacts:
    """What ``user`` may know of a leg of ``found``."""
    seat = audience.seat_of(found.row, user)
    ready = (leg.home_ready_at, leg.away_ready_at)
    on = sheet.season.status == SeasonStatus.RUNNING
    # What items give is sealed until the match has begun: told is what the reader can count.
    open_still = leg.status == LegStatus.PLANNED or leg.waits
    waits = allowed(must_be_next, leg, legs=found.legs)
    readiness, too_early = None, False
    if isinstance(user, User) and seat is not None:
        subject = AtLeg(user, sheet, found, leg)
        action = CONFIRM if ready[seat] is None else UNCONFIRM
        refusal = action.refusal(subject)
        readiness = action.offer(subject) if refusal is None else None
        too_early = refusal is not None and refusal.code == "ready.too-early"
    return LegFacts(
        leg=leg,
        brought=_items_by_seat(sheet, found, leg, user),
        leads=_leads(sheet, leg, user) if on and open_still else None,
        waits=waits,
        opens=ready_from(leg) if waits else None,
        closes=ready_until(leg) if waits and leg.no_show_at is None else None,
        early=too_early,
        readiness=readiness,
        may_bring=seat is not None and allowed(bringing_seat, leg, user),
        times=times_of(sheet, found, leg, user),
    )


def _items_by_seat(
    sheet: Sheet, found: DeathMatchWithLegs, leg: Leg, user: User | Any
) -> tuple[list[BroughtGift] | None, list[BroughtGift] | None]:
    declared: tuple[list[BroughtGift], list[BroughtGift]] = ([], [])
    gifts = {each.pk: each for each in sheet.gifts_for(user)}
    visible = [audience.may_see_declarations(leg, seat, user) for seat in (0, 1)]
    if any(visible) and gifts:
        for each in sorted(leg.declarations.all(), key=lambda each: each.pk):
            # What is secret still is not known to every reader, brought or not.
            gift = gifts.get(each.gift_id)
            if gift is None:
                continue
            target = None if each.target_id is None else gifts.get(each.target_id)
            bringer = 0 if gift.receiver_id == found.row.home_id else 1
            declared[bringer].append(BroughtGift(gift, target))
    return declared[0] if visible[0] else None, declared[1] if visible[1] else None


def _leads(sheet: Sheet, leg: Leg, user: User | Any) -> Contestant | str | None:
    row = leg.death_match
    if not by_items(leg):
        return None
    seat = more_items(leg, sheet.gifts_for(user))
    return "" if seat is None else (row.home, row.away)[seat]


# -- pictures and news ---------------------------------------------------------------------------


@require_safe
@from_replica
@season_page
def share(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """The picture that goes with links to the season."""
    what = f"season-{fingerprint(sheet.season)}"
    public = sheet.season.visibility != "draft"
    return png_response(request, lambda: links.season_picture(sheet), what=what, public=public)


@require_safe
@from_replica
@season_page
def death_match_share(request: HttpRequest, sheet: Sheet, pk: int) -> HttpResponse:
    """The picture that goes with links to a death match."""
    row = sheet.death_match(pk).row
    what = f"death-match-{pk}-{fingerprint(sheet.season)}"
    public = sheet.season.visibility != "draft"
    return png_response(
        request, lambda: links.death_match_picture(sheet, row), what=what, public=public
    )


@require_safe
@season_page
def state(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """`{"state"}`: another text once anything of the season has changed, for pages that keep
    themselves up to date."""
    response = JsonResponse({"state": fingerprint(sheet.season)})
    response["Cache-Control"] = "private, no-store"
    return response
