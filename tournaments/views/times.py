"""When people are free, the times that players agree on, and what of that is open."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from core.actions import Offer
from core.clock import now_utc
from core.refusals import NotFound
from games.views.common import explains_refusals, needs_sign_in
from tournaments import audience
from tournaments.actions import players
from tournaments.actions.legs import REMIND, SCHEDULE
from tournaments.actions.subjects import AtDate, AtLeg, AtProposal, AtSite
from tournaments.actions.times import DATE, DROP, WEEK
from tournaments.forms.times import FreeDateForm, FreeHoursForm, instant_sent
from tournaments.lifecycle import LegStatus, SeasonStatus
from tournaments.models import Contestant, FreeDate, Leg
from tournaments.reading.death_matches import DeathMatchWithLegs
from tournaments.reading.sheet import Sheet
from tournaments.reading.times import ProposedTime
from tournaments.services.scheduling.agreeing import (
    must_play,
    play_by,
    proposal_of,
    read_known_at,
    times_left,
)
from tournaments.views.actions import perform, press_or_say
from tournaments.views.common import FORMS, organisers_only, season_page, shown, with_user

# -- when somebody is free -----------------------------------------------------------------------


@never_cache  # nobody else's to see
@require_http_methods(FORMS)
@needs_sign_in
@explains_refusals
def free_hours(request: HttpRequest, user: User) -> HttpResponse:
    """One's own hours: an ordinary week, and single dates."""
    back = reverse("tournaments:free_hours")
    dropped = request.POST.get("drop", "")
    if dropped:
        if not dropped.isdecimal() or len(dropped) > 18:
            raise NotFound("free.no-date", "This date is not among yours any more.")
        return press_or_say(request, DROP, AtDate(user, int(dropped)), back=back)
    adding = request.method == "POST" and "date" in request.POST
    dates = FreeDate.objects.filter(free_hours__user=user)
    return perform(
        request,
        DATE if adding else WEEK,
        AtSite(user),
        back=back,
        template="free_hours.html",
        more={
            "adding": adding,
            "other": FreeHoursForm(user=user) if adding else FreeDateForm(user=user),
            "add": DATE.prompt(AtSite(user)),
            "keep": WEEK.prompt(AtSite(user)),
            "dates": [(each, DROP.offer(AtDate(user, each.pk))) for each in dates],
        },
    )


# -- the two who play ----------------------------------------------------------------------------


@dataclass(frozen=True)
class LegTimes:
    """What one of its players can do about a leg's time.

    propose   what leads to proposing times
    proposal  the times that wait for an answer, `mine` whether they are the reader's own
    other     who else plays
    unmarked  who has not marked when they are free
    common    whether there are start times to suggest
    """

    propose: Offer | None
    proposal: int | None
    times: list[ProposedTime]
    mine: bool
    accept: bool
    decline: Offer | None
    withdraw: Offer | None
    other: Contestant
    unmarked: list[Contestant]
    common: bool


def times_of(sheet: Sheet, found: DeathMatchWithLegs, leg: Leg, user: Any) -> LegTimes | None:
    """What ``user`` can do about the time of a leg; None where there is nothing."""
    seat = audience.seat_of(found.row, user)
    on = sheet.season.status == SeasonStatus.RUNNING and leg.status == LegStatus.PLANNED
    if seat is None or not on or not isinstance(user, User):
        return None
    subject = AtLeg(user, sheet, found, leg)
    propose = players.PROPOSE.offered(subject)
    proposal = sheet.proposals.get(leg.pk)
    free = sheet.both_free(found.row) if propose or proposal is not None else None
    if free is None:
        return None
    other = free.sides[1 - seat]
    at = now_utc()
    times: list[ProposedTime] = []
    accept, decline, withdraw = False, None, None
    if proposal is not None:
        times = [free.proposed(each, other) for each in times_left(proposal, leg, at)]
        asked = AtProposal(user, sheet, found, leg, proposal)
        accept = players.ACCEPT_TIME.offered(asked)
        decline, withdraw = (
            action.offer(asked) if action.offered(asked) else None
            for action in (players.DECLINE_TIMES, players.WITHDRAW_TIMES)
        )
    return LegTimes(
        propose=players.PROPOSE.offer(subject) if propose else None,
        proposal=None if proposal is None else proposal.pk,
        times=times,
        mine=proposal is not None and proposal.proposer_id != other.pk,
        accept=accept,
        decline=decline,
        withdraw=withdraw,
        other=other,
        unmarked=free.unmarked,
        common=bool(propose) and sheet.has_starts(leg, user.zone),
    )


@require_http_methods(FORMS)
@season_page
@with_user
def propose(request: HttpRequest, sheet: Sheet, user: User, pk: int, leg_id: int) -> HttpResponse:
    """Propose times to the other player."""
    found = sheet.death_match(pk)
    leg = found.leg(leg_id)
    free = sheet.both_free(found.row)
    return perform(
        request,
        players.PROPOSE,
        AtLeg(user, sheet, found, leg),
        back=found.row.get_absolute_url(),
        template="times.html",
        more={
            "row": found.row,
            "unmarked": [] if free is None else free.unmarked,
            "play_by": play_by(leg),
        },
    )


@require_POST
@season_page
@with_user
def answer(request: HttpRequest, sheet: Sheet, user: User, pk: int, leg_id: int) -> HttpResponse:
    """Accept a time, decline them all, or take one's own proposal back."""
    found = sheet.death_match(pk)
    leg = found.leg(leg_id)
    must_play(leg, user)  # whoever does not learns of no proposal
    number = request.POST.get("proposal", "")
    key = int(number) if number.isdecimal() and len(number) <= 18 else None
    subject = AtProposal(user, sheet, found, leg, proposal_of(leg, key))
    back = found.row.get_absolute_url()
    if "withdraw" in request.POST:
        return press_or_say(request, players.WITHDRAW_TIMES, subject, back=back)
    if "decline" in request.POST:
        return press_or_say(request, players.DECLINE_TIMES, subject, back=back)
    time = instant_sent(request.POST.get("accept", ""))
    return press_or_say(request, players.ACCEPT_TIME, replace(subject, time=time), back=back)


# -- organisers ----------------------------------------------------------------------------------


@require_http_methods(FORMS)
@organisers_only
def open_times(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Which legs have no time, what is proposed for them, and whose turn it is."""
    subjects = {
        each.leg.pk: AtLeg(user, sheet, each.appointment.death_match, each.leg)
        for each in sheet.without_time
    }
    if request.method == "POST":
        wanted = request.POST.get("remind", "")
        found = next((each for pk, each in subjects.items() if str(pk) == wanted), None)
        if found is None:
            raise NotFound("leg.none", "There is no such match.")
        return press_or_say(request, REMIND, found, back=found.address("open_times"))
    at = now_utc()
    read_known_at(each.appointment.row for each in sheet.without_time)
    rows = [
        {
            "open": each,
            "which": subjects[each.leg.pk].which,
            "left": [] if each.proposal is None else times_left(each.proposal, each.leg, at),
            "set": SCHEDULE.offered(subjects[each.leg.pk]),
            "remind": REMIND.offered(subjects[each.leg.pk]),
            "play_by": play_by(each.leg),
        }
        for each in sheet.without_time
    ]
    return shown(request, sheet, "desk_times.html", {"rows": rows})
