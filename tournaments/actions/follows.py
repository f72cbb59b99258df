"""Following a season, and doing so no more."""

from __future__ import annotations

from typing import Final

from core.actions import Action
from tournaments.actions.subjects import AtPerson
from tournaments.services import follows


def _may_follow(subject: AtPerson) -> None:
    sheet = subject.sheet
    follows.must_be_followable(
        subject.season,
        contestant=subject.contestant,
        organises=subject.person in sheet.organisers,
        already=sheet.following(subject.person).own,
    )


def _may_unfollow(subject: AtPerson) -> None:
    follows.must_follow(follows=subject.sheet.following(subject.person).own)


FOLLOW: Final = Action[AtPerson](
    name="follow",
    label="Follow",
    title=lambda s: f"Follow {s.season.name}",
    button="Follow",
    done="You follow this season: you are told what happens in it.",
    check=_may_follow,
    run=lambda s, _form: follows.season_follow(acting_user=s.user, season=s.season),
    at_once=True,
)
UNFOLLOW: Final = Action[AtPerson](
    name="unfollow",
    label="Unfollow",
    title=lambda s: f"Unfollow {s.season.name}",
    button="Unfollow",
    done="You do not follow this season any more.",
    check=_may_unfollow,
    run=lambda s, _form: follows.season_unfollow(acting_user=s.user, season=s.season),
    at_once=True,
)
