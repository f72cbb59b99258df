"""Who is in a season, and who runs it."""

from __future__ import annotations

from typing import Final

from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.discord.services import users_named_at_discord
from accounts.models import User
from core.actions import Offer
from core.clock import now_utc
from core.refusals import NotFound, Refusal, allowed
from tournaments.actions.contestants import (
    APPLICATION,
    APPROVE_MANY,
    ASK_TO_CONFIRM,
    CHECK_THEM_IN,
    CLOSE_CHECK_IN,
    CONTESTANT,
    ENROL,
    ENROL_MANY,
    OPEN_CHECK_IN,
    STRIKE_ABSENT,
)
from tournaments.actions.seasons import (
    DRAW_SEEDS,
    INVITATION,
    INVITE,
    MESSAGE,
    ORGANISER,
    ORGANISERS,
    REVOKE_INVITATION,
    SEEDS,
    WITHDRAW_ASK,
)
from tournaments.actions.subjects import (
    AtApplication,
    AtAsked,
    AtContestant,
    AtInvitation,
    AtPerson,
    AtPlace,
    AtSeason,
    AtUnconfirmed,
)
from tournaments.lifecycle import ApplicationStatus, ContestantStatus
from tournaments.models import Contestant, SeasonApplication, SeasonInvitation
from tournaments.reading.messages import MESSAGES_SHOWN, messages_of
from tournaments.reading.sheet import Sheet
from tournaments.rights import Right
from tournaments.services.contestants.check_in import must_be_closable
from tournaments.services.contestants.held import is_held
from tournaments.services.contestants.invitations import must_take_links
from tournaments.views.actions import perform, press, press_or_say
from tournaments.views.common import FORMS, contestant_of, organisers_only, shown

