"""Every route, every role, every method: each is answered as `doors.txt` states.

The table in tests/permissions says who may do what, with whole forms; here everybody knocks at
every door with nothing in their hands. What stands in the table is itself judged by rules that
hold for all of it, so that a line that was copied from what the site answered is not believed.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from copy import copy
from http.cookies import SimpleCookie
from typing import Any, Final, NamedTuple, cast

import pytest
from django.contrib import admin
from django.template.backends.django import Template
from django.test import client, override_settings
from django.urls import get_resolver, reverse
from django.urls import path as at

from accounts.announcing.stopping import stop_token
from accounts.moderation.sanctions import user_suspend
from accounts.signin.backends import NameBackend
from accounts.signin.undoing import undo_token
from tests.permissions.test_faults import Place, _found, _places
from tests.permissions.world import Savepoint, Who, World, writes
from tests.security.every_door.doors import NAMES, OUTSIDE, WHO, read_table, write_cell, write_line

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

FORM: Final = "application/x-www-form-urlencoded"
JSON: Final = "application/json"
SAFE: Final = ("GET", "HEAD", "OPTIONS")
WRITING: Final = ("PUT", "PATCH", "DELETE", "POST")
# Doors at which nobody who is signed in may write something, and why it is theirs to do.
OPEN_TO_ALL: Final = {
    "account_login": "to sign in",
    "account_signup": "to register",
    "account_logout": "whoever is signed out is led away",
    "account_reset_password": "to be sent a mail",
    "account_reset_password_from_key": "who has the mail",
    "accounts:preferences": "cookies of one's own device",
    "accounts:mail_stop": "who has the mail",
    "accounts:undo": "who has the mail",
    "csp_reports": "what a browser tells of a page",
    "discord_login": "to sign in, at Discord",
    "admin:logout": "whoever is signed out is led away",
}
# Doors where who is suspended is somebody else than nobody: they are told why.
TOLD_WHY: Final = {"accounts:suspended"}
# What reads and writes all the same, by what it notes of its reader.
NOTES_READERS: Final = {
    "accounts:announcements": "that they have read them",
    "api:seek": "that they still look for somebody",
    "games:lobby": "that they still look for somebody",
    "games:seek": "that they still look for somebody",
    "games:chat_remove": "that a moderator was shown a message",
}
# What reads in the administration writes that somebody looked, and nothing else.
LOOKS: Final = {"accounts_auditentry", "accounts_auditlink"}
# What counts otherwise.
NOT_COUNTED: Final = {
    "discord:interactions": "all of Discord's people come from a few addresses",
    "developers": "takes nothing",
}
# Pages that say 401: not to people who have yet to sign in here.
OF_OTHERS: Final = {
    "discord:interactions": "Discord has to sign what it sends",
    "discord_callback": "nobody comes back from Discord with nothing in their hands",
}
GOOD: Final = ("200", "201", "202", "204", "302")
# Where there is nothing for anybody unless Discord is set up, as it is when these are asked.
OF_DISCORD: Final = ("accounts:discord", "discord_", "socialaccount_", "discord:")
DISCORD: Final = {
    "GAUNTLET_DISCORD_CLIENT_ID": "gauntlet",
    "GAUNTLET_DISCORD_CLIENT_SECRET": "secret",
    "GAUNTLET_DISCORD_PUBLIC_KEY": "00" * 32,
}


class Door(NamedTuple):
    """A route, and an address of it."""

    route: str
    path: str

    @property
    def is_api(self) -> bool:
        """Whether programs ask here."""
        return self.route.startswith("api:")


def doors_of(world: World) -> list[Door]:
    """Every route once, at an address where there is something."""
    enrolling, asked = world.scene("enrolling"), world.scene("asked to help")
    better = {
        "tournaments:embedding": reverse(
            "tournaments:embedding", args=[enrolling.season.slug, "standings"]
        ),
        "tournaments:invited": reverse(
            "tournaments:invited", args=[enrolling.season.slug, enrolling.invitation.token]
        ),
        "tournaments:helping": reverse(
            "tournaments:helping", args=[asked.season.slug, asked.asked.token]
        ),
        "accounts:mail_stop": reverse(
            "accounts:mail_stop", args=[stop_token(world.users["paul"], ["season.news"])]
        ),
        "accounts:undo": reverse(
            "accounts:undo",
            args=[undo_token(world.users["paul"], "address", "paul-before@example.org")],
        ),
        "accounts:report": reverse("accounts:report", args=["accounts.user", "eve"]),
        "embeds:bracket": reverse("embeds:bracket", args=[world.scene("bracket").season.slug]),
        "games:supply_file": reverse("games:supply_file", args=["domain", "pool", "example"]),
        "games:rules_figure": reverse("games:rules_figure", args=["peg-domain", "start"]),
    }
    return [
        Door(route, better.get(route, place.path))
        for route, place in by_route(_found(world)).items()
    ]


def by_route(places: Iterable[Place]) -> dict[str, Place]:
    """Of every route one place. Two addresses of one name would hide each other."""
    found: dict[str, Place] = {}
    models = [f"{m._meta.app_label}/{m._meta.model_name}" for m in admin.site._registry]
    for place in places:
        route = place.name
        if route == "admin:<path:object_id>/":  # one for each model
            route = f"admin:{next(each for each in models if f'/{each}/' in place.path)}/<id>"
        known = found.setdefault(route, place)
        assert known.path == place.path, f"{route} is at {place.path}, too"
    return found


@pytest.fixture
def doors(world: World) -> list[Door]:
    """Found inside of a test, as the scenes are made there; once for each world, whose rows they
    are about."""
    if "doors" not in world.besides:
        world.besides["doors"] = doors_of(world)
    found: list[Door] = world.besides["doors"]
    return found


@pytest.fixture
def quick(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Pages are not drawn, and nothing is limited: what counts is who is let in."""
    settings.ACCOUNT_RATE_LIMITS = False
    draw = Template.render

    def drawn(self: Template, context: Any = None, request: Any = None) -> Any:
        # What the API says of the rules is made of their page.
        return draw(self, context, request) if request is None else "drawn"

    look_up, known = NameBackend.get_user, dict[Any, Any]()

    def get_user(self: NameBackend, user_id: Any) -> Any:
        if user_id not in known:
            known[user_id] = look_up(self, user_id)
        return copy(known[user_id])

    monkeypatch.setattr(Template, "render", drawn)
    monkeypatch.setattr(NameBackend, "get_user", get_user)
    monkeypatch.setattr(client, "store_rendered_templates", lambda *_args, **_more: None)
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


