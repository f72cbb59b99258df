"""Seasons as drawings: where the lines of a timeline and the boxes of a bracket stand.

Everything here is geometry and words, in pixels; templates turn it into SVG whose colours come from
the style sheet. `season_picture` alone is a finished picture, for links from elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.templatetags.site import AVATAR_COLOURS
from games.engine.palette import ON_DARK
from games.sharing import BRASS, MUTED, PANEL, TEXT, frame, label
from tournaments.formats.field import ResultBasis as Came
from tournaments.formats.single_elimination.rules import BracketStanding, BracketState
from tournaments.lifecycle import STILL_IN, ContestantStatus, DeathMatchStatus, How, SeasonStatus
from tournaments.models import Contestant, DeathMatch, Round, Season
from tournaments.reading import Sheet

ROW, COLUMN, LEFT, TOP = 48, 84, 26, 40


# -- the timeline of an elimination season -------------------------------------------------------


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


def initial_of(name: str) -> str:
    """What stands on somebody's portrait."""
    return name.strip()[:1].upper() or "?"


def colour_of(contestant: Contestant) -> int:
    """The colour of somebody's portrait: that of their account, where they have one."""
    return (contestant.user_id or contestant.pk) % AVATAR_COLOURS


def timeline(sheet: Sheet) -> Timeline:
    """The season so far."""
    rows = _in_order(sheet)
    y_of = {each.pk: TOP + ROW * number + ROW // 2 for number, each in enumerate(rows)}
    x_of = {each.number: LEFT + COLUMN * number for number, each in enumerate(sheet.rounds, 1)}
    width = LEFT + COLUMN * (len(sheet.rounds) + 1)
    columns = [_column(sheet, each, x_of, y_of) for each in sheet.rounds]
    lives = [_life(sheet, each, x_of, y_of[each.pk], width) for each in rows]
    told = " ".join(column.words for column in columns) or "No episode has begun yet."
    return Timeline(width, TOP + ROW * len(rows) + 8, columns, lives, told)


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
        words=_episode_text(played, met),
        meets=meets,
        decided=met is not None and met.winner_id is not None,
    )


def _meeting(sheet: Sheet, played: Round) -> DeathMatch | None:
    for row in sheet.death_matches:
        if row.round_id == played.pk and row.status != DeathMatchStatus.VOID:
            return row
    return None


def _episode_text(played: Round, met: DeathMatch | None) -> str:
    episode = getattr(played, "told", None)
    if met is not None and met.home is not None and met.away is not None:
        if met.winner is not None:
            out = met.away if met.winner_id == met.home_id else met.home
            return f"{played.name}: {met.winner.name} beats {out.name}."
        return f"{played.name}: {met.home.name} meets {met.away.name}."
    if episode is not None and episode.status == "skipped":
        return f"{played.name}: nobody leaves."
    if episode is not None and episode.ec is not None:
        return f"{played.name}: {episode.ec.name} is to choose an opponent."
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
        words = f"{contestant.name}, {played.name}: {role}{ending}"
        return Mark(x, y, kind, end, *face, words)
    episode = getattr(played, "told", None)
    if episode is not None and episode.ec_id == contestant.pk and episode.dmo_id is None:
        return Mark(x, y, "ec", "", *face, f"{contestant.name}, {played.name}: EC")
    places = [] if episode is None else episode.places
    mine = next((each for each in places if each.contestant_id == contestant.pk), None)
    if mine is None:
        return None
    kind = "immune" if mine.immune else "safe"
    note = ", immune" if mine.immune else ""
    words = f"{contestant.name}, {played.name}: place {mine.place}{note}"
    return Mark(x, y, kind, "", *face, words)


# -- brackets ------------------------------------------------------------------------------------

BOX_W, BOX_H, GAP_X, GAP_Y, HEAD = 196, 60, 46, 18, 34


class BoxSide(NamedTuple):
    """One line of a box: a name, a score and how it ended (won, lost or empty)."""

    name: str
    seed: int | None
    score: str
    result: str
    known: bool


class Box(NamedTuple):
    """One match of a bracket. `state`: waiting, ready, live, decided or bye."""

    x: float
    y: float
    sides: tuple[BoxSide, BoxSide]
    url: str
    state: str
    champion: bool
    words: str


class Wire(NamedTuple):
    """The way from one match to the next; `champion`: the winner of it all went along it."""

    path: str
    champion: bool


