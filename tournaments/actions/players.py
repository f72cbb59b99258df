"""What people do in a season for themselves: enter and leave, choose what is played, agree on
times, be ready, give items and bring them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from django.urls import reverse

from core.actions import Action, Actions, Done
from core.clock import now_utc
from core.refusals import Forbidden, NotFound, Refusal
from tournaments import audience
from tournaments.actions.follows import FOLLOW, UNFOLLOW
from tournaments.actions.items import without_items
from tournaments.actions.ledger import OFFER, PAY, USE_TOKEN
from tournaments.actions.predictions import PREDICT, PREDICT_WINNER
from tournaments.actions.subjects import (
    AtContestant,
    AtDeathMatch,
    AtInvitation,
    AtItem,
    AtLeg,
    AtPerson,
    AtProposal,
    AtSeason,
)
from tournaments.forms.death_matches import RulesForm
from tournaments.forms.items import GiftForm
from tournaments.forms.people import ApplicationForm, WithdrawForm
from tournaments.forms.times import ProposalForm
from tournaments.lifecycle import ContestantStatus, SeasonStatus
from tournaments.models import Contestant, TimeProposal
from tournaments.models.seasons import WayIn
from tournaments.reading.times import both_free
from tournaments.services import legs
from tournaments.services.contestants import (
    applications,
    check_in,
    departures,
    enrolment,
    invitations,
)
from tournaments.services.contestants.enrolment import Entered
from tournaments.services.contestants.places import standing_of
from tournaments.services.guards import must_not_be_archived
from tournaments.services.items import declarations, gifts
from tournaments.services.scheduling import agreeing, readiness


def _may_join(subject: AtPerson) -> None:
    enrolment.must_be_open_to_everybody(subject.season)
    enrolment.must_not_be_declined(subject.application)
    enrolment.must_be_enrollable(subject.season, subject.person, subject.contestant)
    subject.must_not_wait()


def _join(subject: AtPerson, _form: Any) -> Done:
    entered = enrolment.contestant_join(acting_user=subject.user, season=subject.season)
    return _entered(entered, "You are enrolled.")


def _entered(entered: Entered, words: str) -> Done:
    if not entered.waiting:
        return Done(words)
    which = standing_of(entered.waiting[0])
    return Done(f"All places are taken: you are number {which} on the waiting list.")


def _entering_follows(subject: AtSeason) -> Sequence[str]:
    if not subject.sheet.is_full:
        return _ENTERED
    return (
        "All places are taken: you go on the waiting list.",
        "When a place becomes free and you are next, it is yours, and you are told.",
    )


def _may_apply(subject: AtPerson) -> None:
    applications.must_be_appliable(
        subject.season, subject.person, subject.contestant, subject.application
    )


def _applying_follows(subject: AtPerson) -> Sequence[str]:
    follows = ["The organisers decide who takes part, and you are told."]
    if subject.sheet.is_full:
        follows.append("All places are taken: whoever is approved now waits for one.")
    return [*follows, "You can take your application back until then."]


def _apply(subject: AtPerson, form: Any) -> None:
    applications.application_make(
        acting_user=subject.user, season=subject.season, words=form.cleaned_data["words"]
    )


def _may_take_back(subject: AtPerson) -> None:
    row = subject.application
    if row is None:
        raise NotFound("applicant.none", "You have not applied.")
    must_not_be_archived(subject.season)
    applications.must_be_undecided(row)


def _take_back(subject: AtPerson, _form: Any) -> None:
    row = subject.application
    if row is None:
        raise NotFound("applicant.none", "You have not applied.")
    applications.application_withdraw(acting_user=subject.user, application=row)


def _may_accept(subject: AtInvitation) -> None:
    invitations.must_be_acceptable(
        subject.invitation, subject.season, subject.user, subject.own, now_utc()
    )
    if not subject.invitation.for_place:
        subject.must_not_wait()


def _accepting_follows(subject: AtInvitation) -> Sequence[str]:
    return _ENTERED if subject.invitation.for_place else _entering_follows(subject)


def _accept(subject: AtInvitation, _form: Any) -> Done:
    entered = invitations.invitation_accept(acting_user=subject.user, invitation=subject.invitation)
    return _entered(entered, "You are in.")


def _may_check_in(subject: AtContestant) -> None:
    check_in.must_be_able_to_check_in(subject.contestant, subject.user, now_utc())


def _may_leave(subject: AtContestant) -> None:
    must_not_be_archived(subject.season)
    departures.must_be_in(subject.contestant)


def _way_back(contestant: Contestant) -> str:
    """How somebody who leaves may come back."""
    season, link = contestant.season, contestant.invitation
    if season.status == SeasonStatus.ENROLLING:
        if season.way_in == WayIn.OPEN:
            return "Until it begins you can enrol again."
        if link is not None and not link.for_place and link.is_open(now_utc()):
            return (
                "Until it begins you can come back by the link that you came by, while it is open."
            )
    return "Only its organisers can bring you back."


def _leaving_follows(subject: AtContestant) -> Sequence[str]:
    follows = [f"You leave the season. {_way_back(subject.contestant)}"]
    if subject.contestant.status == ContestantStatus.ACTIVE:
        follows.append("Your death matches that are not decided yet are won by your opponents.")
    return follows


def _leave(subject: AtContestant, form: Any) -> None:
    departures.contestant_withdraw(
        acting_user=subject.user, contestant=subject.contestant, why=form.cleaned_data["why"]
    )


def _may_choose_rules(subject: AtDeathMatch) -> None:
    if audience.seat_of(subject.death_match, subject.user) is None:
        raise Forbidden("rules.not-allowed", "Only those who play choose here.")
    known = subject.with_legs.legs
    legs.legs_open_to_rules(subject.death_match, subject.user, legs=known)


def _rules_form(subject: AtDeathMatch) -> Callable[..., RulesForm]:
    return partial(
        RulesForm,
        legs=subject.with_legs.counting,
        user=subject.user,
        games=subject.season.repertoire,
    )


def _choose_rules(subject: AtDeathMatch, form: Any) -> None:
    chosen = form.rules()
    legs.rules_set(
        acting_user=subject.user,
        death_match=subject.death_match,
        ruleset=chosen["ruleset"],
        variant=chosen["variant"],
    )


def _confirm(subject: AtLeg, _form: Any) -> Done | None:
    leg = readiness.leg_confirm(acting_user=subject.user, leg=subject.leg)
    if leg.match_id is None:
        return None
    # It has begun: the board says so.
    return Done("", reverse("games:match", args=[leg.match_id]))


def _may_give(subject: AtContestant) -> None:
    sheet = subject.sheet
    gifts.must_be_a_giver(
        subject.season,
        subject.contestant,
        subject.user,
        meetings=[(each.row, each.legs) for each in sheet.with_legs],
        given=sheet.gifts_for(subject.user),
    )


def _gift_form(subject: AtContestant) -> Callable[..., GiftForm]:
    sheet = subject.sheet
    return partial(
        GiftForm,
        receivers=sheet.still_in,
        givers=None,
        meetings=sheet.open_to_items,
        games=subject.season.repertoire,
        secrets=subject.season.secret_gifts,
    )


def _give(subject: AtContestant, form: Any) -> None:
    gifts.item_give(
        acting_user=subject.user, season=subject.season, giver=subject.contestant, **form.gift()
    )


def _proposal_form(subject: AtLeg) -> Callable[..., ProposalForm]:
    return partial(ProposalForm, leg=subject.leg, user=subject.user)


def _propose(subject: AtLeg, form: Any) -> Done:
    made = agreeing.times_propose(
        acting_user=subject.user, leg=subject.leg, times=form.cleaned_data["times"]
    )
    return Done(" ".join(["Your opponent is told.", *_remarks(subject, made)]))


def _remarks(subject: AtLeg, made: TimeProposal) -> list[str]:
    """That something proposed is outside of the hours that the other has marked."""
    free = both_free(subject.death_match)
    if free is None:
        return []
    (other,) = agreeing.owing(subject.leg, made)
    outside = [each for each in made.times if other in free.proposed(each, other).outside]
    if not outside:
        return []
    what = "This time is" if len(made.times) == 1 else f"{len(outside)} of these times are"
    if len(outside) == 1 < len(made.times):
        what = "One of these times is"
    return [f"{what} outside the hours that {other.shown_name} has marked as free."]


def _accept_time(subject: AtProposal, _form: Any) -> None:
    if subject.time is None:
        raise Refusal("times.not-offered", "This time is not among those proposed.")
    agreeing.proposal_accept(acting_user=subject.user, proposal=subject.proposal, time=subject.time)


def _may_answer(subject: AtProposal) -> None:
    agreeing.must_be_answerable(subject.proposal, subject.leg, subject.user)


_ENTERED: Final = (
    "Your name stands on the season's public pages from now on.",
    "You can withdraw again before it begins without anything being lost.",
)
JOIN: Final = Action[AtPerson](
    name="join",
    label="Enrol",
    title=lambda s: f"Enrol in {s.season.name}",
    button="Enrol",
    done="You are enrolled.",
    follows=_entering_follows,
    check=_may_join,
    run=_join,
)
APPLY: Final = Action[AtPerson](
    name="apply",
    label="Apply",
    title=lambda s: f"Apply to {s.season.name}",
    button="Apply",
    done="You have applied. The organisers decide, and you are told.",
    follows=_applying_follows,
    check=_may_apply,
    form=lambda _s: ApplicationForm,
    run=_apply,
)
TAKE_BACK: Final = Action[AtPerson](
    name="take-back",
    label="Take it back",
    title="Take it back",
    button="Take it back",
    done="You have taken it back.",
    check=_may_take_back,
    run=_take_back,
    at_once=True,
)
ACCEPT: Final = Action[AtInvitation](
    name="accept",
    label="Take part",
    title=lambda s: f"You are invited to {s.season.name}",
    button="Take part",
    done="You are in.",
    follows=_accepting_follows,
    check=_may_accept,
    run=_accept,
)
CHECK_IN: Final = Action[AtContestant](
    name="check-in",
    label="Check in",
    title="Check in",
    button="Check in",
    done="You have checked in.",
    check=_may_check_in,
    run=lambda s, _form: check_in.contestant_check_in(acting_user=s.user, contestant=s.contestant),
    at_once=True,
)
LEAVE: Final = Action[AtContestant](
    name="leave",
    label="Withdraw",
    title=lambda s: f"Withdraw from {s.season.name}",
    button="Withdraw",
    done="You have withdrawn.",
    follows=_leaving_follows,
    check=_may_leave,
    form=lambda _s: WithdrawForm,
    run=_leave,
    danger=True,
)
CHOOSE_RULES: Final = Action[AtDeathMatch](
    name="choose-rules",
    label="Choose the game",
    title="Choose the game",
    button="Play this",
    done="It is decided what is played.",
    follows=["The lower seed chooses, once, from the season's list."],
    check=_may_choose_rules,
    form=_rules_form,
    run=_choose_rules,
)
CONFIRM: Final = Action[AtLeg](
    name="confirm",
    label="I am ready",
    title=lambda s: f"Ready for {s.which}",
    button="I am ready",
    done=lambda s: (
        "You are ready. Once both of you are, the match waits until you have both looked in and "
        "your numbers are open."
        if legs.will_gather(s.season, s.leg)
        else "You are ready. The match begins when both of you are."
    ),
    check=lambda s: readiness.must_be_confirmable(s.leg, s.user, legs=s.legs),
    run=_confirm,
    at_once=True,
)
UNCONFIRM: Final = Action[AtLeg](
    name="unconfirm",
    label="I am not ready after all",
    title=lambda s: f"Not ready for {s.which}",
    button="I am not ready after all",
    done="You are not down as ready any more.",
    check=lambda s: readiness.confirming_seat(s.leg, s.user),
    run=lambda s, _form: readiness.leg_unconfirm(acting_user=s.user, leg=s.leg),
    at_once=True,
)
PROPOSE: Final = Action[AtLeg](
    name="propose-times",
    label="Propose times",
    title=lambda s: f"Propose when {s.which} is played",
    button="Propose",
    done="Your opponent is told.",
    follows=[
        "Propose up to three times: your opponent accepts one, declines, or proposes others.",
        "What was proposed before gives way to it.",
    ],
    check=lambda s: agreeing.must_be_proposable(s.leg, s.user),
    form=_proposal_form,
    run=_propose,
)
ACCEPT_TIME: Final = Action[AtProposal](
    name="accept-time",
    label="Accept",
    title=lambda s: f"When {s.which} is played",
    button="Accept",
    done="It is agreed: both of you are told.",
    check=_may_answer,
    run=_accept_time,
)
DECLINE_TIMES: Final = Action[AtProposal](
    name="decline-times",
    label="None of them",
    title=lambda s: f"When {s.which} is played",
    button="None of them",
    done="Your opponent is told that you can make none of these times.",
    check=_may_answer,
    run=lambda s, _form: agreeing.proposal_decline(acting_user=s.user, proposal=s.proposal),
    at_once=True,
)
WITHDRAW_TIMES: Final = Action[AtProposal](
    name="withdraw-times",
    label="Take it back",
    title=lambda s: f"When {s.which} is played",
    button="Take it back",
    done="You have taken your proposal back.",
    check=lambda s: agreeing.must_be_withdrawable(s.proposal, s.leg, s.user),
    run=lambda s, _form: agreeing.proposal_withdraw(acting_user=s.user, proposal=s.proposal),
    at_once=True,
)
GIVE: Final = Action[AtContestant](
    name="give",
    label="Give an item",
    title="Give an item",
    button="Give it",
    done="The item is given.",
    follows=lambda s: [
        "Who is out gives one item for a death match, and one for each match of the final.",
        *without_items(s.sheet),
        gifts.who_knows(s.season),
        "Only an organiser can take it back.",
    ],
    check=_may_give,
    form=_gift_form,
    run=_give,
)

BRING: Final = Action[AtItem](
    name="bring",
    label="Bring it",
    title="Items to bring",
    button="Bring it",
    done="You bring it. Nobody else sees so before the match begins.",
    check=lambda s: declarations.must_be_bringable(s.leg, s.gift, s.user),
    run=lambda s, _form: declarations.item_declare(
        acting_user=s.user, leg=s.leg, gift=s.gift, target=s.target
    ),
    at_once=True,
)
LEAVE_AT_HOME: Final = Action[AtItem](
    name="leave-at-home",
    label="Leave it at home",
    title="Items to bring",
    button="Leave it at home",
    done="You leave it at home.",
    check=lambda s: declarations.must_be_declared(s.leg, s.gift, s.user),
    run=lambda s, _form: declarations.item_undeclare(acting_user=s.user, leg=s.leg, gift=s.gift),
    at_once=True,
)

OWN: Final = Actions[Any](
    "own",
    (
        JOIN, APPLY, TAKE_BACK, ACCEPT, CHECK_IN, LEAVE, CHOOSE_RULES, PROPOSE, ACCEPT_TIME,
        DECLINE_TIMES, WITHDRAW_TIMES, CONFIRM, UNCONFIRM, GIVE, BRING, LEAVE_AT_HOME, PAY,
        USE_TOKEN, OFFER, FOLLOW, UNFOLLOW, PREDICT_WINNER, PREDICT,
    ),
)  # fmt: skip
