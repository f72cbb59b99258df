"""Recorded scores of main matches, put right."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q

from accounts.models import User
from accounts.services import audit_record
from core.refusals import NotFound, Refusal
from tournaments import scoring
from tournaments.formats.elimination import rules
from tournaments.formats.elimination.episodes import (
    episode_fresh,
    must_have_episodes,
    must_not_be_ec,
)
from tournaments.formats.elimination.main_match import (
    Ahead,
    Placing,
    in_main_match,
    placements_record,
    still_ahead,
)
from tournaments.formats.elimination.scores import (
    WON_BY,
    Table,
    entry_key,
    must_be_as_seen,
    must_be_settled,
    must_see_winnings,
    must_take_scores,
    table_of,
    table_write,
    winnings,
    winnings_grant,
)
from tournaments.formats.elimination.standing import game_of
from tournaments.lifecycle import EpisodeStatus, RoundStatus
from tournaments.models import (
    Contestant,
    EntryKind,
    Episode,
    LedgerEntry,
    Round,
    ScoreRow,
    ScoreTable,
    Unit,
)
from tournaments.scoring import Order
from tournaments.services.events import season_event
from tournaments.services.guards import (
    instant,
    reason,
    season_lock_managed,
)
from tournaments.services.ledger.acts import granted_take_back, must_not_be_own
from tournaments.services.ledger.book import heir_of, holds
from tournaments.services.ledger.immunity import immune_by_token


class Corrected(NamedTuple):
    """Scores that have been put right, and who has no purse any more, so that what they won stays
    as it was."""

    table: ScoreTable
    out: list[Contestant]


@transaction.atomic
def scores_correct(
    *,
    acting_user: User,
    episode: Episode,
    table: Table,
    seen: int,
    why: str,
    ec: Contestant | None = None,
    at: datetime | None = None,
) -> Corrected:
    """Put recorded scores right. Where that changes the order, the main match is recorded again by
    it, as long as the EC chooses; ``ec`` names one of several who share the last place, the EC as
    before if it is one of them. How much more or less is won is entered in the ledger, but for
    whoever has no purse any more.

    Raises Refusal as `guards.season_lock_managed`, `must_be_correctable` and `must_be_settled` do,
    as `scores_save` does for what it holds, ``why.*``, ``scores.moved-on``, ``episode.placed`` (the
    order has been acted upon), as `main_match.placements_record` does, ``scores.taken-back`` (what
    was won is not in the ledger any more), ``season.own`` (of what they win themselves),
    ``ledger.short`` (it has been spent), and as `granted_write` does.
    """
    at = instant(at)
    season = season_lock_managed(episode.round.season, acting_user)
    fresh = episode_fresh(episode)
    found = table_of(fresh)
    before = must_be_correctable(fresh, acting_user, found)
    must_be_as_seen(before, seen)
    why = reason(why)
    old_rows = list(before.rows.select_related("contestant__user").order_by("pk"))
    people = {each.contestant_id: each.contestant for each in old_rows}
    names = {pk: each.shown_name for pk, each in people.items()}
    old_order = scoring.table_order(before, old_rows, people)
    old_won = winnings(before, old_rows, names)
    immune_by_rule = scoring.first_of(old_order) if before.winner_immune else frozenset()
    old_cells = _cells_by_name(before, old_rows)
    saved = table_write(season, fresh, before, table, acting_user, people.values())
    rows = list(saved.rows.order_by("pk"))
    order = scoring.table_order(saved, rows, people)
    must_be_settled(order, names)
    won = winnings(saved, rows, names)
    if _as_sets(order) != _as_sets(old_order) or (ec is not None and ec.pk != fresh.ec_id):
        _record_again(fresh, saved, order, immune_by_rule, acting_user, at, ec=ec)
    fresh.round.season = season
    changed = {
        people[pk]: (old_won.get(pk, 0), won.get(pk, 0))
        for pk in people
        if old_won.get(pk, 0) != won.get(pk, 0)
    }
    out = _winnings_correct(fresh, saved, changed, acting_user, why, at)
    season_event(
        season=season,
        kind="episode.corrected",
        words=f"The scores of {fresh.round.name} are corrected. {why}",
        data={"why": why},
        round=fresh.round,
        by=acting_user,
        at=at,
    )
    new_cells = _cells_by_name(saved, rows)
    audit_record(
        acting_user=acting_user,
        action="scores.correct",
        target=fresh,
        data={
            "why": why,
            "version": saved.version,
            "changed": [
                [pk, name, old_cells.get((pk, name), ""), new_cells.get((pk, name), "")]
                for pk, name in sorted({*old_cells, *new_cells})
                if old_cells.get((pk, name), "") != new_cells.get((pk, name), "")
            ],
        },
    )
    return Corrected(saved, out)


def must_be_correctable(
    episode: Episode, acting_user: User, table: ScoreTable | None
) -> ScoreTable:
    """The scores of an episode that somebody can correct. Raises Refusal ``scores.none`` (also of a
    draft), ``format.no-episodes``, ``season.not-running``, ``death-match.own`` (by the EC),
    ``round.frozen``, and as `must_see_winnings` does."""
    must_have_episodes(episode.round.season)
    if table is None or table.recorded_at is None:
        raise NotFound("scores.none", "Nothing has been recorded by scores here.")
    must_not_be_ec(episode, acting_user)
    played = episode.round
    if (
        played.status == RoundStatus.CLOSED
        and Round.objects.filter(season=played.season_id, number__gt=played.number).exists()
    ):
        raise Refusal(
            "round.frozen",
            f"{played.name} is frozen: what came after it rests on its results. "
            "Reopen it first, if they must change.",
        )
    must_see_winnings(played.season, acting_user, table)
    return table


def must_be_editable(episode: Episode, acting_user: User, table: ScoreTable | None) -> None:
    """Whether somebody can save its scores, or correct them. Raises Refusal as `must_take_scores`
    or, once they are recorded, as `must_be_correctable` does."""
    if table is None or table.recorded_at is None:
        must_take_scores(episode, acting_user, table)
    else:
        must_be_correctable(episode, acting_user, table)


def _as_sets(order: Order) -> list[frozenset[int]]:
    return [frozenset(group) for group in order.groups]


def _cells_by_name(table: ScoreTable, rows: Iterable[ScoreRow]) -> dict[tuple[int, str], str]:
    """What stands where, but for what is won: not everybody who reads the log may see that."""
    columns = scoring.columns_read(table.columns)
    return {
        (row.contestant_id, column.name): cell
        for row in rows
        for column, cell in zip(columns, row.cells, strict=True)
        if not column.wins
    }


def _record_again(
    episode: Episode,
    table: ScoreTable,
    order: Order,
    immune_by_rule: Collection[int],
    acting_user: User,
    at: datetime,
    *,
    ec: Contestant | None,
) -> None:
    """Record the main match by another order. Who is immune for another reason stays so, and so
    does what was settled ahead, but for a time that has passed."""
    if episode.status != EpisodeStatus.CHOOSING:
        raise Refusal(
            "episode.placed",
            "That would change the places, and what came of them has been acted upon.",
        )
    before = {each.contestant_id: each.immune for each in episode.placements.all()}
    immune = {pk for pk, was in before.items() if was}.difference(immune_by_rule)
    immune |= immune_by_token(episode.round)
    if table.winner_immune:
        immune |= scoring.first_of(order)
    playing = {each.pk: each for each in in_main_match(episode)}
    groups = [[pk for pk in group if pk in playing] for group in order.groups]
    places = rules.places_in_order([group for group in groups if group])
    last = rules.last_of(
        rules.MainMatchPlace(pk, place, pk in immune) for pk, place in places.items()
    )
    if ec is None and len(last) > 1 and episode.ec_id in last:
        ec = episode.ec
    placements_record(
        acting_user=acting_user,
        episode=episode,
        placements=[Placing(playing[pk], place, pk in immune) for pk, place in places.items()],
        ec=ec,
        ahead=still_ahead(Ahead(game_of(episode.round), episode.death_match_at), at),
        notes=episode.notes,
        by_scores=True,
        at=at,
    )


def _winnings_correct(
    episode: Episode,
    table: ScoreTable,
    changed: Mapping[Contestant, tuple[int, int]],
    acting_user: User,
    why: str,
    at: datetime,
) -> list[Contestant]:
    """Enter how much more or less each has won than before; who has no purse any more, for whom it
    stays."""
    season = episode.round.season
    more: dict[Contestant, int] = {}
    less: dict[Contestant, int] = {}
    out = []
    for contestant, (before, now) in changed.items():
        holder = heir_of(contestant) or contestant
        must_not_be_own([holder], acting_user)
        if not holds(season, holder):
            out.append(contestant)
            continue
        if _entered(episode, table, holder) != before:
            raise Refusal(
                "scores.taken-back",
                f"What the ledger says that {contestant.shown_name} won by these scores was "
                "changed there since: leave what they win as it is here, and enter in the ledger "
                "what is right.",
            )
        (more if now > before else less)[holder] = abs(now - before)
    for holder, amount in less.items():
        granted_take_back(
            acting_user=acting_user,
            season=season,
            contestant=holder,
            amount=amount,
            why=why,
            round=episode.round,
            key=entry_key(table, table.version),
            about={"scores": episode.pk},
            at=at,
        )
    winnings_grant(episode, table, more, acting_user, at)
    return out


def _entered(episode: Episode, table: ScoreTable, holder: Contestant) -> int:
    """How much somebody, or whose place they have taken over, has won by the scores as the ledger
    has it now."""
    holders = [holder]
    while (replaced := holders[-1].replaces) is not None:
        holders.append(replaced)
    rows = LedgerEntry.objects.filter(
        Q(kind=EntryKind.WON, payee__in=holders, reversed_by__isnull=True)
        | Q(kind=EntryKind.CORRECTION, payer__in=holders, reverses__isnull=True),
        round=episode.round,
        unit=Unit.CURRENCY,
    )
    own = Q(key__in=[entry_key(table, version) for version in range(1, table.version + 1)])
    alike = Q(key=None, kind=EntryKind.WON, why__startswith=WON_BY)
    then = LedgerEntry.objects.filter(alike, round=episode.round)
    if table.recorded_at is not None and then.filter(at=table.recorded_at).exists():
        # The season came out of a document, and its entries have no keys.
        own |= alike | Q(key=None, kind=EntryKind.CORRECTION)
    return sum(
        each.amount if each.kind == EntryKind.WON else -each.amount for each in rows.filter(own)
    )
