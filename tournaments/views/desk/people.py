"""Who is in a season, and who runs it."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from accounts.models import User
from core.refusals import NotFound, Refusal
from tournaments import audience
from tournaments.actions.contestants import CONTESTANT
from tournaments.actions.seasons import ORGANISERS, SEEDS
from tournaments.actions.subjects import AtContestant, AtSeason
from tournaments.forms.people import RosterForm
from tournaments.reading.sheet import Sheet
from tournaments.services.contestants import enrolment, rosters
from tournaments.services.contestants.rosters import FaultyRoster
from tournaments.services.contestants.seeds import seeds_draw
from tournaments.services.organisers import organiser_remove
from tournaments.views.actions import perform
from tournaments.views.common import FORMS, contestant_of, organisers_only, shown


@require_http_methods(FORMS)
@organisers_only
def roster(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Enrol: one found by name, or many from a list or a file, with what is wrong line by line."""
    status, faults = 200, []
    form = RosterForm()
    if request.method == "POST" and "user" in request.POST:
        found = User.objects.filter(pk__in=_numbers(request.POST["user"])).first()
        if found is None:
            raise NotFound("contestant.none", "There is no such player.")
        enrolment.contestant_enrol(acting_user=user, season=sheet.season, user=found)
        messages.success(request, f"{found.shown_name} is enrolled.")
        return redirect("tournaments:roster", sheet.season.slug)
    if request.method == "POST":
        form, status = RosterForm(request.POST, request.FILES), 422
        if form.is_valid():
            try:
                made = rosters.contestants_import(
                    acting_user=user, season=sheet.season, text=form.roster()
                )
            except FaultyRoster as refusal:
                faults = refusal.faults
                form.refuse(refusal.reworded("Nobody was enrolled: see above what is wrong."))
            except Refusal as refusal:
                form.refuse(refusal)
            else:
                messages.success(request, f"{len(made)} enrolled.")
                return redirect("tournaments:roster", sheet.season.slug)
    query = request.GET.get("q", "").strip()[:60]
    context = {
        "form": form,
        "faults": faults,
        "query": query,
        "found": _found(sheet, query) if query else [],
        "people": [
            (each, CONTESTANT.offered(AtContestant(user, sheet, each)))
            for each in sheet.contestants
        ],
    }
    return shown(request, sheet, "desk_roster.html", context, status=status)


def _numbers(text: str) -> list[int]:
    return [int(text)] if text.isascii() and text.isdigit() and len(text) < 19 else []


def _found(sheet: Sheet, query: str) -> list[tuple[User, bool]]:
    """Players whose name contains ``query``, and whether they are in the season already."""
    named = Q(username__icontains=query) | Q(display_name__icontains=query)
    inside = {each.user_id for each in sheet.contestants}
    rows = User.objects.filter(named, is_active=True).order_by("username")[:20]
    return [(each, each.pk in inside) for each in rows]


@require_http_methods(FORMS)
@organisers_only
def seeds(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Set seeds by hand, or draw them."""
    subject = AtSeason(user, sheet)
    back = subject.address("seeds")
    if request.method == "POST" and "draw" in request.POST:
        seeds_draw(acting_user=user, season=sheet.season)
        messages.success(request, "The seeds are drawn by lot.")
        return redirect(back)
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
@organisers_only
def organisers(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Who runs the season."""
    if request.method == "POST" and "remove" in request.POST:
        whom = User.objects.filter(pk__in=_numbers(request.POST["remove"])).first()
        if whom is None:
            raise Refusal("organiser.none", "There is no such organiser.")
        organiser_remove(acting_user=user, season=sheet.season, user=whom)
        messages.success(request, f"{whom.shown_name} does not run the season any more.")
        here = audience.may_manage(sheet.season, user)
        return redirect(
            "tournaments:organisers" if here else "tournaments:season", sheet.season.slug
        )
    subject = AtSeason(user, sheet)
    back = subject.address("organisers")
    return perform(request, ORGANISERS, subject, back=back, template="desk_organisers.html")
