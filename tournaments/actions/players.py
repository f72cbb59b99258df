"""What people do in a season for themselves: enter and leave, choose what is played, be ready, give
items and bring them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from django.urls import reverse

from core.actions import Action, Actions, Done
from core.clock import now_utc
from core.refusals import Forbidden
from tournaments import audience
from tournaments.actions.ledger import OFFER, PAY, USE_TOKEN
from tournaments.actions.subjects import (
    AtContestant,
    AtDeathMatch,
    AtInvitation,
    AtItem,
    AtLeg,
    AtPerson,
)
from tournaments.forms.death_matches import RulesForm
from tournaments.forms.items import GiftForm
from tournaments.forms.people import WithdrawForm
from tournaments.lifecycle import ContestantStatus
from tournaments.services import legs
from tournaments.services.contestants import departures, enrolment, invitations
from tournaments.services.guards import must_not_be_archived
from tournaments.services.items import declarations, gifts
from tournaments.services.scheduling import readiness


def _may_join(subject: AtPerson) -> None:
    enrolment.must_be_open_to_everybody(subject.season)
    enrolment.must_be_enrollable(subject.season, subject.person, subject.contestant)


def _join(subject: AtPerson, _form: Any) -> None:
    enrolment.contestant_join(acting_user=subject.user, season=subject.season)


def _may_accept(subject: AtInvitation) -> None:
    invitations.must_be_acceptable(
        subject.invitation, subject.season, subject.user, subject.own, now_utc()
    )


def _accept(subject: AtInvitation, _form: Any) -> None:
    invitations.invitation_accept(acting_user=subject.user, invitation=subject.invitation)


def _may_leave(subject: AtContestant) -> None:
    must_not_be_archived(subject.season)
    departures.must_be_in(subject.contestant)


def _leaving_follows(subject: AtContestant) -> Sequence[str]:
    follows = ["You leave the season. Only its organisers can bring you back."]
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
        given=sheet.gifts,
    )


def _gift_form(subject: AtContestant) -> Callable[..., GiftForm]:
    sheet = subject.sheet
    return partial(
        GiftForm, receivers=sheet.still_in, givers=None, death_matches=sheet.open_to_items
    )


def _give(subject: AtContestant, form: Any) -> None:
    gifts.item_give(
        acting_user=subject.user, season=subject.season, giver=subject.contestant, **form.gift()
    )


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
    follows=_ENTERED,
    check=_may_join,
    run=_join,
)
ACCEPT: Final = Action[AtInvitation](
    name="accept",
    label="Take part",
    title=lambda s: f"You are invited to {s.season.name}",
    button="Take part",
    done="You are in.",
    follows=_ENTERED,
    check=_may_accept,
    run=_accept,
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
    done="You are ready. The match begins when both of you are.",
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
GIVE: Final = Action[AtContestant](
    name="give",
    label="Give an item",
    title="Give an item",
    button="Give it",
    done="The item is given.",
    follows=[
        "Who is out gives one item for a death match, and one for each match of the final.",
        "It is public from whom it comes.",
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
        JOIN,
        ACCEPT,
        LEAVE,
        CHOOSE_RULES,
        CONFIRM,
        UNCONFIRM,
        GIVE,
        BRING,
        LEAVE_AT_HOME,
        PAY,
        USE_TOKEN,
        OFFER,
    ),
)
