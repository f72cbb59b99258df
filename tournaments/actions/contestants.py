"""What organisers can do about contestants: enter them, and whatever becomes of one."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from core.actions import Action, Actions, Done
from tournaments.actions.subjects import AtContestant, AtPerson, AtSeason
from tournaments.forms.base import PublicReasonForm
from tournaments.forms.people import ReplaceForm, RosterForm
from tournaments.services.contestants import departures, enrolment, rosters

# -- entering ------------------------------------------------------------------------------------


def _may_enrol(subject: AtPerson) -> None:
    subject.must_manage()
    enrolment.must_be_enrollable(subject.season, subject.person, subject.contestant)


def _may_enrol_many(subject: AtSeason) -> None:
    subject.must_manage()
    enrolment.must_take_entries(subject.season)


def _enrol_many(subject: AtSeason, form: Any) -> Done:
    entered = rosters.contestants_import(
        acting_user=subject.user, season=subject.season, text=form.roster()
    )
    return Done(f"{len(entered)} enrolled.")


ENROL: Final = Action[AtPerson](
    name="enrol",
    label="Enrol",
    title=lambda s: f"Enrol {s.person.shown_name}",
    button="Enrol",
    done=lambda s: f"{s.person.shown_name} is enrolled.",
    check=_may_enrol,
    run=lambda s, _form: enrolment.contestant_enrol(
        acting_user=s.user, season=s.season, user=s.person
    ),
    at_once=True,
)
ENROL_MANY: Final = Action[AtSeason](
    name="enrol-many",
    label="Enrol many",
    title="Contestants",
    button="Enrol them",
    done="They are enrolled.",
    check=_may_enrol_many,
    form=lambda _s: RosterForm,
    run=_enrol_many,
)

ROSTER: Final = Actions[Any]("roster", (ENROL, ENROL_MANY))


# -- one of them ---------------------------------------------------------------------------------


def _may_remove(subject: AtContestant) -> None:
    subject.must_manage()
    departures.must_be_removable(subject.contestant)


def _may_withdraw(subject: AtContestant) -> None:
    subject.must_manage()
    subject.must_not_meet()
    departures.must_be_in(subject.contestant)


def _may_return(subject: AtContestant) -> None:
    subject.must_manage()
    departures.must_be_returnable(subject.contestant)


def _may_replace(subject: AtContestant) -> None:
    subject.must_manage()
    subject.must_not_meet()
    departures.must_be_replaceable(subject.contestant, subject.undecided)


REMOVE: Final = Action[AtContestant](
    name="remove",
    label="Strike off",
    title=lambda s: f"Strike {s.contestant} off",
    button="Strike off",
    done=lambda s: f"{s.contestant} is not in the season any more.",
    follows=["They can be enrolled again as long as the season has not begun."],
    check=_may_remove,
    run=lambda s, _form: departures.contestant_remove(acting_user=s.user, contestant=s.contestant),
)
REPLACE: Final = Action[AtContestant](
    name="replace",
    label="Replace",
    title=lambda s: f"Somebody takes over from {s.contestant}",
    button="Put them in the place",
    done="The place has a new holder.",
    follows=[
        "The seed, the death matches that are not decided and the items go over.",
        "What was decided stays under the name of whoever played it. This cannot be undone.",
    ],
    check=_may_replace,
    form=lambda _s: partial(ReplaceForm, act="replace"),
    run=lambda s, form: departures.contestant_replace(
        acting_user=s.user, contestant=s.contestant, **form.cleaned_data
    ),
    danger=True,
)
WITHDRAW: Final = Action[AtContestant](
    name="withdraw",
    label="Withdraw",
    title=lambda s: f"{s.contestant} withdraws",
    button="Withdraw them",
    done=lambda s: f"{s.contestant} has withdrawn.",
    follows=["Their death matches that are not decided are won by their opponents."],
    check=_may_withdraw,
    form=lambda _s: partial(PublicReasonForm, act="withdraw"),
    run=lambda s, form: departures.contestant_withdraw(
        acting_user=s.user, contestant=s.contestant, why=form.cleaned_data["why"]
    ),
    danger=True,
)
RETURN: Final = Action[AtContestant](
    name="return",
    label="Let return",
    title=lambda s: f"{s.contestant} comes back",
    button="Let them return",
    done=lambda s: f"{s.contestant} is back in.",
    follows=[
        "They play again from the next round on, or the next main match to be recorded.",
        "Their death matches stay walkovers.",
        "A walkover that was a mistake can be taken back at its death match's desk.",
    ],
    check=_may_return,
    form=lambda _s: partial(PublicReasonForm, act="return"),
    run=lambda s, form: departures.contestant_return(
        acting_user=s.user, contestant=s.contestant, why=form.cleaned_data["why"]
    ),
)

CONTESTANT: Final = Actions("contestant", (REMOVE, RETURN, REPLACE, WITHDRAW))
