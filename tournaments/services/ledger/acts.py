"""What people enter in a ledger: what was won, what contestants give each other, and what is put
right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import transaction

from accounts.blocking.services import has_blocked
from accounts.models import User
from accounts.moderation.standing import why_silent
from accounts.services import audit_record
from core.refusals import Forbidden, NotFound, Refusal, Together
from tournaments import audience
from tournaments.lifecycle import EpisodeStatus
from tournaments.models import (
    Contestant,
    EntryKind,
    Episode,
    LedgerEntry,
    Round,
    Season,
    Unit,
)
from tournaments.rights import Right
from tournaments.services.events import season_event
from tournaments.services.guards import (
    instant,
    line,
    must_be_running,
    must_be_running_or_finished,
    must_manage,
    must_not_be_archived,
    reason,
    season_lock,
)
from tournaments.services.ledger.book import (
    Moved,
    balance_of,
    entries_take_back,
    entries_write,
    key_of,
    must_be_amount,
    must_have_unit,
    must_hold,
    must_trade,
    offered_by,
    sent_before,
)
from tournaments.services.ledger.telling import entries_tell
from tournaments.trade import Trade, trade_of

NOTE_MAX: Final = 200
#: What sentences call the bank.
BANK: Final = "the bank"
# Follows from a result, or from somebody leaving: it changes with that.
_FOLLOWS: Final = (EntryKind.STAKE, EntryKind.STEAL, EntryKind.LAPSE, EntryKind.PASSED)


# -- won -----------------------------------------------------------------------------------------


@transaction.atomic
def ledger_grant(  # noqa: PLR0913  (what may be said of it)
    *,
    acting_user: User,
    season: Season,
    contestants: Sequence[Contestant],
    amount: int,
    why: str,
    unit: str = Unit.CURRENCY,
    round: Round | None = None,  # noqa: A002  (the field's own word)
    form: str = "",
    at: datetime | None = None,
) -> list[LedgerEntry]:
    """Give so much to each of several contestants out of the bank: what they have won in a main
    match, say, of which ``round`` is the episode. ``form``: the key of the form (`book.form_key`)
    by which it was sent; sent again as it was, it counts once.

    Raises Refusal ``season.none``, ``season.not-organiser``, ``season.archived``,
    ``season.not-running``, ``season.own`` (to themselves), ``ledger.none``, ``ledger.unit``,
    ``ledger.amount``, ``ledger.nobody``, ``ledger.twice``, ``ledger.stranger``, ``ledger.out``,
    ``round.none``, ``why.*``.
    """
    locked = season_lock(season.pk)
    trade = must_be_granting(locked, acting_user)
    whom = sorted(each.pk for each in contestants)
    key = key_of(locked, form, "grant", whom, unit, amount, why, round and round.pk)
    if before := sent_before(locked, acting_user, key):
        return before
    what = must_have_unit(trade, unit)
    must_be_amount(amount)
    people = _people(locked, contestants)
    must_not_be_own(people, acting_user)
    must_hold(locked, people)
    return granted_write(
        acting_user=acting_user,
        season=locked,
        people=people,
        amount=amount,
        why=reason(why),
        unit=what,
        round=_round_of(locked, round),
        key=key,
        at=instant(at),
    )


def granted_write(  # noqa: PLR0913  (everything that is told of it)
    *,
    acting_user: User,
    season: Season,
    people: Sequence[Contestant],
    amount: int,
    why: str,
    unit: Unit = Unit.CURRENCY,
    round: Round | None = None,  # noqa: A002  (the field's own word)
    key: UUID | None = None,
    about: Mapping[str, Any] = MappingProxyType({}),
    at: datetime,
) -> list[LedgerEntry]:
    """Write down what has been won, and tell it, under the season's lock, where it has been settled
    that ``acting_user`` may have it entered. ``about``: what the audit log says of it besides.
    Raises Refusal ``ledger.none``, ``ledger.unit``, ``ledger.amount`` and ``ledger.out``."""
    trade = must_trade(season)
    what = must_have_unit(trade, unit)
    must_be_amount(amount)
    must_hold(season, people)
    entries = entries_write(
        season=season,
        moved=[
            Moved(kind=EntryKind.WON, amount=amount, payee=each, unit=what, why=why, round=round)
            for each in people
        ],
        by=acting_user,
        at=at,
        key=key,
    )
    names = _listed([each.name for each in people])
    much = trade.said(None if trade.hidden else amount, what)
    wins = "wins" if len(people) == 1 else "win"
    each_of = " each" if len(people) > 1 and not trade.hidden else ""
    season_event(
        season=season,
        kind="ledger.won",
        words=f"{names} {wins} {much}{each_of}{'.' if trade.hidden else f': {why}'}",
        data={
            "contestants": [each.pk for each in people],
            "unit": what,
            "amount": None if trade.hidden else amount,
            "why": "" if trade.hidden else why,
        },
        round=round,
        contestant=people[0] if len(people) == 1 else None,
        by=acting_user,
        at=at,
    )
    wins = f"You win {trade.said(amount, what)}"
    entries_tell(season, [(entry, entry.payee, wins, why) for entry in entries])
    audit_record(
        acting_user=acting_user,
        action="ledger.grant",
        target=entries[0],
        data={
            "season": season.pk,
            "contestants": [each.pk for each in people],
            "unit": what,
            "amount": amount,
            "why": why,
            **about,
        },
    )
    return entries


def must_be_granting(season: Season, acting_user: User | None) -> Trade:
    """What a season trades in, for whoever can enter what was won now. Raises Refusal
    ``season.not-organiser``, ``season.archived``, ``ledger.none`` and ``season.not-running``."""
    must_manage(season, acting_user, Right.LEDGER)
    must_not_be_archived(season)
    trade = must_trade(season)
    must_be_running(season)
    return trade


def must_not_be_own(people: Iterable[Contestant | None], acting_user: User) -> None:
    """Raises Refusal ``season.own`` where an organiser is one of those whom it concerns."""
    if any(each is not None and each.user_id == acting_user.pk for each in people):
        raise own_entry()


def own_entry() -> Forbidden:
    """That an organiser is one of those whom it concerns."""
    return Forbidden("season.own", "Nobody enters anything for themselves: ask the others.")


def _people(season: Season, contestants: Sequence[Contestant]) -> list[Contestant]:
    wanted = [each.pk for each in contestants]
    if not wanted:
        raise Refusal("ledger.nobody", "Please say who gets it.", field="contestants")
    if len(set(wanted)) < len(wanted):
        raise Refusal("ledger.twice", "Somebody is named twice.", field="contestants")
    there = season.contestants.select_related("user").in_bulk(wanted)
    faults = Together()
    for number, each in enumerate(contestants):
        if each.pk not in there:
            sentence = f"{each.shown_name} is not in this season."
            faults.note(Refusal("ledger.stranger", sentence), number)
    faults.settle()
    return [there[pk] for pk in wanted]


def _round_of(season: Season, played: Round | None) -> Round | None:
    if played is None:
        return None
    found = season.rounds.filter(pk=played.pk).first()
    if found is None:
        raise NotFound("round.none", "There is no such round.")
    return found


def granted_take_back(  # noqa: PLR0913  (everything that is told of it)
    *,
    acting_user: User,
    season: Season,
    contestant: Contestant,
    amount: int,
    why: str,
    round: Round,  # noqa: A002  (the field's own word)
    key: UUID,
    about: Mapping[str, Any],
    at: datetime,
) -> LedgerEntry:
    """Take so much of the currency back of what somebody has won, as `granted_write` gives it: an
    entry of its own, since what they won otherwise is right. Raises Refusal ``ledger.short`` where
    it has been spent."""
    trade = must_trade(season)
    moved = Moved(kind=EntryKind.CORRECTION, amount=amount, payer=contestant, why=why, round=round)
    (entry,) = entries_write(season=season, moved=[moved], by=acting_user, at=at, key=key)
    much = trade.said(None if trade.hidden else amount, Unit.CURRENCY)
    told = "" if trade.hidden else why
    season_event(
        season=season,
        kind="ledger.corrected",
        words=f"Taken back: {much} from {contestant.name} to {BANK}.{told and f' {told}'}",
        data={**_facts(trade, entry), "why": told},
        round=round,
        by=acting_user,
        at=at,
    )
    said = f"Taken back from you: {trade.said(amount, Unit.CURRENCY)}"
    entries_tell(season, [(entry, contestant, said, why)])
    audit_record(
        acting_user=acting_user,
        action="ledger.correct",
        target=entry,
        data={"season": season.pk, "amount": amount, "why": why, **about},
    )
    return entry


# -- given ---------------------------------------------------------------------------------------


@transaction.atomic
def ledger_give(  # noqa: PLR0913  (what may be said of it)
    *,
    acting_user: User,
    season: Season,
    payee: Contestant,
    amount: int,
    unit: str = Unit.CURRENCY,
    secret: bool = False,
    note: str = "",
    form: str = "",
    at: datetime | None = None,
) -> LedgerEntry:
    """A contestant gives another some of what they have. Who does so in secret leaves no trace for
    anybody but the two, and organisers who do not play, until the season is over. ``form``: the key
    of the form (`book.form_key`) by which it was sent; sent again as it was, it counts once.

    Raises Refusal ``season.none``, and as `must_be_giving` does, ``ledger.unit``,
    ``ledger.no-gifts``, ``ledger.no-secrets``, ``ledger.amount``, ``ledger.stranger``,
    ``ledger.oneself``, ``ledger.out``, ``ledger.short``, ``ledger.offered`` (to be wagered),
    ``ledger.note.too-long``, and of a note as `must_be_able_to_note` does.
    """
    # Even that the season changed would tell of a secret.
    locked = season_lock(season.pk, changes=not secret)
    payer = audience.contestant_of(locked, acting_user)
    trade = must_be_giving(locked, payer)
    key = key_of(locked, form, "give", payee.pk, unit, amount, secret, note)
    if before := sent_before(locked, acting_user, key):
        return before[0]
    what = must_have_unit(trade, unit)
    if payer is None or what not in trade.gives:
        raise Refusal("ledger.no-gifts", "That is not given on in this season.", field="unit")
    if secret and not trade.in_secret:
        raise Refusal("ledger.no-secrets", "Nothing is given in secret here.", field="secret")
    must_be_amount(amount)
    (to,) = _people(locked, [payee])
    if to.pk == payer.pk:
        raise Refusal("ledger.oneself", "Nobody gives anything to themselves.", field="payee")
    must_hold(locked, [to])
    if what == trade.wagers:
        _must_not_be_offered(payer, amount, what)
    note = line(note, code="ledger.note", what="A note", most=NOTE_MAX, empty=True)
    if note:
        must_be_able_to_note(acting_user, to)
    at = instant(at)
    moved = Moved(
        kind=EntryKind.GIVEN,
        amount=amount,
        payer=payer,
        payee=to,
        unit=what,
        why=note,
        secret=secret,
    )
    (entry,) = entries_write(season=locked, moved=[moved], by=acting_user, at=at, key=key)
    if not secret:
        much = trade.said(None if trade.hidden else amount, what)
        season_event(
            season=locked,
            kind="ledger.given",
            words=f"{payer.name} gives {to.name} {much}.",
            data=_facts(trade, entry),
            contestant=to,
            at=at,
        )
    quietly = " in secret" if secret else ""
    said = f"{payer.name} gives you {trade.said(amount, what)}{quietly}"
    # Whoever has blocked the payer hears of the payment, and not what they write.
    apart = to.user is not None and has_blocked(to.user, acting_user)
    entries_tell(locked, [(entry, to, said, "" if apart else note)])
    audit_record(
        acting_user=acting_user,
        action="ledger.give",
        target=entry,
        data={"season": locked.pk, "to": to.pk, "unit": what, "amount": amount},
    )
    return entry


def _must_not_be_offered(payer: Contestant, amount: int, unit: Unit) -> None:
    """Raises Refusal ``ledger.offered`` for what somebody offers to wager."""
    offers = offered_by(payer)
    has = balance_of(payer, unit)
    if has - offers < amount <= has:
        raise Refusal(
            "ledger.offered",
            "You offer to wager some of that: take that back first, on the death match's page.",
            field="amount",
        )


def must_be_able_to_note(acting_user: User, payee: Contestant) -> None:
    """Whether somebody can write something with a payment: they pay without words all the same.
    Whoever is blocked learns nothing of it here. Raises Refusal ``ledger.note.muted`` and
    ``ledger.note.blocked``."""
    silenced = why_silent(acting_user)
    if silenced:
        raise Refusal("ledger.note.muted", f"You can pay without a note. {silenced}")
    if payee.user is not None and has_blocked(acting_user, payee.user):
        raise Refusal(
            "ledger.note.blocked", "You have blocked them: you can pay without a note, though."
        )


def must_be_giving(season: Season, payer: Contestant | None) -> Trade:
    """What a season trades in, for a contestant who can give something now. Raises Refusal
    ``contestant.not-in``, ``ledger.none``, ``season.archived``, ``season.not-running``,
    ``ledger.out`` and ``ledger.no-gifts``."""
    if payer is None:
        raise Forbidden("contestant.not-in", "You are not a contestant of this season.")
    trade = must_trade(season)
    must_not_be_archived(season)
    must_be_running(season)
    must_hold(season, [payer])
    if not trade.gives:
        raise Refusal("ledger.no-gifts", "Nothing is given on in this season.")
    return trade


# -- put right -----------------------------------------------------------------------------------


@transaction.atomic
def ledger_correct(
    *, acting_user: User, entry: LedgerEntry, why: str, at: datetime | None = None
) -> LedgerEntry:
    """Take an entry back by another that goes the other way, between those who hold the places
    now. Nothing is changed, and each entry is taken back once.

    Raises Refusal ``season.none``, ``season.not-organiser``, ``season.archived``,
    ``season.not-running`` (nor finished), ``ledger.no-entry``, ``season.own`` (also of a place that
    they have taken over), ``ledger.corrected``, ``ledger.follows``, ``ledger.used`` (a token, once
    the main match is recorded), ``ledger.short`` (it has been spent), ``why.*``.
    """
    locked = season_lock(entry.season_id, changes=not entry.secret)
    found = must_be_correctable(locked, entry, acting_user)
    why = reason(why)
    at = instant(at)
    taken, *lapsed = entries_take_back(
        season=locked, entries=[found], why=why, by=acting_user, at=at
    )
    trade = trade_of(locked)
    if not found.secret:
        there = (found.payer or BANK, found.payee or BANK)
        names = [each if isinstance(each, str) else each.name for each in there]
        much = trade.said(None if trade.hidden else found.amount, found.unit)
        told = "" if trade.hidden else f" {why}"
        season_event(
            season=locked,
            kind="ledger.corrected",
            words=f"Taken back: {much} from {names[0]} to {names[1]}.{told}",
            data={**_facts(trade, found), "why": told.strip()},
            round=found.round,
            by=acting_user,
            at=at,
        )
    much = trade.said(found.amount, found.unit)
    lapses = ", who are out, and gone on to the bank" if lapsed else ""
    entries_tell(
        locked,
        [
            (taken, taken.payer, f"Taken back from you: {much}", why),
            (taken, taken.payee, f"Given back to you{lapses}: {much}", why),
        ],
    )
    audit_record(
        acting_user=acting_user,
        action="ledger.correct",
        target=taken,
        data={"season": locked.pk, "entry": found.pk, "why": why},
    )
    return taken


def must_be_correctable(season: Season, entry: LedgerEntry, acting_user: User) -> LedgerEntry:
    """The entry, where somebody can take it back. Raises Refusal as `ledger_correct` does, but for
    the reason and what has been spent."""
    must_manage(season, acting_user)
    must_be_open_to_corrections(season)
    seen = LedgerEntry.objects.filter(audience.ledger_visible_to(season, acting_user))
    found = (
        seen.filter(season=season, pk=entry.pk).select_related("payer", "payee", "round").first()
    )
    if found is None:
        raise NotFound("ledger.no-entry", "There is no such entry.")
    must_come_back(found, around_of(season, [found], acting_user))
    return found


def must_be_open_to_corrections(season: Season) -> None:
    """Whether entries can be taken back now. Raises Refusal ``season.archived`` and
    ``season.not-running`` (nor finished)."""
    must_not_be_archived(season)
    must_be_running_or_finished(season)


class Around(NamedTuple):
    """What says whether entries can be taken back, read once for all of them: which have been, by
    id; the places that the reader has or has taken over, since what went there goes back from
    them; and the rounds in which a token that was used can still be given back."""

    taken: frozenset[int]
    own: frozenset[int]
    open_rounds: frozenset[int]


def around_of(season: Season, entries: Iterable[LedgerEntry], acting_user: User) -> Around:
    """What says whether somebody can take these entries of a season back."""
    taken = LedgerEntry.objects.filter(reverses__in=[each.pk for each in entries])
    rows = list(season.contestants.values_list("pk", "replaces", "user"))
    taken_over = {pk: before for pk, before, _ in rows}
    own: set[int] = set()
    place = next((pk for pk, _, user in rows if user == acting_user.pk), None)
    while place is not None:
        own.add(place)
        place = taken_over[place]
    unused = Episode.objects.filter(
        round__season=season, status__in=[EpisodeStatus.MAIN_MATCH, EpisodeStatus.SKIPPED]
    )
    return Around(
        frozenset(pk for pk in taken.values_list("reverses", flat=True) if pk is not None),
        frozenset(own),
        frozenset(unused.values_list("round", flat=True)),
    )


def must_come_back(entry: LedgerEntry, around: Around) -> None:
    """Whether an entry can be taken back, but for what has been spent. Raises Refusal
    ``season.own``, ``ledger.corrected``, ``ledger.follows`` and ``ledger.used``."""
    if around.own & {entry.payer_id, entry.payee_id}:
        raise own_entry()
    if entry.kind == EntryKind.CORRECTION:
        raise Refusal("ledger.corrected", "This is a correction itself: enter what is right.")
    if entry.pk in around.taken:
        raise Refusal("ledger.corrected", "This entry has been taken back.")
    if entry.kind in _FOLLOWS:
        raise Refusal(
            "ledger.follows", "It follows from something else, and changes with that alone."
        )
    if entry.kind == EntryKind.SPENT and entry.round_id not in around.open_rounds:
        raise Refusal(
            "ledger.used",
            "The main match has been recorded, and the token has made somebody immune in it: it "
            "comes back only where the episode is skipped.",
        )


# -- telling -------------------------------------------------------------------------------------


def _facts(trade: Trade, entry: LedgerEntry) -> dict[str, Any]:
    """What everybody is told of an entry."""
    return {
        "payer": entry.payer_id,
        "payee": entry.payee_id,
        "unit": entry.unit,
        "amount": None if trade.hidden else entry.amount,
    }


def _listed(names: Sequence[str]) -> str:
    """Names as a sentence has them; of many, how many there are."""
    if len(names) == 1:
        return names[0]
    if len(names) <= 12:
        return f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{', '.join(names[:10])} and {len(names) - 10} others"
