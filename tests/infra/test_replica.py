"""Reading from a replica: what may be, who may, and when; without one. With a real one:
tests/operations/test_replica.py."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import DEFAULT_DB_ALIAS, InternalError, connection, connections
from django.http import HttpResponse, HttpResponseNotAllowed
from django.test import RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from redis.exceptions import ConnectionError as RedisConnectionError

from accounts.models import User
from core.api import lists
from core.api.views import ApiView
from core.database.base import REPLICA, DatabaseWrapper
from core.replica import reading, watching, writers
from core.replica.reading import read
from core.replica.watching import Lag, Place, UnfitError, Watch
from games.api.lists import MatchesView
from script.lib.console import ROOT
from tests.infra.test_settings import PRODUCTION, evaluate

URL = "postgresql://reader:secret@replica.example:6543/gauntlet?sslmode=require"

#: What is read from a replica: all of it is public, or the reader's own, and shown, not acted by.
FROM_REPLICA = {
    "games:home", "games:watch", "games:replay", "games:replay_steps", "games:record",
    "games:history",
    "games:leaderboards", "games:leaderboard", "profile",
    "tournaments:seasons", "tournaments:season", "tournaments:standings",
    "tournaments:leaderboard", "tournaments:contestants", "tournaments:contestant_calendar",
    "tournaments:schedule", "tournaments:calendar", "tournaments:feed", "tournaments:feeds",
    "tournaments:results", "tournaments:round",
    "tournaments:items", "tournaments:purse", "tournaments:history", "tournaments:rulings",
    "tournaments:predictions",
    "tournaments:share", "tournaments:picture",
    "tournaments:death_match", "tournaments:death_match_share",
    "embeds:standings", "embeds:bracket", "embeds:matches",
    "api:users", "api:user", "api:matches", "api:record", "api:challenges", "api:hosted_list",
    "api:leaderboards", "api:leaderboard", "api:puzzles",
    "api:seasons", "api:season", "api:season_contestants", "api:season_standings",
    "api:season_bracket", "api:season_leaderboard", "api:season_rounds", "api:season_items",
    "api:season_events", "api:death_matches", "api:death_match",
}  # fmt: skip

#: What is not, by how its name begins, and why.
FROM_PRIMARY = {
    "healthz": "asks whether the primary is there",
    "readyz": "asks whether the primary is there",
    "favicon": "asks no database",
    "service_worker": "asks no database",
    "offline": "asks no database",
    "csp_reports": "asks no database",
    "robots_txt": "asks no database",
    "security_txt": "asks no database",
    "change_password": "asks no database",
    "security": "asks no database",
    "developers": "asks no database",
    "discord:": "what somebody does",
    "exports:": "files, and what they are made of is read by a worker",
    "season_records": "a stream, which lasts too long for one moment",
    "api:season_records": "a stream, which lasts too long for one moment",
    "account": "who somebody is, and what they have set",
    "mfa_": "who somebody is, and what they have set",
    "discord_": "who somebody is",
    "socialaccount_": "writes",
    "oauth2_provider:": "what somebody has allowed",
    "admin:": "whoever is there acts by what they see",
    "games:lobby": "what waits for an answer now",
    "games:challenge": "what waits for an answer now",
    "games:seek": "what its reader waits for",
    "api:seek": "what the caller waits for",
    "api:block": "the caller's own",
    "api:challenge": "what waits for an answer now",
    "games:invite": "what waits for an answer now",
    "api:invite": "what waits for an answer now",
    "games:hosted": "what waits for an answer now",
    "api:hosted": "what waits for an answer now",
    "games:rematch": "what waits for an answer now",
    "api:rematch": "what waits for an answer now",
    "games:next": "whose move it is now",
    "api:plan": "the caller's own",
    "games:practice": "what its reader has going now",
    "api:practice": "writes",
    "games:puzzle": "which ones its reader has answered",
    "api:puzzle": "the daily one, and answers",
    "api:advice": "what is asked of the caller now",
    "api:take_back": "writes",
    "games:study": "what its reader has just asked for",
    "api:study": "what its reader has just asked for",
    "api:commentary": "what happens now",
    "api:commentator": "writes",
    "api:predictions": "what happens now",
    "api:season_predictions": "what can be said now",
    "games:mine": "own matches that run now",
    "games:oembed": "asked once by whoever keeps the answer",
    "tournaments:embedding": "for organisers, once",
    "games:match": "what happens now, and the socket goes on from it",
    "api:match": "what happens now",
    "games:board": "what happens now; drawn once for everybody",
    "games:paint": "a decision that is open now",
    "games:dispute": "a decision that is open now",
    "games:chat_remove": "writes",
    "games:feature": "writes",
    "api:featured": "what runs now",
    "games:import_record": "writes",
    "games:organise": "the organisers' queue",
    "games:prepared": "an organiser's own",
    "games:supply_file": "an organiser's own",
    "games:rules": "asks no database",
    "games:learn": "asks no database",
    "games:draws": "asks no database",
    "games:lesson": "asks no database",
    "games:leaderboards/overall/": "only leads elsewhere",
    "webhooks:": "for organisers",
    "posts:": "for organisers",
    "tournaments:state": "asked to find out whether anything is new",
    "api:index": "asks no database",
    "api:schema": "asks no database",
    "api:ruleset": "asks no database",
    "api:lesson": "asks no database",
    "api:items": "asks no database",
    "api:me": "who somebody is",
    "api:become_bot": "writes",
    "api:saved": "the caller's own",
    "api:follows": "the caller's own",
    "api:events_stream": "what happens now",
    "api:submissions": "writes",
    "api:ready": "writes",
    "api:season_preflight": "what an organiser is about to do",
    "api:webhook": "for organisers",
}
# Of players and organisers, who act by what they see, or of programs that write.
ACTING = {
    "tournaments:season_new", "tournaments:season_restore", "tournaments:join",
    "tournaments:helping", "tournaments:organiser_act",
    "tournaments:invited", "tournaments:invitations", "tournaments:applications",
    "tournaments:application_act", "tournaments:check_in", "tournaments:check_in_desk",
    "tournaments:strike_absent",
    "tournaments:desk_messages", "tournaments:messages",
    "tournaments:predict_winner", "tournaments:predict",
    "tournaments:pay", "tournaments:use_token", "tournaments:wager", "tournaments:treasury",
    "tournaments:treasury_file", "tournaments:treasury_token", "tournaments:treasury_correct",
    "tournaments:season_picture", "tournaments:contestant_picture",
    "tournaments:withdraw", "tournaments:challenge", "tournaments:choose", "tournaments:rules",
    "tournaments:free_hours", "tournaments:times", "tournaments:times_answer",
    "tournaments:follow", "tournaments:seasons_followed", "api:season_follow",
    "tournaments:open_times",
    "tournaments:ready", "tournaments:declare", "tournaments:give", "tournaments:desk",
    "tournaments:settings", "tournaments:organisers", "tournaments:roster",
    "tournaments:contestants_file", "tournaments:challenge_enter", "tournaments:contestant_act",
    "tournaments:seeds", "tournaments:step", "tournaments:episode", "tournaments:final",
    "tournaments:episode_open",
    "tournaments:pair", "tournaments:pair_by_hand", "tournaments:conclude",
    "tournaments:round_desk", "tournaments:placements", "tournaments:round_times",
    "tournaments:scores", "tournaments:main_match_pictures",
    "tournaments:round_act", "tournaments:match_desk", "tournaments:match_act",
    "tournaments:leg_act", "tournaments:document", "tournaments:records", "tournaments:ledger",
    "tournaments:item_take_back",
    "api:season_steps", "api:contestant_withdraw", "api:contestant_return",
    "api:contestant_replace", "api:season_seeds", "api:season_round_schedule",
    "api:episode_placements", "api:episode_dmo", "api:season_item_take_back",
    "api:death_match_result", "api:leg_replay", "api:leg_ready",
}  # fmt: skip


# -- what is declared ----------------------------------------------------------------------------


def routes(patterns: list[Any], names: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every address by its name, with its view."""
    for each in patterns:
        if isinstance(each, URLResolver):
            inside = (*names, each.namespace) if each.namespace else names
            yield from routes(each.url_patterns, inside)
        elif isinstance(each, URLPattern):
            yield ":".join([*names, each.name or str(each.pattern)]), each.callback