class Knocking:
    """Somebody at every door."""

    def __init__(self, world: World, who: Who) -> None:
        self.browser = world.clients[who]
        self.cookies = self.browser.cookies.output(header="", sep=";")
        self.last: Any = None

    def ask(self, method: str, door: Door) -> str:
        """The status of the answer; ``login`` for one that leads to a page for signing in."""
        self.browser.cookies = SimpleCookie(self.cookies)
        kind = JSON if door.is_api else FORM
        answer: Any = self.browser.generic(method, door.path, b"", kind)
        if answer.streaming and not answer.is_async:
            b"".join(answer.streaming_content)
        self.last = answer
        if answer.status_code == 302 and "/login/" in answer["Location"]:
            return "login"
        return str(answer.status_code)

    def all_of(self, door: Door) -> dict[str, str]:
        """By method, as if Discord were set up where it is about that."""
        if door.route.startswith(OF_DISCORD):
            with override_settings(**DISCORD):
                return self._all_of(door)
        return self._all_of(door)

    def _all_of(self, door: Door) -> dict[str, str]:
        """What only reads has to leave every row as it is."""
        answers: dict[str, str] = {}
        before = writes()
        for method in SAFE:
            answers[method] = self.ask(method, door)
        after = writes()
        written = {table for table, counts in after.items() if counts != before.get(table)}
        if door.route.startswith("admin:") and answers["GET"] == "200":
            written -= LOOKS
        if written and door.route not in NOTES_READERS:
            answers["GET"] += "-and-writes"
        for method in WRITING:
            if method == "POST" or door.is_api:
                with Savepoint():
                    answers[method] = self.ask(method, door)
            else:
                answers[method] = self.ask(method, door)
        return answers


_heard: dict[str, dict[str, dict[str, str]]] = {}


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", WHO)
def test_everybody_is_answered_as_the_table_states(
    name: str,
    world: World,
    doors: list[Door],
) -> None:
    who, table = WHO[name], read_table()
    wrong = []
    with Savepoint():
        if who is Who.SUSPENDED:
            user_suspend(
                acting_user=world.root, user=world.users["paul"], reason="Rude", until=None
            )
        knocking = Knocking(world, who)
        for door in doors:
            answers = knocking.all_of(door)
            for method, answer in answers.items():
                _heard.setdefault(door.route, {}).setdefault(method, {})[name] = answer
                expected = stated(table, door, method, name)
                if answer != expected:
                    wrong.append(
                        f"{door.route} {method} {door.path[:60]}: {answer}, not {expected}"
                    )
    assert wrong == []


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", ["nobody", "admin"])
def test_every_door_is_counted(
    name: str,
    world: World,
    doors: list[Door],
    settings: Any,
) -> None:
    """Whatever is sent is sent only so often a minute: where nothing more may be, it is refused
    with 429 and the seconds to wait, before anything is looked at."""
    settings.GAUNTLET_API_LIMITS = dict.fromkeys(settings.GAUNTLET_API_LIMITS, 0)
    knocking, wrong = Knocking(world, WHO[name]), []
    before = writes()
    for door in doors:
        for method in ("POST", "DELETE", "GET") if door.is_api else ("POST",):
            answer = knocking.ask(method, door)
            if answer != "429" and door.route not in NOT_COUNTED:
                wrong.append(f"{door.route} {method}: {answer}")
            if answer == "429" and int(knocking.last["Retry-After"]) <= 0:
                wrong.append(f"{door.route} {method}: without the seconds to wait")
    assert wrong == []
    assert writes() == before


