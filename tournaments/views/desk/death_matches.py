"""Death matches at the desk."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from core.refusals import Refusal, refusal_of
from tournaments import audience
from tournaments.actions.death_matches import DEATH_MATCH
from tournaments.actions.legs import LEG
from tournaments.actions.rounds import REOPEN
from tournaments.actions.subjects import AtDeathMatch, AtLeg, AtRound
from tournaments.models import DeathMatch
from tournaments.reading.contestants import was_decided
from tournaments.reading.sheet import Sheet
from tournaments.services import mail
from tournaments.services.results import corrections
from tournaments.services.results.corrections import must_not_be_frozen
from tournaments.views.actions import perform
from tournaments.views.common import FORMS, and_back, came_from, organisers_only, shown


@require_safe
@organisers_only
def match_desk(request: HttpRequest, sheet: Sheet, user: User, pk: int) -> HttpResponse:
    """A death match, and what can be done about it."""
    found = sheet.death_match(pk)
    row = found.row
    subject = AtDeathMatch(user, sheet, found)
    kept = _why_kept(row)
    frozen = kept is not None and refusal_of(must_not_be_frozen, row) is not None
    context = {
        "row": row,
        "own": audience.seat_of(row, user) is not None,
        "actions": DEATH_MATCH.offered(subject),
        "legs": [(leg, LEG.offered(AtLeg(user, sheet, found, leg))) for leg in found.legs],
        "frozen": frozen,
        "reopens": frozen and REOPEN.offered(AtRound(user, sheet, row.round)),
        "kept": kept,
        "unreached": mail.unreached(side.user for side in subject.sides if side.user),
        "and_back": and_back(came_from(request)),
    }
    return shown(request, sheet, "desk_match.html", context)


def _why_kept(row: DeathMatch) -> Refusal | None:
    """Why a result cannot be changed; None where it can, or there is none that was played for."""
    return refusal_of(corrections.must_be_reversible, row) if was_decided(row) else None


@require_http_methods(FORMS)
@organisers_only
def match_act(request: HttpRequest, sheet: Sheet, user: User, pk: int, name: str) -> HttpResponse:
    """An action on a death match as a whole, from which it goes on where its address says."""
    subject = AtDeathMatch(user, sheet, sheet.death_match(pk))
    # An episode goes on on its own page, for whoever comes to that.
    played = sheet.episode_of(subject.death_match.round)
    latest = played is not None and subject.death_match.round == sheet.rounds[-1]
    to_episode = latest and subject.comes_to("episode")
    back = subject.address("episode") if to_episode else subject.address("match_desk", pk)
    back = came_from(request) or back
    return perform(request, DEATH_MATCH.named(name), subject, back=back)


@require_http_methods(FORMS)
@organisers_only
def leg_act(
    request: HttpRequest, sheet: Sheet, user: User, pk: int, leg_id: int, name: str
) -> HttpResponse:
    """An action on one match of a death match, from which it goes on where its address says."""
    found = sheet.death_match(pk)
    subject = AtLeg(user, sheet, found, found.leg(leg_id))
    back = came_from(request) or subject.address("match_desk", pk)
    return perform(request, LEG.named(name), subject, back=back)
