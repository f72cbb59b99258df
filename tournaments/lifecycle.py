"""Which states things of a season go through, and the only steps allowed between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeVar

from django.db import models

from core.refusals import Refusal


class Visibility(models.TextChoices):
    """Who sees a season: its organisers, or everybody. An archived one is only looked at."""

    DRAFT = "draft", "Draft"
    LISTED = "listed", "Listed"
    ARCHIVED = "archived", "Archived"


class SeasonStatus(models.TextChoices):
    """How far a season is."""

    ENROLLING = "enrolling", "Enrolling"
    RUNNING = "running", "Running"
    FINISHED = "finished", "Finished"
    CANCELLED = "cancelled", "Cancelled"


class ContestantStatus(models.TextChoices):
    """What has become of a contestant."""

    ENROLLED = "enrolled", "Enrolled"
    ACTIVE = "active", "In the season"
    ELIMINATED = "eliminated", "Eliminated"
    WITHDRAWN = "withdrawn", "Withdrawn"
    REPLACED = "replaced", "Replaced"


class ApplicationStatus(models.TextChoices):
    """What has become of somebody's wish to enter a season."""

    ASKED = "asked", "Not decided yet"
    WAITING = "waiting", "On the waiting list"
    ADMITTED = "admitted", "Admitted"
    DECLINED = "declined", "Declined"
    WITHDRAWN = "withdrawn", "Withdrawn"


class RoundStatus(models.TextChoices):
    """Whether results of a round may still change."""

    OPEN = "open", "Being played"
    CLOSED = "closed", "Complete"
    REOPENED = "reopened", "Reopened"


class EpisodeStatus(models.TextChoices):
    """What an episode waits for."""

    MAIN_MATCH = "main-match", "Main match"
    CHOOSING = "choosing", "The EC chooses"
    DEATH_MATCH = "death-match", "Death match"
    DONE = "done", "Done"
    SKIPPED = "skipped", "Nobody eliminated"


class DeathMatchStatus(models.TextChoices):
    """How far a death match is."""

    WAITING = "waiting", "Sides not known yet"
    PLANNED = "planned", "To be played"
    RUNNING = "running", "Being played"
    DECIDED = "decided", "Decided"
    VOID = "void", "Void"


class LegStatus(models.TextChoices):
    """How far one match of a death match is."""

    PLANNED = "planned", "To be played"
    RUNNING = "running", "Being played"
    FINISHED = "finished", "Finished"
    VOID = "void", "Void"


class How(models.TextChoices):
    """What a result rests on."""

    PLAYED = "played", "Played"
    WALKOVER = "walkover", "Walkover"
    BYE = "bye", "Bye"
    RULING = "ruling", "Ruling"


class GiftStatus(models.TextChoices):
    """Where an item is."""

    HELD = "held", "Held"
    SPENT = "spent", "Spent"
    TAKEN_BACK = "taken-back", "Taken back"
    EXPIRED = "expired", "Expired"


#: What a season is in which nothing more is played.
SEASON_OVER: Final = (SeasonStatus.FINISHED, SeasonStatus.CANCELLED)
#: Who has not left a season.
STILL_IN: Final = (ContestantStatus.ENROLLED, ContestantStatus.ACTIVE)
#: What an episode is in which nothing more happens.
EPISODE_OVER: Final = (EpisodeStatus.DONE, EpisodeStatus.SKIPPED)
#: What a death match is of which nothing is left to be played.
SETTLED: Final = (DeathMatchStatus.DECIDED, DeathMatchStatus.VOID)
UNDECIDED: Final = tuple(each for each in DeathMatchStatus if each not in SETTLED)
#: What an undecided death match is whose sides are both known.
PLAYABLE: Final = (DeathMatchStatus.PLANNED, DeathMatchStatus.RUNNING)

_S = TypeVar("_S", bound=models.TextChoices)
Steps = Mapping[_S, frozenset[_S]]