def is_declared(view: Any) -> bool:
    """Whether a view says that it is read from the replica."""
    found = getattr(view, "cls", None)
    if isinstance(found, type) and issubclass(found, ApiView):
        return found.replica
    return getattr(view, "reads_replica", False)


def declared() -> set[str]:
    return {name for name, view in routes(get_resolver().url_patterns) if is_declared(view)}


def test_what_is_read_from_a_replica_is_what_is_named_here() -> None:
    assert declared() == FROM_REPLICA


def test_each_other_route_is_named_here_with_why_it_is_not() -> None:
    others = {name for name, _ in routes(get_resolver().url_patterns)} - FROM_REPLICA
    without = {name for name in others - ACTING if not name.startswith(tuple(FROM_PRIMARY))}
    assert without == set()
    assert others >= ACTING
    for beginning in FROM_PRIMARY:
        assert any(name.startswith(beginning) for name in others), beginning


def test_no_page_that_is_takes_anything_but_questions() -> None:
    pages = [
        (name, view)
        for name, view in routes(get_resolver().url_patterns)
        if is_declared(view) and not hasattr(view, "cls")
    ]
    assert len(pages) > 20
    for name, view in pages:
        assert isinstance(view(RequestFactory().post("/")), HttpResponseNotAllowed), name


