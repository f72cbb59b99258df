"""What people say of when they are free."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from core.actions import Action, Actions, Done
from tournaments.actions.subjects import AtDate, AtSite
from tournaments.forms.times import FreeDateForm, FreeHoursForm
from tournaments.services import free_hours


def _anybody(_subject: AtSite) -> None:
    """Everybody with an account has hours of their own."""


def _keep_week(subject: AtSite, form: FreeHoursForm) -> Done:
    row = free_hours.free_hours_set(acting_user=subject.user, **form.hours_set())
    words = "Your hours are kept."
    if form.dates_move:
        zone = row.zone.replace("_", " ")
        words += f" Your single dates have moved with them: they are in {zone} now."
    return Done(words)


def _add_date(subject: AtSite, form: FreeDateForm) -> Done:
    row = free_hours.free_date_add(acting_user=subject.user, **form.date_added())
    zone = row.free_hours.zone.replace("_", " ")
    return Done(f"The date is kept, in the zone of your week, {zone}.")


WEEK: Final = Action[AtSite](
    name="week",
    label="When you are free",
    title="When you are free",
    button="Keep these hours",
    done="Your hours are kept.",
    follows=[
        "Mark the hours in which you could play a death match, in an ordinary week.",
        "Nobody else sees them.",
        (
            "The opponent in a death match that is not over, and its organisers, see when both of "
            "you are free."
        ),
        "The opponent also sees whether a time that is proposed is outside your hours.",
    ],
    check=_anybody,
    form=lambda s: partial(FreeHoursForm, user=s.user),
    run=_keep_week,
)
DATE: Final = Action[AtSite](
    name="date",
    label="A single date",
    title="When you are free",
    button="Add this date",
    done="The date is kept.",
    follows=WEEK.follows,
    check=_anybody,
    form=lambda s: partial(FreeDateForm, user=s.user),
    run=_add_date,
)


def _drop(subject: AtDate, _form: Any) -> None:
    free_hours.free_date_drop(acting_user=subject.user, date_id=subject.date_id)


DROP: Final = Action[AtDate](
    name="drop",
    label="Remove",
    title="When you are free",
    button="Remove",
    done="The date is as any other again.",
    check=lambda s: free_hours.must_be_own_date(s.user, s.date_id),
    run=_drop,
    at_once=True,
)

HOURS: Final = Actions[Any]("free-hours", (WEEK, DATE, DROP))