SEASON: Final[Steps[SeasonStatus]] = {
    SeasonStatus.ENROLLING: frozenset({SeasonStatus.RUNNING, SeasonStatus.CANCELLED}),
    # Back to enrolling: an undone start, while nothing has been played.
    SeasonStatus.RUNNING: frozenset(
        {SeasonStatus.FINISHED, SeasonStatus.CANCELLED, SeasonStatus.ENROLLING}
    ),
    # A corrected last result reopens a finished season.
    SeasonStatus.FINISHED: frozenset({SeasonStatus.RUNNING}),
    SeasonStatus.CANCELLED: frozenset(),
}
VISIBILITY: Final[Steps[Visibility]] = {
    Visibility.DRAFT: frozenset({Visibility.LISTED}),
    # Back to a draft only while nothing has begun: a constraint of the table.
    Visibility.LISTED: frozenset({Visibility.DRAFT, Visibility.ARCHIVED}),
    Visibility.ARCHIVED: frozenset({Visibility.LISTED}),
}
CONTESTANT: Final[Steps[ContestantStatus]] = {
    ContestantStatus.ENROLLED: frozenset({ContestantStatus.ACTIVE, ContestantStatus.WITHDRAWN}),
    ContestantStatus.ACTIVE: frozenset(
        {
            ContestantStatus.ENROLLED,
            ContestantStatus.ELIMINATED,
            ContestantStatus.WITHDRAWN,
            ContestantStatus.REPLACED,
        }
    ),
    # A corrected result brings somebody back.
    ContestantStatus.ELIMINATED: frozenset({ContestantStatus.ACTIVE}),
    ContestantStatus.WITHDRAWN: frozenset(
        {ContestantStatus.ACTIVE, ContestantStatus.ENROLLED, ContestantStatus.REPLACED}
    ),
    ContestantStatus.REPLACED: frozenset(),
}
ROUND: Final[Steps[RoundStatus]] = {
    RoundStatus.OPEN: frozenset({RoundStatus.CLOSED}),
    RoundStatus.CLOSED: frozenset({RoundStatus.REOPENED}),
    RoundStatus.REOPENED: frozenset({RoundStatus.CLOSED}),
}
EPISODE: Final[Steps[EpisodeStatus]] = {
    EpisodeStatus.MAIN_MATCH: frozenset({EpisodeStatus.CHOOSING, EpisodeStatus.SKIPPED}),
    EpisodeStatus.CHOOSING: frozenset(
        {EpisodeStatus.DEATH_MATCH, EpisodeStatus.MAIN_MATCH, EpisodeStatus.SKIPPED}
    ),
    EpisodeStatus.DEATH_MATCH: frozenset(
        {EpisodeStatus.DONE, EpisodeStatus.CHOOSING, EpisodeStatus.SKIPPED}
    ),
    EpisodeStatus.DONE: frozenset({EpisodeStatus.DEATH_MATCH}),
    EpisodeStatus.SKIPPED: frozenset({EpisodeStatus.MAIN_MATCH}),
}
DEATH_MATCH: Final[Steps[DeathMatchStatus]] = {
    DeathMatchStatus.WAITING: frozenset(
        {DeathMatchStatus.PLANNED, DeathMatchStatus.DECIDED, DeathMatchStatus.VOID}
    ),
    DeathMatchStatus.PLANNED: frozenset(
        {
            DeathMatchStatus.WAITING,
            DeathMatchStatus.RUNNING,
            DeathMatchStatus.DECIDED,
            DeathMatchStatus.VOID,
        }
    ),
    DeathMatchStatus.RUNNING: frozenset(
        {DeathMatchStatus.PLANNED, DeathMatchStatus.DECIDED, DeathMatchStatus.VOID}
    ),
    DeathMatchStatus.DECIDED: frozenset(
        {
            DeathMatchStatus.DECIDED,
            DeathMatchStatus.WAITING,
            DeathMatchStatus.PLANNED,
            DeathMatchStatus.VOID,
        }
    ),
    DeathMatchStatus.VOID: frozenset(),
}
LEG: Final[Steps[LegStatus]] = {
    LegStatus.PLANNED: frozenset({LegStatus.RUNNING, LegStatus.FINISHED, LegStatus.VOID}),
    LegStatus.RUNNING: frozenset({LegStatus.FINISHED, LegStatus.VOID}),
    LegStatus.FINISHED: frozenset({LegStatus.FINISHED, LegStatus.VOID}),
    LegStatus.VOID: frozenset(),
}
GIFT: Final[Steps[GiftStatus]] = {
    GiftStatus.HELD: frozenset({GiftStatus.SPENT, GiftStatus.TAKEN_BACK, GiftStatus.EXPIRED}),
    # The match it was spent in turned out void.
    GiftStatus.SPENT: frozenset({GiftStatus.HELD}),
    GiftStatus.TAKEN_BACK: frozenset(),
    GiftStatus.EXPIRED: frozenset({GiftStatus.HELD}),
}


def step(steps: Steps[_S], now: str, then: _S, what: str) -> _S:
    """``then``, if the step from ``now`` is one of ``steps``.

    Raises Refusal ``lifecycle.step``: ``what`` ("The season") and both states in words.
    """
    current = type(then)(now)
    if then not in steps[current]:
        raise Refusal(
            "lifecycle.step",
            f"{what} is “{current.label}” and cannot become “{then.label}” now.",
        )
    return then