def test_what_is_the_callers_own_is_not() -> None:
    for name, view in routes(get_resolver().url_patterns):
        found = getattr(view, "cls", None)
        if isinstance(found, type) and issubclass(found, ApiView) and found.replica:
            assert not found.private, name


# -- without a replica ---------------------------------------------------------------------------


def test_without_one_nothing_is_asked_of_anybody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that would fail at any question."""
    monkeypatch.setattr(reading, "_who_answers", None)
    assert read(object(), lambda: "made") == "made"
    writers.note_soon(1)
    assert writers._Noted.at == {}
    assert watching.WATCH._thread is None
    assert (watching.WATCH.figures(), watching.WATCH.lag_figures()) == ({}, {})


def test_settings_know_none_unless_they_are_told() -> None:
    asked = (
        "[list(settings.DATABASES), 'core.replica.writers.WroteMiddleware' in settings.MIDDLEWARE]"
    )
    assert evaluate(asked, **PRODUCTION).stdout.strip() == "[['default'], False]"
    told = evaluate(asked, **PRODUCTION, GAUNTLET_REPLICA_URL=URL)
    assert told.stdout.strip() == "[['default', 'replica'], True]", told.stderr
    wrong = evaluate(asked, **PRODUCTION, GAUNTLET_REPLICA_URL="mysql://replica")
    assert "GAUNTLET_REPLICA_URL must start with postgresql://" in wrong.stderr


def test_it_has_a_pool_of_its_own_and_little_time() -> None:
    replica = "settings.DATABASES['replica']"
    asked = (
        f"[{replica}['HOST'], {replica}['PORT'], {replica}['OPTIONS']['sslmode'],"
        f" {replica}['OPTIONS']['pool']['max_size'], {replica}['OPTIONS']['pool']['timeout'],"
        f" {replica}['TEST'], 'options' in {replica}['OPTIONS'],"
        f" settings.DATABASES['default']['OPTIONS']['pool']['max_size']]"
    )
    told = evaluate(asked, **PRODUCTION, GAUNTLET_REPLICA_URL=URL, GAUNTLET_REPLICA_POOL_MAX="3")
    assert told.stdout.strip() == (
        "['replica.example', '6543', 'require', 3, 0.5, {'MIRROR': 'default'}, True, 28]"
    ), told.stderr


def test_behind_a_pooler_nothing_is_said_to_its_sessions() -> None:
    options = "settings.DATABASES['replica']['OPTIONS']"
    asked = f"['options' in {options}, {options}['prepare_threshold']]"
    environment = {**PRODUCTION, "GAUNTLET_REPLICA_URL": URL, "GAUNTLET_DB_POOLER": "true"}
    assert evaluate(asked, **environment).stdout.strip() == "[False, None]"


def test_checks_and_migrations_leave_it_alone() -> None:
    """There is nobody at its address."""
    environment = {
        **PRODUCTION, "DATABASE_URL": _own_url(),
        "GAUNTLET_REPLICA_URL": "postgresql://nobody@127.0.0.1:1/none",
    }  # fmt: skip
    for command in (["check", "--deploy"], ["makemigrations", "--check", "--dry-run"]):
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            env={"PATH": "/usr/bin:/bin", **environment},
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


def _own_url() -> str:
    own = connection.settings_dict
    return f"postgresql://{own['USER']}:{own['PASSWORD']}@{own['HOST']}:{own['PORT']}/{own['NAME']}"


# -- who may -------------------------------------------------------------------------------------


class _Watch(Watch):
    """One that says what the test wants."""

    asked = True

    def may_be_asked(self) -> bool:
        return self.asked


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> _Watch:
    """A replica that may be asked; nobody asks it here."""
    watch = _Watch()
    monkeypatch.setattr(reading, "WATCH", watch)
    handler: Any = connections
    monkeypatch.setitem(handler.settings, REPLICA, handler.settings[DEFAULT_DB_ALIAS])
    return watch


def asked_by(user: Any = None, **more: Any) -> Any:
    factory = RequestFactory()
    request = factory.generic(more.pop("method", "GET"), "/", **more)
    request.user = user or AnonymousUser()
    return request


def who(request: Any) -> str:
    return reading._who_answers(request)


def test_who_only_reads_is_answered_by_it(there: _Watch) -> None:
    assert who(asked_by()) == "replica"
    assert who(asked_by(method="HEAD")) == "replica"
    assert who(asked_by(method="POST")) == "primary"
    there.asked = False
    assert who(asked_by()) == "away"


def test_who_wants_to_know_how_it_stands_now_is_not(there: _Watch) -> None:
    assert who(asked_by(HTTP_CACHE_CONTROL="no-cache")) == "anew"
    assert who(asked_by(HTTP_CACHE_CONTROL="max-age=0")) == "replica"


@pytest.mark.django_db
def test_nor_who_is_in_a_transaction(there: _Watch) -> None:
    assert who(asked_by()) == "primary"


@pytest.mark.django_db(transaction=True)
def test_nor_who_may_see_more_than_others(there: _Watch) -> None:
    plain = User.objects.create_user("plain")
    root = User.objects.create_superuser("root")
    assert who(asked_by(plain)) == "replica"
    assert who(asked_by(root)) == "role"
    staff = User.objects.create_user("staff", is_staff=True)
    assert who(asked_by(staff)) == "role"


@pytest.mark.django_db(transaction=True)
def test_nor_who_has_just_written(there: _Watch, settings: Any) -> None:
    user = User.objects.create_user("writer")
    request = asked_by(user, method="POST")
    response = writers.WroteMiddleware(lambda _request: HttpResponse())(request)
    cookie = response.cookies[writers.COOKIE]
    # Never shorter than it may lag.
    assert cookie["max-age"] * 1000 >= settings.GAUNTLET_REPLICA_LAG_MS
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    # The account, by a token or from another browser; and the browser, whoever it is now.
    assert who(asked_by(user)) == "written"
    assert who(asked_by(HTTP_COOKIE=f"{writers.COOKIE}=1")) == "written"
    assert who(asked_by()) == "replica"


@pytest.mark.django_db(transaction=True)
def test_who_only_reads_has_not_written(there: _Watch) -> None:
    user = User.objects.create_user("reader")
    response = writers.WroteMiddleware(lambda _request: HttpResponse())(asked_by(user))
    assert writers.COOKIE not in response.cookies
    assert who(asked_by(user)) == "replica"


@pytest.mark.django_db(transaction=True)
def test_a_token_gets_no_cookie_and_is_known_all_the_same(there: _Watch) -> None:
    user = User.objects.create_user("program")
    request = asked_by(method="POST")

    def api(request: Any) -> HttpResponse:
        # As the framework does once it knows.
        request.user, request.auth = user, object()
        return HttpResponse()

    response = writers.WroteMiddleware(api)(request)
    assert not response.cookies
    assert who(asked_by(user)) == "written"


@pytest.mark.django_db(transaction=True)
def test_where_nobody_can_tell_accounts_read_from_the_primary(
    there: _Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = User.objects.create_user("somebody")

    class Away:
        def get(self, *_: Any) -> None:
            raise RedisConnectionError

        def set(self, *_: Any) -> None:
            raise RedisConnectionError

    with monkeypatch.context() as patched:
        patched.setattr(writers, "cache", Away())
        assert who(asked_by(user)) == "written"
        assert who(asked_by()) == "replica"
        writers.note(user.pk)
    # What could not be noted then is not forgotten here, once it can be asked again.
    assert who(asked_by(user)) == "written"
    monkeypatch.setattr(writers._Noted, "failed_until", float("-inf"))
    assert who(asked_by(user)) == "replica"


@pytest.mark.django_db(transaction=True)
def test_sockets_note_once_in_a_while(
    there: _Watch, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    noted: list[int] = []
    monkeypatch.setattr(writers, "note", lambda user, seconds: noted.append(user))
    for _ in range(100):
        writers.note_soon(7)
    writers.note_soon(8)
    assert noted == [7, 8]
    writers._Noted.at.clear()


# -- how it is read ------------------------------------------------------------------------------


class _Opened(DatabaseWrapper):
    """One that tests may open: they know of no second database."""

    def ensure_connection(self) -> None:
        if self.connection is None:
            self.connect()


@pytest.fixture
def read_only() -> Iterator[DatabaseWrapper]:
    """A connection to this database as one to a replica is set up."""
    own = connection.settings_dict
    options = {**own["OPTIONS"], "isolation_level": psycopg.IsolationLevel.REPEATABLE_READ}
    made = _Opened({**own, "OPTIONS": options}, alias=REPLICA)
    yield made
    made.close()


@pytest.mark.django_db(transaction=True)
def test_each_transaction_only_reads_and_sees_one_moment(
    read_only: DatabaseWrapper, there: _Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where the address of the replica is that of the primary."""
    handler: Any = connections
    handler[REPLICA] = read_only
    before = connection.alias
    try:
        User.objects.create_user("before")
        with reading._snapshot():
            assert reading.is_snapshot()
            seen = User.objects.count()
            with psycopg.connect(_own_url(), autocommit=True) as other:
                other.execute("UPDATE accounts_user SET display_name = 'Changed meanwhile'")
            assert not User.objects.filter(display_name="Changed meanwhile").exists()
            assert User.objects.count() == seen
        assert not reading.is_snapshot()
        assert User.objects.filter(display_name="Changed meanwhile").exists()
        with pytest.raises(InternalError, match="read-only"), reading._snapshot():
            User.objects.create_user("never")
        assert connection.alias == before
        assert not User.objects.filter(username="never").exists()
        # An error that somebody has passed over is none that an answer could be made of.
        passed_over = pytest.raises(InternalError)
        with pytest.raises(InternalError), reading._snapshot(), passed_over:
            User.objects.create_user("never")
    finally:
        del handler[REPLICA]


