"""What is known of when legs could be played: for their players, and for organisers."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from accounts.models import User
from tournaments.models import Contestant, DeathMatch, Leg, TimeProposal
from tournaments.reading.death_matches import Appointment
from tournaments.services.free_hours import FreeRule, all_starts, common_starts, free_rules
from tournaments.services.scheduling.agreeing import earliest_start, latest_start

TO_ANSWER: Final = timedelta(hours=2)


class OpenTime(NamedTuple):
    """A leg without a time: what is proposed for it, by whom, and whose turn it is. ``over``:
    whether the days to agree on one are, so that only an organiser can set it."""

    appointment: Appointment
    proposal: TimeProposal | None
    by: Contestant | None
    owing: list[Contestant]
    over: bool

    @property
    def leg(self) -> Leg:
        """The leg itself."""
        return self.appointment.leg


class ProposedTime(NamedTuple):
    """A start time as one of the players sees it. ``theirs``: what the other's clock shows then;
    empty where their zone is not known. ``outside``: whose marked hours it is outside of."""

    at: datetime
    theirs: str
    outside: list[Contestant]

    @property
    def value(self) -> str:
        """As forms send it."""
        return self.at.isoformat()


class BothFree(NamedTuple):
    """When the two who play a leg are free, as far as they have marked it. Of either alone it says
    no more than whether they have, and of a time that is proposed, whether it is among theirs."""

    sides: tuple[Contestant, Contestant]
    rules: dict[int, FreeRule]

    def rule(self, side: Contestant) -> FreeRule | None:
        """What somebody has marked."""
        return None if side.user_id is None else self.rules.get(side.user_id)

    @property
    def unmarked(self) -> list[Contestant]:
        """Who has marked no hours."""
        return [side for side in self.sides if self.rule(side) is None]

    def starts(self, leg: Leg, at: datetime, zone: ZoneInfo) -> list[datetime]:
        """Start times at which both are free, of days as they are in ``zone``: not before the other
        could well have answered, and from a full hour on."""
        one, other = map(self.rule, self.sides)
        since = self._since(at, zone)
        return common_starts(one, other, since, latest_start(leg, at), zone)

    def has_starts(self, leg: Leg, at: datetime, zone: ZoneInfo) -> bool:
        """Whether there are any such; looks no further than the first."""
        one, other = map(self.rule, self.sides)
        found = all_starts(one, other, self._since(at, zone), latest_start(leg, at))
        return next(found, None) is not None

    def _since(self, at: datetime, zone: ZoneInfo) -> datetime:
        first = max(at + TO_ANSWER, earliest_start(at))
        local = first.astimezone(zone)
        return first + timedelta(
            seconds=-(60 * local.minute + local.second) % 3600, microseconds=-local.microsecond
        )

    def proposed(self, moment: datetime, other: Contestant) -> ProposedTime:
        """A time as whoever plays against ``other`` sees it."""
        rules = [(side, self.rule(side)) for side in self.sides]
        outside = [side for side, rule in rules if rule is not None and not rule.is_free(moment)]
        zone = self._zone_of(other)
        theirs = "" if zone is None else f"{moment.astimezone(zone):%a %H:%M}"
        return ProposedTime(moment, theirs, outside)

    def _zone_of(self, side: Contestant) -> ZoneInfo | None:
        """The zone in which somebody said their hours, or else that of what is sent to them."""
        rule, user = self.rule(side), side.user
        if rule is not None:
            return rule.zone
        return user.zone if user is not None and (user.time_zone or user.device_zone) else None


def both_free(row: DeathMatch) -> BothFree | None:
    """What the two of a death match have marked; None while they are not both known."""
    if row.home is None or row.away is None:
        return None
    users: list[User | None] = [row.home.user, row.away.user]
    return BothFree((row.home, row.away), free_rules(users))
