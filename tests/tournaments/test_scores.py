"""Main matches as tables of scores: drafts, the placement by them, what they win, corrections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from accounts.models import AuditEntry, User
from core.refusals import Refusal
from tests.games.support import user_named
from tests.pages.support import words
from tests.tournaments.support import (
    GAME,
    START,
    account,
    after,
    chosen,
    episode_now,
    kinds,
    nothing_changes,
    organiser_joins,
    organiser_named,
    played,
    running,
    who,
)
from tests.tournaments.support import refused as _refused
from tournaments.documents.export import season_export
from tournaments.documents.restore import season_import
from tournaments.formats.elimination.choice import dmo_choose
from tournaments.formats.elimination.episodes import episode_open, episode_skip
from tournaments.formats.elimination.main_match import Ahead, Placing, placements_record
from tournaments.formats.elimination.rescoring import Corrected, must_be_editable, scores_correct
from tournaments.formats.elimination.scores import (
    Line,
    Table,
    scores_record,
    scores_save,
    standing,
)
from tournaments.invariants import faults_of
from tournaments.models import (
    Episode,
    LedgerEntry,
    ScoreRow,
    ScoreTable,
    Season,
    SeasonOrganiser,
)
from tournaments.reading.sheet import Sheet
from tournaments.scoring import Column, places_of, table_order
from tournaments.services.contestants.departures import contestant_replace, contestant_withdraw
from tournaments.services.ledger.acts import ledger_correct, ledger_give, ledger_grant
from tournaments.services.ledger.book import balance_of
from tournaments.webhooks.telling import event_text

POINTS = Column(name="Points")
WON = Column(name="Garnets", counts=False, wins=True)
TRADE: dict[str, Any] = {"currency": True, "start": 3}
HIDDEN: dict[str, Any] = {**TRADE, "hidden": True}
Scores = Mapping[int, Sequence[int | str | None]]


def refused(code: str, call: Any, /, **arguments: Any) -> Refusal:
    """As `support.refused`, and no table has changed."""
    before = rows_now()
    found = _refused(code, call, **arguments)
    assert rows_now() == before
    return found


def rows_now() -> list[Any]:
    return [
        list(ScoreTable.objects.order_by("pk").values()),
        list(
            ScoreRow.objects.order_by("contestant").values("contestant", "cells", "note", "among")
        ),
        list(LedgerEntry.objects.order_by("pk").values()),
    ]


def table(
    season: Season,
    scores: Scores,
    columns: Sequence[Column] = (POINTS,),
    among: Mapping[int, int] = {},
    **more: Any,
) -> Table:
    """A table of what each has, by number."""
    lines = [
        Line(
            who(season, number),
            [None if each is None else Decimal(each) for each in cells],
            among=among.get(number),
        )
        for number, cells in scores.items()
    ]
    return Table(columns=columns, lines=lines, **more)


FOUR: Scores = {1: [9], 2: [7], 3: [5], 4: [2]}


def saved(
    orla: User, season: Season, scores: Scores = FOUR, seen: int = 0, **more: Any
) -> ScoreTable:
    return scores_save(
        acting_user=orla,
        episode=episode_now(season),
        table=table(season, scores, **more),
        seen=seen,
    )


def placings_of(episode: Episode) -> list[Placing]:
    """The placement that follows from the scores, with who is immune by them."""
    found, people, order, _ = standing(episode)
    first = order.groups[0] if found.winner_immune and order.groups else []
    return [Placing(people[pk], place, pk in first) for pk, place in places_of(order).items()]


def recorded(orla: User, season: Season, **more: Any) -> Episode:
    episode = episode_now(season)
    found = episode.scores
    given: dict[str, Any] = {
        "acting_user": orla,
        "episode": episode,
        "seen": found.version,
        "placements": more.pop("placements", None) or placings_of(episode),
        "main_match": found.name,
        "at": after(minutes=1),
        **more,
    }
    return scores_record(**given)


def corrected(orla: User, season: Season, scores: Scores, **more: Any) -> Corrected:
    episode = episode_now(season)
    given: dict[str, Any] = {
        each: more.pop(each) for each in ("why", "seen", "at", "acting_user", "ec") if each in more
    }
    told: dict[str, Any] = {
        "acting_user": orla,
        "episode": episode,
        "table": table(season, scores, **more),
        "seen": episode.scores.version,
        "why": "A slip",
        "at": after(minutes=2),
        **given,
    }
    return scores_correct(**told)


def cells(season: Season) -> dict[str, list[str]]:
    rows = ScoreRow.objects.filter(table__episode=episode_now(season)).select_related("contestant")
    return {each.contestant.name: each.cells for each in rows}


def placed(season: Season) -> dict[str, tuple[int, bool]]:
    rows = episode_now(season).placements.select_related("contestant")
    return {each.contestant.name: (each.place, each.immune) for each in rows}


# -- the draft -----------------------------------------------------------------------------------


def test_a_draft_is_saved_again_and_again_and_changes_nothing_public(orla: User) -> None:
    season = running(orla, 4)
    season.refresh_from_db()
    revision, told = season.revision, kinds(season)
    first = saved(orla, season, {1: ["1.50"], 2: [None]}, name="Tag", about="Run", notes="Fast")
    assert (first.version, first.recorded_at) == (1, None)
    assert cells(season) == {
        "Player 1": ["1.5"], "Player 2": [""], "Player 3": [""], "Player 4": [""],
    }  # fmt: skip
    assert saved(orla, season, FOUR, seen=1).version == 2
    season.refresh_from_db()
    assert (season.revision, kinds(season), placed(season)) == (revision, told, {})
    assert episode_now(season).main_match == ""
    log = AuditEntry.objects.filter(action="scores.save").order_by("pk")
    assert [each.data for each in log] == [
        {"version": 1, "shown": False}, {"version": 2, "shown": False},
    ]  # fmt: skip


def test_a_draft_that_is_shown_changes_what_everybody_sees_and_so_does_hiding_it(
    orla: User,
) -> None:
    season = running(orla, 4)
    seen = []
    for version, shown in enumerate((True, True, False)):
        saved(orla, season, seen=version, shown=shown)
        season.refresh_from_db()
        seen.append(season.revision)
    assert len(set(seen)) == 3


def test_a_stale_draft_is_refused(orla: User) -> None:
    season = running(orla, 4)
    saved(orla, season)
    for seen in (0, 2):
        refused("scores.moved-on", saved, orla=orla, season=season, seen=seen)


@pytest.mark.parametrize(
    ("code", "more"),
    [
        ("scores.columns", {"columns": ()}),
        ("scores.columns", {"columns": (POINTS, Column(name="Bonus"))}),
        ("scores.wins", {"columns": (Column(name="Points", wins=True),)}),
        ("scores.number", {"scores": {1: ["1e12"]}}),
        ("scores.about.too-long", {"about": "x" * 501}),
        ("episode.main-match.too-long", {"name": "x" * 121}),
        ("episode.notes.too-long", {"notes": "x" * 4001}),
        ("scores.among", {"scores": {1: [1]}, "among": {1: 5}}),
    ],
)
def test_what_makes_no_table_is_refused(orla: User, code: str, more: dict[str, Any]) -> None:
    season = running(orla, 4)
    refused(code, saved, orla=orla, season=season, **more)


def test_rows_are_of_those_who_play_and_once_each(orla: User) -> None:
    season = running(orla, 4)
    contestant_withdraw(acting_user=orla, contestant=who(season, 4), why="So", at=after(minutes=1))
    episode = episode_now(season)
    for code, line in (
        ("scores.stranger", Line(who(season, 4), [Decimal(1)])),
        ("scores.twice", Line(who(season, 1), [Decimal(1)])),
        ("scores.note.too-long", Line(who(season, 2), [Decimal(1)], "x" * 201)),
    ):
        lines = [Line(who(season, 1), [Decimal(1)]), line]
        refused(
            code, scores_save,
            acting_user=orla, episode=episode, table=Table([POINTS], lines), seen=0,
        )  # fmt: skip
    refused("season.not-organiser", saved, orla=account(season, 1), season=season, scores={1: [1]})
    episode_skip(acting_user=orla, episode=episode, why="So", at=after(minutes=2))
    refused("episode.placed", saved, orla=orla, season=season, scores={1: [1]})


def test_what_is_settled_among_equals_holds_for_those_alone(orla: User) -> None:
    season = running(orla, 4)
    tied: Scores = {1: [9], 2: [7], 3: [7], 4: [2]}
    saved(orla, season, tied, among={2: 2, 3: 1, 4: 1})
    rows = ScoreRow.objects.order_by("contestant__name").values_list("among", flat=True)
    assert list(rows) == [None, 2, 1, None]
    found, people, order, _ = standing(episode_now(season))
    assert [people[pk].name for group in order.groups for pk in group] == [
        "Player 1", "Player 3", "Player 2", "Player 4",
    ]  # fmt: skip
    assert table_order(found, found.rows.all(), people).is_settled


def test_whoever_takes_over_a_place_has_its_scores(orla: User) -> None:
    season = running(orla, 4)
    saved(orla, season)
    heir = organiser_named("heir")
    new = contestant_replace(
        acting_user=orla, contestant=who(season, 2), user=heir, why="So", at=after(minutes=1)
    )
    assert cells(season)[new.name] == ["7"]


def test_the_database_keeps_one_row_for_each(orla: User) -> None:
    season = running(orla, 4)
    row = saved(orla, season).rows.first()
    assert row is not None
    with pytest.raises(IntegrityError), transaction.atomic():
        ScoreRow.objects.create(table=row.table, contestant=row.contestant)
    with pytest.raises(IntegrityError), transaction.atomic():
        ScoreRow.objects.filter(pk=row.pk).update(among=0)


# -- the placement -------------------------------------------------------------------------------


def test_the_placement_the_ec_and_immunity_follow_from_the_scores(orla: User) -> None:
    season = running(orla, 4)
    saved(orla, season, {1: [2], 2: [9], 3: [5], 4: [7]}, name="Tag")
    episode = recorded(orla, season, ahead=Ahead(minutes=30))
    assert placed(season) == {
        "Player 1": (4, False), "Player 2": (1, True), "Player 3": (3, False),
        "Player 4": (2, False),
    }  # fmt: skip
    assert (episode.ec, episode.main_match, episode.status) == (who(season, 1), "Tag", "choosing")
    assert kinds(season)[-1] == "episode.placed"
    found = ScoreTable.objects.get()
    assert (found.recorded_at, found.version) == (after(minutes=1), 2)
    assert faults_of(season) == []


def test_what_is_not_settled_places_nobody(orla: User) -> None:
    season = running(orla, 4)
    refused("scores.none", scores_record, acting_user=orla, episode=episode_now(season), seen=0,
            placements=[])  # fmt: skip
    saved(orla, season, {1: [9], 2: [7], 3: [7]})
    assert "Player 4" in refused("scores.missing", recorded, orla=orla, season=season).sentence
    saved(orla, season, {1: [9], 2: [7], 3: [7], 4: [1]}, seen=1)
    sentence = refused("scores.tie", recorded, orla=orla, season=season).sentence
    assert "Player 2 and Player 3" in sentence
    saved(orla, season, {1: [9], 2: [7], 3: [7], 4: [1]}, seen=2, share=True)
    recorded(orla, season)
    assert placed(season)["Player 2"] == placed(season)["Player 3"] == (2, False)


def test_a_shared_last_place_asks_who_is_the_ec(orla: User) -> None:
    season = running(orla, 4)
    saved(orla, season, {1: [9], 2: [7], 3: [1], 4: [1]}, share=True)
    refused("placements.tie", recorded, orla=orla, season=season)
    assert recorded(orla, season, ec=who(season, 3)).ec == who(season, 3)


def test_other_places_than_those_of_the_scores_and_a_stale_page_are_refused(orla: User) -> None:
    season = running(orla, 4)
    saved(orla, season)
    turned = [each._replace(place=5 - each.place) for each in placings_of(episode_now(season))]
    refused("scores.order", recorded, orla=orla, season=season, placements=turned)
    refused("scores.moved-on", recorded, orla=orla, season=season, seen=2)
    refused("episode.moved-on", recorded, orla=orla, season=season, standing="1-old")
    saved(orla, season, seen=1)
    refused("scores.moved-on", recorded, orla=orla, season=season, seen=1)
    recorded(orla, season)
    refused("scores.recorded", saved, orla=orla, season=season, seen=3)
    refused("scores.recorded", scores_record, acting_user=orla, episode=episode_now(season),
            seen=3, placements=[])  # fmt: skip


def test_what_the_table_wins_is_entered_with_the_placement_or_not_at_all(orla: User) -> None:
    season = running(orla, 4, trade=TRADE)
    rows: Scores = {1: [9, 5], 2: [7, 2], 3: [5, 2], 4: [2, None]}
    saved(orla, season, rows, columns=(POINTS, WON), name="Tag")
    refused("placements.ec-immune", recorded, orla=orla, season=season, placements=[
        each._replace(immune=True) for each in placings_of(episode_now(season))
    ])  # fmt: skip
    recorded(orla, season)
    assert [balance_of(who(season, each)) for each in (1, 2, 3, 4)] == [8, 5, 5, 3]
    entries = LedgerEntry.objects.filter(kind="won")
    assert {(each.why, each.round_id) for each in entries} == {
        ("Main match: Tag", episode_now(season).round_id)
    }
    assert kinds(season)[-3:] == ["episode.placed", "ledger.won", "ledger.won"]
    assert faults_of(season) == []


def test_what_cannot_be_won_stops_the_placement(orla: User) -> None:
    season = running(orla, 4, trade=TRADE)
    for seen, much in enumerate(("1.5", "-1", "1000001")):
        saved(orla, season, {1: [9, much], 2: [7, 2], 3: [5, 2], 4: [2, 1]},
              columns=(POINTS, WON), seen=seen)  # fmt: skip
        refused("scores.winnings", recorded, orla=orla, season=season)


def test_where_purses_are_hidden_what_is_won_tells_nothing(orla: User) -> None:
    season = running(orla, 4, trade=HIDDEN)
    for column in (
        Column(name="Garnets", wins=True),
        Column(name="Garnets", counts=False, decides=1, wins=True),
    ):
        rows: Scores = {1: [9, 5], 2: [7, 2], 3: [5, 2], 4: [2, 5]}
        refused(
            "scores.wins-hidden", saved,
            orla=orla, season=season, scores=rows, columns=(POINTS, column),
        )  # fmt: skip
    saved(orla, season, {1: [9, 1], 2: [7, 2], 3: [5, 2], 4: [2, 5]}, columns=(POINTS, WON))
    recorded(orla, season)
    told = season.events.filter(kind="ledger.won").order_by("pk")
    # One by one, in no order of how much it is.
    assert [each.contestant for each in told] == [who(season, each) for each in (1, 2, 3, 4)]
    assert {each.data["amount"] for each in told} == {None}


def test_an_organiser_who_plays_neither_sees_nor_enters_what_others_win(orla: User) -> None:
    season = running(orla, 4, trade=HIDDEN)
    olin = organiser_named("olin")
    SeasonOrganiser.objects.create(season=season, user=olin)
    own = who(season, 2)
    own.user = olin
    own.save(update_fields=["user"])
    rows: Scores = {1: [9, 1], 2: [7, 2], 3: [5, 2], 4: [2, 5]}
    refused("season.own", saved, orla=olin, season=season, scores=rows, columns=(POINTS, WON))
    saved(olin, season, FOUR)
    saved(orla, season, rows, columns=(POINTS, WON), seen=1)
    refused("season.own", saved, orla=olin, season=season, seen=2)
    refused("season.own", recorded, orla=olin, season=season)
    recorded(orla, season)
    refused("season.own", corrected, orla=olin, season=season, scores=rows, columns=(POINTS, WON))


@pytest.mark.parametrize("right", ["episodes", "ledger"])
def test_what_a_table_wins_is_entered_by_whoever_records_it(orla: User, right: str) -> None:
    season = running(orla, 4, trade=TRADE)
    hal = user_named("hal")
    organiser_joins(acting_user=orla, season=season, user=hal, role="helper", rights=[right],
                    at=START)  # fmt: skip
    rows: Scores = {1: [9, 5], 2: [7, 2], 3: [5, 2], 4: [2, 0]}
    told: dict[str, Any] = {"orla": hal, "season": season}
    if right == "ledger":
        refused("season.no-right", saved, **told, scores=rows, columns=(POINTS, WON))
        return
    saved(**told, scores=rows, columns=(POINTS, WON))
    recorded(**told)
    assert [balance_of(who(season, each)) for each in (1, 2, 3, 4)] == [8, 5, 5, 3]
    entries = AuditEntry.objects.filter(action="ledger.grant")
    assert {each.who for each in entries} == {hal}
    assert {each.data["scores"] for each in entries} == {episode_now(season).pk}
    refused("season.no-right", corrected, **told, scores=rows, columns=(POINTS, WON))
    # What does not follow from scores is not theirs to enter.
    refused("season.no-right", ledger_grant, acting_user=hal, season=season,
            contestants=[who(season, 1)], amount=1, why="So")  # fmt: skip


def test_a_helper_who_does_not_keep_the_ledger_is_told_why_they_see_no_winnings(
    orla: User,
) -> None:
    season = running(orla, 4, trade=HIDDEN)
    hal = user_named("hal")
    organiser_joins(acting_user=orla, season=season, user=hal, role="helper",
                    rights=["episodes"], at=START)  # fmt: skip
    rows: Scores = {1: [9, 5], 2: [7, 2], 3: [5, 2], 4: [2, 0]}
    told: dict[str, Any] = {"orla": hal, "season": season}
    for acts in (
        lambda: refused("season.no-right", saved, **told, scores=rows, columns=(POINTS, WON)),
        lambda: saved(orla, season, rows, columns=(POINTS, WON)),
        lambda: refused("season.no-right", saved, **told, seen=1),
        lambda: refused("season.no-right", recorded, **told),
    ):
        found = acts()
        if isinstance(found, Refusal):
            assert "“keeps the ledger”" in found.sentence
            assert "plays" not in found.sentence


def test_whoever_plays_hears_before_they_type_that_they_enter_no_winnings(orla: User) -> None:
    season = running(orla, 4, trade=TRADE)
    olin = organiser_named("olin")
    SeasonOrganiser.objects.create(season=season, user=olin)
    own = who(season, 2)
    own.user = olin
    own.save(update_fields=["user"])
    rows: Scores = {1: [9, 5], 2: [7, 2], 3: [5, 0], 4: [2, 0]}
    refused("season.own", saved, orla=olin, season=season, scores=rows, columns=(POINTS, WON))
    saved(orla, season, rows, columns=(POINTS, WON))
    refused("season.own", must_be_editable, episode=episode_now(season), acting_user=olin,
            table=episode_now(season).scores)  # fmt: skip
    refused("season.own", recorded, orla=olin, season=season)
    recorded(orla, season)
    # Of others they correct it, and of themselves they do not.
    refused("season.own", corrected, orla=olin, season=season, columns=(POINTS, WON),
            scores={**rows, 2: [7, 3]})  # fmt: skip
    corrected(olin, season, {**rows, 3: [5, 1]}, columns=(POINTS, WON))
    assert [balance_of(who(season, each)) for each in (1, 2, 3, 4)] == [8, 5, 4, 3]


def test_whoever_is_out_of_it_says_what_is_won(orla: User) -> None:
    season = running(orla, 5, trade=TRADE)
    olin = organiser_named("olin")
    SeasonOrganiser.objects.create(season=season, user=olin)
    own = who(season, 5)
    own.user = olin
    own.save(update_fields=["user"])
    contestant_withdraw(acting_user=orla, contestant=own, why="So", at=after(minutes=1))
    rows: Scores = {1: [9, 5], 2: [7, 2], 3: [5, 0], 4: [2, 0]}
    saved(olin, season, rows, columns=(POINTS, WON))
    recorded(olin, season)
    assert balance_of(who(season, 1)) == 8


def test_what_was_recorded_by_scores_changes_by_them_alone(orla: User) -> None:
    season = running(orla, 4)
    saved(orla, season)
    places = placings_of(episode_now(season))
    recorded(orla, season)
    turned = [each._replace(place=5 - each.place, immune=False) for each in places]
    for placements in (places, turned):
        refused("scores.recorded", placements_record, acting_user=orla,
                episode=episode_now(season), placements=placements)  # fmt: skip
    # A draft freezes nothing.
    season = running(orla, 4)
    placements_record(acting_user=orla, episode=episode_now(season), placements=turned_of(season))
    saved(orla, season)
    placements_record(acting_user=orla, episode=episode_now(season), placements=turned_of(season))
    assert episode_now(season).ec == who(season, 1)


def turned_of(season: Season) -> list[Placing]:
    return [Placing(who(season, each), 5 - each) for each in (1, 2, 3, 4)]


# -- corrections ---------------------------------------------------------------------------------


def test_a_correction_that_changes_the_order_records_it_again_while_the_ec_chooses(
    orla: User,
) -> None:
    season = running(orla, 4, trade=TRADE)
    rows: Scores = {1: [9, 5], 2: [7, 2], 3: [5, 2], 4: [2, 0]}
    saved(orla, season, rows, columns=(POINTS, WON), name="Tag")
    refused("scores.none", scores_correct, acting_user=orla, episode=episode_now(season),
            table=table(season, FOUR), seen=1, why="So")  # fmt: skip
    ahead = Ahead(scheduled_at=after(hours=5), minutes=30)
    placements = [
        each._replace(immune=each.immune or each.contestant == who(season, 3))
        for each in placings_of(episode_now(season))
    ]
    recorded(orla, season, placements=placements, ahead=ahead)
    corrected(orla, season, {1: [9, 5], 2: [10, 3], 3: [5, 2], 4: [8, 0]}, columns=(POINTS, WON))
    # Whoever came first is immune by the rule, and Player 3 by the organisers.
    assert placed(season) == {
        "Player 2": (1, True), "Player 1": (2, False), "Player 4": (3, False),
        "Player 3": (4, True),
    }  # fmt: skip
    episode = episode_now(season)
    assert (episode.ec, episode.main_match) == (who(season, 4), "Tag")
    assert episode.death_match_at == after(hours=5)
    assert [balance_of(who(season, each)) for each in (1, 2, 3, 4)] == [8, 6, 5, 3]
    assert kinds(season)[-3:] == ["episode.placed", "ledger.won", "episode.corrected"]
    entry = AuditEntry.objects.get(action="scores.correct")
    assert entry.data["why"] == "A slip"
    assert [who(season, 2).pk, "Points", "7", "10"] in entry.data["changed"]
    # What is won is in the ledger; not everybody who reads the log may see it.
    assert {each[1] for each in entry.data["changed"]} == {"Points"}
    assert faults_of(season) == []


def test_a_correction_that_leaves_the_order_leaves_the_choice(orla: User) -> None:
    season = running(orla, 4)
    saved(orla, season)
    chooses_by = recorded(orla, season).choose_by
    corrected(orla, season, {1: [10], 2: [7], 3: [5], 4: [2]})
    assert episode_now(season).choose_by == chooses_by
    assert kinds(season)[-1] == "episode.corrected"
    assert kinds(season).count("episode.placed") == 1
    dmo_choose(
        acting_user=account(season, 4), episode=episode_now(season), contestant=who(season, 2),
        at=after(minutes=3),
    )  # fmt: skip
    corrected(orla, season, {1: [10], 2: [7], 3: [6], 4: [2]}, at=after(minutes=4))
    assert cells(season)["Player 3"] == ["6"]
    turned: Scores = {1: [10], 2: [5], 3: [6], 4: [2]}
    refused("episode.placed", corrected, orla=orla, season=season, scores=turned)


@pytest.mark.parametrize(
    ("code", "more"),
    [
        ("scores.moved-on", {"seen": 1}),
        ("why.missing", {"why": " "}),
        ("scores.missing", {"scores": {1: [9], 2: [7], 3: [5]}}),
        ("scores.tie", {"scores": {1: [9], 2: [7], 3: [5], 4: [5]}}),
        ("scores.columns", {"columns": ()}),
    ],
)
def test_a_correction_has_to_make_sense(orla: User, code: str, more: dict[str, Any]) -> None:
    season = running(orla, 4)
    saved(orla, season)
    recorded(orla, season)
    refused(code, corrected, **{"orla": orla, "season": season, "scores": FOUR, **more})


def test_nobody_corrects_what_makes_them_the_ec_nor_without_running_the_season(
    orla: User,
) -> None:
    season = running(orla, 4)
    last = who(season, 4)
    olin = organiser_named("olin")
    SeasonOrganiser.objects.create(season=season, user=olin)
    last.user = olin
    last.save(update_fields=["user"])
    saved(orla, season)
    recorded(orla, season)
    refused("death-match.own", corrected, orla=olin, season=season, scores=FOUR)
    refused("season.not-organiser", corrected, orla=account(season, 1), season=season, scores=FOUR)


def test_what_was_won_and_taken_back_by_hand_stays_so(orla: User) -> None:
    season = running(orla, 4, trade=TRADE)
    rows: Scores = {1: [9, 5], 2: [7, 2], 3: [5, 1], 4: [2, 0]}
    saved(orla, season, rows, columns=(POINTS, WON))
    recorded(orla, season)
    entry = LedgerEntry.objects.get(kind="won", payee=who(season, 1))
    ledger_correct(acting_user=orla, entry=entry, why="So", at=after(minutes=2))
    corrected(orla, season, {**rows, 2: [7, 4]}, columns=(POINTS, WON), at=after(minutes=3))
    assert [balance_of(who(season, each)) for each in (1, 2)] == [3, 7]
    for much in (6, 4, 0):
        turned = {**rows, 1: [9, much], 2: [7, 4]}
        refused("scores.taken-back", corrected, orla=orla, season=season, scores=turned,
                columns=(POINTS, WON))  # fmt: skip
    assert faults_of(season) == []


@pytest.mark.parametrize("imported", [False, True])
def test_a_correction_enters_how_much_more_or_less_is_won(orla: User, *, imported: bool) -> None:
    season = running(orla, 4, trade={**TRADE, "payments": "open"})
    rows: Scores = {1: [9, 5], 2: [7, 2], 3: [5, 1], 4: [2, 0]}
    saved(orla, season, rows, columns=(POINTS, WON))
    recorded(orla, season)
    # What has been spent since is not missed where little enough goes back.
    ledger_give(
        acting_user=account(season, 1), season=season, payee=who(season, 4), amount=6,
        at=after(minutes=1),
    )  # fmt: skip
    by_hand = 0
    if imported:
        data = season_export(season=season, reader=orla)
        season = season_import(acting_user=orla, data=data, beside=True)
    else:
        by_hand = 2
        alike = LedgerEntry.objects.get(kind="won", payee=who(season, 2))
        ledger_grant(
            acting_user=orla, season=season, contestants=[who(season, 2)], amount=by_hand,
            why=alike.why, round=alike.round, at=after(minutes=1, seconds=1),
        )  # fmt: skip
    for minutes, (first, second) in enumerate(((3, 2), (4, 0), (4, 7), (5, 1)), start=2):
        turned = {**rows, 1: [9, first], 2: [7, second]}
        corrected(orla, season, turned, columns=(POINTS, WON), at=after(minutes=minutes))
        assert balance_of(who(season, 1)) == 3 + first - 6
        assert balance_of(who(season, 2)) == 3 + second + by_hand
        assert (balance_of(who(season, 3)), balance_of(who(season, 4))) == (4, 9)
    less: Scores = {**rows, 1: [9, 2], 2: [7, 1]}
    refused("ledger.short", corrected, orla=orla, season=season, scores=less,
            columns=(POINTS, WON))  # fmt: skip
    assert faults_of(season) == []
    told = AuditEntry.objects.filter(action="ledger.correct").latest("pk")
    assert (told.data["amount"], told.data["scores"]) == (6, episode_now(season).pk)


@pytest.mark.parametrize("leaving", ["lapses", "stays"])
def test_what_whoever_is_out_won_stays_and_is_said(orla: User, leaving: str) -> None:
    season = running(orla, 4, trade={**TRADE, "leaving": leaving})
    rows: Scores = {1: [9, 5], 2: [7, 2], 3: [5, 1], 4: [2, 1]}
    saved(orla, season, rows, columns=(POINTS, WON))
    recorded(orla, season)
    row = dmo_choose(
        acting_user=account(season, 4), episode=episode_now(season), contestant=who(season, 2),
        at=after(minutes=3),
    )  # fmt: skip
    played(orla, row, winner=1)
    assert who(season, 4).status == "eliminated"
    before = LedgerEntry.objects.filter(payee=who(season, 4)).count()
    turned: Scores = {**rows, 1: [9, 6], 4: [2, 3]}
    made = corrected(orla, season, turned, columns=(POINTS, WON), at=after(hours=9))
    stays = leaving == "lapses"
    assert made.out == ([who(season, 4)] if stays else [])
    assert LedgerEntry.objects.filter(payee=who(season, 4)).count() == before + (not stays)
    assert balance_of(who(season, 1)) == 9
    assert faults_of(season) == []


def test_a_correction_goes_on_where_the_time_that_was_set_has_passed(orla: User) -> None:
    season = running(orla, 4)
    saved(orla, season)
    recorded(orla, season, ahead=Ahead(GAME, scheduled_at=after(hours=5), minutes=600))
    turned: Scores = {1: [9], 2: [7], 3: [2], 4: [5]}
    corrected(orla, season, turned, at=after(hours=6))
    episode = episode_now(season)
    assert (episode.ec, episode.death_match_at) == (who(season, 3), None)
    assert episode.round.ruleset == GAME["ruleset"]


def test_whoever_plays_corrects_where_the_time_that_was_set_has_passed(orla: User) -> None:
    season = running(orla, 4)
    olin = organiser_named("olin")
    SeasonOrganiser.objects.create(season=season, user=olin)
    own = who(season, 2)
    own.user = olin
    own.save(update_fields=["user"])
    saved(orla, season)
    recorded(orla, season, ahead=Ahead(GAME, scheduled_at=after(hours=5), minutes=600))
    turned: Scores = {1: [9], 2: [7], 3: [2], 4: [5]}
    corrected(olin, season, turned, at=after(hours=6))
    episode = episode_now(season)
    assert (episode.ec, episode.death_match_at) == (who(season, 3), None)
    assert episode.round.ruleset == GAME["ruleset"]


def test_the_ec_of_a_correction_is_chosen_where_several_are_last(orla: User) -> None:
    season = running(orla, 4)
    saved(orla, season, share=True)
    recorded(orla, season)
    turned: Scores = {1: [9], 2: [1], 3: [1], 4: [2]}
    told: dict[str, Any] = {"orla": orla, "season": season, "scores": turned, "share": True}
    refused("placements.tie", corrected, **told)
    refused("placements.ec-not-last", corrected, **told, ec=who(season, 4))
    corrected(**told, ec=who(season, 2))
    assert episode_now(season).ec == who(season, 2)
    # Who is the EC stays so without a word.
    corrected(**{**told, "scores": {**turned, 4: [1]}}, at=after(minutes=3))
    assert episode_now(season).ec == who(season, 2)
    corrected(**{**told, "scores": {**turned, 4: [1]}}, ec=who(season, 4), at=after(minutes=4))
    assert episode_now(season).ec == who(season, 4)


# -- in words -----------------------------------------------------------------------------------


@pytest.mark.parametrize("hidden", [False, True])
def test_what_is_posted_of_the_ec_has_the_totals_in_a_line(orla: User, *, hidden: bool) -> None:
    season = running(orla, 4, trade={**TRADE, "hidden": hidden})
    rows: Scores = {1: [2, 77], 2: [9, 2], 3: ["5.5", 1], 4: [7, 0]}
    saved(orla, season, rows, columns=(POINTS, WON))

    def post() -> str:
        return event_text(season.events.filter(kind="episode.placed").latest("pk"), None)

    recorded(orla, season)
    line = post().splitlines()[-1].replace("\\", "")
    assert line == "Scores: Player 2 9, Player 4 7, Player 3 5.5, Player 1 2."
    assert "77" not in post()
    other = running(orla, 4)
    saved(orla, other)
    placements_record(acting_user=orla, episode=episode_now(other), placements=turned_of(other))
    event = other.events.filter(kind="episode.placed").latest("pk")
    assert "Scores" not in event_text(event, None)


# -- who sees it ---------------------------------------------------------------------------------


def test_a_draft_is_seen_once_it_is_shown_and_scores_once_they_are_recorded(orla: User) -> None:
    season = running(orla, 4)

    def seen() -> bool:
        sheet = Sheet(Season.objects.get(pk=season.pk))
        (found,) = sheet.episodes
        latest = sheet.latest_scores(None)
        there = sheet.scores_of(found, None)
        assert (latest is None) == (there is None)
        return there is not None

    assert not seen()
    saved(orla, season)
    assert not seen()
    saved(orla, season, seen=1, shown=True)
    assert seen()
    saved(orla, season, seen=2)
    assert not seen()
    recorded(orla, season)
    assert seen()


def test_an_old_main_match_is_not_shown_as_the_last(orla: User) -> None:
    """Whose scores nobody has entered has none: those of an earlier one are not its."""
    season = running(orla, 5)

    def shown() -> int | None:
        """The number of the episode whose scores are."""
        page = Client().get(season.get_absolute_url())
        latest = Sheet(Season.objects.get(pk=season.pk)).latest_scores(None)
        assert ("The last main match" in words(page)) == (latest is not None)
        return None if latest is None else latest[0].number

    saved(orla, season, {**FOUR, 5: [1]})
    recorded(orla, season)
    row = dmo_choose(
        acting_user=account(season, 5), episode=episode_now(season), contestant=who(season, 4),
        at=after(minutes=3),
    )  # fmt: skip
    played(orla, row, winner=1, at=after(minutes=5))
    episode_open(acting_user=orla, season=season, at=after(hours=1))
    assert shown() == 1
    saved(orla, season, shown=True)
    assert shown() == 2
    saved(orla, season, seen=1)
    assert shown() == 1
    ScoreTable.objects.filter(episode=episode_now(season)).delete()
    row = chosen(orla, season, 4, 3, at=after(hours=2))
    assert shown() is None
    played(orla, row, winner=1, at=after(hours=3))
    episode_open(acting_user=orla, season=season, at=after(hours=4))
    assert shown() is None
    saved(orla, season, {1: [9], 2: [7], 3: [5]}, shown=True)
    assert shown() == 3


def test_what_is_won_is_seen_by_whoever_sees_purses(orla: User) -> None:
    season = running(orla, 4, trade=HIDDEN)
    rows: Scores = {1: [9, 1], 2: [7, 2], 3: [5, 2], 4: [2, 5]}
    saved(orla, season, rows, columns=(POINTS, WON))
    recorded(orla, season)
    sheet = Sheet(Season.objects.get(pk=season.pk))
    (found,) = sheet.episodes
    for reader, names in (
        (None, ["Points"]), (account(season, 1), ["Points"]), (orla, ["Points", "Garnets"]),
    ):  # fmt: skip
        there = sheet.scores_of(found, reader)
        assert there is not None
        assert [each.name for each in there.columns] == names
        assert {len(each.cells) for each in there.lines} == {len(names)}


# -- its document --------------------------------------------------------------------------------


def test_a_document_takes_scores_along(orla: User) -> None:
    season = running(orla, 4, trade=TRADE)
    rows: Scores = {1: [9, 1], 2: [7, 2], 3: ["5.5", 2], 4: [2, None]}
    saved(orla, season, rows, columns=(POINTS, WON), name="Tag", about="Run", shown=True)
    for now in (saved, None):
        if now is None:
            recorded(orla, season)
        data = season_export(season=season, reader=orla)
        copy = season_import(acting_user=orla, data=data, beside=True)
        there = ScoreTable.objects.get(episode__round__season=copy)
        here = ScoreTable.objects.get(episode__round__season=season)
        for name in ("name", "about", "columns", "low", "share", "winner_immune", "shown",
                     "recorded_at"):  # fmt: skip
            assert getattr(there, name) == getattr(here, name)
        assert cells(copy) == cells(season)
        assert faults_of(copy) == []


def test_a_document_has_no_winnings_for_who_may_not_see_them(orla: User) -> None:
    season = running(orla, 4, trade=HIDDEN)
    olin = organiser_named("olin")
    SeasonOrganiser.objects.create(season=season, user=olin)
    own = who(season, 2)
    own.user = olin
    own.save(update_fields=["user"])
    saved(orla, season, {1: [9, 1]}, columns=(POINTS, WON))
    assert b"Garnets" in season_export(season=season, reader=orla)
    assert b"Garnets" not in season_export(season=season, reader=olin)


@pytest.mark.parametrize(
    ("before", "then"),
    [
        ('"cells": [\n         "9"\n        ]', '"cells": []'),
        ('"9"', '"nine"'),
        ('"counts": true', '"counts": false'),
    ],
)
def test_a_document_with_a_broken_table_is_refused(orla: User, before: str, then: str) -> None:
    season = running(orla, 4)
    saved(orla, season)
    text = season_export(season=season).decode()
    squeezed = " ".join(text.split())
    broken = squeezed.replace(" ".join(before.split()), then, 1)
    assert broken != squeezed
    with pytest.raises(Refusal), nothing_changes():
        season_import(acting_user=orla, data=broken.encode(), beside=True)
