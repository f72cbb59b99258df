"""What everybody has, and how entries are written and taken back.

Everything that writes runs under the season's lock: whoever comes second reads what the first has
written, so that nobody has less than nothing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID, uuid5

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from accounts.models import User
from core.refusals import Refusal
from games.engine.errors import EngineFault
from tournaments.lifecycle import (
    ContestantStatus,
    DeathMatchStatus,
    LegStatus,
    SeasonStatus,
)
from tournaments.models import (
    Contestant,
    DeathMatch,
    EntryKind,
    LedgerEntry,
    Leg,
    Round,
    Season,
    Unit,
    Wager,
)
from tournaments.models.ledger import AMOUNT_MAX
from tournaments.trade import Trade, trade_of

#: What both sides of a death match say, each in their own field.
OFFERS: Final = ("home_offer", "away_offer")
_SENT: Final = UUID("0f0f5c9e-8d3b-5b0e-9a55-3c1d6f1b7a42")
#: What somebody has of each unit, by contestant.
Purses = Mapping[int, Mapping[str, int]]


@dataclass(frozen=True, kw_only=True)
class Moved:
    """An entry that is to be written; None is the bank."""

    kind: EntryKind
    amount: int
    payer: Contestant | None = None
    payee: Contestant | None = None
    unit: Unit = Unit.CURRENCY
    why: str = ""
    secret: bool = False
    round: Round | None = None
    death_match: DeathMatch | None = None
    reverses: LedgerEntry | None = None


def must_trade(season: Season) -> Trade:
    """What a season trades in. Raises Refusal ``ledger.none`` where it is nothing."""
    trade = trade_of(season)
    if not trade.is_on:
        raise Refusal("ledger.none", "This season has neither a currency nor tokens.")
    return trade


def must_be_amount(amount: object) -> int:
    """Raises Refusal ``ledger.amount``."""
    if isinstance(amount, bool) or not isinstance(amount, int) or not 1 <= amount <= AMOUNT_MAX:
        raise Refusal(
            "ledger.amount", f"An amount is a whole number from 1 to {AMOUNT_MAX}.", field="amount"
        )
    return amount


def must_have_unit(trade: Trade, unit: str) -> Unit:
    """Raises Refusal ``ledger.unit`` for what the season does not have."""
    there = {Unit.CURRENCY: trade.currency, Unit.TOKEN: trade.tokens}
    if unit not in there or not there[Unit(unit)]:
        raise Refusal("ledger.unit", "This season does not have that.", field="unit")
    return Unit(unit)


def holds(season: Season, contestant: Contestant) -> bool:
    """Whether somebody has a purse that things come into and go out of: who is in, and where it
    does not lapse, who is out, too. Nobody whose place another has taken, or who has withdrawn."""
    if contestant.status in (ContestantStatus.ENROLLED, ContestantStatus.ACTIVE):
        return True
    stays = trade_of(season).leaving == "stays"
    return stays and contestant.status == ContestantStatus.ELIMINATED


def must_hold(season: Season, contestants: Iterable[Contestant]) -> None:
    """Raises Refusal ``ledger.out``."""
    for each in contestants:
        if not holds(season, each):
            raise Refusal("ledger.out", f"{each.shown_name} is out, and has no purse any more.")


# -- what everybody has --------------------------------------------------------------------------


def purses_of(season: Season) -> Purses:
    """What everybody has who ever had anything; from two queries."""
    found: dict[int, dict[str, int]] = defaultdict(lambda: dict.fromkeys(Unit.values, 0))
    entries = LedgerEntry.objects.filter(season=season).order_by()
    for side, sign in (("payee", 1), ("payer", -1)):
        rows = entries.exclude(**{side: None}).values_list(side, "unit").annotate(n=Sum("amount"))
        for holder, unit, amount in rows:
            found[holder][unit] += sign * amount
    return found


def balance_of(contestant: Contestant, unit: str = Unit.CURRENCY) -> int:
    """What one contestant has of a unit."""
    own = Q(payer=contestant) | Q(payee=contestant)
    sums = LedgerEntry.objects.filter(own, unit=unit).aggregate(
        got=Coalesce(Sum("amount", filter=Q(payee=contestant)), 0),
        gone=Coalesce(Sum("amount", filter=Q(payer=contestant)), 0),
    )
    return int(sums["got"] - sums["gone"])


def offered_by(contestant: Contestant, *, but: DeathMatch | None = None) -> int:
    """How much somebody offers to wager in what has not begun, and has not been agreed upon yet. It
    is theirs, and kept for that: could it be spent meanwhile, whoever takes the offer up would find
    out that it was."""
    begun = Leg.objects.filter(
        death_match=OuterRef("death_match"), status__in=[LegStatus.RUNNING, LegStatus.FINISHED]
    )
    rows = _unmet(contestant).filter(~Exists(begun), death_match__status=DeathMatchStatus.PLANNED)
    return sum(_offer_of(each, contestant) for each in rows if each.death_match != but)


def _unmet(contestant: Contestant) -> QuerySet[Wager]:
    """What somebody and whom they meet have offered to wager, and not agreed upon. Where something
    is in the bank for a death match, they have, and what was offered is only kept to be read."""
    sides = Q(death_match__home=contestant) | Q(death_match__away=contestant)
    rows = Wager.objects.filter(sides, ~Exists(pots(OuterRef("death_match"))))
    return rows.select_related("death_match")


def _offer_of(wager: Wager, contestant: Contestant) -> int:
    home = wager.death_match.home_id == contestant.pk
    return (wager.home_offer if home else wager.away_offer) or 0


def pots(death_match: DeathMatch | OuterRef) -> QuerySet[LedgerEntry]:
    """What both have put into the bank for a death match, and has not come back."""
    return LedgerEntry.objects.filter(
        death_match=death_match, kind=EntryKind.STAKE, payee=None, reversed_by__isnull=True
    )


# -- writing -------------------------------------------------------------------------------------


def entries_write(
    *,
    season: Season,
    moved: Sequence[Moved],
    by: User | None,
    at: datetime,
    key: UUID | None = None,
) -> list[LedgerEntry]:
    """Write entries, in their order and all or none, under the season's lock; ``key`` as
    `key_of` gives it. Raises Refusal ``ledger.short`` where somebody would have less than
    nothing."""
    if not transaction.get_connection().in_atomic_block:
        raise EngineFault("a ledger is written inside the transaction of its action")
    _must_be_covered(season, moved)
    rows = [
        LedgerEntry(
            season=season,
            kind=each.kind,
            unit=each.unit,
            amount=each.amount,
            payer=each.payer,
            payee=each.payee,
            why=each.why,
            secret=each.secret,
            round=each.round or (each.death_match.round if each.death_match else None),
            death_match=each.death_match,
            reverses=each.reverses,
            by=by,
            at=at,
            key=key,
        )
        for each in moved
    ]
    written = LedgerEntry.objects.bulk_create(rows)
    _offers_stay_covered(season, moved)
    return written


def _offers_stay_covered(season: Season, moved: Iterable[Moved]) -> None:
    """Nobody offers to wager what they do not have any more: at once, and not when somebody takes
    the offer up, who would find out by that. They have to say it anew. That is so of what has
    begun, too, which may be played anew; what is kept for the others stays."""
    unit = trade_of(season).wagers
    if unit is None:
        return
    fallen = {each.payer for each in moved if each.payer is not None and each.unit == unit}
    for each in fallen:
        has, kept = balance_of(each, unit), offered_by(each)
        for row in _unmet(each):
            if _offer_of(row, each) > has or kept > has:
                home = row.death_match.home_id == each.pk
                Wager.objects.filter(pk=row.pk).update(**{OFFERS[0 if home else 1]: None})


def _must_be_covered(season: Season, moved: Sequence[Moved]) -> None:
    """Nobody has less than nothing, at no moment."""
    if all(each.payer is None for each in moved):
        return
    have: dict[tuple[int, str], int] = {}
    for each in moved:
        for holder in (each.payer, each.payee):
            if holder is not None and (holder.pk, each.unit) not in have:
                have[holder.pk, each.unit] = balance_of(holder, each.unit)
        if each.payer is not None:
            have[each.payer.pk, each.unit] -= each.amount
            if have[each.payer.pk, each.unit] < 0:
                raise short(season, each.payer, each.unit)
        if each.payee is not None:
            have[each.payee.pk, each.unit] += each.amount


def short(season: Season, contestant: Contestant, unit: str) -> Refusal:
    """That somebody does not have so much; how much it is, is not said."""
    what = trade_of(season).said(None, unit)
    return Refusal(
        "ledger.short", f"{contestant.shown_name} does not have so many {what}.", field="amount"
    )


# -- sent twice ----------------------------------------------------------------------------------


def form_key(season: Season, user: User) -> str:
    """What a form of somebody's carries: another once they have entered something, and the same
    until then, however often it is shown. It tells them nothing but how much they have entered."""
    return str(LedgerEntry.objects.filter(season=season, by=user).count())


def key_of(season: Season, form: str, *said: object) -> UUID | None:
    """What entries are known by, of the key of their form and all that it said: one that has been
    changed since is another. None where it had no key."""
    return uuid5(_SENT, json.dumps([season.pk, form, *said])) if form else None


def sent_before(season: Season, user: User, key: UUID | None) -> list[LedgerEntry]:
    """What somebody has entered already by the form that they send; nothing the first time."""
    if key is None:
        return []
    rows = LedgerEntry.objects.filter(season=season, by=user, key=key)
    return list(rows.select_related("payer", "payee").order_by("pk"))


# -- taking back ---------------------------------------------------------------------------------


def standing(season: Season) -> QuerySet[LedgerEntry]:
    """The entries of a season that nothing has taken back, and that take nothing back."""
    rows = LedgerEntry.objects.filter(season=season, reversed_by__isnull=True)
    return rows.exclude(kind=EntryKind.CORRECTION).select_related("payer", "payee")


def heir_of(contestant: Contestant | None) -> Contestant | None:
    """Whoever holds a place now: somebody may have taken it over, and their purse with it."""
    found = contestant
    while found is not None:
        later = Contestant.objects.filter(replaces=found).first()
        if later is None:
            return found
        found = later
    return None


def entries_take_back(
    *,
    season: Season,
    entries: Iterable[LedgerEntry],
    why: str,
    by: User | None,
    at: datetime,
    made_up: bool = False,
) -> list[LedgerEntry]:
    """Take entries back, the last first, each by one that goes the other way, between those who
    hold the places now; what comes to whoever is out lapses at once, where the season says so.
    ``made_up``: what has been spent since the bank makes up, by an entry of its own; else Refusal
    ``ledger.short``."""
    written: list[LedgerEntry] = []
    came: dict[tuple[Contestant, str], int] = defaultdict(int)
    for each in sorted(entries, key=lambda each: -each.pk):
        payer, payee = heir_of(each.payee), heir_of(each.payer)
        moved = []
        lacks = 0 if payer is None else each.amount - balance_of(payer, each.unit)
        if made_up and lacks > 0:
            moved.append(
                Moved(
                    kind=EntryKind.CORRECTION,
                    amount=lacks,
                    payee=payer,
                    unit=Unit(each.unit),
                    why="Spent since: the bank makes it up.",
                    secret=each.secret,
                    round=each.round,
                    death_match=each.death_match,
                )
            )
        moved.append(
            Moved(
                kind=EntryKind.CORRECTION,
                amount=each.amount,
                payer=payer,
                payee=payee,
                unit=Unit(each.unit),
                why=why,
                secret=each.secret,
                round=each.round,
                death_match=each.death_match,
                reverses=each,
            )
        )
        written += entries_write(season=season, moved=moved, by=by, at=at)
        if payee is not None:
            came[payee, each.unit] += each.amount
    return written + _lapse_again(season, came, at=at)


def _lapse_again(
    season: Season, came: Mapping[tuple[Contestant, str], int], *, at: datetime
) -> list[LedgerEntry]:
    """What has come back to people who are out goes on to the bank, where purses lapse."""
    if trade_of(season).leaving != "lapses":
        return []
    moved = [
        Moved(
            kind=EntryKind.LAPSE,
            amount=amount,
            payer=holder,
            unit=Unit(unit),
            why="It came back to somebody who is out.",
        )
        for (holder, unit), came_back in came.items()
        if not holds(season, holder) and (amount := min(came_back, balance_of(holder, unit))) > 0
    ]
    return entries_write(season=season, moved=moved, by=None, at=at)


def is_over(season: Season) -> bool:
    """Whether a season has ended, one way or the other."""
    return season.status in (SeasonStatus.FINISHED, SeasonStatus.CANCELLED)


def negative(entries: Iterable[LedgerEntry]) -> LedgerEntry | None:
    """The first entry after which somebody has less than nothing; for invariants."""
    have: dict[tuple[int, str], int] = defaultdict(int)
    for each in entries:
        if each.payee_id is not None:
            have[each.payee_id, each.unit] += each.amount
        if each.payer_id is not None:
            have[each.payer_id, each.unit] -= each.amount
            if have[each.payer_id, each.unit] < 0:
                return each
    return None