class Drawing(NamedTuple):
    """A bracket: boxes, the lines between them and the names of the rounds."""

    width: float
    height: float
    boxes: list[Box]
    wires: list[Wire]
    headings: list[tuple[float, str]]


def bracket_drawing(sheet: Sheet) -> Drawing | None:
    """The bracket of a season; None where there is none."""
    progress = sheet.bracket
    if progress is None:
        return None
    rows = {
        int(row.key): row
        for row in sheet.death_matches
        if row.key.isdigit() and row.status != DeathMatchStatus.VOID
    }
    rounds = progress.bracket.rounds
    first = 2 ** (rounds - 1)
    place = {each.match.id: _place_of(each, rounds, first) for each in progress.matches}
    boxes, wires = [], []
    for each in progress.matches:
        x, y = place[each.match.id]
        boxes.append(_box(sheet, each, rows.get(each.match.id), x, y, progress.champion))
        if each.match.third_place:
            continue
        for source in each.match.sources:
            if source.kind == "winner":
                fx, fy = place[source.of]
                before = progress.match(source.of)
                through = before.winner is not None and before.winner == progress.champion
                wires.append(Wire(_elbow(fx + BOX_W, fy + BOX_H / 2, x, y + BOX_H / 2), through))
    headings = [(x_of_round(number), round_name(number, rounds)) for number in range(1, rounds + 1)]
    height = HEAD + first * (BOX_H + GAP_Y)
    if any(each.match.third_place for each in progress.matches):
        height = max(height, max(y for _, y in place.values()) + BOX_H + GAP_Y)
    wires.sort(key=lambda wire: wire.champion)
    return Drawing(x_of_round(rounds) + BOX_W + 4, height, boxes, wires, headings)


def x_of_round(number: int) -> float:
    """Where a round of a bracket begins."""
    return 2 + (number - 1) * (BOX_W + GAP_X)


def round_name(number: int, rounds: int) -> str:
    """What a round of a bracket is called."""
    last = {0: "Final", 1: "Semi-finals", 2: "Quarter-finals"}
    return last.get(rounds - number, f"Round {number}")


def _place_of(each: BracketStanding, rounds: int, first: int) -> tuple[float, float]:
    number, slot = each.match.round, each.match.slot
    x = x_of_round(number)
    step = (BOX_H + GAP_Y) * 2 ** (number - 1)
    if each.match.third_place:
        middle = HEAD + first * (BOX_H + GAP_Y) / 2
        return x, middle + BOX_H + 2 * GAP_Y
    return x, HEAD + step * slot + (step - BOX_H) / 2


def _elbow(x1: float, y1: float, x2: float, y2: float) -> str:
    half = (x1 + x2) / 2
    return f"M{x1:g} {y1:g}H{half:g}V{y2:g}H{x2:g}"


def _box(
    sheet: Sheet,
    each: BracketStanding,
    row: DeathMatch | None,
    x: float,
    y: float,
    champion: int | None,
) -> Box:
    scores = ("", "")
    if row is not None and row.status == DeathMatchStatus.DECIDED and row.how != How.BYE:
        # Nought to nought is no score: somebody gave up before there was one.
        if row.best_of > 1 or row.home_score or row.away_score:
            scores = (str(row.home_score), str(row.away_score))
        if row.home_id != each.home and row.how != How.WALKOVER:
            held = {row.home_id: scores[0], row.away_id: scores[1]}
            scores = (held.get(each.home, scores[0]), held.get(each.away, scores[1]))
        if row.how == How.WALKOVER:
            scores = tuple("w/o" if each.winner == side else "" for side in (each.home, each.away))  # type: ignore[assignment]
    sides = (
        _side(sheet, each, each.home, scores[0]),
        _side(sheet, each, each.away, scores[1]),
    )
    state = str(each.state)
    if each.match.away is None:
        state = "bye"
    elif row is not None and row.status == DeathMatchStatus.RUNNING:
        state = "live"
    elif each.state is BracketState.SETTLED:
        state = "decided"
    url = row.get_absolute_url() if row is not None and state != "bye" else ""
    won = next((side.name for side in sides if side.result == "won"), "")
    words = f"{sides[0].name} against {sides[1].name}" + (f": {won} won" if won else "")
    if each.match.third_place:
        words = f"Third place, {words}"
    return Box(x, y, sides, url, state, each.winner is not None and each.winner == champion, words)


