"""During a match, no address of the site tells anybody what their view forbids.

Two matches that differ only in what is hidden are played in turn, as a leg of a season; every route
that can mention a match is asked by everybody who must not know: the other player, nobody, the
season's organiser, a moderator's and an administrator's account. All answers must be the same, byte
for byte. A route that is neither asked nor named below fails, so that none is forgotten.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest
import resvg_py
import time_machine
from django.contrib import admin
from django.core.cache import cache
from django.db import connection
from django.middleware import csrf
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from psycopg.sql import SQL, Identifier

from accounts.models import User
from games import presence
from games.bots import streams
from games.engine.decisions import Audience
from games.publishing.publish import Heard
from games.sockets import crowd
from tests.games import support
from tests.games import test_secrecy as secrecy
from tests.games.support import T0, Play, Wire
from tests.support import depth
from tests.webhooks.support import Stage as SeasonStage
from tournaments.models import Leg
from tournaments.services.events import season_event

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

# Nothing at these addresses is about a match: the caller's own account, forms before anything is,
# texts about the rules, and what only takes POST.
NOT_ABOUT_MATCHES = {
    "healthz", "readyz", "favicon", "service_worker", "offline", "profile", "api:index",
    "csp_reports", "robots_txt", "security_txt", "change_password", "security",
    "api:schema", "api:rulesets", "api:ruleset",
    "api:items", "api:saved", "api:saved_one", "api:become_bot", "api:submissions", "api:ready",
    "api:blocks", "api:block", "api:seek", "games:seek", "games:seek_cancel",
    "games:challenge_new", "games:hosted_new", "games:prepared_check", "games:prepared_outlines",
    "games:import_record", "games:rules_index", "games:rules",
    "games:draws", "games:draws_check",
    "games:learn", "games:learn_cards", "games:lesson", "api:lesson", "api:lesson_answer",
    "games:rules_figure", "games:prepared_list", "games:prepared_new", "games:supply_file",
    "games:prepared", "games:prepared_file", "games:prepared_delete", "games:chat_remove",
    "games:paint_read", "tournaments:season_new", "tournaments:season_restore",
    "tournaments:free_hours", "tournaments:follow", "tournaments:seasons_followed",
    "api:follows", "api:season_follow",
    "exports:dump", "games:puzzles", "games:puzzle_next", "games:puzzle", "games:puzzle_answer",
    "games:puzzle_board", "api:puzzles", "api:puzzle_daily", "api:puzzle", "api:puzzle_answers",
    "api:puzzle_solution",
} - {"profile"}  # fmt: skip
PREFIXES_NOT_ABOUT_MATCHES = (
    "account", "mfa_", "discord_", "socialaccount_", "oauth2_provider:", "api_docs", "developers",
    "webhooks:", "posts:",
)  # fmt: skip
# Rows that there are none of in this season: no challenge led to the match, nobody hosts it, no
# item was given, no link leads into it, nobody has applied or has a picture, and nothing is traded.
NOTHING_THERE = {
    "api:hosted", "api:hosted_accept", "api:hosted_decline", "api:hosted_cancel",
    "games:hosted", "games:hosted_accept", "games:hosted_decline", "games:hosted_cancel",
    "api:challenge", "api:challenge_accept", "api:challenge_decline", "api:challenge_cancel",
    "games:challenge_detail", "games:challenge_accept", "games:challenge_decline",
    "games:challenge_cancel", "games:invite", "games:invite_accept", "api:invite",
    "api:invite_accept", "api:season_item_take_back", "tournaments:item_take_back",
    "api:episode_placements", "api:episode_dmo", "tournaments:choose", "tournaments:placements",
    "tournaments:scores", "tournaments:main_match_pictures",
    "tournaments:invited", "tournaments:application_act", "tournaments:treasury_correct",
    "tournaments:picture",
    "tournaments:helping", "tournaments:organiser_act",
}  # fmt: skip
# They do not end while a match is on: the crowd listens to their lines instead (`Crowd.hear`).
STREAMS = {"api:events_stream", "api:match_stream"}
# Compared on the same twins by `tests/webhooks`: webhooks and exports.
ELSEWHERE = {
    "api:season_records", "season_records",
    # What players of twins are answered by commands: tests/discord/test_secrecy.py.
    "discord:interactions",
    "api:webhooks", "api:webhook", "api:webhook_secret", "api:webhook_test",
    "api:webhook_deliveries", "api:webhook_redeliver", "exports:index",
}  # fmt: skip
# Words that stand in an address, by the name of the route.
NAMED = {
    "tournaments:contestant_act": "withdraw",
    "tournaments:step": "cancel",
    "tournaments:embedding": "standings",
    "tournaments:round_act": "close",
    "tournaments:match_act": "declare",
    "tournaments:leg_act": "void",
}
CONTESTANTS = {"tournaments:contestant_calendar", "tournaments:contestant_picture",
               "tournaments:contestant_act",
               "tournaments:challenge_enter"}  # fmt: skip


class Route(NamedTuple):
    """An address of the site, by its name."""

    name: str
    arguments: frozenset[str]


def routes() -> Iterator[Route]:
    """Every named route outside of the administration."""

    def within(resolver: URLResolver, space: str, more: frozenset[str]) -> Iterator[Route]:
        for each in resolver.url_patterns:
            taken = more | frozenset(each.pattern.converters)
            taken |= frozenset(getattr(each.pattern, "regex").groupindex)  # noqa: B009
            if isinstance(each, URLResolver):
                inner = f"{space}{each.namespace}:" if each.namespace else space
                yield from within(each, inner, taken)
            elif isinstance(each, URLPattern) and each.name:
                yield Route(space + each.name, taken)

    found = within(get_resolver(), "", frozenset())
    return (route for route in found if not route.name.startswith("admin:"))


def is_asked(route: Route) -> bool:
    """Whether a route can mention a match, and is asked here."""
    skipped = NOT_ABOUT_MATCHES | NOTHING_THERE | STREAMS | ELSEWHERE
    return route.name not in skipped and not route.name.startswith(PREFIXES_NOT_ABOUT_MATCHES)


def about_a_match() -> list[Route]:
    """The routes that are about one match and are asked here."""
    return [route for route in routes() if is_asked(route) and "match_id" in route.arguments]


class Season:
    """What the routes' arguments stand for."""

    def __init__(self, stage: SeasonStage, ruleset: str) -> None:
        self.stage = stage
        self.ruleset = ruleset

    def address(self, route: Route, play: Play) -> str:
        """Where to ask. Raises LookupError for an argument that nobody has named."""
        given = {name: self._value(name, route, play) for name in route.arguments}
        return reverse(route.name, kwargs=given)

    def _value(self, name: str, route: Route, play: Play) -> Any:
        stage = self.stage
        death_match, contestant = stage.death_match.pk, stage.home.pk
        values: dict[str, Any] = {
            "match_id": play.pk,
            "slug": stage.season.slug,
            "ruleset": self.ruleset,
            "ladder": self.ruleset,
            "username": "ada",
            "number": 1,
            "first": 0,
            "last": 1,
            "leg_id": stage.leg.pk,
            "death_match_id": death_match,
            "contestant_id": contestant,
            "pk": contestant if route.name in CONTESTANTS else death_match,
        }
        if name == "name":
            return NAMED[route.name]
        return values[name]


