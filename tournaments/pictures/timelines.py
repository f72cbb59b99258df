"""The timeline of an elimination season: where its lines stand, in pixels, and words."""

from __future__ import annotations

from typing import NamedTuple

from django.urls import reverse

from tournaments.lifecycle import STILL_IN, ContestantStatus, DeathMatchStatus
from tournaments.models import Contestant, DeathMatch, Round
from tournaments.pictures.portraits import colour_of, initial_of
from tournaments.reading.sheet import Sheet

ROW, COLUMN, LEFT, TOP = 48, 84, 26, 40


class Mark(NamedTuple):
    """How a contestant came through an episode. `kind`: safe, immune, ec, dmo, final; `end` out,
    won or empty."""

    x: int
    y: int
    kind: str
    end: str
    initial: str
    colour: int
    words: str


class Life(NamedTuple):
    """A contestant's line: from where to where, and whether it goes on, fades or wins."""

    contestant: Contestant
    y: int
    begins: int
    ends: int
    fate: str
    marks: list[Mark]


class Column(NamedTuple):
    """An episode: its heading, where it stands, the line between the two who met, and words."""

    round: Round
    x: int
    heading: str
    url: str
    words: str
    meets: tuple[int, int] | None
    decided: bool


class Timeline(NamedTuple):
    """A whole season: one row a contestant, one column an episode."""

    width: int
    height: int
    columns: list[Column]
    lives: list[Life]
    words: str


def timeline(sheet: Sheet) -> Timeline:
    """The season so far."""
    rows = _in_order(sheet)
    y_of = {each.pk: TOP + ROW * number + ROW // 2 for number, each in enumerate(rows)}
    x_of = {each.number: LEFT + COLUMN * number for number, each in enumerate(sheet.rounds, 1)}
    width = LEFT + COLUMN * (len(sheet.rounds) + 1)
    columns = [_column(sheet, each, x_of, y_of) for each in sheet.rounds]
    lives = [_life(sheet, each, x_of, y_of[each.pk], width) for each in rows]
    words = " ".join(column.words for column in columns) or "No episode has begun yet."
    return Timeline(width, TOP + ROW * len(rows) + 8, columns, lives, words)


def _in_order(sheet: Sheet) -> list[Contestant]:
    """The winner on top, below them who left later over who left earlier."""

    def key(each: Contestant) -> tuple[int, float, int]:
        if each.pk == sheet.season.winner_id:
            return (0, 0, 0)
        if each.status in STILL_IN:
            return (1, each.seed or 10**6, each.pk)
        return (2, -_round_of_leaving(sheet, each) * 1000.0 + (each.place or 0), each.pk)

    return sorted(sheet.contestants, key=key)


def _round_of_leaving(sheet: Sheet, contestant: Contestant) -> int:
    """The number of the round in which somebody left; 0 before the first."""
    lost = [
        row.round.number
        for row in sheet.death_matches
        if row.status == DeathMatchStatus.DECIDED
        and contestant.pk in (row.home_id, row.away_id)
        and row.winner_id != contestant.pk
    ]
    if contestant.status == ContestantStatus.ELIMINATED and lost:
        return max(lost)
    left = contestant.left_at
    begun = [each.number for each in sheet.rounds if left is None or each.opened_at <= left]
    return max(begun, default=0)


def _column(sheet: Sheet, played: Round, x_of: dict[int, int], y_of: dict[int, int]) -> Column:
    met = _meeting(sheet, played)
    meets = None
    if met is not None and met.home_id is not None and met.away_id is not None:
        ends = sorted((y_of[met.home_id], y_of[met.away_id]))
        meets = (ends[0], ends[1])
    return Column(
        round=played,
        x=x_of[played.number],
        heading="Final" if played.is_final else str(played.number),
        url=reverse("tournaments:round", args=[sheet.season.slug, played.number]),
        words=_episode_text(sheet, played, met),
        meets=meets,
        decided=met is not None and met.winner_id is not None,
    )


def _meeting(sheet: Sheet, played: Round) -> DeathMatch | None:
    for row in sheet.death_matches:
        if row.round_id == played.pk and row.status != DeathMatchStatus.VOID:
            return row
    return None


def _episode_text(sheet: Sheet, played: Round, met: DeathMatch | None) -> str:
    found = sheet.episode_of(played)
    episode = None if found is None else found.row
    if met is not None and met.home is not None and met.away is not None:
        if met.winner is not None:
            out = met.away if met.winner_id == met.home_id else met.home
            return f"{played.name}: {met.winner.shown_name} beats {out.shown_name}."
        return f"{played.name}: {met.home.shown_name} meets {met.away.shown_name}."
    if episode is not None and episode.status == "skipped":
        return f"{played.name}: nobody leaves."
    if episode is not None and episode.ec is not None:
        return f"{played.name}: {episode.ec.shown_name} is to choose an opponent."
    return f"{played.name}: has just begun."


def _life(sheet: Sheet, contestant: Contestant, x_of: dict[int, int], y: int, width: int) -> Life:
    won = contestant.pk == sheet.season.winner_id
    last = _last_round(sheet, contestant)
    marks = [
        mark
        for each in sheet.rounds
        if contestant.since_round <= each.number <= last
        and (mark := _mark(sheet, contestant, each, x_of[each.number], y)) is not None
    ]
    begins = 4 if contestant.since_round == 1 else x_of.get(contestant.since_round, LEFT) - 30
    if won:
        fate, ends = "won", width - 34
    elif contestant.status in STILL_IN:
        fate, ends = "on", width - 12
    else:
        fate, ends = "out", x_of.get(last, begins)
    return Life(contestant, y, begins, max(begins, ends), fate, marks)


def _last_round(sheet: Sheet, contestant: Contestant) -> int:
    if contestant.status in STILL_IN:
        return max((each.number for each in sheet.rounds), default=0)
    return _round_of_leaving(sheet, contestant)


def _mark(sheet: Sheet, contestant: Contestant, played: Round, x: int, y: int) -> Mark | None:
    face = initial_of(contestant.name), colour_of(contestant)
    met = _meeting(sheet, played)
    if met is not None and contestant.pk in (met.home_id, met.away_id):
        kind = "ec" if contestant.pk == met.home_id else "dmo"
        end = ""
        if met.winner_id is not None:
            end = "won" if met.winner_id == contestant.pk else "out"
        role = kind.upper() if not played.is_final else "finalist"
        ending = {"won": " and survives", "out": " and is out", "": ""}[end]
        words = f"{contestant.shown_name}, {played.name}: {role}{ending}"
        return Mark(x, y, kind, end, *face, words)
    episode = sheet.episode_of(played)
    if episode is None:
        return None
    if episode.row.ec_id == contestant.pk and episode.row.dmo_id is None:
        return Mark(x, y, "ec", "", *face, f"{contestant.shown_name}, {played.name}: EC")
    mine = episode.placement_of(contestant)
    if mine is None:
        return None
    kind = "immune" if mine.immune else "safe"
    note = ", immune" if mine.immune else ""
    words = f"{contestant.shown_name}, {played.name}: place {mine.place}{note}"
    return Mark(x, y, kind, "", *face, words)
