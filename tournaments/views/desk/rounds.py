"""Rounds: how the next one comes about, what can be done about one, and the end of a season."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from core.refusals import RefusalKind
from tournaments import audience
from tournaments.actions.death_matches import DECLARE
from tournaments.actions.pictures import keeps_pictures
from tournaments.actions.rounds import PAIR, PAIR_BY_HAND, ROUND, TIMES
from tournaments.actions.seasons import CONCLUDE
from tournaments.actions.subjects import AtDeathMatch, AtRound, AtSeason
from tournaments.lifecycle import PLAYABLE, SeasonStatus
from tournaments.reading.death_matches import DeathMatchWithLegs
from tournaments.reading.sheet import Sheet
from tournaments.views.actions import perform
from tournaments.views.common import FORMS, and_back, organisers_only, shown
from tournaments.waiting import address_of

# Actions on a round that have addresses of their own: the names of those.
_OWN_ADDRESS = {
    "placements": "placements",
    "scores": "scores",
    "choose": "choose",
    "times": "round_times",
}


@require_http_methods(FORMS)
@organisers_only
def pair(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Pair the next round."""
    subject = AtSeason(user, sheet)
    back = subject.address("desk")
    refusal = PAIR_BY_HAND.refusal(subject)
    # Where nobody can pair it yet, the page of the other way says so as well.
    by_hand = refusal is None or refusal.kind is RefusalKind.CONFLICT
    more = {"by_hand": sheet.format.by_hand and by_hand}
    return perform(request, PAIR, subject, back=back, template="desk_pair.html", more=more)


@require_http_methods(FORMS)
@organisers_only
def pair_by_hand(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Pair the next round as the organisers want it."""
    subject = AtSeason(user, sheet)
    # Else there never is such a page in this season.
    sheet.format.must_pair_by_hand()
    back = subject.address("pair")
    return perform(request, PAIR_BY_HAND, subject, back=back, template="desk_pair_hand.html")


@require_http_methods(FORMS)
@organisers_only
def conclude(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """End a season by its order."""
    back = sheet.season.get_absolute_url()
    return perform(request, CONCLUDE, AtSeason(user, sheet), back=back)


@require_safe
@organisers_only
def round_desk(request: HttpRequest, sheet: Sheet, user: User, number: int) -> HttpResponse:
    """A round, and what can be done about it."""
    played = sheet.round(number)
    subject = AtRound(user, sheet, played)
    found = sheet.episode_of(played)
    matches = sheet.in_round(played)
    context = {
        "round": played,
        "episode": None if found is None else found.row,
        "matches": matches,
        "to_rule": {
            each.row.pk
            for each in matches
            if DECLARE.offered(AtDeathMatch(user, sheet, each)) and subject.comes_to("match_act")
        },
        "main": None if found is not None else _next_of(subject, matches, request.path),
        "and_back": and_back(request.path),
        "keeps_pictures": keeps_pictures(subject),
        "actions": [(offer, _address(subject, offer.name)) for offer in ROUND.offered(subject)],
    }
    return shown(request, sheet, "desk_round.html", context)


def _next_of(
    subject: AtRound, matches: Sequence[DeathMatchWithLegs], here: str
) -> tuple[str, str] | None:
    """What comes next in a round that is no episode: a death match of it that is to be seen to, one
    that is being played last; else what the season goes on with. Words, and an address."""
    sheet, user = subject.sheet, subject.user
    left = [
        each
        for each in matches
        if each.row.status in PLAYABLE and audience.seat_of(each.row, user) is None
    ]
    if left and subject.comes_to("match_desk"):
        row = min(left, key=lambda each: each.running is not None and not each.running.waits).row
        return f"Next: {row}", f"{subject.address('match_desk', row.pk)}{and_back(here)}"
    if left or sheet.season.status != SeasonStatus.RUNNING:
        return None
    tasks = ((task.action, address_of(subject, task)) for task in sheet.format.tasks(sheet.course))
    return next((each for each in tasks if each[1]), None)


def _address(subject: AtRound, name: str) -> str:
    number = subject.round.number
    if name in _OWN_ADDRESS:
        return subject.address(_OWN_ADDRESS[name], number)
    return subject.address("round_act", number, name)


@require_http_methods(FORMS)
@organisers_only
def round_times(request: HttpRequest, sheet: Sheet, user: User, number: int) -> HttpResponse:
    """When the death matches of a round are played, all at once."""
    subject = AtRound(user, sheet, sheet.round(number))
    return perform(request, TIMES, subject, back=subject.address("round_desk", number))


@require_http_methods(FORMS)
@organisers_only
def round_act(
    request: HttpRequest, sheet: Sheet, user: User, number: int, name: str
) -> HttpResponse:
    """An action on a round."""
    subject = AtRound(user, sheet, sheet.round(number))
    return perform(request, ROUND.named(name), subject, back=subject.address("round_desk", number))