def stated(table: Any, door: Door, method: str, name: str) -> str:
    """What the table, or the rules for what it leaves out, says."""
    if not door.is_api and method in ("PUT", "PATCH", "DELETE"):
        return "405"
    cells = table.get(door.route)
    if cells is None:
        return "a line in doors.txt"
    return str(cells["GET" if method == "HEAD" else method][name])


def routes() -> list[str]:
    """Every route that there is, without looking for something there."""
    return sorted(by_route(_places(get_resolver(), "", "", lambda _name, _route: 1)))


def test_every_route_has_a_line_and_nothing_else() -> None:
    assert routes() == sorted(read_table())
    assert len(routes()) > 500


def test_a_route_that_nobody_judged_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of a name of its own, and one by the name of another at another address."""
    known = [*get_resolver().url_patterns]
    view = next(each.callback for each in known if getattr(each, "name", "") == "healthz")
    for name in ("brand_new", "healthz"):
        with monkeypatch.context() as patch:
            more = [*known, at("brand-new", cast(Any, view), name=name)]
            patch.setattr(get_resolver(), "url_patterns", more)
            with pytest.raises(AssertionError):
                test_every_route_has_a_line_and_nothing_else()


# -- the table itself, judged ---------------------------------------------------------------------


def _cells() -> Iterator[tuple[str, str, dict[str, str]]]:
    for route, cells in read_table().items():
        for method, cell in cells.items():
            yield route, method, cell


def test_nobody_writes_but_where_it_is_theirs_to_do() -> None:
    writing = {
        route for route, method, cell in _cells() if method in WRITING and cell["nobody"] in GOOD
    }
    assert writing == OPEN_TO_ALL.keys()


def test_who_is_suspended_is_nobody() -> None:
    otherwise = {route for route, _method, cell in _cells() if cell["nobody"] != cell["suspended"]}
    assert otherwise == TOLD_WHY


def test_the_administration_lets_in_moderators_and_administrators_alone() -> None:
    let_in = {
        (route, method, name)
        for route, method, cell in _cells()
        if route.startswith("admin:") and route not in OPEN_TO_ALL
        for name, status in cell.items()
        if name not in ("moderator", "admin") and status not in ("login", "403")
    }
    assert {route for route, _method, _name in let_in} == {"admin:login"} - {"admin:login"}


def test_no_moderator_is_let_in_where_no_administrator_is() -> None:
    more = {
        (route, method)
        for route, method, cell in _cells()
        if route.startswith("admin:")
        if cell["moderator"] in GOOD and cell["admin"] not in GOOD
    }
    assert more == set()


def test_asking_what_may_be_done_does_nothing() -> None:
    for route, method, cell in _cells():
        if method == "OPTIONS":
            allowed = {"204"} if route.startswith("api:") else {"200", "405", "404", "403", "login"}
            assert set(cell.values()) <= allowed | {"301", "302"}, (route, write_cell(cell))


def test_who_has_no_business_is_refused_in_the_surfaces_own_way() -> None:
    """To sign in on pages, and 401 of the API; never a fault, and never a page without a word."""
    for route, method, cell in _cells():
        statuses = set(cell.values())
        assert not {s for s in statuses if s.startswith("5")} or route == "readyz", route
        if route.startswith("api:"):
            assert "login" not in statuses, (route, method)
            assert not {cell[name] for name in WHO if name not in OUTSIDE} & {"401"}, route
        else:
            assert "401" not in statuses or route in OF_OTHERS, (route, method)


def test_the_lines_can_be_read_and_written() -> None:
    for route, cells in read_table().items():
        for cell in cells.values():
            assert set(cell) == set(NAMES.values())
        line = write_line(route, cells)
        assert line.startswith(route)
        for method, cell in cells.items():
            assert write_cell(cell) in line, (route, method)
