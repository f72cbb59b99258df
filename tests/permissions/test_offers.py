"""What a page leads to can be done by its reader just then; and what it is there for, once it can
be done, it leads to.

People go through all pages of a situation, from link to link. Wherever one leads to the address of
an action (a page that asks, or a button), the action itself is asked, as that page asks it. Those
go whom situations concern, and of the others one through each; in a usual run fewer, through a
third of the situations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from django.contrib import admin
from django.core.cache import cache
from django.http import Http404
from django.urls import ResolverMatch, resolve, reverse

from accounts.moderation.actions import TABLES as OF_PEOPLE
from core.actions import Action, Actions, Prompt
from core.admin.links import row_address
from core.refusals import Refusal
from tests.permissions.offers import Asked, Button, Read, actions_asked, read
from tests.permissions.purposes import Reading, wanted_on
from tests.permissions.situations import MORE
from tests.permissions.table import PERMISSIONS, Page
from tests.permissions.test_completeness import TABLES, WITHOUT_AN_ACTION
from tests.permissions.world import BECOME, SCENES, Savepoint, Scene, Who, World
from tests.support import depth

pytestmark = pytest.mark.django_db

# -- which action an address is of -----------------------------------------------------------------

_BY_NAME = {
    f"{table.of}.{action.name}": action for table in (*TABLES, *OF_PEOPLE) for action in table
}
_AT: dict[str, set[str]] = {}
for _permission in PERMISSIONS.values():
    for _ask in _permission.asks:
        if isinstance(_ask, Page) and _ask.action:
            _AT.setdefault(_ask.name, set()).add(_ask.action)
for _model, _its in admin.site._registry.items():
    _meta, _table = _model._meta, getattr(_its, "row_actions", Actions[Any]("nothing", ()))
    for _action in _table:
        _route = f"admin:{_meta.app_label}_{_meta.model_name}_{_action.name}"
        _AT.setdefault(_route, set()).add(f"{_table.of}.{_action.name}")

# Pages that are there to be read, too, whatever can be done on them.
READ = {
    ask.name
    for permission in PERMISSIONS.values()
    if permission.reads
    for ask in permission.asks
    if isinstance(ask, Page)
}
# From a page that is stopped to the other way to do the same, which says why that is, too.
OTHER_WAYS = {("tournaments:pair", "tournaments:pair_by_hand")}


def actions_at(found: ResolverMatch) -> list[Action[Any]]:
    """The actions that an address is of."""
    names = _AT.get(found.view_name, set())
    if "name" in found.kwargs:
        names = {name for name in names if name.partition(".")[2] == found.kwargs["name"]}
    return [_BY_NAME[name] for name in names]


def resolved(address: str) -> ResolverMatch | None:
    """What is at an address; None where it is of another site, or there is nothing."""
    parts = urlsplit(address)
    if parts.netloc or not parts.path.startswith("/"):
        return None
    try:
        return resolve(parts.path)
    except Http404:
        return None


# -- going about -----------------------------------------------------------------------------------

# Whom situations concern most, those whom some do, and all the others.
CONCERNED = (Who.SEAT_0, Who.ORGANISER)
SOMETIMES = (Who.SEAT_1, Who.ELIMINATED, Who.MODERATOR)
OTHERS = tuple(each for each in Who if each not in CONCERNED + SOMETIMES)
# Where the way begins; whatever these lead to of the situation's own is gone to as well.
_BEGIN = ("games:home", "games:lobby", "tournaments:seasons")
# Files, pictures, and what leads to nothing that other pages do not.
_NOT_GONE_TO = {
    "tournaments:calendar", "tournaments:contestant_calendar", "tournaments:contestants_file",
    "tournaments:document", "tournaments:feed", "tournaments:feeds", "tournaments:records",
    "tournaments:share", "tournaments:state",
    "tournaments:death_match_share", "tournaments:leaderboard",
}  # fmt: skip


class Got(NamedTuple):
    """A page, what it leads to, and why what it asks for cannot be done, if so."""

    reading: Reading
    its: Read
    refused: str


@dataclass
class Going:
    """Somebody who goes through the pages of a situation. ``wrong``: what is not as it should be;
    ``led``: how often something led to an action; ``kept``: how often a page had to, and did."""

    world: World
    scene: Scene
    who: Who
    wrong: list[str] = field(default_factory=list)
    led: int = 0
    kept: int = 0
    known: dict[str, Got] = field(default_factory=dict)

    def go(self) -> None:
        """Through everything that is to be reached."""
        waiting, gone = [*self._from()], set()
        while waiting:
            address = waiting.pop()
            if (path := urlsplit(address).path) not in gone:
                gone.add(path)
                waiting += self._looked_through(address)

    def _from(self) -> Iterator[str]:
        scene = self.scene
        yield from map(reverse, _BEGIN)
        yield scene.season.get_absolute_url()
        for name in ("items", "desk"):
            yield reverse(f"tournaments:{name}", args=[scene.season.slug])
        for name in ("challenge", "match"):
            if name in scene.more:
                yield scene.more[name].get_absolute_url()
        if self.who in {Who.MODERATOR, Who.ADMIN}:
            named = [row for row in scene.more.values() if type(row) in admin.site._registry]
            rows = [scene.season, *named]
            if "reports" in scene.more:
                rows += [*scene.more["reports"], *self.world.users.values()]
            yield from map(row_address, rows)

    def _looked_through(self, address: str) -> list[str]:
        """Look at all that a page leads to; gives what is to be gone to from there."""
        got = self._get(address)
        at = f"{self.who}: {address}"
        if got.reading.answer.status_code != 200:
            return []
        for offered, wanted in wanted_on(got.reading):
            self.kept += offered
            if offered and wanted not in got.its.addresses:
                self.wrong.append(f"{at} does not lead to {wanted}")
        here = [link for link in got.its.links if self._is_here(link)]
        for link in here:
            self._follow(got, link, at)
        for button in got.its.buttons:
            self._press(got, button, at)
        return [link for link in here if resolve(urlsplit(link).path).view_name not in _NOT_GONE_TO]

    def _is_here(self, address: str) -> bool:
        found = resolved(address)
        if found is None:
            return False
        if "slug" in found.kwargs:
            return bool(found.kwargs["slug"] == self.scene.season.slug)
        return bool(actions_at(found))

    def _get(self, address: str) -> Got:
        if address not in self.known:
            cache.clear()
            with Savepoint(), actions_asked() as asked:
                answer = self.world.clients[self.who].get(address)
                content = answer.getvalue()
            found = resolve(urlsplit(address).path)
            html = answer.get("Content-Type", "").startswith("text/html")
            its = read(address, content) if html else Read([], [])
            refused = self._why_refused(answer, asked, actions_at(found))
            self.known[address] = Got(Reading(self.scene, found, answer), its, refused)
        return self.known[address]

    def _why_refused(self, answer: Any, asked: list[Asked], actions: list[Action[Any]]) -> str:
        if answer.status_code == 302:
            # Who is nobody, or is suspended and so signed out, is asked to sign in.
            request = answer.wsgi_request
            asks = not request.user.is_authenticated
            return "" if asks or request.method == "POST" else "302"
        said = answer.context and answer.context.get("refused")
        own = (each.refusal for each in asked if any(each.action is one for one in actions))
        refusal = said if isinstance(said, Refusal) else next(own, None)
        if refusal is not None:
            return refusal.code
        prompt = answer.context and answer.context.get("prompt")
        # One that leads to what must be seen to first is there for that.
        if isinstance(prompt, Prompt) and prompt.stopped and not prompt.ways:
            return next(each.sentence for each in prompt.cautions if each.stops)
        return "" if answer.status_code < 400 else str(answer.status_code)

    def _follow(self, got: Got, link: str, at: str) -> None:
        found = resolve(urlsplit(link).path)
        names = (got.reading.found.view_name, found.view_name)
        if not actions_at(found) or found.view_name in READ:
            return
        if names in OTHER_WAYS and got.refused:
            return
        self.led += 1
        refused = self._get(link).refused
        if refused:
            self.wrong.append(f"{at} leads to {link}: {refused}")

    def _press(self, got: Got, button: Button, at: str) -> None:
        found = resolved(button.address)
        if found is None or not (actions_at(found) or found.view_name in WITHOUT_AN_ACTION):
            return
        if found.kwargs.get("slug", self.scene.season.slug) != self.scene.season.slug:
            return
        self.led += 1
        cache.clear()
        with Savepoint(), actions_asked() as asked:
            answer = self.world.clients[self.who].post(button.address, dict(button.sent))
        if refused := self._why_refused(answer, asked, actions_at(found)):
            self.wrong.append(f"{at} has a button to {button.address} {button.sent}: {refused}")


def gone_through(world: World, scene: Scene, people: Iterable[Who]) -> list[Going]:
    """What everybody has come upon, each made what they are called for as long."""
    found = []
    for each in people:
        with Savepoint() if each in BECOME else nullcontext():
            world.become(each, scene)
            going = Going(world, scene, each)
            going.go()
            found.append(going)
    return found


def people(number: int) -> Iterator[Who]:
    """Who goes through the situation of that number."""
    yield from CONCERNED
    yield from SOMETIMES if depth.whole else [SOMETIMES[number % len(SOMETIMES)]]
    yield OTHERS[number % len(OTHERS)]


def nothing_wrong(scene: Scene, world: World, number: int) -> None:
    """Whatever people come upon in the situation of that number is as it should be."""
    found = gone_through(world, scene, people(number))
    assert "\n".join(wrong for going in found for wrong in going.wrong) == ""


@pytest.mark.parametrize(("number", "scene"), list(enumerate(depth.some(sorted(SCENES), 5))))
def test_pages_lead_to_what_can_be_done(number: int, scene: str, world: World) -> None:
    nothing_wrong(world.scene(scene), world, number)


@pytest.mark.parametrize(("number", "scene"), list(enumerate(depth.some(sorted(MORE), 5))))
def test_pages_lead_nowhere_where_nothing_can_be_done(
    number: int, scene: str, world: World
) -> None:
    with Savepoint():
        nothing_wrong(MORE[scene](world), world, number)


@pytest.mark.parametrize(
    ("scene", "who"),
    [
        ("between", Who.FOR_EPISODES), ("planned", Who.FOR_MATCHES), ("applied", Who.FOR_PEOPLE),
        ("trading", Who.FOR_LEDGER), ("planned", Who.CO_ORGANISER),
    ],
)  # fmt: skip
def test_helpers_come_to_what_is_theirs(scene: str, who: Who, world: World) -> None:
    (going,) = gone_through(world, world.scene(scene), [who])
    assert "\n".join(going.wrong) == ""
    assert going.led > 1


def test_there_is_something_to_go_through(world: World) -> None:
    (going,) = gone_through(world, world.scene("planned"), [Who.ORGANISER])
    assert going.led > 20
    assert going.kept > 15
