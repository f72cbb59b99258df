"""What seasons wait for somebody to do, said to nobody else: a contestant on the season's pages, on
the front door and in the lobby; an organiser on the desk and on the front door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from django.db.models import Exists, OuterRef, Q
from django.urls import reverse

from accounts.models import User
from core.clock import now_utc
from core.refusals import allowed
from games.words import is_in_turns
from tournaments import audience
from tournaments.actions.episodes import awaits_choice
from tournaments.actions.rounds import ROUND
from tournaments.actions.seasons import LIST, START
from tournaments.actions.subjects import AtRound, AtSeason
from tournaments.formats.base import Task
from tournaments.lifecycle import (
    PLAYABLE,
    ApplicationStatus,
    DeathMatchStatus,
    EpisodeStatus,
    SeasonStatus,
    Visibility,
)
from tournaments.models import (
    DeathMatch,
    Episode,
    Leg,
    Season,
    SeasonApplication,
    SeasonOrganiser,
    TimeProposal,
)
from tournaments.reading.death_matches import DeathMatchWithLegs, with_legs
from tournaments.reading.sheet import Sheet
from tournaments.rights import Right
from tournaments.services import mail, preflight
from tournaments.services.legs import legs_open_to_rules
from tournaments.services.scheduling.agreeing import must_be_answerable, open_proposals
from tournaments.services.scheduling.readiness import must_be_confirmable

# What is told at most on pages about other things.
_AT_MOST: Final = 10
_SEASONS_AT_MOST: Final = 5
#: How pressing a task is that cannot wait.
NOW: Final = 2
#: Where on a match's page organisers decide, and where its script asks for the reason of what was
#: done without one; `static/js/match/organiser.js` knows both.
RULE_HERE: Final = "#organise"
GIVE_REASON: Final = "#give-reason"


class PendingTask(NamedTuple):
    """Something to do: what, and the link to it."""

    words: str
    action: str
    url: str


def waiting_for(sheet: Sheet, user: Any) -> list[PendingTask]:
    """What the season waits for ``user``, a contestant, to do now."""
    season = sheet.season
    mine = [each for each in sheet.contestants if each.user_id == getattr(user, "pk", None)]
    if not mine or not user.is_authenticated or season.status != SeasonStatus.RUNNING:
        return []
    if season.visibility == Visibility.ARCHIVED:
        return []
    found: list[PendingTask] = []
    for episode in sheet.episodes:
        if episode.row.ec_id == mine[0].pk:
            found += _of_own_episode(episode.row, user)
    for each in sheet.with_legs:
        if mine[0].pk in (each.row.home_id, each.row.away_id):
            found += _of_death_match(each, user, sheet.proposals)
    return found


def waiting_anywhere(user: Any) -> list[PendingTask]:
    """What all seasons together wait for ``user`` to do now, each with its season's name. Reads
    the user's own episodes and death matches alone: one query for most readers, who are in no
    season that is running, and at most a fixed number."""
    if not user.is_authenticated:
        return []
    running = Season.objects.visible_to(user).filter(status=SeasonStatus.RUNNING)
    running = running.exclude(visibility=Visibility.ARCHIVED)
    seasons = list(running.filter(contestants__user=user).values_list("pk", flat=True))
    if not seasons:
        return []
    episodes = Episode.objects.filter(
        round__season__in=seasons, ec__user=user, status=EpisodeStatus.CHOOSING
    ).select_related("round__season", "ec")
    rows = (
        DeathMatch.objects.filter(round__season__in=seasons, status__in=PLAYABLE)
        .filter(Q(home__user=user) | Q(away__user=user))
        .select_related("round__season", "home", "away")
    )
    found = []
    for episode in episodes.order_by("round__opened_at")[:_AT_MOST]:
        found += [(episode.round.season, each) for each in _of_own_episode(episode, user)]
    meetings = with_legs(rows.order_by("round__opened_at", "pk")[:_AT_MOST])
    proposals = open_proposals((leg for each in meetings for leg in each.legs), now_utc())
    for meeting in meetings:
        season = meeting.row.round.season
        found += [(season, each) for each in _of_death_match(meeting, user, proposals)]
    return [each._replace(words=f"{season.name}: {each.words}") for season, each in found]


def _of_own_episode(episode: Episode, user: Any) -> list[PendingTask]:
    if not awaits_choice(episode, user):
        return []
    played = episode.round
    url = reverse("tournaments:choose", args=[played.season.slug, played.number])
    return [PendingTask("You came last. Who will face you?", "Choose your opponent", url)]


def _of_death_match(
    found: DeathMatchWithLegs, user: Any, proposals: Mapping[int, TimeProposal]
) -> list[PendingTask]:
    if found.running is None:
        for leg in found.legs:
            proposal = proposals.get(leg.pk)
            if proposal is not None and allowed(must_be_answerable, proposal, leg, user):
                words = f"{found.row}: your opponent proposes when to play."
                return [
                    PendingTask(words, "Answer", found.row.get_absolute_url()),
                    *_of_next(found, user),
                ]
    return _of_next(found, user)


def _of_next(found: DeathMatchWithLegs, user: Any) -> list[PendingTask]:
    row, leg, on = found.row, found.next, found.running
    if row.status == DeathMatchStatus.RUNNING and on is not None and on.match is not None:
        seen = "have looked in and your numbers are open"
        seen = seen if is_in_turns(on.match) else "are there"
        words = f"{row} begins once both of you {seen}." if on.waits else f"{row} is on."
        return [PendingTask(words, "To the board", on.match.get_absolute_url())]
    if row.status not in PLAYABLE or leg is None:
        return []
    if allowed(legs_open_to_rules, row, user, legs=found.legs):
        url = reverse("tournaments:rules", args=[row.round.season.slug, row.pk])
        return [PendingTask(f"{row}: you choose what is played.", "Choose the game", url)]
    if not _can_be_ready(found, leg, user):
        return []
    return [
        PendingTask(f"{row} is about to begin.", "Say that you are ready", row.get_absolute_url())
    ]


def _can_be_ready(found: DeathMatchWithLegs, leg: Leg, user: Any) -> bool:
    seat = audience.seat_of(found.row, user)
    if seat is None or (leg.home_ready_at, leg.away_ready_at)[seat] is not None:
        return False
    return allowed(must_be_confirmable, leg, user, legs=found.legs)


# -- whoever runs a season -------------------------------------------------------------------------


def organising_anywhere(user: Any) -> list[PendingTask]:
    """What waits now, in the seasons that ``user`` runs, or helps with, for them to do: of those
    that changed last, so many at most. One query for whoever runs none that is on, or that people
    apply to."""
    if not isinstance(user, User) or not user.is_active:
        return []
    asked = SeasonApplication.objects.filter(season=OuterRef("pk"), status=ApplicationStatus.ASKED)
    waits = Q(status=SeasonStatus.RUNNING) | Q(Exists(asked), status=SeasonStatus.ENROLLING)
    held = SeasonOrganiser.objects.held_by(user)
    mine = Season.objects.filter(waits, organisers__in=held)
    mine = mine.exclude(visibility=Visibility.ARCHIVED).order_by("-changed_at")
    found = []
    for season in mine[:_SEASONS_AT_MOST]:
        subject = AtSeason(user, Sheet(season))
        if season.status == SeasonStatus.ENROLLING:
            tasks = _applied(subject.sheet)
        else:
            tasks = _of_what_is_played(subject.sheet, user)
        for task in sorted(tasks, key=lambda task: -task.pressing):
            address = address_of(subject, task) if task.pressing >= NOW else ""
            if address:
                found.append(PendingTask(f"{season.name}: {task.words}", task.action, address))
    return found[:_AT_MOST]


def address_of(subject: AtSeason, task: Task) -> str:
    """Where a task is done; empty where another organiser must do it."""
    if task.url:
        return task.url
    if not _is_for(subject, task):
        return ""
    name, *number = task.does or (task.page, *task.args)
    action = next((each for each in ROUND if each.name == name), None)
    if action is not None:
        played = subject.sheet.round(*number)
        if not action.offered(AtRound(subject.user, subject.sheet, played)):
            return ""
    return subject.address(task.page, *task.args)


def todo(sheet: Sheet, user: User) -> list[Task]:
    """Everything that waits for an organiser of the season; for a helper, of that what their rights
    are for."""
    found = _todo(sheet, user)
    if Right.RUN in sheet.rights_of(user):
        return found
    subject = AtSeason(user, sheet)
    return [task for task in found if task.url or _is_for(subject, task)]


def _is_for(subject: AtSeason, task: Task) -> bool:
    """Whether somebody can do a task, as far as their rights say."""
    return subject.comes_to(task.page) if task.right is None else subject.may(task.right)


def _todo(sheet: Sheet, user: User) -> list[Task]:
    season = sheet.season
    if season.visibility == Visibility.ARCHIVED:
        return []
    if season.status == SeasonStatus.ENROLLING:
        return _before_the_start(AtSeason(user, sheet)) + _unreached_tasks(sheet)
    if season.status != SeasonStatus.RUNNING:
        return []
    return [*_of_what_is_played(sheet, user), *_unreached_tasks(sheet)]


def _of_what_is_played(sheet: Sheet, user: User) -> list[Task]:
    return [*sheet.format.tasks(sheet.course), *_match_tasks(sheet, user)]


def _unreached_tasks(sheet: Sheet) -> list[Task]:
    """Whom nothing that the season tells reaches."""
    found = [
        Task(warned.sentence, "organisers", "See who runs it", 0, right=Right.RUN)
        for warned in preflight.organisers_unreached(sheet.season)
    ]
    players = mail.unreached(each.user for each in sheet.still_in if each.user is not None)
    if players:
        names = preflight.named(players)
        words = f"Away from the site nothing reaches {names}: tell them of what concerns them."
        found.append(Task(words, "roster", "See the contestants", 0))
    return found


def _applied(sheet: Sheet) -> list[Task]:
    """Who has applied, and is still to be decided about."""
    number = len(sheet.undecided)
    if not number:
        return []
    words = "One person has applied." if number == 1 else f"{number} people have applied."
    return [Task(words, "applications", "Decide", NOW)]


def _before_the_start(subject: AtSeason) -> list[Task]:
    sheet, found = subject.sheet, _applied(subject.sheet)
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
    # Those stand in that one line, as long as their players can still see to it.
    agreeing = {each.leg.pk for each in sheet.without_time if not each.over}
    for each in sheet.planned:
        row, leg = each.row, each.leg
        if row.home_id is None or row.away_id is None or not each.is_next:
            continue
        if not leg.ruleset:
            words, action, pressing = f"{row}: what is played?", "Choose the game", 2
        elif leg.no_show_at is not None:
            words, action, pressing = f"{row}: somebody was not there in time.", "Decide", 2
        elif leg.scheduled_at is None and leg.pk not in agreeing:
            words, action, pressing = f"{row} has no time yet.", "Set a time", 1
        else:
            continue
        right = Right.EPISODES if pressing == 1 else Right.MATCHES
        found.append(Task(words, "match_desk", action, pressing, (row.pk,), right=right))
    for match in sheet.awaiting_organiser(user):
        row, page = match.leg.death_match, match.get_absolute_url()
        if match.awaits_ruling:
            words, url = f"{row} stands still until you have ruled.", f"{page}{RULE_HERE}"
            found.append(Task(words, "", "Rule", 3, url=url))
            continue
        words = f"{row}: something was done without a reason. Give it before the match is over."
        url = f"{page}{GIVE_REASON}"
        found.append(Task(words, "", "Give the reason", NOW, url=url))
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