def _side(sheet: Sheet, each: BracketStanding, player: int | None, score: str) -> BoxSide:
    if player is None:
        name = "Bye" if each.how is Came.BYE else "To be decided"
        return BoxSide(name, None, "", "", known=False)
    who = sheet.by_id[player]
    result = ""
    if each.winner is not None:
        result = "won" if each.winner == player else "lost"
    return BoxSide(who.name, who.seed, score, result, known=True)


# -- pictures for links --------------------------------------------------------------------------


def season_picture(sheet: Sheet) -> str:
    """A season as a picture of its own: its name, how far it is, and everybody in it."""
    season = sheet.season
    parts = [
        label(64, 92, sheet.format.name, size=28, fill=MUTED),
        label(64, 176, season.name, size=72, room=1072, display=True),
        label(64, 236, standing_text(sheet), size=34, room=1072, fill=BRASS),
        format_html('<rect y="290" width="1200" height="220" fill="{}"/>', PANEL),
        *_portraits(sheet.by_standing),
    ]
    return frame(parts)


GROUNDS: Final = ("#3a4a5a", "#7c4a12", "#1f5f57", "#6b2f4f", "#43407f", "#4e5a1c")


def _portraits(people: Sequence[Contestant], most: int = 12) -> list[SafeString]:
    shown = people[:most]
    found = []
    for number, each in enumerate(shown):
        x = 64 + number * 90
        out = each.status not in STILL_IN
        found.append(
            format_html(
                '<g opacity="{}"><rect x="{}" y="330" width="76" height="76" rx="4" fill="{}"/>{}'
                "{}</g>",
                0.4 if out else 1,
                x,
                GROUNDS[colour_of(each)],
                label(x + 38, 382, initial_of(each.name), size=42, display=True, anchor="middle"),
                label(x + 38, 440, each.name, size=20, room=84, anchor="middle", fill=MUTED),
            )
        )
    if len(people) > most:
        more = f"and {len(people) - most} more"
        found.append(label(64, 486, more, size=24, fill=MUTED))
    return found


def standing_text(sheet: Sheet) -> str:
    """How far a season is, in a few words."""
    season = sheet.season
    if season.status == SeasonStatus.ENROLLING:
        count = len(sheet.still_in)
        return f"Enrolling: {count} contestant{'' if count == 1 else 's'} so far"
    if season.status == SeasonStatus.FINISHED and season.winner is not None:
        return f"Won by {season.winner.name}"
    if season.status == SeasonStatus.CANCELLED:
        return "Called off"
    now = sheet.current
    left = len(sheet.in_contention)
    return f"{now.name}, {left} still in" if now else f"{left} still in"


def death_match_picture(sheet: Sheet, row: DeathMatch) -> str:
    """A death match before or between its games: who meets whom, when it is decided how."""
    names = [side.name if side else "To be decided" for side in (row.home, row.away)]
    told = "Being played" if row.status == DeathMatchStatus.RUNNING else "To be played"
    if row.winner is not None:
        told = f"{row.winner.name} won"
    scores = (row.home_score, row.away_score)
    parts: list[Any] = [
        label(64, 92, sheet.season.name, size=28, fill=MUTED),
        label(64, 156, row.round.name, size=52, room=1072, display=True),
        label(64, 520, told, size=34, fill=BRASS),
    ]
    for seat, name in enumerate(names):
        y = 220 + 130 * seat
        faded = row.winner is not None and row.winner != (row.home, row.away)[seat]
        parts.append(
            format_html('<rect x="64" y="{}" width="8" height="96" fill="{}"/>', y, ON_DARK[seat])
        )
        parts.append(label(100, y + 66, name, size=60, room=880, fill=MUTED if faded else TEXT))
        if row.winner is not None:
            parts.append(label(1136, y + 66, str(scores[seat]), size=60, anchor="end", fill=BRASS))
    return frame(parts)


# -- everything ----------------------------------------------------------------------------------


def season_shown(season: Season) -> None:
    """Work out once whatever pages show of a season, and raise what they would stumble over."""
    sheet = Sheet(season)
    for part in (
        "by_standing", "by_round", "planned", "decided", "table", "bracket", "ladder",
        "cross_table", "gifts", "live_matches",
    ):  # fmt: skip
        getattr(sheet, part)
    if any(getattr(each, "told", None) is not None for each in sheet.rounds):
        timeline(sheet)
    bracket_drawing(sheet)
    season_picture(sheet)
