"""What everybody begins with, and what becomes of what somebody has who leaves, comes back or gives
their place to another. Parts of those actions, under the season's lock."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Exists, OuterRef

from tournaments.models import Contestant, EntryKind, LedgerEntry, Season, Unit, Wager
from tournaments.services.guards import heirs_of, undecided_of
from tournaments.services.ledger.book import (
    Moved,
    entries_take_back,
    entries_write,
    pots,
    purses_of,
    standing,
)
from tournaments.services.ledger.stakes import lapse
from tournaments.trade import trade_of


def purses_open(*, season: Season, contestants: Iterable[Contestant], at: datetime) -> None:
    """Give everybody of these what the season begins with. Whoever has had it gets no more, nor
    whoever took over from them, and their purse with it."""
    trade = trade_of(season)
    if not trade.currency or not trade.start:
        return
    begun = LedgerEntry.objects.filter(season=season, kind=EntryKind.START)
    had = {pk for pk in begun.values_list("payee", flat=True) if pk is not None}
    had |= heirs_of(had)
    moved = [
        Moved(kind=EntryKind.START, amount=trade.start, payee=each)
        for each in contestants
        if each.pk not in had
    ]
    entries_write(season=season, moved=moved, by=None, at=at)


def purse_left(*, season: Season, contestant: Contestant, at: datetime) -> None:
    """What somebody has who withdraws goes to the bank, where the season says so."""
    trade = trade_of(season)
    if trade.is_on and trade.leaving == "lapses":
        lapse(season, [contestant], at=at)


def purse_return(*, season: Season, contestant: Contestant, at: datetime) -> None:
    """Whoever comes back has again what had lapsed, or what everybody begins with."""
    if not trade_of(season).is_on:
        return
    lapsed = standing(season).filter(payer=contestant, kind=EntryKind.LAPSE)
    entries_take_back(season=season, entries=lapsed, why="They are back in.", by=None, at=at)
    purses_open(season=season, contestants=[contestant], at=at)


def purse_pass(*, season: Season, old: Contestant, new: Contestant, at: datetime) -> None:
    """Whoever takes over a place has what its holder had; what that one would wager is theirs to
    say. What has been wagered stays so."""
    if not trade_of(season).is_on:
        return
    lapsed = standing(season).filter(payer=old, kind=EntryKind.LAPSE)
    back = "Somebody takes over the place."
    # To `new`, who holds the place by now.
    entries_take_back(season=season, entries=lapsed, why=back, by=None, at=at)
    purse = purses_of(season)[old.pk]
    moved = [
        Moved(kind=EntryKind.PASSED, amount=purse[unit], payer=old, payee=new, unit=unit)
        for unit in Unit
        if purse[unit] > 0
    ]
    entries_write(season=season, moved=moved, by=None, at=at)
    for each in undecided_of(new).exclude(Exists(pots(OuterRef("pk")))):
        side = "home_offer" if each.home_id == new.pk else "away_offer"
        Wager.objects.filter(death_match=each).update(**{side: None})
