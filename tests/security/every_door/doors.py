"""What every door of the site answers, as `doors.txt` states it.

A line is a route, and a cell for each method: what everybody is answered, and behind it who is
answered otherwise. ``200 outside:login organiser,admin:403`` reads: 200, but whoever is outside
(nobody, who is suspended, and a guest, who plays without an account) is led to the sign-in page,
and the two named are refused. HEAD is answered as GET is, and what no page takes is answered 405
outside of the API (the rules are in `test_every_door.py`), so neither has cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from django.contrib.auth.models import Permission
from django.test import Client

from accounts.guests import BACKEND
from accounts.models import User
from accounts.services import guest_create
from tests.games.support import user_named
from tests.permissions.world import Who, World

TABLE: Final = Path(__file__).with_name("doors.txt")
# By name who it is; the table of permissions does not speak of those that are None.
WHO: Final[dict[str, Who | None]] = {
    "nobody": Who.NOBODY,
    "suspended": Who.SUSPENDED,
    "guest": None,
    "player": Who.PLAYER,
    "seat": Who.SEAT_0,
    "contestant": Who.CONTESTANT,
    "organiser": Who.ORGANISER,
    "helper": Who.FOR_MATCHES,
    "rival": Who.RIVAL,
    "moderator": Who.MODERATOR,
    "admin": Who.ADMIN,
    "bot": Who.BOT,
    "commentator": None,
    "staff": None,
    "clerk": None,
}
OUTSIDE: Final = ("nobody", "suspended", "guest")
OF_API: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
OF_PAGES: Final = ("GET", "POST", "OPTIONS")
Cell = dict[str, str]


def users_of(world: World) -> dict[str, User]:
    """Those of whom the table of permissions does not speak: a guest, who comments on a match, who
    is staff and no superuser, without any permission of Django's and with all that there are. Made
    once for each world."""
    if "knocking" not in world.besides:
        guest, staff, clerk = guest_create(), user_named("stan"), user_named("clara")
        User.objects.filter(pk__in=[staff.pk, clerk.pk]).update(is_staff=True)
        clerk.user_permissions.set(Permission.objects.all())
        world.besides["knocking"] = {
            "guest": guest, "commentator": world.users["eve"], "staff": staff, "clerk": clerk,
        }  # fmt: skip
    found: dict[str, User] = world.besides["knocking"]
    return found


def browser_of(world: World, name: str) -> Client:
    """The browser of somebody, in which they are signed in."""
    who = WHO[name]
    if who is not None:
        return world.clients[who]
    client = Client()
    client.force_login(User.objects.get(pk=users_of(world)[name].pk), backend=BACKEND)
    return client


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
    outside = {cell[name] for name in OUTSIDE}
    apart = [(name, cell[name]) for name in OUTSIDE]
    if len(outside) == 1:
        apart = [("outside", outside.pop())]
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
