"""What organisers can do about items."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from core.actions import Action, Actions
from tournaments.actions.subjects import AtGift, AtSeason
from tournaments.forms.base import PublicReasonForm
from tournaments.forms.items import GiftForm
from tournaments.lifecycle import ContestantStatus
from tournaments.rights import Right
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
    follows=["Enter what an eliminated contestant gives, or grant something yourselves."],
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
