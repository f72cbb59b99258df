"""The colours and patterns by which every picture tells the two seats apart.

They are those of the site's pages, whose style sheet ``static/css/tokens.css`` has them again; a
test holds the two together. The first of a pair is red, the second blue. Where a ruleset lets the
players choose who is red, ``red`` is the seat that is; everywhere else it is seat 0. Patterns go
with the seat: seat 0 is striped and seat 1 dotted, so that neither needs its colour.
"""

from __future__ import annotations

from typing import Final

from games.engine.decisions import Seat

FILL: Final = ("#b4421d", "#14588f")
"""Pieces, and anything else on light paper: ``--red`` and ``--blue``."""
GROUND: Final = ("#fbe3d7", "#d8e8f5")
"""What belongs to a seat without a piece on it: ``--red-soft`` and ``--blue-soft``."""
LINE: Final = ("#763422", "#164266")
"""Outlines of pieces: three parts of the fill and two of the text's colour, as on the boards."""
ON_DARK: Final = ("#ff9a6c", "#7cc0f2")
"""On the dark ground of pictures for links: ``--red`` and ``--blue`` of the dark theme."""
MARK: Final = "#ffffff"
"""The patterns on a fill: ``--on-red`` and ``--on-blue``."""
MARK_OPACITY: Final = 0.4


def side(seat: Seat, red: Seat) -> int:
    """The index of a seat's colour in the pairs, where ``red`` is the seat that is red."""
    return seat ^ red


def patterns(name: str, step: float, red: Seat = 0) -> str:
    """Four SVG patterns, the marks without what is behind them: ``{name}-{seat}`` for a seat's
    fill and ``{name}-ground-{seat}`` for its ground. ``step`` is the width of one repeat in units
    of the drawing."""
    return "".join(
        f"{_stripes(f'{name}{kind}-0', step, inks[0])}{_dots(f'{name}{kind}-1', step, inks[1])}"
        for kind, inks in (
            ("", (f'stroke="{MARK}" stroke-opacity="{MARK_OPACITY}"',) * 2),
            ("-ground", tuple(f'stroke="{FILL[side(seat, red)]}"' for seat in (0, 1))),
        )
    )


def _stripes(name: str, step: float, ink: str) -> str:
    return (
        f'<pattern id="{name}" width="{step:g}" height="{step:g}" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate(45)">'
        f'<path d="M{step / 2:g} 0V{step:g}" {ink} stroke-width="{step * 0.3:g}"/></pattern>'
    )


def _dots(name: str, step: float, ink: str) -> str:
    near, far = step / 4, step * 3 / 4
    return (
        f'<pattern id="{name}" width="{step:g}" height="{step:g}" patternUnits="userSpaceOnUse">'
        f'<path d="M{near:g} {near:g}h0M{far:g} {far:g}h0" {ink} stroke-width="{step * 0.32:g}" '
        'stroke-linecap="round"/></pattern>'
    )
