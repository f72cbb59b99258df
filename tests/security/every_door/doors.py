"""What every door of the site answers, as `doors.txt` states it.

A line is a route, and a cell for each method: what everybody is answered, and behind it who is
answered otherwise. ``200 outside:login organiser,admin:403`` reads: 200, but whoever is outside
(nobody, and who is suspended) is led to the sign-in page, and the two named are refused. HEAD is
answered as GET is, and what no page takes is answered 405 outside of the API (the rules are in
`test_every_door.py`), so neither has cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.permissions.world import Who

TABLE: Final = Path(__file__).with_name("doors.txt")
WHO: Final = {
    "nobody": Who.NOBODY,
    "suspended": Who.SUSPENDED,
    "player": Who.PLAYER,
    "seat": Who.SEAT_0,
    "contestant": Who.CONTESTANT,
    "organiser": Who.ORGANISER,
    "helper": Who.FOR_MATCHES,
    "rival": Who.RIVAL,
    "moderator": Who.MODERATOR,
    "admin": Who.ADMIN,
    "bot": Who.BOT,
}
NAMES: Final = {who: name for name, who in WHO.items()}
OUTSIDE: Final = ("nobody", "suspended")
OF_API: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
OF_PAGES: Final = ("GET", "POST", "OPTIONS")
# What follows from the rules: these pages have a line only where they are otherwise.
Cell = dict[str, str]


def methods_of(route: str) -> tuple[str, ...]:
    """The methods that a route's line has cells for."""
    return OF_API if route.startswith("api:") else OF_PAGES


def read_cell(text: str) -> Cell:
    """What each is answered."""
    usual, *others = text.split()
    cell = dict.fromkeys(WHO, usual)
    for other in others:
        names, _, status = other.partition(":")
        for name in names.split(","):
            cell.update(dict.fromkeys(OUTSIDE if name == "outside" else (name,), status))
    assert cell.keys() == WHO.keys(), text
    return cell


def write_cell(cell: Mapping[str, str]) -> str:
    """The same as a cell's text."""
    within = [status for name, status in cell.items() if name not in OUTSIDE]
    usual = Counter(within).most_common(1)[0][0]
    others: dict[str, list[str]] = {}
    if cell["nobody"] == cell["suspended"]:
        apart = [("outside", cell["nobody"])]
    else:
        apart = [(name, cell[name]) for name in OUTSIDE]
    for name, status in [*apart, *((n, s) for n, s in cell.items() if n not in OUTSIDE)]:
        if status != usual:
            others.setdefault(status, []).append(name)
    return " ".join([usual, *(f"{','.join(names)}:{status}" for status, names in others.items())])


def read_table() -> dict[str, dict[str, Cell]]:
    """By route and method, what each is answered."""
    table: dict[str, dict[str, Cell]] = {}
    for line in TABLE.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        route, *cells = (each.strip() for each in line.split("|"))
        assert route not in table, f"{route} has two lines"
        given = zip(methods_of(route), cells, strict=True)
        table[route] = {method: read_cell(cell) for method, cell in given}
    return table


def write_line(route: str, cells: Mapping[str, Mapping[str, str]]) -> str:
    """A route's line."""
    return " | ".join([route, *(write_cell(cells[method]) for method in methods_of(route))])
