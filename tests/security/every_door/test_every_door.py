"""Every route, every role, every method: each is answered as `doors.txt` states.

The table in tests/permissions says who may do what, with whole forms; here everybody knocks at
every door with nothing in their hands. What stands in the table is itself judged by rules that
hold for all of it, so that a line that was copied from what the site answered is not believed.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from copy import copy
from datetime import date
from hashlib import sha256
from http.cookies import SimpleCookie
from typing import Any, Final, NamedTuple, cast

import msgspec
import pytest
from django.conf import settings
from django.contrib import admin
from django.contrib.contenttypes.models import ContentType
from django.template.backends.django import Template
from django.test import client, override_settings
from django.urls import get_resolver, reverse
from django.urls import path as at

from accounts.announcing.stopping import stop_token
from accounts.discord.services import discord_link_begin
from accounts.models import AuditEntry, Sanction, User
from accounts.moderation.sanctions import user_suspend
from accounts.signin.backends import NameBackend
from accounts.signin.undoing import undo_token
from core.admin.actions import several_address
from core.clock import now_utc
from games.models import Match
from games.services.practice import practice_start
from tests.pages.test_practice import WELCOME
from tests.permissions.test_faults import Place, _found, _places
from tests.permissions.world import Savepoint, Who, World, writes
from tests.security.every_door.doors import (
    OUTSIDE,
    WHO,
    browser_of,
    read_table,
    users_of,
    write_cell,
    write_line,
)
from tests.support import depth
from tournaments.dumps import archive
from tournaments.dumps.archive import Dump, Manifest, dump_name
from tournaments.models import Season, SeasonOrganiser

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
    "mfa_view_recovery_codes": "that their owner was shown them",
    "mfa_download_recovery_codes": "that their owner was shown them",
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
# Who may enter the administration.
INSIDE: Final = ("moderator", "admin", "staff", "clerk")
REFUSED: Final = {"401", "403", "404", "405", "login"}
GOOD: Final = ("200", "201", "202", "204", "302")
# Where there is nothing for anybody unless Discord is set up, as it is when these are asked.
OF_DISCORD: Final = ("accounts:discord", "discord_", "socialaccount_", "discord:")
DISCORD: Final = {
    "GAUNTLET_DISCORD_CLIENT_ID": "gauntlet",
    "GAUNTLET_DISCORD_CLIENT_SECRET": "secret",
    "GAUNTLET_DISCORD_PUBLIC_KEY": "00" * 32,
}


# Where everybody is refused, whatever they are asked for: with nothing in their hands nobody gets
# further, and who gets how far with something in them is tested elsewhere.
NOTHING_IN_HANDS: Final = {
    "accounts:sessions_end": "whoever has ended all of their sessions signs in again",
    "socialaccount_signup": "who comes from Discord: tests/accounts/test_discord_way.py",
    "discord_callback": "who comes from Discord: tests/accounts/test_discord_way.py",
    "discord:interactions": "what Discord has signed: tests/discord",
    "api:match_hints": "bots with a seat: tests/bots",
    "admin:autocomplete": "no form of the administration looks anything up",
    "admin:(?P<url>.*)$": "everything that is no page of the administration",
    "posts:edit": "a season with a channel in Discord: tests/posts/test_pages.py",
    "posts:test": "a season with a channel in Discord: tests/posts/test_pages.py",
    "posts:check": "a season with a channel in Discord: tests/posts/test_pages.py",
    "posts:switch": "a season with a channel in Discord: tests/posts/test_pages.py",
    "posts:disconnect": "a season with a channel in Discord: tests/posts/test_pages.py",
    "tournaments:rules": "the lower seed, who does not knock: the table of permissions",
    "tournaments:times_answer": "which proposal it is about: the table of permissions",
    "games:feature": "which of two things is to be done: the table of permissions",
    "games:prepared_outlines": "a drawing: the table of permissions",
}


class Door(NamedTuple):
    """A route, and an address of it."""

    route: str
    path: str

    @property
    def is_api(self) -> bool:
        """Whether programs ask here."""
        return self.route.startswith("api:")


def practised(user: User) -> Match:
    """A match of somebody against a bot."""
    return practice_start(
        acting_user=user, ruleset_id="tetronogo", variant="standard", level="novice"
    )


def dumped() -> Dump:
    """A dump of all seasons, of which only the outside is looked at."""
    name = dump_name(date(2026, 1, 1))
    archive.folder().mkdir(parents=True, exist_ok=True)
    (archive.folder() / name).write_bytes(b"zip")
    manifest = Manifest(archive.FORMAT, now_utc(), settings.GAUNTLET_ORIGIN, {})
    dump = Dump(name, 3, sha256(b"zip").hexdigest(), manifest)
    (archive.folder() / name).with_suffix(".json").write_bytes(msgspec.json.encode(dump))
    return dump


def doors_of(world: World) -> list[Door]:
    """Every route once, at an address where there is something."""
    found = by_route(_found(world))
    names = ("enrolling", "asked to help", "ladder", "bracket", "proposed", "trading")
    enrolling, asked, ladder, bracket, proposed, trading = map(world.scene, names)
    guests = practised(users_of(world)["guest"])
    people = [world.users["paul"].pk, world.users["eve"].pk]
    crew = SeasonOrganiser.objects.get(season=enrolling.season, user=world.users["leo"])
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
        "embeds:bracket": reverse("embeds:bracket", args=[bracket.season.slug]),
        "tournaments:challenge": reverse("tournaments:challenge", args=[ladder.season.slug]),
        "tournaments:challenge_enter": reverse(
            "tournaments:challenge_enter", args=[ladder.season.slug, ladder.id(2)]
        ),
        "tournaments:rules": reverse(
            "tournaments:rules", args=[bracket.season.slug, bracket.row.pk]
        ),
        "tournaments:times_answer": reverse(
            "tournaments:times_answer",
            args=[proposed.season.slug, proposed.row.pk, proposed.leg.pk],
        ),
        "tournaments:organiser_act": reverse(
            "tournaments:organiser_act", args=[enrolling.season.slug, crew.pk, "remove"]
        ),
        "tournaments:treasury_correct": reverse(
            "tournaments:treasury_correct", args=[trading.season.slug, trading.entry.pk]
        ),
        "accounts:discord_asked": discord_link_begin(
            discord_id="1234567890123456", discord_name="paul"
        ).removeprefix(settings.GAUNTLET_ORIGIN),
        "api:block": reverse("api:block", args=["eve"]),
        "api:commentator": reverse(
            "api:commentator", args=[world.scene("talking").match.pk, "eve"]
        ),
        "api:advice": reverse("api:advice", args=[guests.pk]),
        "api:take_back": reverse("api:take_back", args=[guests.pk]),
        "exports:dump": reverse("exports:dump", args=[dumped().name]),
        "admin:accounts_user_warn_several": several_address(User, "warn_several", people),
        "admin:accounts_user_mute_several": several_address(User, "mute_several", people),
        "admin:accounts_user_suspend_several": several_address(User, "suspend_several", people),
        "admin:accounts_sanction_lift_several": several_address(
            Sanction, "lift_several", [Sanction.objects.latest("pk").pk]
        ),
        "admin:view_on_site": reverse(
            "admin:view_on_site",
            args=[ContentType.objects.get_for_model(Season).pk, enrolling.season.pk],
        ),
        "games:supply_file": reverse("games:supply_file", args=["domain", "pool", "example"]),
        "games:rules_figure": reverse("games:rules_figure", args=["peg-domain", "start"]),
    }
    return [Door(route, better.get(route, place.path)) for route, place in found.items()]


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

    def __init__(self, world: World, name: str) -> None:
        self.browser = browser_of(world, name)
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


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", WHO)
def test_everybody_is_answered_as_the_table_states(
    name: str,
    world: World,
    doors: list[Door],
) -> None:
    """Everybody at two of five doors, and the next of them at the next two; in a whole run at all.
    Routes of a kind come six in a row in the administration: with five everybody gets at each."""
    table, wrong, own = read_table(), list[str](), [*WHO].index(name)
    with Savepoint():
        if WHO[name] is Who.SUSPENDED:
            user_suspend(
                acting_user=world.root, user=world.users["paul"], reason="Rude", until=None
            )
        knocking = Knocking(world, name)
        for number, door in enumerate(doors):
            if not depth.whole and (number + own) % 5 > 1:
                continue
            answers = knocking.all_of(door)
            for method, answer in answers.items():
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
    knocking, wrong = Knocking(world, name), []
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


def actions() -> set[str]:
    """The routes of what is done in the administration to a row, or to several, by an action."""
    return {
        f"admin:{model._meta.app_label}_{model._meta.model_name}_{action.name}"
        for model, its in admin.site._registry.items()
        for kind in ("row_actions", "several_actions")
        for action in getattr(its, kind, ())
    }


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", ["staff", "clerk"])
def test_staff_do_nothing_that_moderators_do(name: str, world: World, doors: list[Door]) -> None:
    """A button leads back to its row also where it was refused: what counts is that nothing was
    done, of which there would be an entry."""
    knocking = Knocking(world, name)
    found = [door for door in doors if door.route in actions()]
    assert len(found) == len(actions()) > 20
    done = AuditEntry.objects.exclude(action__startswith="look.")
    before = done.count()
    for door in found:
        assert knocking.ask("POST", door) in {"302", "403", "404"}, door
        assert done.count() == before, door


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


def test_a_guest_is_nobody_but_where_guests_are_welcome() -> None:
    otherwise = {route for route, _method, cell in _cells() if cell["nobody"] != cell["guest"]}
    assert otherwise <= WELCOME
    assert "api:take_back" in otherwise


def test_the_administration_lets_in_those_alone_who_have_business_there() -> None:
    let_in = {
        (route, method, name)
        for route, method, cell in _cells()
        if route.startswith("admin:") and route not in OPEN_TO_ALL
        for name, status in cell.items()
        if name not in INSIDE and status not in ("login", "403")
    }
    assert let_in == set()


def _of_rows() -> Iterator[tuple[str, str, dict[str, str]]]:
    """What the administration answers at pages of rows and lists, but for those that only lead to a
    row's page, which asks by itself."""
    kinds = {f"{m._meta.app_label}_{m._meta.model_name}_" for m in admin.site._registry}
    for route, method, cell in _cells():
        if route.startswith(tuple(f"admin:{kind}" for kind in kinds)):
            yield route, method, cell