class Listener:
    """Somebody at a stream, whose lines are made without a loop: nothing is waited for here."""

    def __init__(self, name: str, stream: streams.Stream) -> None:
        self.name = name
        self.stream = stream
        self.lines: list[bytes] = []
        self._take(stream.begin())

    def hear(self, texts: Sequence[tuple[str, str]]) -> None:
        """What comes over the channel layer."""
        for told, text in texts:
            if told in self.stream.groups():
                self._take(self.stream.hear(Heard("told", text.encode())))

    def look(self) -> None:
        """The stream looks for itself, and so does one that is opened now."""
        self._take(self.stream.look())
        self._take(self.stream.begin())

    def _take(self, told: AsyncIterator[dict[str, Any]]) -> None:
        lines = self.stream._lines(told)
        while True:
            try:
                next(anext(lines).__await__())
            except StopIteration as line:
                self.lines.append(line.value)
            except StopAsyncIteration:
                return
            else:
                raise AssertionError("a stream waits for something")


def listening(user: User, play: Play) -> Iterator[Listener]:
    """Somebody at both of the streams that a match may come up in."""
    name = user.username
    yield Listener(f"{name} match_stream", streams.MatchStream(user, play.pk))
    yield Listener(f"{name} events_stream", streams.EventStream(user))


