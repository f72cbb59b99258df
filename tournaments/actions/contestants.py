"""What organisers can do about contestants: enter them, and whatever becomes of one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from accounts.confirming import confirmations_send
from core.actions import Action, Actions, Done
from core.clock import now_utc
from core.refusals import NotFound
from tournaments.actions.subjects import (
    AtApplication,
    AtContestant,
    AtPerson,
    AtSeason,
    AtUnconfirmed,
)
from tournaments.forms.base import PublicReasonForm
from tournaments.forms.people import (
    ApplicationsForm,
    CheckInForm,
    DeclineForm,
    ReplaceForm,
    RosterForm,
)
from tournaments.lifecycle import ApplicationStatus
from tournaments.models import SeasonApplication
from tournaments.rights import Right
from tournaments.services.contestants import (
    applications,
    check_in,
    departures,
    enrolment,
    held,
    rosters,
)
from tournaments.services.guards import must_not_be_draft
from tournaments.services.preflight import named

# -- entering ------------------------------------------------------------------------------------


def _may_enrol(subject: AtPerson) -> None:
    subject.must_manage(Right.PEOPLE)
    enrolment.must_be_enrollable(subject.season, subject.person, subject.contestant)
    subject.must_not_wait()


def _enrol(subject: AtPerson, _form: Any) -> Done | None:
    entered = enrolment.contestants_take(
        acting_user=subject.user,
        season=subject.season,
        entries=[enrolment.Enrolment(subject.person)],
    )
    if not entered.waiting:
        return None
    name = subject.person.shown_name
    return Done(f"All places are taken: {name} is on the waiting list.")


def _may_enrol_many(subject: AtSeason) -> None:
    subject.must_manage(Right.PEOPLE)
    enrolment.must_take_entries(subject.season)


def _enrol_many(subject: AtSeason, form: Any) -> Done:
    entered = rosters.contestants_import(
        acting_user=subject.user, season=subject.season, text=form.roster()
    )
    places = sum(each.user_id is None for each in entered.contestants)
    words = f"{len(entered.contestants) - places} enrolled."
    if places:
        words += f" {places} held: their links stand under Invitations."
    if entered.waiting:
        words += f" All places are taken: {len(entered.waiting)} more on the waiting list."
    return Done(words)


ENROL: Final = Action[AtPerson](
    name="enrol",
    label="Enrol",
    title=lambda s: f"Enrol {s.person.shown_name}",
    button="Enrol",
    done=lambda s: f"{s.person.shown_name} is enrolled.",
    check=_may_enrol,
    run=_enrol,
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


def _may_ask_to_confirm(subject: AtUnconfirmed) -> None:
    subject.must_manage(Right.PEOPLE)
    # Of whoever is entered into a draft nobody hears: it would tell who has confirmed an address.
    must_not_be_draft(subject.season)


def _ask_to_confirm(subject: AtUnconfirmed, _form: Any) -> Done:
    _may_ask_to_confirm(subject)
    wanted = subject.request.POST.get("confirm", "")
    chosen = [each for each in subject.people if wanted in ("all", str(each.pk))]
    if not chosen:
        raise NotFound("contestant.none", "Everybody whom you name has confirmed an address.")
    data = {"season": subject.season.pk}
    asked, paused = confirmations_send(subject.request, chosen, subject.user, data)
    said = []
    if asked:
        said.append("Whoever has given an address is asked to confirm it once more.")
    if paused:
        said.append(f"Asked within a day, and not asked again: {paused}.")
    return Done(" ".join(said))


ASK_TO_CONFIRM: Final = Action[AtUnconfirmed](
    name="confirm",
    label="Send again",
    title="No confirmed address",
    button="Send again",
    done="They are asked to confirm their addresses.",
    check=_may_ask_to_confirm,
    run=_ask_to_confirm,
    at_once=True,
)

ROSTER: Final = Actions[Any]("roster", (ENROL, ENROL_MANY, ASK_TO_CONFIRM))


# -- who would enter -----------------------------------------------------------------------------


def _may_approve(subject: AtApplication) -> None:
    applications.must_be_deciding(subject.season, subject.user)
    applications.must_be_asked(subject.application)


def _may_decline(subject: AtApplication) -> None:
    applications.must_be_deciding(subject.season, subject.user)
    applications.must_be_undecided(subject.application)


def _waits(subject: AtApplication) -> bool:
    return subject.application.status == ApplicationStatus.WAITING


def _may_allow(subject: AtApplication) -> None:
    applications.must_be_deciding(subject.season, subject.user)
    applications.must_be_allowable(subject.application)


def _approved(subject: AtSeason, rows: Sequence[SeasonApplication]) -> Done:
    entered = applications.applications_approve(
        acting_user=subject.user, season=subject.season, applications=rows
    )
    into = f"{len(entered.contestants)} taken in."
    if not entered.waiting:
        return Done(into)
    waiting = f"{len(entered.waiting)} on the waiting list."
    return Done(f"{into} {waiting}" if entered.contestants else waiting)


APPROVE: Final = Action[AtApplication](
    name="approve",
    label="Approve",
    title=lambda s: f"Take {s.application.user.shown_name} in",
    button="Approve",
    done="Taken in.",
    check=_may_approve,
    run=lambda s, _form: _approved(s, [s.application]),
    at_once=True,
)
DECLINE: Final = Action[AtApplication](
    name="decline",
    label=lambda s: "Take off the list" if _waits(s) else "Decline",
    title=lambda s: (
        f"Take {s.application.user.shown_name} off the waiting list"
        if _waits(s)
        else f"Decline {s.application.user.shown_name}"
    ),
    button=lambda s: "Take them off" if _waits(s) else "Decline",
    done=lambda s: (
        f"{s.application.user.shown_name} is "
        f"{'off the waiting list' if _waits(s) else 'declined'}, and told so."
    ),
    check=_may_decline,
    form=lambda _s: DeclineForm,
    run=lambda s, form: applications.application_decline(
        acting_user=s.user, application=s.application, why=form.cleaned_data["why"]
    ),
)
ALLOW: Final = Action[AtApplication](
    name="allow",
    label="Let them apply again",
    title=lambda s: f"Let {s.application.user.shown_name} apply again",
    button="Let them apply again",
    done=lambda s: f"{s.application.user.shown_name} may apply again, and is told so.",
    check=_may_allow,
    run=lambda s, _form: applications.application_allow(
        acting_user=s.user, application=s.application
    ),
    at_once=True,
)

APPLICATION: Final = Actions("application", (APPROVE, DECLINE, ALLOW))

APPROVE_MANY: Final = Action[AtSeason](
    name="approve-many",
    label="Approve the ticked",
    title="Applications",
    button="Approve the ticked",
    done="They are taken in.",
    check=lambda s: applications.must_be_deciding(s.season, s.user),
    form=lambda s: partial(ApplicationsForm, applications=s.sheet.undecided),
    run=lambda s, form: _approved(s, form.cleaned_data["tick"]),
)

APPLICATIONS: Final = Actions("applications", (APPROVE_MANY,))


# -- who is there ---------------------------------------------------------------------------------


def _may_check_in(subject: AtContestant) -> None:
    subject.must_manage(Right.PEOPLE)
    check_in.must_be_able_to_check_in(subject.contestant, subject.user, now_utc())


OPEN_CHECK_IN: Final = Action[AtSeason](
    name="open",
    label="Open check-in",
    title="Check-in",
    button=lambda s: "Open it" if s.season.check_in_until is None else "Set another hour",
    done="Check-in is open, and who has not checked in is told.",
    follows=[
        "Everybody who is in is asked to check in on the season's page.",
        "After the hour you can strike off who has not, and those who wait move up.",
    ],
    check=lambda s: check_in.must_be_openable(s.season, s.user),
    form=lambda s: partial(CheckInForm, user=s.user, until=s.season.check_in_until),
    run=lambda s, form: check_in.check_in_open(
        acting_user=s.user, season=s.season, until=form.cleaned_data["until"]
    ),
)


def _strike_follows(subject: AtSeason) -> Sequence[str]:
    names = [each.shown_name for each in subject.sheet.still_in if each.checked_in_at is None]
    if not names:
        return ["Everybody is there: nobody is struck off, and check-in ends."]
    return [
        f"Struck off, since not checked in by the hour: {named(names, most=len(names))}.",
        "Those who wait move up. Check-in ends by that.",
    ]


CLOSE_CHECK_IN: Final = Action[AtSeason](
    name="close",
    label="Call it off",
    title="Call check-in off",
    button="Call it off",
    done="There is no check-in any more.",
    check=lambda s: check_in.must_be_closable(s.season, s.user),
    run=lambda s, _form: check_in.check_in_close(acting_user=s.user, season=s.season),
    at_once=True,
)
STRIKE_ABSENT: Final = Action[AtSeason](
    name="strike-absent",
    label="Strike off who has not checked in",
    title="Strike off who has not checked in",
    button="Strike them off",
    done="They are struck off.",
    follows=_strike_follows,
    check=lambda s: check_in.must_be_over(s.season, s.user, now_utc()),
    run=lambda s, _form: Done(
        f"{len(check_in.absent_strike_off(acting_user=s.user, season=s.season))} struck off."
    ),
    danger=True,
)
CHECK_THEM_IN: Final = Action[AtContestant](
    name="contestant",
    label="Check in",
    title=lambda s: f"Check {s.contestant} in",
    button="Check in",
    done=lambda s: f"{s.contestant} is checked in.",
    check=_may_check_in,
    run=lambda s, _form: check_in.contestant_check_in(acting_user=s.user, contestant=s.contestant),
    at_once=True,
)

CHECK_IN: Final = Actions[Any](
    "check-in", (OPEN_CHECK_IN, CLOSE_CHECK_IN, STRIKE_ABSENT, CHECK_THEM_IN)
)


# -- one of them ---------------------------------------------------------------------------------


def _may_remove(subject: AtContestant) -> None:
    subject.must_manage(Right.PEOPLE)
    departures.must_be_removable(subject.contestant)


def _may_withdraw(subject: AtContestant) -> None:
    subject.must_manage(Right.PEOPLE)
    subject.must_not_meet()
    departures.must_be_in(subject.contestant)


def _may_return(subject: AtContestant) -> None:
    subject.must_manage(Right.PEOPLE)
    departures.must_be_returnable(subject.contestant)


def _may_replace(subject: AtContestant) -> None:
    subject.must_manage(Right.PEOPLE)
    subject.must_not_meet()
    departures.must_be_replaceable(subject.contestant, subject.undecided)


def _may_renew_link(subject: AtContestant) -> None:
    subject.must_manage(Right.PEOPLE)
    held.must_be_renewable(subject.contestant)


def _renew_link(subject: AtContestant, _form: Any) -> str:
    held.place_link_renew(acting_user=subject.user, contestant=subject.contestant)
    return subject.address("invitations")


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

RENEW_LINK: Final = Action[AtContestant](
    name="link",
    label="New link",
    title=lambda s: f"A new link to the place of {s.contestant.shown_name}",
    button="Make a new link",
    done="The place has a new link.",
    follows=["An earlier link leads nowhere from then on."],
    check=_may_renew_link,
    run=_renew_link,
)

CONTESTANT: Final = Actions("contestant", (RENEW_LINK, REMOVE, RETURN, REPLACE, WITHDRAW))
