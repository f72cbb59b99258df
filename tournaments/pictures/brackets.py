"""Brackets: where their boxes and the lines between them stand, in pixels, and words."""

from __future__ import annotations

from typing import NamedTuple

from tournaments.formats.brackets import BracketStanding, BracketState
from tournaments.formats.field import ResultBasis as Came
from tournaments.lifecycle import DeathMatchStatus, How
from tournaments.models import DeathMatch
from tournaments.naming import sign_of
from tournaments.reading.death_matches import told_score
from tournaments.reading.sheet import Sheet

BOX_W, BOX_H, GAP_X, GAP_Y, HEAD = 196, 60, 46, 18, 34


class BoxSide(NamedTuple):
    """One line of a box: a name with the sign behind it (`naming.sign_of`), the name in words, a
    score and how it ended (won, lost or empty)."""

    name: str
    sign: str
    words: str
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
        told = told_score(row)
        if told is not None:
            scores = (str(told[0]), str(told[1]))
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
    elif row is not None and row.status == DeathMatchStatus.RUNNING and not row.waits:
        state = "live"
    elif each.state is BracketState.SETTLED:
        state = "decided"
    url = row.get_absolute_url() if row is not None and state != "bye" else ""
    won = next((side.words for side in sides if side.result == "won"), "")
    words = f"{sides[0].words} against {sides[1].words}" + (f": {won} won" if won else "")
    if each.match.third_place:
        words = f"Third place, {words}"
    return Box(x, y, sides, url, state, each.winner is not None and each.winner == champion, words)


def _side(sheet: Sheet, each: BracketStanding, player: int | None, score: str) -> BoxSide:
    if player is None:
        name = "Bye" if each.how is Came.BYE else "To be decided"
        return BoxSide(name, "", name, None, "", "", known=False)
    who = sheet.by_id[player]
    result = ""
    if each.winner is not None:
        result = "won" if each.winner == player else "lost"
    return BoxSide(who.name, sign_of(who), who.shown_name, who.seed, score, result, known=True)