class Crowd(secrecy.Onlooker):
    """Everybody who must not know, at one audience."""

    season: Season
    people: dict[str, User]
    strangers: bool
    asked: Sequence[Route]

    def __init__(self, audience: Audience, user: User | None, wire: Wire) -> None:
        super().__init__(audience, user, wire)
        self._listeners: list[Listener] = []

    def listeners(self, play: Play) -> list[Listener]:
        """Those who are signed in, each at both streams from now on."""
        if not self._listeners:
            users = [self.user] if self.user else self.people.values()
            self._listeners = [listener for user in users for listener in listening(user, play)]
        return self._listeners

    def hear(self, play: Play, texts: Sequence[tuple[str, str]]) -> None:
        """Have the streams make lines of what is sent."""
        for listener in self.listeners(play):
            listener.hear(texts)

    def look(self, play: Play, at: int) -> None:
        """What is asked in between is compared elsewhere."""

    def ask(self, play: Play, at: int) -> None:
        """So is what is asked at the end."""

    def try_something(self, play: Play, at: int) -> None:
        """So is what is tried."""

    def read_on(self, play: Play, stills: Callable[[], list[str]]) -> None:
        """Mail; the rest is the same in a season, and compared elsewhere."""
        self.read_mail()

    def look_around(self, play: Play, at: int) -> None:
        clients = {"nobody" if self.user is None else self.user.username: self.client}
        if self.audience == "room":
            if not self.strangers:
                clients = {}
            for name, user in self.people.items():
                clients[name] = Client()
                clients[name].force_login(user)
        for place, (who, client) in enumerate(clients.items()):
            for number, route in enumerate(self.asked):
                turn = is_next(number + place, 2) if self.strangers else who in self.people
                if turn or "match_id" in route.arguments:
                    self._ask(client, who, self.season.address(route, play))
        if self.audience == "room":
            for place, who in enumerate(sorted(self.people.keys() & {"mona", "root"})):
                for number, address in enumerate(administration(play)):
                    if address.endswith("/change/") or is_next(number + place, 2):
                        self._ask(clients[who], who, address)
        for listener in self.listeners(play):
            listener.look()
            self.gathered.append((listener.name, listener.lines))

    def _ask(self, client: Client, who: str, address: str) -> None:
        answer = client.get(address, headers={"accept": "*/*"})
        content = b"".join(answer) if answer.streaming else answer.content
        headers = {name: answer.headers.get(name) for name in ("ETag", "Location", "Content-Type")}
        if "/leaderboards/" in address:
            del headers["ETag"]  # drawn at random whenever a leaderboard is made anew
        self.gathered.append((f"{who} {address}", (answer.status_code, headers, content)))


def is_next(number: int, of: int) -> bool:
    """Whether one of so many is to do what any of them can; all do in a whole run."""
    return depth.whole or number % of == 0


def administration(play: Play) -> Iterator[str]:
    """Every list of the administration, and the match's own page there."""
    for model in admin.site._registry:
        yield reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    yield reverse("admin:index")
    yield reverse("admin:games_match_change", args=[play.pk])


