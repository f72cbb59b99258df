"""What is done about what a season trades in: by contestants for themselves, and by organisers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from accounts.moderation.standing import why_silent
from core.actions import Action, Actions, Done
from tournaments.actions.subjects import AtContestant, AtDeathMatch, AtEntry, AtSeason
from tournaments.forms.base import PublicReasonForm, ServiceForm
from tournaments.forms.ledger import GrantForm, HolderForm, PayForm, WagerForm
from tournaments.models import Contestant
from tournaments.rights import Right
from tournaments.services.ledger import acts, immunity, stakes
from tournaments.services.ledger.book import form_key, holds, is_over
from tournaments.trade import Trade


def _holders(subject: AtSeason) -> list[Contestant]:
    """Whoever has a purse, but for who acts."""
    return [
        each
        for each in subject.sheet.contestants
        if each.user_id != subject.user.pk and holds(subject.season, each)
    ]


def _seen_by(trade: Trade) -> str:
    if trade.hidden:
        return "What everybody has is hidden: everybody is told that, and not how much."
    return "Everybody sees it in the ledger."


# -- by contestants ------------------------------------------------------------------------------


def _may_pay(subject: AtContestant) -> None:
    acts.must_be_giving(subject.season, subject.contestant)


def _pay_follows(subject: AtContestant) -> Sequence[str]:
    silenced = why_silent(subject.user)
    return [
        _seen_by(subject.sheet.trade),
        "It cannot be undone: an organiser can take back what was a mistake.",
        *([f"You pay without a note. {silenced}"] if silenced else []),
    ]


def _pay_form(subject: AtContestant) -> Callable[..., ServiceForm]:
    return partial(
        PayForm,
        trade=subject.sheet.trade,
        people=_holders(subject),
        key=form_key(subject.season, subject.user),
        may_write=not why_silent(subject.user),
    )


def _pay(subject: AtContestant, form: Any) -> None:
    acts.ledger_give(acting_user=subject.user, season=subject.season, **form.payment())


def _may_spend(subject: AtContestant) -> None:
    immunity.must_be_spending(subject.season, subject.contestant, subject.user)


def _may_offer(subject: AtDeathMatch) -> None:
    stakes.must_be_offering(subject.death_match, subject.user, legs=subject.with_legs.legs)


def _offer(subject: AtDeathMatch, form: Any) -> Done:
    agreed = stakes.wager_offer(
        acting_user=subject.user,
        death_match=subject.death_match,
        amount=form.cleaned_data["amount"],
    )
    if agreed:
        return Done("Both of you say the same: it is wagered.")
    return Done("Your opponent sees what you would wager.")


PAY: Final = Action[AtContestant](
    name="pay",
    label="Give",
    title=lambda s: f"Give {' or '.join(s.sheet.trade.said(None, u) for u in s.sheet.trade.gives)}",
    button="Give",
    done="It is given.",
    follows=_pay_follows,
    check=_may_pay,
    form=_pay_form,
    run=_pay,
)
USE_TOKEN: Final = Action[AtContestant](
    name="immunity",
    label="Use an immunity token",
    title="Use an immunity token",
    button="Use it",
    done="You are immune in this episode.",
    follows=["You cannot be chosen in the episode that is on.", "Everybody is told."],
    check=_may_spend,
    run=lambda s, _form: immunity.token_spend(acting_user=s.user, contestant=s.contestant),
)
OFFER: Final = Action[AtDeathMatch](
    name="wager",
    label="Wager",
    title=lambda s: f"What you wager in {s.death_match}",
    button="I wager this",
    done="",
    follows=[
        "It holds once both of you say the same: both put as much in, and the winner takes both.",
        "Your opponent and the organisers see what you say.",
    ],
    check=_may_offer,
    form=lambda s: partial(WagerForm, trade=s.sheet.trade),
    run=_offer,
)


# -- by organisers -------------------------------------------------------------------------------


def _may_grant(subject: AtSeason) -> None:
    subject.must_manage(Right.LEDGER)
    acts.must_be_granting(subject.season, subject.user)


def _grant_form(subject: AtSeason) -> Callable[..., ServiceForm]:
    sheet = subject.sheet
    return partial(
        GrantForm,
        trade=sheet.trade,
        people=_holders(subject),
        rounds=sheet.rounds,
        key=form_key(subject.season, subject.user),
    )


def _grant(subject: AtSeason, form: Any) -> None:
    acts.ledger_grant(acting_user=subject.user, season=subject.season, **form.grant())


def _may_enter_tokens(subject: AtSeason) -> None:
    subject.must_manage(Right.LEDGER)
    immunity.must_enter_for_others(subject.season, subject.user)
    immunity.episode_for_tokens(subject.season)


def _token_holders(subject: AtSeason) -> list[Contestant]:
    return [
        each for each in _holders(subject) if subject.sheet.purses.get(each.pk, {}).get("token", 0)
    ]


def _entry_facts(subject: AtEntry) -> Sequence[tuple[object, object]]:
    entry = subject.entry
    return [
        ("What", subject.sheet.trade.said(entry.amount, entry.unit)),
        ("From", entry.payer.shown_name if entry.payer else "the bank"),
        ("To", entry.payee.shown_name if entry.payee else "the bank"),
    ]


def _reason_read_by(subject: AtEntry) -> str:
    """Who reads why an entry is taken back: whoever may see it."""
    if not subject.sheet.trade.hidden or is_over(subject.season):
        return "Everybody will read it."
    return (
        "Those whom the entry concerns read it, and organisers who do not play; everybody, once "
        "the season is over."
    )


def _may_correct(subject: AtEntry) -> None:
    subject.must_manage()
    if subject.around is not None:
        acts.must_come_back(subject.entry, subject.around)
    else:
        acts.must_be_correctable(subject.season, subject.entry, subject.user)


def _wager_facts(subject: AtDeathMatch) -> Sequence[tuple[object, object]]:
    """What both have said, and what is wagered."""
    row = subject.death_match
    said = stakes.said_of(row, subject.user)
    if said is None:
        return []
    agreed = stakes.wagered(row)
    if agreed:
        return [("Wagered by each", subject.sheet.trade.said(agreed[0].amount, agreed[0].unit))]
    return [
        (side.shown_name, "nothing yet" if offer is None else f"would wager {offer}")
        for side, offer in zip((row.home, row.away), said, strict=True)
        if side is not None
    ]


def _may_set_wager(subject: AtDeathMatch) -> None:
    subject.must_decide(Right.LEDGER)
    stakes.must_set_wagers(subject.season, subject.user)
    stakes.must_be_wagering(subject.death_match, legs=subject.with_legs.legs)


GRANT: Final = Action[AtSeason](
    name="grant",
    label="Enter what was won",
    title=lambda s: s.sheet.trade.title,
    button="Enter it",
    done="It is entered.",
    follows=lambda s: ["The bank gives it.", _seen_by(s.sheet.trade)],
    check=_may_grant,
    form=_grant_form,
    run=_grant,
)
ENTER_TOKEN: Final = Action[AtSeason](
    name="immunity",
    label="Enter a token that is used",
    title="Enter a token that is used",
    button="Enter it",
    done="They are immune in this episode.",
    follows=["Its holder is immune in the episode that is on. Everybody is told."],
    check=_may_enter_tokens,
    form=lambda s: partial(HolderForm, people=_token_holders(s)),
    run=lambda s, form: immunity.token_spend(
        acting_user=s.user, contestant=form.cleaned_data["contestant"]
    ),
)
CORRECT: Final = Action[AtEntry](
    name="correct",
    label="Take back",
    title="Take an entry back",
    button="Take it back",
    done="The entry is taken back.",
    follows=["It stays in the ledger, and another goes the other way, with your reason."],
    facts=_entry_facts,
    check=_may_correct,
    form=lambda s: partial(PublicReasonForm, act="take entry back", read_by=_reason_read_by(s)),
    run=lambda s, form: acts.ledger_correct(
        acting_user=s.user, entry=s.entry, why=form.cleaned_data["why"]
    ),
    danger=True,
)
SET_WAGER: Final = Action[AtDeathMatch](
    name="wager",
    label="Set the wager",
    title=lambda s: f"What both wager in {s.death_match}",
    button="Set it",
    done="The wager is set.",
    follows=[
        "Both put in as much, whatever they have said; the winner takes both.",
        "Both are told.",
    ],
    facts=_wager_facts,
    check=_may_set_wager,
    form=lambda s: partial(WagerForm, trade=s.sheet.trade),
    run=lambda s, form: stakes.wager_set(
        acting_user=s.user, death_match=s.death_match, amount=form.cleaned_data["amount"]
    ),
)

TREASURY: Final = Actions("treasury", (GRANT, ENTER_TOKEN))
ENTRY: Final = Actions("entry", (CORRECT,))
