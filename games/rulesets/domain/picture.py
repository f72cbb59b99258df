"""The two domains as self-contained SVG documents, for pages, previews and the drawn examples.

The seat whose domain is the red one is red, the other one blue. Seat 0 is striped and seat 1
dotted, so that neither needs its colour to be told apart; a domain that shows has its owner's
pattern faintly. Void zones are yellow and crossed, purple borders striped. Every shape is outlined,
and what lies below another one is dashed on top of it, zones too, since they bind there as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from typing import Any, TypeAlias

from games.engine.decisions import Seat
from games.engine.naming import names_in, short
from games.engine.palette import FILL, GROUND, LINE, patterns, side
from games.rulesets.domain.geometry import SUB, Ring, turned
from games.rulesets.domain.moves import COLOURS

PAPER, INK, FAINT = "#f7f3ea", "#3d382f", "#6d6557"
PURPLE, YELLOW = "#7b3fa0", "#f4d825"
WRONG = "#b3261e"
SIDE = 480  # the width of a domain on the picture, in units
GAP, EDGE, HEAD, FOOT = 28, 14, 34, 58


def _definitions(red: Seat) -> str:
    return (
        f"<defs>{patterns('domain', 10, red)}"
        '<pattern id="domain-void" width="10" height="10" patternUnits="userSpaceOnUse">'
        f'<rect width="10" height="10" fill="{YELLOW}"/>'
        '<path d="M0 0L10 10M10 0L0 10" stroke="#6b5d00" stroke-width="1"/></pattern>'
        '<pattern id="domain-border" width="6" height="6" patternUnits="userSpaceOnUse">'
        f'<rect width="6" height="6" fill="{PURPLE}"/>'
        '<path d="M0 3H6" stroke="#d9b8ee" stroke-width="1"/></pattern>'
        "</defs>"
    )


Marked: TypeAlias = tuple[int, Sequence[tuple[int, int]]]  # pixels of a domain


def picture(view: Mapping[str, Any], marked: Marked | None = None) -> str:
    """Both domains of a view with what lies on them and the count; during the draft also who has
    taken which shapes. Pixels that are ``marked`` stand out above everything."""
    if view["pool"] is None:
        return document(640, 160, "Domain", "The pool has not been shown yet.", [])
    width, height = view["pool"]["size"]
    scale = SIDE / width
    tall = height * scale
    parts = []
    for domain, colour in enumerate(COLOURS):
        owner = view["red"] if domain == 0 else 1 - view["red"]
        left = EDGE + domain * (SIDE + GAP)
        whose = short(names_in(view)[owner], 40)
        parts.append(words(left, HEAD - 12, f"{colour.capitalize()}, domain of {whose}"))
        parts.append(
            f'<g transform="translate({left} {HEAD}) scale({scale:.6g})">'
            f"{_domain(view, colour, owner, domain)}"
            f"{'' if marked is None or marked[0] != domain else _marks(marked[1])}</g>"
        )
    below = HEAD + tall + 26
    first, second = view["scores"]
    red = view["red"]
    # Each seat's below its own domain.
    for domain, seat in enumerate((red, 1 - red)):
        left = EDGE + domain * (SIDE + GAP)
        name = short(names_in(view)[seat], 28)
        parts.append(_count(left, below, seat, f"{name}: {view['scores'][seat]:,} pixels", domain))
    if view["phase"] in ("inspect", "first", "draft"):
        shapes = pool_drawing(view)
        parts.append(f'<g transform="translate({EDGE} {below + 24:g})">{shapes[0]}</g>')
        below += 24 + shapes[1]
    return document(
        2 * (EDGE + SIDE) + GAP,
        below + FOOT - 30,
        f"Domain: {first} to {second}",
        _description(view),
        parts,
        red,
    )


def _domain(view: Mapping[str, Any], colour: str, owner: Seat, number: int) -> str:
    width, height = view["pool"]["size"]
    whole = f'width="{width}" height="{height}"'
    clip = f"domain-clip-{number}"
    shapes = {shape["id"]: shape for shape in view["pool"]["shapes"]}
    laid = [turn for turn in view["turns"] if turn["kind"] == "place" and not turn["struck"]]
    latest = view["turns"][-1] if view["turns"] else None
    parts = [
        f'<clipPath id="{clip}"><rect {whole}/></clipPath>',
        f'<rect x="-4" y="-4" width="{width + 8}" height="{height + 8}" fill="{PURPLE}"/>',
        f'<rect {whole} fill="{GROUND[number]}"/>',
        f'<rect {whole} fill="url(#domain-ground-{owner})" opacity="0.22"/>',
        f'<g clip-path="url(#{clip})">',
    ]
    here = [turn for turn in laid if turn["domain"] == colour]
    parts.extend(
        shape_drawing(
            shapes[turn["shape"]],
            turn["seat"],
            (turn["x"], turn["y"]),
            turn["angle"],
            latest=turn is latest,
            red=view["red"],
        )
        for turn in here
    )
    parts.extend(_below(shapes[turn["shape"]], turn) for turn in here[:-1])
    return "".join((*parts, "</g>"))


def _below(shape: Mapping[str, Any], turn: Mapping[str, Any]) -> str:
    """The lines of a shape that may lie under another one; its own outline is under them where it
    does not."""
    rings = (shape["outline"], *shape["holes"], *shape["voids"])
    if shape["inner"]:
        rings = (*rings, shape["inner"])
    return (
        f'<path transform="translate({turn["x"]} {turn["y"]})" d="{path(rings, turn["angle"])}" '
        f'fill="none" stroke="#000" stroke-width="1.3" stroke-dasharray="4 4"/>'
    )


def _marks(pixels: Sequence[tuple[int, int]]) -> str:
    runs: list[list[int]] = []  # x, y and length
    for x, y in pixels:
        if runs and runs[-1][1] == y and runs[-1][0] + runs[-1][2] == x:
            runs[-1][2] += 1
        else:
            runs.append([x, y, 1])
    path_data = "".join(f"M{x} {y}h{length}v1h-{length}z" for x, y, length in runs)
    return (
        f'<path d="{path_data}" fill="#111" stroke="#ffe14d" stroke-width="2.4" '
        'paint-order="stroke"/>'
    )


def shape_drawing(
    shape: Mapping[str, Any],
    seat: Seat | None,
    at: tuple[float, float],
    angle: int,
    *,
    latest: bool = False,
    label: bool = True,
    red: Seat = 0,
) -> str:
    """A shape as it lies, in pixels, the reference point at ``at``; grey while nobody's."""
    solid = path((shape["outline"], *shape["holes"]), angle)
    parts = [f'<g transform="translate({at[0]:g} {at[1]:g})">']
    fill = "#cfc6b4" if seat is None else FILL[side(seat, red)]
    line = INK if seat is None else LINE[side(seat, red)]
    if shape["inner"]:
        # The holes are cut out of what is inside of the border, too.
        inside = path((shape["inner"], *shape["holes"]), angle)
        parts.append(f'<path d="{solid}" fill="url(#domain-border)" fill-rule="evenodd"/>')
    else:
        inside = solid
    parts.append(f'<path d="{inside}" fill="{fill}" fill-rule="evenodd"/>')
    if seat is not None:
        parts.append(f'<path d="{inside}" fill="url(#domain-{seat})" fill-rule="evenodd"/>')
    parts.extend(
        f'<path d="{path((ring,), angle)}" fill="url(#domain-void)" stroke="#6b5d00"/>'
        for ring in shape["voids"]
    )
    # Its edge shows on a shape of the same colour; the latest has a light one within a dark one.
    edges = ((line, 4.5), (PAPER, 2)) if latest else ((PAPER, 3.6), (line, 1.8))
    parts.extend(
        f'<path d="{solid}" fill="none" stroke="{ink}" stroke-width="{wide}" '
        'stroke-linejoin="round"/>'
        for ink, wide in edges
    )
    if label:
        parts.append(
            f'<circle r="11" fill="{PAPER}" fill-opacity="0.9"/>'
            + words(0, 0, shape["id"], size=13, anchor="middle", colour=line)
        )
    return "".join((*parts, "</g>"))