def test_a_page_behind_what_it_may_lack_is_not_its(there: _Watch) -> None:
    """A row that was there on the first page, with its moment, would come again without it."""

    def page(**cursor: str) -> bool:
        view = MatchesView()
        query = {"cursor": lists._SIGNER.sign_object(cursor)} if cursor else {}
        request: Any = SimpleNamespace(query_params=query)
        return view.may_read_replica(request)

    now = timezone.now()
    assert page()
    assert not page(b=now.isoformat())
    assert page(b=(now - reading.lag()).isoformat())
    # Of an order in which nothing moves.
    assert page(o="-id")
    request: Any = SimpleNamespace(query_params={"cursor": "forged"})
    assert MatchesView().may_read_replica(request)


# -- how far behind it is ------------------------------------------------------------------------

OURS, THEIRS = "7001", "7002"


def seen(lag: Lag, began: float, primary: int, standby: int) -> None:
    lag.note(began, Place(OURS, primary), Place(OURS, standby))


def test_what_it_has_passed_it_shows() -> None:
    lag = Lag()
    seen(lag, 10.0, 100, 90)
    assert lag.fresh_at == float("-inf"), "nobody knows when the primary was there"
    seen(lag, 11.0, 120, 100)
    assert lag.fresh_at == 10.0
    seen(lag, 12.0, 130, 129)
    assert lag.fresh_at == 11.0
    seen(lag, 13.0, 130, 130)
    assert lag.fresh_at == 13.0


