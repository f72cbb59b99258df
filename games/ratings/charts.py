"""Ratings drawn: small SVG pictures made from numbers alone, with words for those who cannot see
them. Colours come from classes (static/css/ratings.css), so both themes fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from games.ratings.rating import Strength

SPARK_WIDTH, SPARK_HEIGHT = 96, 28
GRAPH_WIDTH, GRAPH_HEIGHT = 600, 200
BAR, BAR_GAP, BARS_HEIGHT = 6, 3, 20


def sparkline(values: Sequence[int]) -> SafeString:
    """A line through these ratings, the last one marked. Nothing for fewer than two."""
    if len(values) < 2:
        return SafeString("")
    low, high = min(values), max(values)
    margin = 4
    height, width = SPARK_HEIGHT - 2 * margin, SPARK_WIDTH - 2 * margin
    points = [
        (
            margin + width * number / (len(values) - 1),
            margin + height * (1 - (value - low) / (high - low or 1)),
        )
        for number, value in enumerate(values)
    ]
    words = f"From {values[0]} to {values[-1]} in {_matches(len(values) - 1)}"
    return format_html(
        '<svg class="spark" viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">'
        '<polyline class="spark__line" points="{}"/>'
        '<circle class="spark__end" cx="{}" cy="{}" r="2.5"/></svg>',
        SPARK_WIDTH,
        SPARK_HEIGHT,
        SPARK_WIDTH,
        SPARK_HEIGHT,
        words,
        _path(points),
        _short(points[-1][0]),
        _short(points[-1][1]),
    )


def form_bars(form: Sequence[bool]) -> SafeString:
    """The latest results as bars, the latest on the right: up for a win, down for a loss."""
    if not form:
        return SafeString("")
    won = sum(form)
    middle = BARS_HEIGHT / 2
    bars = "".join(
        f'<rect class="bars__{"won" if each else "lost"}" x="{number * (BAR + BAR_GAP)}"'
        f' y="{_short(1 if each else middle + 1)}" width="{BAR}" height="{_short(middle - 2)}"'
        ' rx="1"/>'
        for number, each in enumerate(form)
    )
    width = len(form) * (BAR + BAR_GAP) - BAR_GAP
    return format_html(
        '<svg class="bars" viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">'
        "{}</svg>",
        width,
        BARS_HEIGHT,
        width,
        BARS_HEIGHT,
        f"{won} won, {len(form) - won} lost; the latest {'won' if form[-1] else 'lost'}",
        mark_safe(bars),  # noqa: S308  (numbers of ours)
    )


class Graph(NamedTuple):
    """A form graph: the picture, the labels of its axis from the top, and what it shows in
    words."""

    svg: SafeString
    labels: tuple[int, int, int]
    words: str


def form_graph(name: str, strengths: Sequence[Strength]) -> Graph | None:
    """The best guess after each match as a line, with the band that holds the truth in 95 of 100
    cases, and the rating shown as a second line. None for fewer than two values.

    The picture is stretched to its frame; its labels are not part of it, so that they stay legible
    on a phone.
    """
    if len(strengths) < 2:
        return None
    top = max(each.estimate + each.margin for each in strengths)
    bottom = min(min(each.estimate - each.margin, each.shown) for each in strengths)
    low, high = bottom // 100 * 100, -(-top // 100) * 100
    high += (high - low) // 100 % 2 * 100  # so that the middle is round, too

    def line(values: Sequence[int]) -> list[tuple[float, float]]:
        return [
            (
                GRAPH_WIDTH * number / (len(values) - 1),
                GRAPH_HEIGHT * (high - value) / (high - low),
            )
            for number, value in enumerate(values)
        ]

    upper = line([each.estimate + each.margin for each in strengths])
    lower = line([each.estimate - each.margin for each in strengths])
    first, last = strengths[0], strengths[-1]
    words = (
        f"{name}, {_matches(len(strengths) - 1)}: the estimate went from {first.estimate}"
        f" ± {first.margin} to {last.estimate} ± {last.margin}, the rating from {first.shown}"
        f" to {last.shown}."
    )
    middle = GRAPH_HEIGHT // 2
    svg = format_html(
        '<svg class="graph__picture" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img"'
        ' aria-label="{}">'
        '<path class="graph__grid" d="M0 0.5H{}M0 {}H{}M0 {}H{}"/>'
        '<polygon class="graph__band" points="{} {}"/>'
        '<polyline class="graph__rating" points="{}"/>'
        '<polyline class="graph__estimate" points="{}"/></svg>',
        GRAPH_WIDTH,
        GRAPH_HEIGHT,
        words,
        GRAPH_WIDTH,
        middle,
        GRAPH_WIDTH,
        GRAPH_HEIGHT - 0.5,
        GRAPH_WIDTH,
        _path(upper),
        _path(lower[::-1]),
        _path(line([each.shown for each in strengths])),
        _path(line([each.estimate for each in strengths])),
    )
    return Graph(svg, (high, (high + low) // 2, low), words)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{_short(x)},{_short(y)}" for x, y in points)


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _matches(number: int) -> str:
    return "1 match" if number == 1 else f"{number} matches"
