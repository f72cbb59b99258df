"""Who is in a season, and who runs it."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.models import User
from core.clock import now_utc
from core.refusals import NotFound, Refusal, allowed
from tournaments.actions.contestants import CONTESTANT, ENROL, ENROL_MANY
from tournaments.actions.seasons import (
    DRAW_SEEDS,
    INVITATION,
    INVITE,
    MESSAGE,
    ORGANISER,
    ORGANISERS,
    REMOVE_ORGANISER,
    REVOKE_INVITATION,
    SEEDS,
)
from tournaments.actions.subjects import AtContestant, AtInvitation, AtPerson, AtSeason
from tournaments.lifecycle import ContestantStatus
from tournaments.models import Contestant
from tournaments.reading.messages import MESSAGES_SHOWN, messages_of
from tournaments.reading.sheet import Sheet
from tournaments.services.contestants.invitations import must_take_links
from tournaments.views.actions import perform, press
from tournaments.views.common import FORMS, contestant_of, organisers_only


@require_http_methods(FORMS)
@organisers_only
def roster(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Enrol: one found by name, or many from a list or a file, with what is wrong line by line."""
    subject = AtSeason(user, sheet)
    back = subject.address("roster")
    if "user" in request.POST:
        found = _user_of(request.POST["user"])
        if found is None:
            raise NotFound("contestant.none", "There is no such player.")
        return press(request, ENROL, AtPerson(user, sheet, found), back=back)
    query = request.GET.get("q", "").strip()[:60]
    more = {
        "query": query,
        "found": _people_called(subject, query) if query else [],
        "people": [
            (each, CONTESTANT.offered(AtContestant(user, sheet, each)))
            for each in sheet.contestants
        ],
    }
    return perform(request, ENROL_MANY, subject, back=back, template="desk_roster.html", more=more)


def _user_of(number: str) -> User | None:
    """The user of that number, as forms send it."""
    is_number = number.isascii() and number.isdigit() and len(number) < 19
    return User.objects.filter(pk=int(number)).first() if is_number else None


def _people_called(subject: AtSeason, query: str) -> list[tuple[User, Refusal | None]]:
    """Players whose name contains ``query``, and why they cannot be enrolled, if so."""
    named = Q(username__icontains=query) | Q(display_name__icontains=query)
    rows = (
        User.objects.with_standing()
        .filter(named, is_active=True, is_guest=False)
        .order_by("username")[:20]
    )
    return [(each, ENROL.refusal(AtPerson(subject.user, subject.sheet, each))) for each in rows]


@require_http_methods(FORMS)
@organisers_only
def seeds(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Set seeds by hand, or draw them."""
    subject = AtSeason(user, sheet)
    back = subject.address("seeds")
    if "draw" in request.POST:
        return press(request, DRAW_SEEDS, subject, back=back)
    return perform(request, SEEDS, subject, back=back, template="desk_seeds.html")


@require_http_methods(FORMS)
@organisers_only
def contestant_act(
    request: HttpRequest, sheet: Sheet, user: User, pk: int, name: str
) -> HttpResponse:
    """An action on a contestant."""
    subject = AtContestant(user, sheet, contestant_of(sheet, pk))
    return perform(request, CONTESTANT.named(name), subject, back=subject.address("roster"))


@require_http_methods(FORMS)
@never_cache  # links are tickets
@organisers_only
def invitation_links(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Links by which people enter by themselves."""
    subject = AtSeason(user, sheet)
    back = subject.address("invitations")
    at = now_utc()
    rows = [
        AtInvitation(user, sheet, each)
        for each in sheet.season.invitations.select_related("made_by")
    ]
    if "revoke" in request.POST:
        named = next((r for r in rows if str(r.invitation.pk) == request.POST["revoke"]), None)
        if named is None:
            raise NotFound("invitation.none", "There is no such invitation.")
        return press(request, REVOKE_INVITATION, named, back=back)
    came: dict[int | None, list[Contestant]] = {}
    for each in sheet.contestants:
        came.setdefault(each.invitation_id, []).append(each)
    links, ended = [], []
    lets_in = allowed(must_take_links, sheet.season)
    for row in rows:
        link, people = row.invitation, came.get(row.invitation.pk, [])
        if link.is_open(at) and lets_in:
            # As the limit counts: whoever was struck off has left their place to the next.
            people = [each for each in people if each.status != ContestantStatus.WITHDRAWN]
            links.append((link, people, INVITATION.offered(row)))
        else:
            ended.append((link, people, not link.is_open(at)))
    more = {"links": links, "ended": ended}
    return perform(request, INVITE, subject, back=back, template="desk_invitations.html", more=more)


@require_http_methods(FORMS)
@organisers_only
def messages(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Write to contestants, and what was written to them."""
    subject = AtSeason(user, sheet)
    back = subject.address("desk_messages")
    page = Paginator(messages_of(sheet.season), MESSAGES_SHOWN).get_page(request.GET.get("page"))
    more = {"page": page}
    return perform(request, MESSAGE, subject, back=back, template="desk_messages.html", more=more)


@require_http_methods(FORMS)
@organisers_only
def organisers(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Who runs the season."""
    subject = AtSeason(user, sheet)
    back = subject.address("organisers")
    if "remove" in request.POST:
        whom = _user_of(request.POST["remove"])
        if whom is None:
            raise Refusal("organiser.none", "There is no such organiser.")
        return press(request, REMOVE_ORGANISER, AtPerson(user, sheet, whom), back=back)
    more = {
        "people": [
            (each, ORGANISER.offered(AtPerson(user, sheet, each))) for each in sheet.organisers
        ]
    }
    return perform(
        request, ORGANISERS, subject, back=back, template="desk_organisers.html", more=more
    )
