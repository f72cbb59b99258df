"""A season on the running site in which time asks for something; these run there, by its hand."""

from __future__ import annotations

from typing import Any, Final

from tests.support.site import Site

#: How long a contestant may be late, in minutes.
GRACE: Final = 10


def appointment(site: Site, *, organiser: int, in_minutes: int) -> int:
    """A leg that was to begin so many minutes from now, for which one of the two is ready. Who is
    late loses it."""
    leg: int = site.hand.call(f"{__name__}:appoint", organiser=organiser, in_minutes=in_minutes)
    return leg


def appoint(*, organiser: int, in_minutes: int) -> int:
    from datetime import timedelta

    from accounts.models import User
    from core.clock import now_utc
    from tests.tournaments.support import account, chosen, leg_of, running
    from tournaments.services.scheduling.appointments import leg_schedule
    from tournaments.services.scheduling.readiness import leg_confirm

    user: Any = User.objects.get(pk=organiser)
    season = running(user, 4, no_show_rule="forfeit", no_show_minutes=GRACE)
    meeting = chosen(user, season, ec=1, dmo=2)
    begins = now_utc() + timedelta(minutes=in_minutes)
    leg = leg_of(meeting)
    earlier = begins - timedelta(hours=1)
    leg_schedule(acting_user=user, leg=leg, scheduled_at=begins, at=earlier)
    leg_confirm(acting_user=account(season, 1), leg=leg, at=begins)
    return int(leg.pk)
