"""What organisers can do about items."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from core.actions import Action, Actions, Stop
from games.words import game_name
from tournaments.actions.subjects import AtGift, AtSeason
from tournaments.forms.base import PublicReasonForm
from tournaments.forms.items import GiftForm
from tournaments.items.catalogue import Item, catalogue, items_among
from tournaments.lifecycle import ContestantStatus
from tournaments.models import DeathMatch, Leg
from tournaments.reading.sheet import Sheet
from tournaments.rights import Right
from tournaments.services import legs
from tournaments.services.items import gifts, returns


def _may_grant(subject: AtSeason) -> None:
    subject.must_manage(Right.EPISODES)
    gifts.must_take_items(subject.season)


def _gift_form(subject: AtSeason) -> Callable[..., GiftForm]:
    sheet = subject.sheet
    out = [each for each in sheet.contestants if each.status == ContestantStatus.ELIMINATED]
    return partial(
        GiftForm,
        receivers=sheet.still_in,
        givers=out,
        meetings=sheet.open_to_items,
        games=subject.season.repertoire,
        secrets=subject.season.secret_gifts,
    )


def without_items(sheet: Sheet) -> list[str]:
    """What is to be said of matches that something could be given for, if any item fitted."""
    return [
        f"No item fits {game_name(leg.ruleset, leg.variant)} in {_which(row, leg)}: "
        + (
            "who begins there at an advantage is drawn by lot."
            if legs.by_items(leg)
            else "none is given for it."
        )
        for row, found in sheet.open_to_items
        for leg in found
        if leg.ruleset and not gifts.items_fitting(leg, sheet.season.repertoire)
    ]


def _which(row: DeathMatch, leg: Leg) -> str:
    return f"{row}, match {leg.number}" if row.best_of > 1 else str(row)


def items_known(sheet: Sheet) -> list[Item]:
    """Those of the catalogue that can be of use in the season, as far as is known."""
    games = sheet.season.repertoire
    found = set(items_among(games))
    for _, planned in sheet.open_to_items:
        for leg in planned:
            found.update(gifts.items_fitting(leg, games))
    return [each for each in catalogue() if each in found]


def _nothing_fits(subject: AtSeason) -> list[Stop]:
    if items_known(subject.sheet):
        return []
    return [Stop("No item fits what is played in this season: there is nothing to enter.")]


def _may_take_back(subject: AtGift) -> None:
    subject.must_manage()
    receiver = subject.sheet.by_id[subject.gift.receiver_id]
    returns.must_be_held(subject.gift, subject.user, subject.sheet.undecided_of(receiver))


GRANT: Final = Action[AtSeason](
    name="give",
    label="Enter an item",
    title="Items",
    button="Enter the item",
    done="The item is entered.",
    follows=lambda s: [
        "Enter what an eliminated contestant gives, or grant something yourselves.",
        *without_items(s.sheet),
    ],
    cautions=_nothing_fits,
    check=_may_grant,
    form=_gift_form,
    run=lambda s, form: gifts.item_give(
        acting_user=s.user,
        season=s.season,
        giver=form.cleaned_data["giver"],
        **form.gift(),
    ),
)
TAKE_BACK: Final = Action[AtGift](
    name="take-back",
    label="Take back",
    title=lambda s: f"Take an item back from {s.gift.receiver}",
    button="Take it back",
    done="The item is taken back.",
    follows=["It stays in the history, with your reason. This cannot be undone."],
    check=_may_take_back,
    form=lambda _s: partial(PublicReasonForm, act="take item back"),
    run=lambda s, form: returns.item_take_back(
        acting_user=s.user, gift=s.gift, why=form.cleaned_data["why"]
    ),
    danger=True,
)

ITEMS: Final = Actions("items", (GRANT,))
GIFT: Final = Actions("gift", (TAKE_BACK,))
