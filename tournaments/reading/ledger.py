"""What a season trades in, as one reader may see it."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from django.db.models import QuerySet, Window
from django.db.models.functions import RowNumber

from core.spreadsheets import harmless
from tournaments import audience
from tournaments.models import Contestant, EntryKind, LedgerEntry, Season, Unit
from tournaments.reading.sheet import Sheet
from tournaments.trade import Trade

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

COLUMNS = (
    "number", "at", "kind", "unit", "amount", "from", "to", "secret", "about", "reason",
    "takes_back", "entered_by",
)  # fmt: skip


class Purse(NamedTuple):
    """What a contestant has."""

    contestant: Contestant
    currency: int
    tokens: int


class Told(NamedTuple):
    """An entry as a page tells it. ``is_note``: what stands there as why is what a contestant has
    written; ``folded``: its reader has blocked them."""

    entry: LedgerEntry
    number: int
    words: str
    much: str
    is_note: bool = False
    folded: bool = False


class Treasury(NamedTuple):
    """What a reader may know: everybody's ``purses`` (None: hidden from them), their own, and
    whether they see ``whole`` ledger."""

    trade: Trade
    purses: Sequence[Purse] | None
    mine: Purse | None
    whole: bool


def treasury_of(sheet: Sheet, user: Any) -> Treasury:
    """What ``user`` may know of what everybody has."""
    season = sheet.season
    own = sheet.contestant_of(user) if getattr(user, "is_authenticated", False) else None
    whole = audience.sees_whole_ledger(season, user)
    shown = audience.sees_purses(season, user, whole=whole)
    if not shown and own is None:
        return Treasury(sheet.trade, None, None, whole=False)
    found = sheet.purses

    def purse(contestant: Contestant) -> Purse:
        has = found.get(contestant.pk, {})
        return Purse(contestant, has.get(Unit.CURRENCY, 0), has.get(Unit.TOKEN, 0))

    rows = [purse(each) for each in sheet.contestants if _has_a_purse(each, found)]
    rows.sort(key=lambda each: (-each.currency, -each.tokens, each.contestant.seed or 0))
    return Treasury(
        sheet.trade,
        rows if shown else None,
        None if own is None else purse(own),
        whole=whole,
    )


def _has_a_purse(contestant: Contestant, found: Any) -> bool:
    """Whether a table names them: whoever is in, and who has something left."""
    return contestant.status in ("enrolled", "active") or any(found.get(contestant.pk, {}).values())


class Counted(TypedDict):
    """What is worked out of an entry for one reader."""

    number: int


def entries_of(
    season: Season, user: Any, *, whole: bool | None = None
) -> QuerySet[WithAnnotations[LedgerEntry, Counted]]:
    """The entries that ``user`` may see, the latest first; ``whole`` as a `Treasury` of theirs has
    it. They are numbered among themselves: a gap in the numbers would tell of others."""
    seen = audience.ledger_visible_to(season, user, whole=whole)
    rows = LedgerEntry.objects.filter(seen, season=season)
    numbered = rows.annotate(number=Window(RowNumber(), order_by="pk"))
    return numbered.select_related(
        "payer__user", "payee__user", "round", "death_match__home", "death_match__away", "by",
        "reverses",
    ).order_by("-pk")  # fmt: skip


def told(
    trade: Trade,
    entry: WithAnnotations[LedgerEntry, Counted],
    *,
    blocked: Collection[str] = (),
) -> Told:
    """An entry in words for people. ``blocked``: the usernames of those whom the reader has
    blocked."""
    words = entry.get_kind_display()
    if entry.kind == EntryKind.CORRECTION and entry.reverses_id is not None:
        words = "Taken back"
    elif entry.kind == EntryKind.SPENT and entry.round is not None:
        words = f"Used in {entry.round.name}"
    elif entry.kind == EntryKind.STAKE and entry.payee_id is not None:
        words = "Won by wager"
    is_note = entry.kind == EntryKind.GIVEN and entry.why != ""
    return Told(
        entry,
        entry.number,
        words,
        trade.said(entry.amount, entry.unit),
        is_note=is_note,
        folded=is_note and entry.by is not None and entry.by.username in blocked,
    )


def entries_file(season: Season, trade: Trade, user: Any) -> str:
    """The entries that ``user`` may see, as CSV, the first one first."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    numbers: dict[int | None, int] = {}
    for entry in entries_of(season, user).order_by("pk"):
        numbers[entry.pk] = entry.number
        about = entry.death_match or entry.round
        writer.writerow(
            [
                entry.number,
                entry.at.isoformat(),
                harmless(told(trade, entry).words),
                harmless(trade.said(None, entry.unit)),
                entry.amount,
                harmless(entry.payer.shown_name) if entry.payer else "",
                harmless(entry.payee.shown_name) if entry.payee else "",
                "yes" if entry.secret else "",
                harmless(str(about)) if about else "",
                harmless(entry.why),
                numbers.get(entry.reverses_id, ""),
                harmless(entry.by.username) if entry.by else "",
            ]
        )
    return out.getvalue()