def _same_numbers() -> None:
    """Rows of a run that is taken back leave gaps in the numbering of every table: begin after the
    rows that both runs find there."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name, pg_get_serial_sequence(quote_ident(table_name),"
            " column_name) FROM information_schema.columns"
            " WHERE is_identity = 'YES' AND table_schema = 'public'"
        )
        for table, column, sequence in cursor.fetchall():
            last = SQL("SELECT setval(%s, greatest(70000, (SELECT max({}) FROM {})))")
            cursor.execute(last.format(Identifier(column), Identifier(table)), [sequence])
    # What one run has left there would hide a difference.
    cache.clear()


@pytest.fixture
def stage(orla: User, ada: User, ben: User, monkeypatch: pytest.MonkeyPatch) -> SeasonStage:
    return SeasonStage(orla, ada, ben, monkeypatch)


_drawn: dict[str, Any] = {}


def _drawn_once(**drawing: Any) -> Any:
    """The same drawing is the same picture: everybody asks for it, and it takes a while to make."""
    key = repr(sorted(drawing.items()))
    if key not in _drawn:
        _drawn[key] = _draw(**drawing)
    return _drawn[key]


_draw = resvg_py.svg_to_bytes


@pytest.fixture
def theatre(
    set_clock: Callable[[int], None],
    wire: Wire,
    stage: SeasonStage,
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
) -> secrecy.Stage:
    async def at_once(call: Callable[..., Any], *args: Any) -> Any:
        return call(*args)

    async def nobody(*_args: Any) -> Any:
        return presence.NOBODY

    # Streams in this thread and its transaction. Who is there is no secret of the match.
    for name in ("in_turn_thread", "in_read_thread"):
        monkeypatch.setattr(streams, name, at_once)
    monkeypatch.setattr(crowd, "here", crowd.Crowd)
    monkeypatch.setattr(presence, "arrive", nobody)
    monkeypatch.setattr(presence, "seen", nobody)
    settings.GAUNTLET_API_LIMITS = dict.fromkeys(settings.GAUNTLET_API_LIMITS, 100_000)
    monkeypatch.setattr(csrf, "_mask_cipher_secret", lambda secret: secret)
    monkeypatch.setattr(csrf, "_get_new_csrf_string", lambda: "x" * 32)
    monkeypatch.setattr(secrecy, "_same_numbers", _same_numbers)
    monkeypatch.setattr(resvg_py, "svg_to_bytes", _drawn_once)
    return secrecy.Stage(set_clock, wire, stage.ada, stage.ben)


def gathered(
    ruleset: str,
    twins: secrecy.Twins,
    theatre: secrecy.Stage,
    stage: SeasonStage,
    people: dict[str, User],
    patch: pytest.MonkeyPatch,
    *,
    asked: Sequence[Route],
    asking: dict[str, User],
) -> list[dict[str, object]]:
    """What was told of both twins at some routes, to the opponent and to those who ask; where that
    is everybody, to somebody without an account, too: by who asked and where, the answer."""
    start = support.started

    def started(*args: Any, **more: Any) -> Play:
        play = start(*args, **more)
        Leg.objects.filter(pk=stage.leg.pk).update(
            ruleset=ruleset, status="running", started_at=stage.at, match=play.pk
        )
        leg = Leg.objects.get(pk=stage.leg.pk)
        season_event(season=stage.season, kind="death-match.started", words="It begins.", leg=leg)
        return play

    Crowd.season, Crowd.people, Crowd.asked = Season(stage, ruleset), asking, asked
    Crowd.strangers = asking.keys() == people.keys()
    patch.setattr(secrecy, "started", started)
    patch.setattr(secrecy, "Onlooker", Crowd)
    users = {"orla": stage.orla, "cleo": people["cleo"]}
    told = []
    for course in (twins.one, twins.two):
        random.seed(1)
        found = theatre.run(ruleset, course, users, twins, (1, "room"))
        told.append(dict(found[1] + found["room"]))
    return told


# Everybody asks for everything of a match of these, of which the second has nothing secret but what
# its players plan. Who may ask at all does not depend on the ruleset, and all of the room are shown
# the same view of it: of the others each route is asked by the organiser, to whom every page of the
# season is open, and each of the match by the opponent. What is not of the match alone is asked for
# by half of those who can, or in half of the rulesets, in turn; in a whole run by all.
FULL = ("domino-wars", "domain")
# The twins of these hide different things: a deck and a hand; a peg, a placement and a removal. All
# of them in a whole run.
EVERY_TWIN = {"domino-wars", "peg-domain"}


@pytest.mark.parametrize(
    ("ruleset", "number"),
    [
        (ruleset, number)
        for ruleset, made in secrecy.TWINS.items()
        for number in range(len(made))
        if number == 0 or (depth.whole and ruleset in EVERY_TWIN)
    ],
)
def test_nothing_that_the_view_forbids(  # noqa: PLR0917  (fixtures)
    ruleset: str,
    number: int,
    theatre: secrecy.Stage,
    stage: SeasonStage,
    cleo: User,
    mona: User,
    root: User,
    monkeypatch: pytest.MonkeyPatch,
    subtests: pytest.Subtests,
) -> None:
    twins = secrecy.TWINS[ruleset][number]()
    people = {"cleo": cleo, "orla": stage.orla, "mona": mona, "root": root}
    asking = people if ruleset in FULL and not number else {"orla": stage.orla}
    with time_machine.travel(datetime.fromtimestamp(T0 / 1000 + 3600, UTC), tick=False):
        about = list(filter(is_asked, routes()))
        if number:
            # The season's pages are drawn from the same views as those of the first twins.
            about = [route for route in about if "match_id" in route.arguments]
        elif ruleset not in FULL:
            place = sorted(secrecy.TWINS).index(ruleset)
            about = [
                route
                for each, route in enumerate(about)
                if "match_id" in route.arguments or is_next(each + place, 2)
            ]
        one, two = gathered(
            ruleset, twins, theatre, stage, people, monkeypatch, asked=about, asking=asking
        )
    assert one.keys() == two.keys()
    for asked, answer in one.items():
        if answer != two[asked]:
            with subtests.test(asked):
                assert answer == two[asked]


def test_routes_are_all_known() -> None:
    """A route that is asked has arguments that can be filled in; those that are not asked exist."""
    names = {route.name for route in routes()}
    assert not (NOT_ABOUT_MATCHES | NOTHING_THERE | STREAMS | ELSEWHERE) - names
    values = {
        "match_id", "slug", "ruleset", "ladder", "username", "number", "leg_id",
        "death_match_id", "contestant_id", "pk", "name", "first", "last",
    }  # fmt: skip
    for route in filter(is_asked, routes()):
        assert route.arguments <= values, route


def test_the_comparison_has_teeth(
    theatre: secrecy.Stage,
    stage: SeasonStage,
    cleo: User,
    mona: User,
    root: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A move that everybody may see is told at many addresses, to everybody."""
    # Those of the administration are not needed for that.
    monkeypatch.setattr(f"{__name__}.administration", lambda _play: ())
    before = secrecy.Action(500, "chat", 1, "good luck")  # when streams are opened
    public = secrecy.Action(1_000, "submit", 0, "concede")
    twins = secrecy.Twins([before, public], [before], 0, 5_000)
    people = {"cleo": cleo, "orla": stage.orla, "mona": mona, "root": root}
    with time_machine.travel(datetime.fromtimestamp(T0 / 1000 + 3600, UTC), tick=False):
        about = about_a_match()
        one, two = gathered(
            "tetronogo", twins, theatre, stage, people, monkeypatch, asked=about, asking=people
        )
    differing = {asked for asked in one if one[asked] != two.get(asked)}
    signed_in = ("ben", "cleo", "orla", "mona", "root")
    for who in ("nobody", *signed_in):
        assert sum(asked.startswith(f"{who} /") for asked in differing) >= 8, who
    for who in signed_in:
        assert f"{who} match_stream" in differing
    # Only of one's own match does one hear that it is over.
    assert {name for name in differing if name.endswith("events_stream")} == {"ben events_stream"}
