"""What must hold of every season at every moment, whatever organisers did: told as sentences of
what does not. `manage.py simulate_season`, whoever restores a document and the tests ask for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from accounts.roles import Role as SiteRole
from accounts.roles import holds_role
from tournaments.formats.registry import format_of
from tournaments.lifecycle import (
    PLAYABLE,
    UNDECIDED,
    ContestantStatus,
    DeathMatchStatus,
    GiftStatus,
    How,
    LegStatus,
    RoundStatus,
    SeasonStatus,
)
from tournaments.models import (
    DeathMatch,
    EntryKind,
    Gift,
    ItemEvent,
    LedgerEntry,
    Leg,
    MainMatchPicture,
    Season,
    Unit,
)
from tournaments.services.guards import heirs_of
from tournaments.trade import trade_of

OUT = (ContestantStatus.ELIMINATED, ContestantStatus.WITHDRAWN, ContestantStatus.REPLACED)
# Where the last line of an item's history says that it is.
STANDING = {
    "given": GiftStatus.HELD,
    "returned": GiftStatus.HELD,
    "brought": GiftStatus.SPENT,
    "blocked": GiftStatus.SPENT,
    "copied": GiftStatus.SPENT,
    "acted": GiftStatus.SPENT,
    "no-effect": GiftStatus.SPENT,
    "spent": GiftStatus.SPENT,
    "taken-back": GiftStatus.TAKEN_BACK,
    "expired": GiftStatus.EXPIRED,
}


def faults_of(season: Season, *, lenient: bool = False) -> list[str]:
    """Everything that is wrong with a season, as far as its rows can tell; empty if all is well.
    ``lenient``: organisers may have had a round paired as the format would not."""
    season = Season.objects.get(pk=season.pk)
    matches = _matches(season)
    own = format_of(season.format)
    return [
        *(_pairings(season, matches) if own.once_a_round else ()),
        *_results(matches),
        *_people(matches),
        *own.faults(season=season, death_matches=matches, lenient=lenient),
        *_items(season),
        *_pictures(season),
        *_crew(season),
        *_ledger(season),
        *_end(season),
    ]


def _matches(season: Season) -> list[DeathMatch]:
    return list(
        DeathMatch.objects.filter(round__season=season)
        .exclude(status=DeathMatchStatus.VOID)
        .select_related("round", "home", "away", "winner")
        .prefetch_related("legs__match")
        .order_by("round__number", "number")
    )


def _pairings(season: Season, matches: Sequence[DeathMatch]) -> Iterator[str]:
    """Everybody at most once a round."""
    for played in season.rounds.all():
        sides = Counter(
            pk
            for each in matches
            if each.round_id == played.pk
            for pk in (each.home_id, each.away_id)
            if pk is not None
        )
        yield from (f"{pk} meets two in {played}" for pk, count in sides.items() if count > 1)


def _results(matches: Sequence[DeathMatch]) -> Iterator[str]:
    """A result is that of the matches that were played, unless somebody ruled."""
    for each in matches:
        counting = [leg for leg in each.legs.all() if leg.status != LegStatus.VOID]
        finished = [leg for leg in counting if leg.status == LegStatus.FINISHED]
        yield from _legs(each, counting)
        wins = Counter(leg.winner_seat for leg in finished)
        if each.status != DeathMatchStatus.DECIDED:
            if max(wins.values(), default=0) * 2 > each.best_of:
                yield f"{each} is not decided, though its matches are"
            continue
        if each.winner_id not in (each.home_id, each.away_id):
            yield f"{each} was won by somebody else"
        if each.how == How.PLAYED:
            seat = int(each.winner_id == each.away_id)
            if wins[seat] * 2 <= each.best_of:
                yield f"{each} was not won by what was played"
            if len(finished) > each.best_of or wins[1 - seat] * 2 > each.best_of:
                yield f"{each} was played on after it was decided"


def _legs(death_match: DeathMatch, counting: list[Leg]) -> Iterator[str]:
    numbers = [leg.number for leg in counting]
    if len(set(numbers)) < len(numbers):
        yield f"{death_match} has two attempts that count"
    if sum(leg.status == LegStatus.RUNNING for leg in counting) > 1:
        yield f"{death_match} is played twice at once"
    if death_match.status in PLAYABLE and set(numbers) != set(range(1, death_match.best_of + 1)):
        yield f"{death_match} lacks a match"
    for leg in counting:
        if leg.status != LegStatus.FINISHED or leg.match is None:
            continue
        if not leg.match.is_over:
            yield f"{leg} is finished, its match is not"
        elif leg.how == How.PLAYED and leg.winner_seat != leg.match.winner:
            yield f"{leg} has another winner than its match"


def _pictures(season: Season) -> Iterator[str]:
    """What stands in a season is one's own there, and was not taken off."""
    owners = [
        season,
        *season.contestants.filter(picture__isnull=False).select_related("picture"),
        *MainMatchPicture.objects.filter(episode__round__season=season).select_related("picture"),
    ]
    shown = [each.picture for each in owners if each.picture is not None]
    if len({each.pk for each in shown}) < len(shown):
        yield "a picture is of two"
    for each in shown:
        if each.season_id != season.pk or each.off_at is not None:
            yield f"{each} does not belong there"


def _crew(season: Season) -> Iterator[str]:
    """Somebody owns it, if anybody could: whoever lost the site's role owns it still."""
    crew = list(season.organisers.organising().select_related("user").order_by("pk"))
    if any(each.is_owner for each in crew):
        return
    heirs = [each.user for each in crew if holds_role(each.user, SiteRole.ORGANISER)]
    if heirs:
        yield f"nobody owns the season, which {heirs[0].username} could"