#: How many players a search shows.
FOUND_MOST: Final = 20


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
    asking = AtUnconfirmed(user, sheet, request)
    if "confirm" in request.POST:
        return press(request, ASK_TO_CONFIRM, asking, back=back)
    query = request.GET.get("q", "").strip()[:60]
    more = {
        "query": query,
        "unconfirmed": asking.people if ASK_TO_CONFIRM.offered(asking) else [],
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
    """Players whose name contains ``query``, or whose name at Discord it is and who let themselves
    be found by that; and why they cannot be enrolled, if so."""
    named = Q(username__icontains=query) | Q(display_name__icontains=query)
    people = User.objects.with_standing().filter(is_active=True, is_guest=False)
    there = [user.pk for user in users_named_at_discord([query.removeprefix("@")]).values()]
    others = people.filter(named).exclude(pk__in=there).order_by("username")
    # Whose whole name it is comes first: of many whose names contain it the last are left out.
    rows = [*people.filter(pk__in=there), *others[: FOUND_MOST - len(there)]]
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


# -- who would enter -----------------------------------------------------------------------------


@require_http_methods(FORMS)
@organisers_only
def applications(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Who has applied, who waits for a place, and who was declined; several can be approved at
    once."""
    subject = AtSeason(user, sheet)

    def offered(rows: list[SeasonApplication]) -> list[tuple[SeasonApplication, list[Offer]]]:
        return [(each, APPLICATION.offered(AtApplication(user, sheet, each))) for each in rows]

    declined = [each for each in sheet.applications if each.status == ApplicationStatus.DECLINED]
    return perform(
        request,
        APPROVE_MANY,
        subject,
        back=subject.address("applications"),
        template="desk_applications.html",
        more={
            "asked": offered(sheet.undecided),
            "waiting_list": offered(sheet.waiting_list),
            "declined": offered(declined),
            "ticked": request.POST.getlist("tick"),
        },
    )


@require_http_methods(FORMS)
@organisers_only
def application_act(
    request: HttpRequest, sheet: Sheet, user: User, pk: int, name: str
) -> HttpResponse:
    """An action on an application."""
    found = next((each for each in sheet.applications if each.pk == pk), None)
    if found is None:
        raise NotFound("applicant.none", "There is no such application.")
    subject = AtApplication(user, sheet, found)
    return perform(request, APPLICATION.named(name), subject, back=subject.address("applications"))


@require_http_methods(FORMS)
@organisers_only
def check_in(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Who has checked in, and who has not; and until when they may."""
    subject = AtSeason(user, sheet)
    back = subject.address("check_in_desk")
    if CLOSE_CHECK_IN.name in request.POST:
        return press_or_say(request, CLOSE_CHECK_IN, subject, back=back)
    rows = [AtContestant(user, sheet, each) for each in sheet.still_in]
    if "contestant" in request.POST:
        wanted = request.POST["contestant"]
        named = next((row for row in rows if str(row.contestant.pk) == wanted), None)
        if named is None:
            raise NotFound("contestant.none", "There is no such contestant.")
        return press_or_say(request, CHECK_THEM_IN, named, back=back)
    is_on = allowed(must_be_closable, sheet.season, user)
    more = {
        "is_on": is_on,
        "absent": [
            (row.contestant, CHECK_THEM_IN.offered(row))
            for row in rows
            if row.contestant.checked_in_at is None
        ],
        "there": [row.contestant for row in rows if row.contestant.checked_in_at is not None],
        "closes": CLOSE_CHECK_IN.offered(subject),
        "strikes": STRIKE_ABSENT.offered(subject),
    }
    return perform(
        request, OPEN_CHECK_IN, subject, back=back, template="desk_check_in.html", more=more
    )


@require_http_methods(FORMS)
@organisers_only
def strike_absent(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Strike off who has not checked in by the hour: the page says who that is."""
    subject = AtSeason(user, sheet)
    return perform(request, STRIKE_ABSENT, subject, back=subject.address("check_in_desk"))


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
        if row.invitation.for_place:
            continue
        link, people = row.invitation, came.get(row.invitation.pk, [])
        if link.is_open(at) and lets_in:
            # As the limit counts: whoever was struck off has left their place to the next.
            people = [each for each in people if each.status != ContestantStatus.WITHDRAWN]
            links.append((link, people, INVITATION.offered(row)))
        else:
            ended.append((link, people, not link.is_open(at)))
    more = {"links": links, "ended": ended, "held": _held(sheet, user, rows) if lets_in else []}
    return perform(request, INVITE, subject, back=back, template="desk_invitations.html", more=more)


def _held(
    sheet: Sheet, user: User, rows: list[AtInvitation]
) -> list[tuple[Contestant, SeasonInvitation | None, list[Offer]]]:
    """The places that nobody has taken, each with its link where that leads there still, and with
    what can be done about both."""
    by_id = {row.invitation.pk: row for row in rows}
    found = []
    for each in sheet.still_in:
        row = by_id.get(each.invitation_id or 0)
        if not is_held(each) or row is None:
            continue
        is_good = row.invitation.revoked_at is None
        offers = INVITATION.offered(row) if is_good else []
        found.append((each, row.invitation if is_good else None, offers))
    return found


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
@never_cache  # links are tickets
@organisers_only
def organisers(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Who runs the season, who helps, and who is asked to. Helpers see who does, and can leave."""
    subject = AtSeason(user, sheet)
    back = subject.address("organisers")
    people = [(row, ORGANISER.offered(AtPlace(user, sheet, row))) for row in sheet.crew]
    if not subject.may(Right.RUN):
        if request.method == "POST":
            sheet.must_be_managed_by(user)
        return shown(request, sheet, "desk_organisers.html", {"people": people})
    asked = [
        AtAsked(user, sheet, each)
        for each in sheet.season.organiser_invitations.filter(
            answer="", expires_at__gt=now_utc()
        ).select_related("user", "made_by")
    ]
    if WITHDRAW_ASK.name in request.POST:
        wanted = request.POST[WITHDRAW_ASK.name]
        named = next((each for each in asked if str(each.asked.pk) == wanted), None)
        if named is None:
            raise NotFound("organiser.no-invitation", "There is no such invitation.")
        return press_or_say(request, WITHDRAW_ASK, named, back=back)
    more = {
        "people": people,
        "asked": [
            (each.asked, [WITHDRAW_ASK.offer(each)] if WITHDRAW_ASK.offered(each) else [])
            for each in asked
        ],
    }
    return perform(
        request, ORGANISERS, subject, back=back, template="desk_organisers.html", more=more
    )


@require_http_methods(FORMS)
@organisers_only
def organiser_act(
    request: HttpRequest, sheet: Sheet, user: User, pk: int, name: str
) -> HttpResponse:
    """An action on the place of somebody who runs the season, or helps."""
    place = next((row for row in sheet.crew if row.pk == pk), None)
    if place is None:
        raise NotFound("organiser.not-there", "There is no such organiser.")
    subject = AtPlace(user, sheet, place)
    return perform(request, ORGANISER.named(name), subject, back=subject.address("organisers"))
