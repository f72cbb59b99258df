"""The organisers' start page: what waits for them, the steps of a season, and its settings."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from games.views.common import explains_refusals, needs_sign_in
from tournaments import audience
from tournaments.actions.rounds import ROUND
from tournaments.actions.seasons import LIST, SEASON, SETTINGS, START
from tournaments.actions.site import CREATE
from tournaments.actions.subjects import AtRound, AtSeason, AtSite
from tournaments.formats.base import Task
from tournaments.lifecycle import SeasonStatus, Visibility
from tournaments.reading.sheet import Sheet
from tournaments.services import mail, preflight
from tournaments.views.actions import perform
from tournaments.views.common import FORMS, organisers_only, season_page, shown, with_user

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
    context = {
        "tasks": [
            (task, _address(subject, task))
            for task in sorted(todo(sheet, user), key=lambda task: -task.pressing)
        ],
        "steps": SEASON.offered(subject),
        "now": sheet.current,
    }
    return shown(request, sheet, "desk.html", context)


def _address(subject: AtSeason, task: Task) -> str:
    """Where a task is done; empty where another organiser must do it."""
    if task.url:
        return task.url
    action = next((each for each in ROUND if each.name == task.page), None)
    if action is not None:
        played = subject.sheet.round(*task.args)
        if not action.offered(AtRound(subject.user, subject.sheet, played)):
            return ""
    return subject.address(task.page, *task.args)


def todo(sheet: Sheet, user: User) -> list[Task]:
    """Everything that waits for an organiser of the season."""
    season = sheet.season
    if season.visibility == Visibility.ARCHIVED:
        return []
    if season.status == SeasonStatus.ENROLLING:
        return _before_the_start(AtSeason(user, sheet)) + _unreached_tasks(sheet)
    if season.status != SeasonStatus.RUNNING:
        return []
    return [
        *_unreached_tasks(sheet),
        *sheet.format.tasks(sheet.course),
        *_match_tasks(sheet, user),
    ]


def _unreached_tasks(sheet: Sheet) -> list[Task]:
    """Whom nothing that the season tells reaches."""
    found = [
        Task(warned.sentence, "organisers", "See who runs it")
        for warned in preflight.organisers_unreached(sheet.season)
    ]
    players = mail.unreached(each.user for each in sheet.still_in if each.user is not None)
    if players:
        names = preflight.named(players)
        words = f"Away from the site nothing reaches {names}: tell them of what concerns them."
        found.append(Task(words, "roster", "See the contestants", 0))
    return found


def _before_the_start(subject: AtSeason) -> list[Task]:
    sheet, found = subject.sheet, []
    if LIST.offered(subject):
        found.append(
            Task(
                "Nobody else can see this season yet. It can be started once it is public.",
                "step",
                "Make it public",
                args=("list",),
            )
        )
    if not sheet.season.repertoire:
        found.append(Task("It is not said what is played.", "settings", "Choose games"))
    if not sheet.still_in:
        found.append(Task("Nobody is enrolled.", "roster", "Enrol somebody", 2))
    elif any(each.seed is None for each in sheet.still_in):
        found.append(Task("Not everybody has a seed.", "seeds", "Set seeds"))
    if sheet.still_in and START.offered(subject):
        found.append(
            Task(
                f"{len(sheet.still_in)} are enrolled.",
                "step",
                "Look before starting",
                args=("start",),
            )
        )
    return found


def _match_tasks(sheet: Sheet, user: User) -> list[Task]:
    found = _open_times(sheet)
    for each in sheet.planned:
        row, leg = each.row, each.leg
        if row.home_id is None or row.away_id is None or not each.is_next:
            continue
        if not leg.ruleset:
            words, action, pressing = f"{row}: what is played?", "Choose the game", 2
        elif leg.no_show_at is not None:
            words, action, pressing = f"{row}: somebody was not there in time.", "Decide", 2
        elif leg.scheduled_at is None:
            words, action, pressing = f"{row} has no time yet.", "Set a time", 1
        else:
            continue
        found.append(Task(words, "match_desk", action, pressing, (row.pk,)))
    for match in sheet.awaiting_ruling_of(user):
        words = f"{match.leg.death_match} stands still until you have ruled."
        found.append(Task(words, "", "Rule", 3, url=match.get_absolute_url()))
    return found


def _open_times(sheet: Sheet) -> list[Task]:
    """One line for what players still have to agree on."""
    legs = sheet.without_time
    if not legs:
        return []
    asked = sum(each.proposal is not None for each in legs)
    words = f"{len(legs)} match{'' if len(legs) == 1 else 'es'} without a time"
    if asked:
        words += f", {asked} with a proposal that waits for its answer"
    return [Task(f"{words}.", "open_times", "See who is to answer", 0)]


# -- steps of the season -------------------------------------------------------------------------


@require_http_methods(FORMS)
@season_page
@with_user
def step(request: HttpRequest, sheet: Sheet, user: User, name: str) -> HttpResponse:
    """A step of the season: what speaks against it, what it does, the button."""
    subject = AtSeason(user, sheet)
    manages = audience.may_manage(sheet.season, user)
    back = subject.address("desk" if manages else "season")
    return perform(request, SEASON.named(name), subject, back=back)
