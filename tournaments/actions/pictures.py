"""What people can do about pictures: put one up, take it off, and take it away as a moderator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from accounts.models import User
from accounts.moderation.forms import ReasonForm
from core.actions import Action, Actions
from core.admin.links import row_link
from tournaments.actions.subjects import AtContestant, AtMainMatchPicture, AtRound, AtSeason
from tournaments.forms.pictures import MainMatchPictureForm, PictureForm, SeasonPictureForm
from tournaments.models import Picture
from tournaments.services import pictures


@dataclass(frozen=True)
class AtPicture:
    """A moderator, and a picture."""

    moderator: User
    picture: Picture


def _set_season(subject: AtSeason, form: Any) -> None:
    pictures.picture_set(
        acting_user=subject.user,
        owner=subject.season,
        content=form.content,
        alt=form.cleaned_data["alt"],
    )


SET_SEASON: Final = Action[AtSeason](
    name="set",
    label="Picture",
    title="Picture of the season",
    button="Put it up",
    done="The season has this picture.",
    follows=[
        "It stands on the season's pages, on the list of seasons, and where somebody links to it.",
        "It is cut to a wide picture in the middle.",
    ],
    check=lambda s: pictures.must_be_able_to_set(s.season, s.user),
    form=lambda _s: SeasonPictureForm,
    run=_set_season,
)
REMOVE_SEASON: Final = Action[AtSeason](
    name="remove",
    label="Take the picture off",
    title="Take the picture off",
    button="Take it off",
    done="The season has no picture.",
    check=lambda s: pictures.must_be_able_to_remove(s.season, s.user),
    run=lambda s, _form: pictures.picture_remove(acting_user=s.user, owner=s.season),
    at_once=True,
)
SET: Final = Action[AtContestant](
    name="set",
    label="Picture",
    title=lambda s: f"Picture of {s.contestant}",
    button="Put it up",
    done="The picture is up.",
    follows=[
        "Whoever may see the season sees it beside the name.",
        "It is cut to a square in the middle.",
    ],
    check=lambda s: pictures.must_be_able_to_set(s.contestant, s.user),
    form=lambda _s: PictureForm,
    run=lambda s, form: pictures.picture_set(
        acting_user=s.user, owner=s.contestant, content=form.content
    ),
)
REMOVE: Final = Action[AtContestant](
    name="remove",
    label="Take the picture off",
    title="Take the picture off",
    button="Take it off",
    done="The picture is off.",
    check=lambda s: pictures.must_be_able_to_remove(s.contestant, s.user),
    run=lambda s, _form: pictures.picture_remove(acting_user=s.user, owner=s.contestant),
    at_once=True,
)


def _may_add(subject: AtRound) -> None:
    pictures.must_be_able_to_set(pictures.another_of(subject.episode), subject.user)


def _add(subject: AtRound, form: Any) -> None:
    pictures.picture_set(
        acting_user=subject.user,
        owner=pictures.another_of(subject.episode),
        content=form.content,
        alt=form.cleaned_data["alt"],
    )


ADD: Final = Action[AtRound](
    name="add",
    label="Pictures",
    title=lambda s: f"{s.round.name}: pictures of the main match",
    button="Put it up",
    done="The picture is up.",
    follows=[
        "It stands below the scores on the round's page, once it is recorded or they are shown.",
        "Until then only those who run episodes see it.",
        "It is cut to four by three in the middle.",
    ],
    check=_may_add,
    form=lambda _s: MainMatchPictureForm,
    run=_add,
)
TAKE_OFF: Final = Action[AtMainMatchPicture](
    name="remove",
    label="Take it off",
    title="Take the picture off",
    button="Take it off",
    done="The picture is off.",
    check=lambda s: pictures.must_be_able_to_remove(s.hung, s.user),
    run=lambda s, _form: pictures.picture_remove(acting_user=s.user, owner=s.hung),
    at_once=True,
)


def keeps_pictures(subject: AtRound) -> bool:
    """Whether there is anything to be done about the pictures of a main match."""
    if not subject.comes_to("main_match_pictures") or not subject.is_episode:
        return False
    return ADD.offered(subject) or any(
        TAKE_OFF.offered(AtMainMatchPicture(subject.user, subject.sheet, subject.round, each))
        for each in subject.sheet.pictures_of(subject.with_placements)
    )


SEASON_PICTURE: Final = Actions("season-picture", (SET_SEASON, REMOVE_SEASON))
CONTESTANT_PICTURE: Final = Actions("contestant-picture", (SET, REMOVE))
MAIN_MATCH_PICTURE: Final = Actions[Any]("main-match-picture", (ADD, TAKE_OFF))


TAKE_AWAY: Final = Action[AtPicture](
    name="take-away",
    label="Take it away…",
    title="Take a picture away",
    button="Take it away",
    done="The picture is taken away.",
    follows=[
        "It is deleted for good.",
        "Who put it up is told, with the reason.",
    ],
    facts=lambda s: [
        ("Season", row_link(s.picture.season)),
        ("Put up by", row_link(s.picture.by)),
    ],
    check=lambda s: pictures.must_be_able_to_take_away(s.picture, s.moderator),
    form=lambda _s: ReasonForm,
    run=lambda s, form: pictures.picture_take_away(
        acting_user=s.moderator, picture=s.picture, why=form.cleaned_data["reason"]
    ),
    danger=True,
)

PICTURE: Final = Actions("picture", (TAKE_AWAY,))