def test_an_idle_primary_makes_no_lag_and_one_that_stands_still_does() -> None:
    lag = Lag()
    for second in range(100):
        seen(lag, second, 100, 100)
    assert lag.fresh_at == 99
    for second in range(100, 200):
        seen(lag, second, 100 + second, 100)
    assert lag.fresh_at == 99


def test_one_that_lags_for_long_is_noted_in_little_room() -> None:
    lag = Lag()
    seen(lag, 0, 1, 1)
    for second in range(1, 20_000):
        seen(lag, second, 1 + second, 1)
    assert len(lag._passed) <= watching._MOMENTS
    assert lag.fresh_at == 0
    seen(lag, 20_000, 20_001, 20_001)
    assert lag.fresh_at == 20_000


def test_a_standby_of_another_cluster_is_none() -> None:
    with pytest.raises(UnfitError, match="of-another"):
        Lag().note(1.0, Place(OURS, 100), Place(THEIRS, 100))


def test_one_that_is_ahead_of_its_primary_is_none_until_it_has_followed() -> None:
    """The primary was lost, and another took its place that had less."""
    lag = Lag()
    seen(lag, 1, 100, 100)
    with pytest.raises(UnfitError, match="ahead"):
        seen(lag, 2, 95, 100)
    # That it is passed by the new one's log says nothing: it has another one.
    for second in range(3, 9):
        with pytest.raises(UnfitError, match="ahead"):
            seen(lag, second, 95 + second, 100)
    # It follows now.
    seen(lag, 10, 110, 110)
    assert lag.fresh_at == 10


def test_whoever_let_somebody_down_is_not_asked_before_it_has_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watch = Watch()
    monkeypatch.setattr(watch, "_thread", object())
    monkeypatch.setattr(watch, "_mend", lambda: None)
    seen(watch.lag, time.monotonic(), 1, 1)
    watch.answers = True
    assert watch.may_be_asked()
    watch.failed(psycopg.OperationalError("gone"))
    assert not watch.may_be_asked()

    line = SimpleNamespace(ask=lambda sql: [OURS, "5", "t"] if "recovery" in sql else [OURS, "5"])
    watch._look(line, line)  # type: ignore[arg-type]
    assert watch.may_be_asked()
    # It has become a primary of its own.
    line.ask = lambda sql: [OURS, None, "f"] if "recovery" in sql else [OURS, "5"]
    watch._look(line, line)  # type: ignore[arg-type]
    assert not watch.may_be_asked()
