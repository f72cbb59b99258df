"""A season once more: a new draft with another one's settings and, if asked for, its people."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from django.db import models, transaction
from django.db.models import F

from accounts.models import User
from accounts.services import audit_record, users_lock
from core.refusals import Refusal, allowed
from tournaments.lifecycle import ContestantStatus
from tournaments.models import Contestant, Season
from tournaments.services.contestants.enrolment import (
    Enrolment,
    contestants_enrol,
    must_be_able_to_enter,
)
from tournaments.services.contestants.names import Names
from tournaments.services.guards import instant, must_manage, season_lock
from tournaments.services.seasons import (
    NAME_MAX,
    must_be_allowed_to_create,
    season_create,
    settings_of,
)


class Bringing(models.TextChoices):
    """Who of a season comes into its clone."""

    NOBODY = "nobody", "Nobody yet"
    UNSEEDED = "unseeded", "Its contestants, without seeds"
    PLACED = "placed", "Its contestants, seeded by their places"


#: Who has left a season by themselves, was struck off or replaced is not brought along.
_LEFT: Final = (ContestantStatus.WITHDRAWN, ContestantStatus.REPLACED)
_NUMBERED: Final = re.compile(r"(?P<stem>.*\S)\s+(?P<number>[1-9]\d{0,5})", re.DOTALL)


@transaction.atomic
def season_clone(
    *,
    acting_user: User,
    season: Season,
    name: str,
    bringing: str = Bringing.NOBODY,
    at: datetime | None = None,
) -> Season:
    """Make a draft with the settings of a season, of which ``acting_user`` is the only organiser.

    Who is brought along has an account that can enter, and has not left; where late entries make
    them more than there were places, the draft has as many places as they are. Whom the season
    called something that somebody else is called by now has their account's own name. The season
    itself stays as it is. Raises Refusal ``season.none``, as `must_be_clonable` does,
    ``clone.people``, ``clone.same-name``, and as `season_create` does.
    """
    at = instant(at)
    source = season_lock(season.pk, changes=False)
    must_be_clonable(source, acting_user)
    if bringing not in Bringing.values:
        raise Refusal("clone.people", f"Who comes along is one of {', '.join(Bringing.values)}.")
    if " ".join(name.split()).casefold() == source.name.casefold():
        raise Refusal("clone.same-name", "Please give the new season a name of its own.")
    entries = [] if bringing == Bringing.NOBODY else _entries(source, acting_user, bringing)
    settings = settings_of(source)
    if entries and settings["places"] is not None:
        # Late entries were not counted: all who come along have a place.
        settings["places"] = max(settings["places"], len(entries))
    made = season_create(
        acting_user=acting_user,
        name=name,
        format=source.format,
        settings=settings,
        at=at,
    )
    if entries:
        contestants_enrol(acting_user=acting_user, season=made, entries=entries, at=at)
    audit_record(
        acting_user=acting_user,
        action="season.clone",
        target=made,
        data={"from": source.pk, "people": bringing, "contestants": len(entries)},
    )
    return made


def must_be_clonable(season: Season, acting_user: User) -> None:
    """Whether somebody can clone a season: its organisers, as long as they may open seasons, also
    out of the archive. Raises Refusal ``season.not-organiser`` and ``season.not-allowed``."""
    must_manage(season, acting_user)
    must_be_allowed_to_create(acting_user)


def next_name(name: str) -> str:
    """What the season after one of that name may be called: Autumn 3 after Autumn 2."""
    found = _NUMBERED.fullmatch(name)
    stem, number = (found["stem"], int(found["number"]) + 1) if found else (name, 2)
    return f"{stem[: NAME_MAX - len(str(number)) - 1]} {number}"


def likely(contestants: Iterable[Contestant]) -> int:
    """How many of these would come along, unless one of them is suspended."""
    return sum(_has_stayed(each) for each in contestants)


def _has_stayed(contestant: Contestant) -> bool:
    user = contestant.user
    return user is not None and user.is_active and contestant.status not in _LEFT


def _entries(source: Season, acting_user: User, bringing: str) -> list[Enrolment]:
    """Those who come along, in the order of their places; who has none yet comes after, by seed."""
    rows = source.contestants.exclude(status__in=_LEFT).exclude(user=None)
    placed = rows.order_by(F("place").asc(nulls_last=True), F("seed").asc(nulls_last=True), "pk")
    named = list(placed.values_list("user", "name"))
    # All at once, in the one order in which accounts are locked.
    users_lock([acting_user.pk, *(pk for pk, _ in named)])
    users = User.objects.with_standing().in_bulk([pk for pk, _ in named])
    coming = [(name, users[pk]) for pk, name in named if allowed(must_be_able_to_enter, users[pk])]
    bearable = Names(coming)
    seeded = bringing == Bringing.PLACED
    return [
        Enrolment(user, name if allowed(bearable.of, name, user) else "", seed if seeded else None)
        for seed, (name, user) in enumerate(coming, start=1)
    ]
