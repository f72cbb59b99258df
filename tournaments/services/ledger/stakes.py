"""What a death match moves from its loser to its winner, by the season's rule, and what both wager
before it begins.

What is wagered, so much of the currency or so many tokens, goes to the bank when both have said the
same, so that it cannot be spent meanwhile; the winner gets both. It is moved with the decision, and
taken back with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Forbidden, Refusal
from tournaments import audience
from tournaments.lifecycle import PLAYABLE, STILL_IN, ContestantStatus, LegStatus
from tournaments.models import (
    Contestant,
    DeathMatch,
    EntryKind,
    LedgerEntry,
    Leg,
    Season,
    Unit,
    Wager,
)
from tournaments.rights import Right
from tournaments.services.events import season_event
from tournaments.services.guards import (
    death_match_fresh,
    death_match_lock_managed,
    instant,
    must_be_running,
    must_not_be_archived,
    season_lock,
)
from tournaments.services.ledger.book import (
    OFFERS,
    Moved,
    balance_of,
    entries_take_back,
    entries_write,
    must_be_amount,
    offered_by,
    pots,
    purses_of,
    short,
    standing,
)
from tournaments.services.ledger.telling import entries_tell, offer_tell
from tournaments.trade import Trade, trade_of

# -- before it begins ----------------------------------------------------------------------------


@transaction.atomic
def wager_offer(
    *, acting_user: User, death_match: DeathMatch, amount: int, at: datetime | None = None
) -> bool:
    """Say how much one would wager in one's death match, 0 for nothing (any more); whether both now
    say the same, and it is wagered. Nothing is learned by it of what the other has.

    Raises Refusal ``season.none``, and as `must_be_wagering` does, ``wager.not-yours``,
    ``wager.agreed``, ``ledger.amount``, ``ledger.short``.
    """
    season = season_lock(death_match.round.season_id, changes=False)
    fresh = death_match_fresh(death_match.pk)
    seat = audience.seat_of(fresh, acting_user)
    must_be_offering(fresh, acting_user)
    own = (fresh.home, fresh.away)[seat or 0]
    unit = wagered_in(season)
    if own is not None and amount != 0:
        free = balance_of(own, unit) - offered_by(own, but=fresh)
        if must_be_amount(amount) > free:
            raise short(season, own, unit)
    wager, _made = Wager.objects.get_or_create(death_match=fresh)
    before = getattr(wager, OFFERS[seat or 0])
    setattr(wager, OFFERS[seat or 0], amount or None)
    wager.save()
    audit_record(
        acting_user=acting_user, action="wager.offer", target=fresh, data={"amount": amount}
    )
    if wager.home_offer is None or wager.home_offer != wager.away_offer:
        if before != (amount or None) and own is not None:
            much = trade_of(season).said(amount, unit) if amount else "nothing any more"
            said = f"{own.name} would wager {much} in {fresh}"
            offer_tell(fresh, (fresh.away, fresh.home)[seat or 0], said, instant(at))
        return False
    _wager(season, fresh, amount, None, instant(at))
    return True


def offers_drop(season: Season) -> None:
    """Nothing is wagered in a season any more: what somebody offers is theirs to spend. What both
    have wagered stays so."""
    rows = Wager.objects.filter(death_match__round__season=season)
    rows.exclude(Exists(pots(OuterRef("death_match")))).delete()


def must_be_offering(
    death_match: DeathMatch, acting_user: User, *, legs: Iterable[Leg] | None = None
) -> None:
    """Whether somebody can say what they wager now. Raises Refusal ``wager.not-yours``, as
    `must_be_wagering` does, and ``wager.agreed``."""
    if audience.seat_of(death_match, acting_user) is None:
        raise Forbidden("wager.not-yours", "Only those who play wager here.")
    must_be_wagering(death_match, legs=legs)
    if wagered(death_match):
        raise Refusal("wager.agreed", "It is wagered: an organiser can still change it.")


@transaction.atomic
def wager_set(
    *, acting_user: User, death_match: DeathMatch, amount: int, at: datetime | None = None
) -> DeathMatch:
    """Say what both wager in a death match, 0 for nothing, as an organiser who does not play in it;
    what was wagered before comes back. Both are told.

    Raises Refusal as `guards.death_match_lock_managed`, `must_set_wagers` and `must_be_wagering`
    do, ``ledger.amount``, ``ledger.short``.
    """
    season, fresh = death_match_lock_managed(death_match, acting_user, Right.LEDGER)
    must_set_wagers(season, acting_user)
    must_be_wagering(fresh)
    at = instant(at)
    if amount != 0:
        must_be_amount(amount)
    back = _wager_back(season, fresh, why="The wager is another.", by=acting_user, at=at)
    offers = dict.fromkeys(OFFERS, amount or None)
    Wager.objects.update_or_create(death_match=fresh, defaults=offers)
    if amount:
        _wager(season, fresh, amount, acting_user, at)
    elif back:
        _tell_of_nothing(season, fresh, back, acting_user, at)
    audit_record(acting_user=acting_user, action="wager.set", target=fresh, data={"amount": amount})
    return fresh


def must_be_wagering(death_match: DeathMatch, *, legs: Iterable[Leg] | None = None) -> None:
    """Whether something can be wagered in a death match now. Raises Refusal ``season.archived``,
    ``season.not-running``, ``wager.none`` (by the season's rule), ``wager.begun``."""
    season = death_match.round.season
    must_not_be_archived(season)
    must_be_running(season)
    if trade_of(season).wagers is None:
        raise Refusal("wager.none", "Nothing is wagered in this season.")
    begun = (LegStatus.RUNNING, LegStatus.FINISHED)
    rows = death_match.legs.all() if legs is None else legs
    if death_match.status not in PLAYABLE or any(each.status in begun for each in rows):
        raise Refusal("wager.begun", "What is wagered is agreed before a death match begins.")


def wagered_in(season: Season) -> Unit:
    """What is wagered in a season in which something is."""
    return trade_of(season).wagers or Unit.CURRENCY


def must_set_wagers(season: Season, acting_user: User) -> None:
    """Whether somebody can say what others wager: nobody who plays stakes what their rivals have,
    and where purses are hidden, whether it works tells how much that is. Raises Refusal
    ``wager.not-seen``."""
    if not audience.sees_whole_ledger(season, acting_user):
        raise Forbidden(
            "wager.not-seen",
            "You play in this season: an organiser who does not says what others wager.",
        )


def said_of(death_match: DeathMatch, user: User) -> tuple[int | None, int | None] | None:
    """What the sides have said that they would wager, for whoever may see it; None for others."""
    if not audience.may_see_wager(death_match, user):
        return None
    row = Wager.objects.filter(death_match=death_match).first()
    return (None, None) if row is None else (row.home_offer, row.away_offer)


def wagered(death_match: DeathMatch) -> list[LedgerEntry]:
    """What both have put into the bank for a death match; nothing where nothing is agreed."""
    return list(pots(death_match).select_related("payer").order_by("pk"))


def _wager(
    season: Season, death_match: DeathMatch, amount: int, by: User | None, at: datetime
) -> None:
    sides = [each for each in (death_match.home, death_match.away) if each is not None]
    unit = wagered_in(season)
    entries = entries_write(
        season=season,
        moved=[
            Moved(
                kind=EntryKind.STAKE,
                amount=amount,
                payer=each,
                unit=unit,
                death_match=death_match,
            )
            for each in sides
        ],
        by=by,
        at=at,
    )
    trade = trade_of(season)
    much = trade.said(amount, unit)
    said = f"You wager {much} in {death_match}"
    entries_tell(season, [(entry, entry.payer, said, "") for entry in entries])
    if trade.hidden:
        return
    season_lock(season.pk)  # everybody sees it from now on
    names = " and ".join(each.name for each in sides)
    _told(
        death_match,
        trade,
        f"{names} wager {much} each.",
        {"unit": unit, "amount": amount},
        by,
        at,
    )


def _wager_back(
    season: Season, death_match: DeathMatch, *, why: str, by: User | None, at: datetime
) -> list[LedgerEntry]:
    pot = wagered(death_match)
    return entries_take_back(season=season, entries=pot, why=why, by=by, at=at)


def _tell_of_nothing(
    season: Season, death_match: DeathMatch, back: Iterable[LedgerEntry], by: User, at: datetime
) -> None:
    """Tell that what was wagered has come back, and nothing is wagered any more."""
    trade = trade_of(season)
    entries_tell(
        season,
        [
            (each, each.payee, f"You wager nothing in {death_match}, and have back {much}", "")
            for each in back
            for much in [trade.said(each.amount, each.unit)]
        ],
    )
    words = f"Nothing is wagered in {death_match} any more: both have back what they had put in."
    facts = {"unit": wagered_in(season), "amount": 0}
    _told(death_match, trade, words, facts, by, at)


# -- with the decision ---------------------------------------------------------------------------


def stakes_settle(
    death_match: DeathMatch, *, winner: Contestant, loser: Contestant | None, at: datetime
) -> None:
    """Move what the season's rule says from the loser to the winner, as part of the decision."""
    trade = trade_of(death_match.round.season)
    # What has been wagered is the winner's, whatever the rule is by now.
    pot = wagered(death_match)
    if pot:
        _settle_pot(death_match, trade, pot, winner, at)
    elif trade.currency and loser is not None and trade.stakes in ("amount", "all"):
        has = balance_of(loser)
        amount = has if trade.stakes == "all" else min(has, trade.stake)
        if amount:
            _take(death_match, trade, amount, Unit.CURRENCY, winner=winner, loser=loser, at=at)
    if trade.stake_token and loser is not None and balance_of(loser, Unit.TOKEN):
        _take(death_match, trade, 1, Unit.TOKEN, winner=winner, loser=loser, at=at)


def _settle_pot(
    death_match: DeathMatch,
    trade: Trade,
    pot: Sequence[LedgerEntry],
    winner: Contestant,
    at: datetime,
) -> None:
    """The winner, who may have taken over from whoever wagered it, gets what both had put in."""
    season = death_match.round.season
    unit = Unit(pot[0].unit)
    moved = Moved(
        kind=EntryKind.STAKE,
        amount=sum(each.amount for each in pot),
        payee=winner,
        unit=unit,
        death_match=death_match,
    )
    entries = entries_write(season=season, moved=[moved], by=None, at=at)
    much = trade.said(moved.amount, unit)
    # The loser knows it; where purses are hidden, nobody else is told.
    said = f"You get what was wagered in {death_match}: {much}"
    entries_tell(season, [(each, winner, said, "") for each in entries])
    words = f"{winner.name} gets what was wagered: {much}."
    facts = {"unit": unit, "amount": moved.amount, "payee": winner.pk}
    _told(death_match, trade, words, facts, None, at)


def _take(
    death_match: DeathMatch,
    trade: Trade,
    amount: int,
    unit: Unit,
    *,
    winner: Contestant,
    loser: Contestant,
    at: datetime,
) -> None:
    """The winner takes so much from the loser."""
    moved = Moved(
        kind=EntryKind.STEAL,
        amount=amount,
        payer=loser,
        payee=winner,
        unit=unit,
        death_match=death_match,
    )
    season, much = death_match.round.season, trade.said(amount, unit)
    (entry,) = entries_write(season=season, moved=[moved], by=None, at=at)
    takes = f"You take {much} from {loser.name} in {death_match}"
    loses = f"{winner.name} takes {much} from you in {death_match}"
    entries_tell(season, [(entry, winner, takes, ""), (entry, loser, loses, "")])
    words = f"{winner.name} takes {much} from {loser.name}."
    facts = {"unit": unit, "amount": amount, "payer": loser.pk, "payee": winner.pk}
    _told(death_match, trade, words, facts, None, at)


def put_out(season: Season) -> frozenset[int]:
    """Who has been put out of a season in which purses lapse, by id; nobody elsewhere."""
    trade = trade_of(season)
    if not trade.is_on or trade.leaving != "lapses":
        return frozenset()
    out = season.contestants.filter(status=ContestantStatus.ELIMINATED)
    return frozenset(out.values_list("pk", flat=True))


def purses_lapse(death_match: DeathMatch, *, before: frozenset[int], at: datetime) -> None:
    """What those have whom a decision has put out goes to the bank, where the season says so.
    ``before``: who had been put out before it; they may have kept theirs, as it was then."""
    season = death_match.round.season
    out = season.contestants.filter(pk__in=put_out(season) - before)
    lapse(season, out, at=at, death_match=death_match)


def lapse(
    season: Season,
    contestants: Iterable[Contestant],
    *,
    at: datetime,
    death_match: DeathMatch | None = None,
) -> None:
    """What these contestants have goes to the bank."""
    purses = purses_of(season)
    moved = [
        Moved(
            kind=EntryKind.LAPSE,
            amount=purses[each.pk][unit],
            payer=each,
            unit=unit,
            death_match=death_match,
        )
        for each in contestants
        if each.pk in purses
        for unit in Unit
        if purses[each.pk][unit] > 0
    ]
    entries_write(season=season, moved=moved, by=None, at=at)


def stakes_take_back(death_match: DeathMatch, *, why: str, at: datetime) -> None:
    """Take back what a decision has moved, with the decision: what has been spent since the bank
    makes up. What both had wagered stays wagered."""
    _take_back(death_match, why=why, at=at, with_wager=False)


def stakes_call_off(death_match: DeathMatch, *, why: str, at: datetime) -> None:
    """The same of a death match that is called off: what was wagered comes back, too."""
    _take_back(death_match, why=why, at=at, with_wager=True)
    Wager.objects.filter(death_match=death_match).delete()


def _take_back(death_match: DeathMatch, *, why: str, at: datetime, with_wager: bool) -> None:
    season = death_match.round.season
    if not trade_of(season).is_on:
        return
    # Whoever is back in has again all that had lapsed, not only with the decision.
    back_in = Q(kind=EntryKind.LAPSE, payer__status__in=STILL_IN)
    entries = [
        each
        for each in standing(season).filter(Q(death_match=death_match) | back_in)
        if with_wager or each.kind != EntryKind.STAKE or each.payee_id is not None
    ]
    back = entries_take_back(season=season, entries=entries, why=why, by=None, at=at, made_up=True)
    trade = trade_of(season)
    moved = (EntryKind.STAKE, EntryKind.STEAL)
    for each in back:
        if each.reverses is None or each.reverses.kind not in moved:
            continue
        much = trade.said(each.amount, each.unit)
        lost, got = f"Taken back from you: {much}", f"Given back to you: {much}"
        entries_tell(season, [(each, each.payer, lost, why), (each, each.payee, got, why)])


def _told(
    death_match: DeathMatch,
    trade: Trade,
    words: str,
    facts: Mapping[str, object],
    by: User | None,
    at: datetime,
) -> None:
    """Tell everybody, unless what somebody has is hidden: that nothing was moved would tell, too,
    that they have nothing."""
    if trade.hidden:
        return
    season_event(
        season=death_match.round.season,
        kind="ledger.stakes",
        words=words,
        data={**facts},
        death_match=death_match,
        by=by,
        at=at,
    )