def _people(matches: Sequence[DeathMatch]) -> Iterator[str]:
    """Whoever is out has no open death match."""
    for each in matches:
        for side in (each.home, each.away):
            if side is not None and each.status in PLAYABLE and side.status in OUT:
                yield f"{side} is out and yet to play in {each.round}"


def _items(season: Season) -> Iterator[str]:
    """Every item is in one place, and its history says which; what is used up was brought into
    exactly one match that counts."""
    legs = list(
        Leg.objects.filter(death_match__round__season=season)
        .exclude(status=LegStatus.VOID)
        .exclude(items__isnull=True)
        .select_related("death_match", "match")
    )
    brought = Counter(use["gift"] for leg in legs for use in (leg.items or {})["brought"])
    gifts = list(Gift.objects.filter(season=season))
    last: dict[int, str] = {}
    for event in ItemEvent.objects.filter(gift__season=season).order_by("pk"):
        # What a Copy or Block did says nothing of where it or its target is.
        if event.kind not in ("blocked", "copied", "acted", "no-effect"):
            last[event.gift_id] = event.kind
    for gift in gifts:
        uses = 1 if gift.status == GiftStatus.SPENT else 0
        if brought[gift.pk] != uses:
            yield f"item {gift.pk} is {gift.status} and was brought {brought[gift.pk]} times"
        if STANDING[last.get(gift.pk, "expired")] != gift.status:
            yield f"item {gift.pk} is {gift.status}, its history says {last.get(gift.pk)}"
    for gift in gifts:
        if gift.is_hidden and brought[gift.pk]:
            yield f"item {gift.pk} was brought and is a secret still"
    known = {gift.pk: gift for gift in gifts}
    for leg in legs:
        for use in (leg.items or {})["brought"]:
            gift = known[use["gift"]]
            side = (leg.death_match.home_id, leg.death_match.away_id)[use["seat"]]
            if gift.receiver_id != side:
                yield f"item {gift.pk} was brought by somebody else"
        match = leg.match
        held = [] if match is None else [[i["item"] for i in match.items if i["seat"] == s]
                                         for s in (0, 1)]  # fmt: skip
        if match is not None and held != (leg.items or {})["held"]:
            yield f"{leg} was played with other items"


def _ledger(season: Season) -> Iterator[str]:
    """Nobody has less than nothing at any moment, what is taken back goes the other way once, and
    the bank holds what is wagered until it is won."""
    entries = list(
        LedgerEntry.objects.filter(season=season)
        .select_related("reverses", "payer", "payee", "round", "death_match__round")
        .order_by("pk")
    )
    if not entries:
        return
    trade = trade_of(season)
    have: Counter[tuple[int | None, str]] = Counter()
    there = {Unit.CURRENCY.value: trade.currency, Unit.TOKEN.value: trade.tokens}
    for each in entries:
        abouts = (each.payer, each.payee, each.round)
        if any(row is not None and row.season_id != season.pk for row in abouts):
            yield f"entry {each.pk} is about another season"
        if not there[each.unit]:
            yield f"entry {each.pk} is of what there is not"
        if each.secret and not trade.hidden:
            yield f"entry {each.pk} is secret where everybody's balance is shown"
        have[each.payer_id, each.unit] -= each.amount
        have[each.payee_id, each.unit] += each.amount
        if each.payer_id is not None and have[each.payer_id, each.unit] < 0:
            yield f"{each.payer} has less than nothing after entry {each.pk}"
        if each.reverses is not None:
            yield from _taken_back(each, each.reverses)
    for unit in Unit:
        if sum(amount for (_, of), amount in have.items() if of == unit):
            yield f"the ledger does not balance: {unit}"
    yield from _wagers(season, entries)


def _taken_back(entry: LedgerEntry, taken: LedgerEntry) -> Iterator[str]:
    same = (entry.season_id, entry.unit, entry.amount, entry.secret)
    if same != (taken.season_id, taken.unit, taken.amount, taken.secret):
        yield f"entry {entry.pk} takes back something else than entry {taken.pk}"
    if taken.kind == EntryKind.CORRECTION:
        yield f"entry {entry.pk} takes back a correction"
    for now, then in ((entry.payer, taken.payee), (entry.payee, taken.payer)):
        # A place may have been taken over since.
        ids = {None} if then is None else {then.pk, *heirs_of([then.pk])}
        if (None if now is None else now.pk) not in ids:
            yield f"entry {entry.pk} does not go back to where entry {taken.pk} came from"


def _wagers(season: Season, entries: Sequence[LedgerEntry]) -> Iterator[str]:
    back = {each.reverses_id for each in entries}
    pots: Counter[int] = Counter()
    won: Counter[int] = Counter()
    matches = {each.death_match_id: each.death_match for each in entries}
    for each in entries:
        if each.kind != EntryKind.STAKE or each.pk in back or each.death_match_id is None:
            continue
        (pots if each.payee_id is None else won)[each.death_match_id] += each.amount
    for pk, row in matches.items():
        if row is None or pk is None:
            continue
        if won[pk] != (pots[pk] if row.status == DeathMatchStatus.DECIDED else 0):
            yield f"what was wagered in {row} has not gone to its winner"
        called_off = season.status == SeasonStatus.CANCELLED and row.status in UNDECIDED
        if (called_off or row.status == DeathMatchStatus.VOID) and pots[pk]:
            yield f"what was wagered in {row} has not come back"


def _end(season: Season) -> Iterator[str]:
    if season.status != SeasonStatus.FINISHED:
        return
    winner = season.winner
    if winner is None or winner.place != 1:
        yield "the winner is not in the first place"
    # One that an organiser has reopened, to correct a result, is as it should be.
    if season.rounds.filter(status=RoundStatus.OPEN).exists():
        yield "a round is not closed"