def pool_drawing(
    view: Mapping[str, Any], columns: int = 12, wrong: Collection[str] = ()
) -> tuple[str, float]:
    """The pool in rows, shapes in their taker's colour and those that are ``wrong`` in a box; with
    the height of it all."""
    owners = {shape: seat for seat, shape in view["taken"] if shape is not None}
    shapes = view["pool"]["shapes"]
    reach = max(1, *(max(abs(x), abs(y)) for shape in shapes for x, y in shape["outline"]))
    cell = (2 * SIDE + GAP) / columns
    scale = cell * 0.46 / reach
    parts = []
    for number, shape in enumerate(shapes):
        x, y = (number % columns + 0.5) * cell, (number // columns + 0.5) * cell
        drawn = shape_drawing(
            shape, owners.get(shape["id"]), (0, 0), 0, label=False, red=view.get("red", 0)
        )
        name = f"{shape['id']} Start" if shape["start"] else shape["id"]
        if shape["id"] in wrong:
            parts.append(
                f'<rect x="{x - cell / 2 + 2:g}" y="{y - cell / 2 + 2:g}" width="{cell - 4:g}" '
                f'height="{cell - 16:g}" fill="#fff" stroke="{WRONG}" stroke-width="4" '
                'stroke-dasharray="9 5"/>'
            )
            name = f"✗ {name}"
        parts.append(
            f'<g transform="translate({x:g} {y:g}) scale({scale:.6g})">{drawn}</g>'
            + words(x, y + cell * 0.47, name, size=11, anchor="middle")
        )
    rows = -(-len(shapes) // columns)
    return "".join(parts), rows * cell + 12


def path(rings: Iterable[Ring], angle: int) -> str:
    """Rings turned as the rules turn them, as path data in pixels."""
    return "".join(
        "M"
        + "L".join(
            f"{x / SUB:g} {y / SUB:g}" for x, y in (turned((vx, vy), angle) for vx, vy in ring)
        )
        + "Z"
        for ring in rings
    )


def _count(x: float, y: float, seat: Seat, text: str, colour: int) -> str:
    sign = (
        f'<path d="M{x + 8:g} {y - 8:g}l8 8l-8 8l-8 -8z" '
        f'fill="{FILL[colour]}" stroke="{LINE[colour]}"/>'
        if seat == 0
        else f'<circle cx="{x + 8:g}" cy="{y:g}" r="6" fill="none" stroke="{LINE[colour]}" '
        'stroke-width="4"/>'
    )
    return sign + words(x + 24, y, text, size=18, colour=INK)


def _description(view: Mapping[str, Any]) -> str:
    """The position in words, for readers who do not see it."""
    first, second = view["scores"]
    names = names_in(view)
    sentences = [f"{names[0]} has {first} pixels and {names[1]} has {second}."]
    for seat in (0, 1):
        taken = [shape for whose, shape in view["taken"] if whose == seat and shape is not None]
        if view["phase"] == "draft" and taken:
            sentences.append(f"{names[seat]} has taken {', '.join(taken)}.")
    laid: Sequence[Mapping[str, Any]] = [
        turn for turn in view["turns"] if turn["kind"] == "place" and not turn["struck"]
    ]
    for colour in COLOURS:
        lying = [
            f"{turn['shape']} of {names[turn['seat']]} at {turn['x']},{turn['y']} "
            f"turned by {turn['angle']}°"
            for turn in laid
            if turn["domain"] == colour
        ]
        where = f": {'; '.join(lying)}" if lying else ""
        sentences.append(f"On {colour} lie {len(lying)} shapes, from below to above{where}.")
    return " ".join(sentences)


# -- parts -------------------------------------------------------------------------------------


def document(
    width: float, height: float, title: str, text: str, parts: Iterable[str], red: Seat = 0
) -> str:
    """An SVG document on its own paper, so that it reads on light and dark pages alike; ``red`` is
    the seat that has that colour."""
    start = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" font-family="system-ui, sans-serif">'
        f"<title>{escape(title)}</title><desc>{escape(text)}</desc>"
        f'{_definitions(red)}<rect width="{width:g}" height="{height:g}" rx="10" fill="{PAPER}"/>'
    )
    return "".join((start, *parts, "</svg>"))


def words(
    x: float, y: float, text: str, *, size: int = 14, colour: str = FAINT, anchor: str = "start"
) -> str:
    """A line of text, its middle at that height."""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}" font-weight="600" '
        f'text-anchor="{anchor}" dominant-baseline="central">{escape(text)}</text>'
    )
