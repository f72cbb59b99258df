"""Main matches as tables of scores: kept as a draft, and taken for the placement.

A draft can be saved as often as one likes. Once the placement is recorded by it, what it wins
everybody is in the ledger, and it changes only by a correction (`rescoring`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple
from uuid import UUID, uuid5

import msgspec
from django.db import transaction

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Forbidden, NotFound, Refusal, Together
from tournaments import audience, scoring
from tournaments.formats.elimination.episodes import (
    episode_fresh,
    main_match_name,
)
from tournaments.formats.elimination.main_match import (
    NOTES_MAX,
    NOTHING_AHEAD,
    Ahead,
    Placing,
    in_main_match,
    must_await_placements,
    must_not_be_by_scores,
    placements_record,
)
from tournaments.models import (
    Contestant,
    Episode,
    ScoreRow,
    ScoreTable,
    Season,
)
from tournaments.models.ledger import AMOUNT_MAX
from tournaments.rights import Right
from tournaments.scoring import Column, Order, Scored
from tournaments.services.guards import (
    instant,
    line,
    must_manage,
    must_not_be_archived,
    season_lock,
    season_lock_managed,
)
from tournaments.services.ledger.acts import granted_write
from tournaments.trade import trade_of

ABOUT_MAX: Final = 500
NOTE_MAX: Final = 200
#: Begins what the ledger says of what was won by scores.
WON_BY: Final = "Main match: "
_ENTERED: Final = UUID("5b0c7d5e-6a7e-5d0b-8a59-0d8f2f6f4c11")


class Line(NamedTuple):
    """What a contestant has in each column, a note, and where they come among those who are equal
    with them, as far as that is settled."""

    contestant: Contestant
    cells: Sequence[Decimal | None]
    note: str = ""
    among: int | None = None


class Table(NamedTuple):
    """A table as somebody hands it in: what `ScoreTable` holds, and its rows."""

    columns: Sequence[Column]
    lines: Sequence[Line]
    name: str = ""
    about: str = ""
    notes: str = ""
    low: bool = False
    share: bool = False
    winner_immune: bool = True
    shown: bool = False


# -- the draft -----------------------------------------------------------------------------------


@transaction.atomic
def scores_save(
    *,
    acting_user: User,
    episode: Episode,
    table: Table,
    seen: int,
) -> ScoreTable:
    """Keep a table as it is so far. ``seen``: its version for whoever saves it, 0 where there was
    none. Nobody but organisers sees that it changed, unless it is shown.

    Raises Refusal ``season.none``, ``season.not-organiser``, ``season.no-right``,
    ``season.archived``, as `must_take_scores` does, ``scores.moved-on`` (not as ``seen`` any more),
    and of what it holds ``scores.columns``, ``scores.number``, ``scores.twice``,
    ``scores.stranger``, ``scores.note.too-long``, ``scores.about.too-long``,
    ``episode.main-match.too-long``, ``episode.notes.too-long``, ``scores.wins`` (nothing is won in
    the season), ``scores.wins-hidden``, and as `must_enter_winnings` does.
    """
    public = table.shown or ScoreTable.objects.filter(episode=episode, shown=True).exists()
    season = season_lock(episode.round.season_id, changes=public)
    must_manage(season, acting_user, Right.EPISODES)
    must_not_be_archived(season)
    fresh = episode_fresh(episode)
    found = table_of(fresh)
    must_take_scores(fresh, acting_user, found)
    must_be_as_seen(found, seen)
    if any(each.wins for each in table.columns):
        must_enter_winnings(fresh, acting_user)
    saved = table_write(season, fresh, found, table, acting_user, in_main_match(fresh))
    audit_record(
        acting_user=acting_user,
        action="scores.save",
        target=fresh,
        data={"version": saved.version, "shown": saved.shown},
    )
    return saved


def must_take_scores(episode: Episode, acting_user: User, table: ScoreTable | None) -> None:
    """Whether somebody can save the scores of its main match, and record it by them. Raises Refusal
    as `main_match.must_await_placements` and, where they say what is won, `must_enter_winnings`
    do."""
    must_await_placements(episode, acting_user)
    must_not_be_by_scores(table)
    if _wins(table):
        must_enter_winnings(episode, acting_user)


def table_of(episode: Episode) -> ScoreTable | None:
    """The scores of an episode; None where there are none."""
    return ScoreTable.objects.filter(episode=episode).first()


def lines_of(table: ScoreTable) -> list[Line]:
    """The rows of a table, as they can be handed in again."""
    rows = table.rows.select_related("contestant__user").order_by("pk")
    return [
        Line(each.contestant, scoring.cells_read(each.cells), each.note, each.among)
        for each in rows
    ]


def must_be_as_seen(table: ScoreTable | None, seen: int) -> None:
    """Whether a table is of the version that somebody has ``seen``. Raises Refusal
    ``scores.moved-on``."""
    if seen != (0 if table is None else table.version):
        raise Refusal(
            "scores.moved-on",
            "Somebody has saved these scores since you opened the page: look again.",
        )


def _wins(table: ScoreTable | None) -> bool:
    """Whether a table says what is won."""
    return table is not None and any(each.wins for each in scoring.columns_read(table.columns))


def must_see_winnings(season: Season, acting_user: User, table: ScoreTable) -> None:
    """Whether somebody may see what a table wins everybody. Raises Refusal as
    `must_see_what_is_won` does."""
    if _wins(table):
        must_see_what_is_won(season, acting_user)


def must_see_what_is_won(season: Season, acting_user: User) -> None:
    """Whether somebody may see what everybody wins. Raises Refusal ``season.own`` (it is hidden
    from who plays) and ``season.no-right`` (and from who does not keep the ledger)."""
    if audience.sees_purses(season, acting_user):
        return
    if audience.plays_in(season, acting_user):
        raise Forbidden(
            "season.own", "What is won is hidden from whoever plays: ask another organiser."
        )
    raise Forbidden(
        "season.no-right",
        "What everybody has is hidden here, and this table says what is won: it takes somebody who "
        f"“{Right.LEDGER.label.lower()}”, too.",
    )


def must_enter_winnings(episode: Episode, acting_user: User) -> None:
    """Whether somebody can say in its scores what the main match wins everybody: it is entered as
    it is recorded, so whoever plays it themselves cannot. Raises Refusal as `must_see_what_is_won`
    does, and ``season.own``."""
    must_see_what_is_won(episode.round.season, acting_user)
    if in_main_match(episode).filter(user=acting_user).exists():
        raise Forbidden(
            "season.own",
            "You play in this main match, and nobody enters what they win themselves: ask another "
            "organiser, or keep its scores without what is won.",
        )


def table_write(
    season: Season,
    episode: Episode,
    before: ScoreTable | None,
    table: Table,
    acting_user: User,
    playing: Iterable[Contestant],
) -> ScoreTable:
    """Write a table with a row for everybody ``playing``, under the season's lock. Raises Refusal
    as `scores_save` does for what it holds."""
    columns = scoring.columns_validate(table.columns)
    _must_be_winnable(season, columns)
    if any(each.wins for each in columns):
        must_see_what_is_won(season, acting_user)
    made = _rows_of(table, columns, {each.pk: each for each in playing})
    notes = table.notes.replace("\x00", "").strip()
    if len(notes) > NOTES_MAX:
        raise Refusal("episode.notes.too-long", f"Notes have at most {NOTES_MAX} characters.")
    row = before or ScoreTable(episode=episode, version=0)
    row.name = main_match_name(table.name)
    row.about = line(table.about, code="scores.about", what="How it goes", most=ABOUT_MAX,
                     empty=True)  # fmt: skip
    row.notes = notes
    row.columns = msgspec.to_builtins(columns)
    row.low, row.share = table.low, table.share
    row.winner_immune, row.shown = table.winner_immune, table.shown
    row.version += 1
    row.save()
    row.rows.all().delete()
    # What was settled among equals holds for those alone.
    equal = scoring.table_order(row, made).equal
    tied = {player for group in equal for player in group}
    for each in made:
        each.table = row
        each.among = each.among if each.contestant_id in tied else None
    ScoreRow.objects.bulk_create(made)
    return row


def _must_be_winnable(season: Season, columns: Sequence[Column]) -> None:
    """Raises Refusal ``scores.wins`` and ``scores.wins-hidden``."""
    trade = trade_of(season)
    wins = [each for each in columns if each.wins]
    if wins and not trade.currency:
        raise Refusal("scores.wins", "There is no currency in this season to be won.")
    if trade.hidden and any(each.counts or each.decides for each in wins):
        raise Refusal(
            "scores.wins-hidden",
            "What everybody has is hidden in this season: what is won neither counts nor breaks "
            "ties, for the total and the places would tell it.",
        )


def _rows_of(
    table: Table, columns: Sequence[Column], playing: Mapping[int, Contestant]
) -> list[ScoreRow]:
    """The rows of a table, one for everybody who plays. Raises Refusal of rows, and
    ``scores.columns``."""
    faults = Together()
    seen: dict[int, ScoreRow] = {}
    for number, each in enumerate(table.lines):
        with faults.of(number):
            if each.contestant.pk not in playing:
                sentence = f"{each.contestant.shown_name} does not play in this episode."
                raise Refusal("scores.stranger", sentence)
            if each.contestant.pk in seen:
                raise Refusal("scores.twice", f"{each.contestant.shown_name} is there twice.")
            if len(each.cells) != len(columns):
                raise Refusal("scores.columns", "A row has a cell for each column.")
            if each.among is not None and not 1 <= each.among <= len(playing):
                raise Refusal("scores.among", "A turn among equals is a whole number from 1.")
            cells = [None if cell is None else scoring.number_checked(cell) for cell in each.cells]
            seen[each.contestant.pk] = ScoreRow(
                contestant=playing[each.contestant.pk],
                cells=[scoring.number_text(cell) for cell in cells],
                note=line(each.note, code="scores.note", what="A note", most=NOTE_MAX, empty=True),
                among=each.among,
            )
    faults.settle()
    empty = [""] * len(columns)
    return [seen.get(pk) or ScoreRow(contestant=each, cells=empty) for pk, each in playing.items()]


# -- the order -----------------------------------------------------------------------------------


def must_be_settled(order: Order, names: Mapping[int, str]) -> None:
    """Whether everybody has a place by the scores. Raises Refusal ``scores.missing`` and
    ``scores.tie``."""
    if order.lacking:
        who = ", ".join(names[pk] for pk in order.lacking)
        raise Refusal("scores.missing", f"No score places {who} yet.")
    if order.ties:
        ties = "; ".join(" and ".join(names[pk] for pk in group) for group in order.ties)
        raise Refusal("scores.tie", f"Equal scores: say who comes first. {ties}.")


def winnings(
    table: ScoreTable, rows: Iterable[ScoreRow], names: Mapping[int, str]
) -> dict[int, int]:
    """What the table wins each. Raises Refusal ``scores.winnings``."""
    scored = [Scored(each.contestant_id, scoring.cells_read(each.cells)) for each in rows]
    columns = scoring.columns_read(table.columns)
    return scoring.winnings_of(columns, scored, most=AMOUNT_MAX, names=lambda pk: names[pk])


# -- the placement -------------------------------------------------------------------------------


@transaction.atomic
def scores_record(  # noqa: PLR0913  (everything that is told of a main match)
    *,
    acting_user: User,
    episode: Episode,
    seen: int,
    placements: Sequence[Placing],
    ec: Contestant | None = None,
    ahead: Ahead = NOTHING_AHEAD,
    main_match: str = "",
    notes: str = "",
    standing: str | None = None,
    at: datetime | None = None,
) -> Episode:
    """Record the main match by its scores: the placement that follows from them, and what they win
    everybody, for which it takes no other right; the table is frozen by that. ``seen`` is its
    version, ``standing`` how the episode stood for whoever records (`standing.standing_of`).

    Raises Refusal as `guards.season_lock_managed`, `must_take_scores`, `must_be_settled` and
    `main_match.placements_record` do, ``scores.none``, ``scores.moved-on``, ``scores.order`` (the
    places are not those of the scores), ``scores.winnings``, and as `winnings_grant` does.
    """
    at = instant(at)
    season = season_lock_managed(episode.round.season, acting_user, Right.EPISODES)
    fresh = episode_fresh(episode)
    table = table_of(fresh)
    if table is None:
        raise no_scores()
    must_take_scores(fresh, acting_user, table)
    must_be_as_seen(table, seen)
    rows = list(table.rows.select_related("contestant__user").order_by("pk"))
    people = {each.pk: each for each in in_main_match(fresh)}
    names = {pk: each.shown_name for pk, each in people.items()}
    order = scoring.table_order(table, rows, people)
    must_be_settled(order, names)
    if {each.contestant.pk: each.place for each in placements} != scoring.places_of(order):
        raise Refusal(
            "scores.order",
            "The places are not those of the scores: change the scores, or record it without them.",
        )
    won = winnings(table, [each for each in rows if each.contestant_id in people], names)
    recorded = placements_record(
        acting_user=acting_user,
        episode=fresh,
        placements=placements,
        ec=ec,
        ahead=ahead,
        main_match=main_match,
        notes=notes,
        seen=standing,
        by_scores=True,
        at=at,
    )
    recorded.round.season = season
    table.recorded_at = at
    table.version += 1
    table.save(update_fields=["recorded_at", "version"])
    winnings_grant(
        recorded, table, {people[pk]: amount for pk, amount in won.items()}, acting_user, at
    )
    audit_record(
        acting_user=acting_user,
        action="scores.record",
        target=fresh,
        data={"version": table.version},
    )
    return recorded


def winnings_grant(
    episode: Episode,
    table: ScoreTable,
    won: Mapping[Contestant, int],
    acting_user: User,
    at: datetime,
) -> None:
    """Enter what a table wins everybody, as part of recording or correcting it. Where that is
    hidden it is entered one by one, in no order that tells anything: who is named together wins the
    same. Raises Refusal as `granted_write` does."""
    season = episode.round.season
    people = {each.pk: each for each in won}
    amounts = {pk: won[each] for pk, each in people.items()}
    together = scoring.by_amount(amounts)
    if trade_of(season).hidden:
        together = [(amounts[pk], [pk]) for pk in sorted(amounts)]
    for amount, whom in together:
        granted_write(
            acting_user=acting_user,
            season=season,
            people=[people[pk] for pk in whom],
            amount=amount,
            why=won_by(episode),
            round=episode.round,
            key=entry_key(table, table.version),
            about={"scores": episode.pk},
            at=at,
        )


def entry_key(table: ScoreTable, version: int) -> UUID:
    """What the ledger's entries are known by that follow from a table as it became that version:
    no form has such a key."""
    return uuid5(_ENTERED, f"{table.pk} {version}")


def won_by(episode: Episode) -> str:
    """For what the ledger says that it was won."""
    return f"{WON_BY}{episode.main_match or episode.round.name}"


# -- what pages read -----------------------------------------------------------------------------


class Standing(NamedTuple):
    """The scores by which a main match can be recorded: the table, who plays, by id, the order that
    follows, and the rows of those who play."""

    table: ScoreTable
    people: dict[int, Contestant]
    order: Order
    rows: list[ScoreRow]


def standing(episode: Episode) -> Standing:
    """The scores by which a main match can be recorded, as they are kept now. Raises Refusal
    ``scores.none`` and ``scores.recorded``."""
    table = table_of(episode)
    if table is None:
        raise no_scores()
    must_not_be_by_scores(table)
    people = {each.pk: each for each in in_main_match(episode).select_related("user")}
    rows = list(table.rows.filter(contestant__in=people).order_by("pk"))
    return Standing(table, people, scoring.table_order(table, rows, people), rows)


def no_scores() -> Refusal:
    """What whoever asks for scores is told where there are none."""
    return NotFound("scores.none", "This main match has no scores.")


def playing_in(episode: Episode, table: ScoreTable | None) -> list[Contestant]:
    """Who has a row: who plays the main match, or, once it is recorded, who played it."""
    if table is not None and table.recorded_at is not None:
        return [each.contestant for each in lines_of(table)]
    return list(in_main_match(episode).select_related("user"))


def kept_of(table: ScoreTable) -> dict[str, Any]:
    """What a table says besides its rows, as `Table` takes it."""
    return {
        "columns": scoring.columns_read(table.columns),
        "name": table.name,
        "about": table.about,
        "notes": table.notes,
        "low": table.low,
        "share": table.share,
        "winner_immune": table.winner_immune,
        "shown": table.shown,
    }
