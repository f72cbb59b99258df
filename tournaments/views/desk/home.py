"""The organisers' start page: what waits for them, the steps of a season, and its settings."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from games.views.common import explains_refusals, needs_sign_in
from tournaments import audience
from tournaments.actions.seasons import SEASON, SETTINGS
from tournaments.actions.site import CREATE
from tournaments.actions.subjects import AtSeason, AtSite
from tournaments.formats.base import Task
from tournaments.lifecycle import PLAYABLE, SeasonStatus
from tournaments.reading.death_matches import DeathMatchWithLegs
from tournaments.reading.sheet import Sheet
from tournaments.views.actions import perform
from tournaments.views.common import (
    FORMS,
    and_back,
    organisers_only,
    season_page,
    shown,
    with_user,
)
from tournaments.waiting import address_of, todo

# -- a new season --------------------------------------------------------------------------------


@require_http_methods(FORMS)
@needs_sign_in
@explains_refusals
def season_new(request: HttpRequest, user: User) -> HttpResponse:
    """Make a season: a draft, seen by nobody but its organisers."""
    back = reverse("tournaments:seasons")
    return perform(request, CREATE, AtSite(user), back=back, template="season_form.html")


@require_http_methods(FORMS)
@organisers_only
def settings_page(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Change a season's settings."""
    subject = AtSeason(user, sheet)
    back = subject.address("desk")
    return perform(request, SETTINGS, subject, back=back, template="desk_settings.html")


# -- the desk ------------------------------------------------------------------------------------


@require_safe
@organisers_only
def desk(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """What waits for the organisers, and the way to everything else."""
    subject = AtSeason(user, sheet)
    tasks = [
        (task, address_of(subject, task))
        for task in sorted(todo(sheet, user), key=lambda task: -task.pressing)
    ]
    tasks = [(task, _and_back(subject, task, address)) for task, address in tasks]
    pressing = (each for each in tasks if each[1] and each[0].pressing)
    context = {
        "tasks": tasks,
        "main": next(pressing, None) or _being_played(subject),
        "steps": SEASON.offered(subject),
        "now": sheet.current,
        "rounds": [(each, len(rows), _to_rule(subject, rows)) for each, rows in sheet.by_round],
        "and_back": and_back(subject.address("desk")),
    }
    return shown(request, sheet, "desk.html", context)


def _to_rule(subject: AtSeason, rows: list[DeathMatchWithLegs]) -> list[DeathMatchWithLegs]:
    """Which of a round's death matches somebody sees to who does not come to the desk of the round,
    where they are all."""
    if subject.comes_to("round_desk") or not subject.comes_to("match_desk"):
        return []
    return [
        each
        for each in rows
        if each.row.status in PLAYABLE and audience.seat_of(each.row, subject.user) is None
    ]


def _and_back(subject: AtSeason, task: Task, address: str) -> str:
    # Elsewhere than here there is more to be done than what the task is about.
    leads_back = address and task.page == "match_desk"
    return f"{address}{and_back(subject.address('desk'))}" if leads_back else address


def _being_played(subject: AtSeason) -> tuple[Task, str] | None:
    """While nothing is pressing, the round that is being played; None where there is none, or
    others see to it."""
    sheet = subject.sheet
    now, page = sheet.current, "episode" if sheet.format.episodes else "round_desk"
    if sheet.season.status != SeasonStatus.RUNNING or now is None or not subject.comes_to(page):
        return None
    args = () if sheet.format.episodes else (now.number,)
    task = Task(f"{now.name} {now.verb} being played.", page, f"To {now.name}", args=args)
    return task, subject.address(page, *args)


# -- steps of the season -------------------------------------------------------------------------


@require_http_methods(FORMS)
@season_page
@with_user
def step(request: HttpRequest, sheet: Sheet, user: User, name: str) -> HttpResponse:
    """A step of the season: what speaks against it, what it does, the button."""
    subject = AtSeason(user, sheet)
    back = subject.address("desk" if subject.comes_to("desk") else "season")
    return perform(request, SEASON.named(name), subject, back=back)