def test_who_is_staff_without_any_permission_sees_no_row() -> None:
    assert len([*_of_rows()]) > 600
    seen = {(route, method) for route, method, cell in _of_rows() if cell["staff"] in GOOD}
    assert seen == set()


@pytest.mark.parametrize("name", ["moderator", "staff", "clerk"])
def test_nobody_is_let_in_where_no_administrator_is(name: str) -> None:
    more = {
        (route, method)
        for route, method, cell in _cells()
        if route.startswith("admin:")
        if cell[name] in GOOD and cell["admin"] not in GOOD
    }
    assert more == set()


def test_the_rows_that_the_administration_is_asked_for_are_there() -> None:
    """Django leads whoever asks for the page of a row that is not there away from it, which would
    say nothing of who may see one."""
    away = {
        (route, method)
        for route, method, cell in _of_rows()
        if route.endswith(("_change", "_history", "_delete"))
        if {status for status in cell.values() if status not in REFUSED} == {"302"}
    }
    assert away == set()


def test_of_every_route_something_is_asked_for_that_is_there() -> None:
    """Somebody gets further than to a refusal: else the line says nothing of who may."""
    empty = {
        route
        for route, cells in read_table().items()
        if not {s for m in cells if m != "OPTIONS" for s in cells[m].values()} - REFUSED
    }
    kept_from_all = {
        route
        for route, cells in read_table().items()
        if route.startswith("admin:") and route.endswith(("_add", "_delete"))
        if {cells[method]["admin"] for method in cells} == {"403"}
    }
    assert empty - kept_from_all == NOTHING_IN_HANDS.keys()


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
            assert cell.keys() == WHO.keys()
        line = write_line(route, cells)
        assert line.startswith(route)
        for method, cell in cells.items():
            assert write_cell(cell) in line, (route, method)
