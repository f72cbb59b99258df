"""Leaderboards and form: {% load ratings %}."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.utils.safestring import SafeString

from games.ratings import charts
from games.ratings.boards import Seen
from games.ratings.rating import Strength

register = template.Library()


@register.simple_tag
def sparkline(values: Sequence[int]) -> SafeString:
    """The course of a rating, small."""
    return charts.sparkline(values)


@register.simple_tag
def form_bars(form: Sequence[bool]) -> SafeString:
    """The latest results."""
    return charts.form_bars(form)


@register.simple_tag
def form_graph(seen: Seen) -> charts.Graph | None:
    """The course of a rating, large: `svg`, `labels`, `words`."""
    points = seen.points
    if not points:
        return None
    before = Strength(points[0].mu_before, points[0].sigma_before)
    return charts.form_graph(seen.name, [before, *(point.strength for point in points)])


@register.filter
def signed(number: int | None) -> str:
    """A change with its sign; nothing for None."""
    if number is None:
        return ""
    if number == 0:
        return "±0"
    return f"+{number}" if number > 0 else f"−{-number}"  # noqa: RUF001  (a minus sign)
