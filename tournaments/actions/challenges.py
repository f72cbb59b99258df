"""Challenges, where contestants challenge each other."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from core.actions import Action, Actions
from tournaments.actions.subjects import AtContestant
from tournaments.forms.base import NoForm, ServiceForm
from tournaments.forms.rounds import PairForm
from tournaments.models import Contestant
from tournaments.rights import Right


def _reach(subject: AtContestant) -> list[Contestant]:
    """Whom the contestant may challenge, nearest first."""
    reach = subject.sheet.course.in_reach(subject.contestant.pk)
    return [subject.sheet.by_id[each] for each in reach]


def _may_challenge(subject: AtContestant) -> None:
    sheet = subject.sheet
    # Before anything is read: this is asked in seasons of all formats.
    sheet.format.must_take_challenges()
    sheet.format.must_be_able_to_challenge(
        course=sheet.course, challenger=subject.contestant, acting_user=subject.user
    )


def _may_enter(subject: AtContestant) -> None:
    subject.must_manage(Right.EPISODES)
    _may_challenge(subject)


def _form(subject: AtContestant) -> Callable[..., ServiceForm]:
    reach = _reach(subject)
    return partial(PairForm, people=reach) if reach else NoForm


def _challenge(subject: AtContestant, form: Any) -> str:
    # Without anybody in reach the form names nobody.
    _may_challenge(subject)
    row = subject.sheet.format.challenge_open(
        acting_user=subject.user,
        season=subject.season,
        challenger=subject.contestant,
        defender=form.cleaned_data["opponent"],
    )
    return row.get_absolute_url()


CHALLENGE: Final = Action[AtContestant](
    name="challenge",
    label="Challenge somebody",
    title="Challenge somebody above you",
    button="Challenge",
    done="The challenge stands.",
    follows=["Beat them and you take their rung; lose and everything stays as it is."],
    check=_may_challenge,
    form=_form,
    run=_challenge,
)
ENTER: Final = Action[AtContestant](
    name="enter",
    label="Enter a challenge",
    title=lambda s: f"{s.contestant} challenges",
    button="Enter the challenge",
    done="The challenge stands.",
    check=_may_enter,
    form=_form,
    run=_challenge,
)

CHALLENGES: Final = Actions("challenges", (CHALLENGE, ENTER))
