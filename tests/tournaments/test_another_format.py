"""A format more needs no other file: this one is made here, and people use it like any other."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any

import msgspec
import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.tokens.services import token_create
from core.refusals import Refusal
from tests.games.support import user_named
from tests.pages.support import words
from tests.tournaments.support import GAME, START, refused, who
from tests.tournaments.test_documents import elsewhere
from tournaments.course import Course
from tournaments.documents.export import season_records
from tournaments.documents.restore import season_import
from tournaments.formats import registry
from tournaments.formats.base import NOTHING, Follows, Format, Task
from tournaments.formats.options import FormatCaution, FormatOptions
from tournaments.formats.rounds import round_announce, round_create
from tournaments.invariants import faults_of
from tournaments.models import Contestant, DeathMatch, Round, Season
from tournaments.services import deathmatches
from tournaments.services.rounds import round_next
from tournaments.simulation.plan import Plan
from tournaments.simulation.season import season_simulate

# -- the format ----------------------------------------------------------------------------------


class EveningOptions(FormatOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What its host chooses."""

    best_of: Annotated[
        int, msgspec.Meta(ge=1, le=9, title="Games an evening", description="Three are plenty.")
    ] = 3

    def cautions(self, players: int) -> Iterator[FormatCaution]:
        if players % 2:
            yield FormatCaution("format.byes", "Somebody looks on in each round.")


class EveningCourse(Course[EveningOptions]):
    options_type = EveningOptions

    @property
    def ordered(self) -> list[tuple[int, int]]:
        wins = {pk: sum(result.winner == pk for result in self.settled) for pk in self.holders}
        ranks = [(1 + sum(other > won for other in wins.values()), pk) for pk, won in wins.items()]
        return sorted(ranks)

    def in_reach(self, challenger: int) -> tuple[int, ...]:
        return tuple(pk for pk in self.holders if pk != challenger)


class Evenings(Format):
    """Best of three; the host decides who meets whom, and when it is over."""

    key = "host-decides"
    name = "Host decides"
    summary = "Evenings of best of three; the host says who meets whom."
    least = 2
    course_type = EveningCourse
    paired = True
    by_hand = True
    challenges = True
    season_template = "evenings.html"
    standings_template = "evenings_won.html"
    desk_template = "evenings_book.html"
    waits = "The host is thinking."

    def tasks(self, course: EveningCourse) -> Iterable[Task]:
        if not course.busy:
            yield Task("Who meets next is for you to say.", "pair_by_hand", "Say it", 2)
            yield Task("Or is it over?", "conclude", "End the season", 0)

    def faults(
        self, *, season: Season, death_matches: Sequence[DeathMatch], lenient: bool
    ) -> Iterator[str]:
        del season, lenient
        yield from (f"{each} is no best of three" for each in death_matches if each.best_of != 3)

    def must_be_pairs(self, pairings: Any) -> None:
        if not pairings:
            raise Refusal("pairing.needed", "The host says who meets whom.")

    def on_started(self, *, season: Season, acting_user: User | None, at: datetime) -> Follows:
        self._opened(season, season.contestants.order_by("seed"), acting_user, at)
        return NOTHING

    def round_open_by_hand(
        self, *, season: Season, acting_user: User, pairings: Any, at: datetime
    ) -> tuple[Round, list[DeathMatch], Follows]:
        sides = [side for two in pairings for side in two]
        opened, made = self._opened(season, sides, acting_user, at)
        return opened, made, NOTHING

    def _opened(
        self, season: Season, sides: Iterable[Any], acting_user: User | None, at: datetime
    ) -> tuple[Round, list[DeathMatch]]:
        del acting_user
        number = season.rounds.count() + 1
        opened = round_create(season=season, number=number, name=f"Evening {number}", at=at)
        best_of = EveningCourse.of(season).options.best_of
        two = iter(sides)
        made = [
            deathmatches.death_match_create(
                round=opened, home=home, away=away, best_of=best_of, at=at
            )
            for home, away in zip(two, two, strict=False)
        ]
        round_announce(opened=opened, at=at)
        return opened, made

    def challenge_open(
        self, *, acting_user: User, season: Season, challenger: Contestant, defender: Contestant
    ) -> DeathMatch:
        """At once, on the evening that it is."""
        del acting_user
        latest = season.rounds.latest("number")
        return deathmatches.death_match_create(
            round=latest, home=challenger, away=defender, best_of=3, key="challenge", at=START
        )

    def complete(self, *, round: Round, at: datetime) -> Follows:  # noqa: A002
        deathmatches.round_close(acting_user=None, round=round, at=at)
        return NOTHING

    def on_left(self, *, contestant: Contestant, at: datetime) -> Follows:
        """Nobody plays alone."""
        del at
        return Follows(concludes=deathmatches.active_of(contestant.season) == 1)

    def on_replaced(self, *, old: Contestant, new: Contestant, at: datetime) -> None:
        """Whoever comes instead brings their own name to the evening."""
        del at
        new.season.rounds.exclude(status="closed").update(name=f"{new.name} for {old.name}")


#: What its templates say, which stand in for files of its own.
TEMPLATES = {
    Evenings.season_template: "<h2>{{ sheet.rounds|length }} evenings so far</h2>",
    Evenings.standings_template: (
        "{% for rank, who in sheet.course.ordered %}<p>{{ rank }} of evenings</p>{% endfor %}"
    ),
    Evenings.desk_template: "<h2>The book of {{ sheet.rounds|length }} evenings</h2>",
}


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """All that installing it takes: one line, and its templates."""
    monkeypatch.setitem(registry.FORMATS, Evenings.key, Evenings())
    templates = copy.deepcopy(settings.TEMPLATES)
    templates[0]["APP_DIRS"] = False
    templates[0]["OPTIONS"]["loaders"] = [
        ("django.template.loaders.locmem.Loader", TEMPLATES),
        "django.template.loaders.filesystem.Loader",
        "django.template.loaders.app_directories.Loader",
    ]
    settings.TEMPLATES = templates


# -- how it is used ------------------------------------------------------------------------------


@pytest.fixture
def host(orla: User) -> Client:
    client = Client()
    client.force_login(orla)
    return client


def sent(client: Client, page: str, data: dict[str, Any] | None = None) -> None:
    """The form of a page, sent and taken."""
    answer = client.post(page, data or {})
    assert answer.status_code == 302, words(answer)


def opened(host: Client, players: int, **options: Any) -> Season:
    """A season that its host made and began, by the pages."""
    sent(
        host,
        reverse("tournaments:season_new"),
        {
            "format": Evenings.key, "name": "Wednesdays", "pace": "normal",
            "no_show_minutes": 15, "no_show_rule": "organiser", "ruleset_choice": "fixed",
            "game_1": "tetronogo/standard",
            **{f"{Evenings.key}_{name}": value for name, value in options.items()},
        },
    )  # fmt: skip
    desk = "/seasons/wednesdays/desk/"
    sent(host, f"{desk}steps/list/")
    for number in range(1, players + 1):
        user_named(f"player{number}", display_name=f"Player {number}")
    names_ = "\n".join(f"player{n},Player {n},{n}" for n in range(1, players + 1))
    sent(host, f"{desk}contestants/", {"text": names_})
    assert ("looks on" in words(host.get(f"{desk}steps/start/"))) == bool(players % 2)
    sent(host, f"{desk}steps/start/")
    return Season.objects.get(slug="wednesdays")


def decided(host: Client, season: Season, *winners: int) -> None:
    """Have the open death matches decided from the desk, for these players."""
    rows = DeathMatch.objects.filter(round__season=season, status="planned").order_by("pk")
    for row, number in zip(list(rows), winners, strict=True):
        sent(
            host,
            f"/seasons/{season.slug}/desk/matches/{row.pk}/declare/",
            {"winner": who(season, number).pk, "why": "seen by all"},
        )


def test_the_form_offers_it_with_its_options_in_its_own_words(host: Client) -> None:
    page = words(host.get(reverse("tournaments:season_new")))
    for said in (Evenings.name, Evenings.summary, "Games an evening", "Three are plenty."):
        assert said in page
    wrong = {"format": Evenings.key, "name": "No", f"{Evenings.key}_best_of": "10"}
    answer = host.post(reverse("tournaments:season_new"), wrong)
    assert (answer.status_code, "from 1 to 9" in words(answer)) == (422, True)


def test_from_the_form_to_the_winner(host: Client, orla: User) -> None:
    season = opened(host, 4, best_of="3")
    assert season.format_options == {"best_of": 3}
    home = f"/seasons/{season.slug}/"
    assert "1 evenings so far" in words(host.get(home))
    assert "for you to say" not in words(host.get(f"{home}desk/"))
    assert "The book of 1 evenings" in words(host.get(f"{home}desk/"))
    decided(host, season, 1, 3)
    desk = host.get(f"{home}desk/")
    assert "Who meets next is for you to say." in words(desk)
    assert f"{home}desk/pair/by-hand/" in desk.content.decode()
    refused("pairing.needed", round_next, acting_user=orla, season=season)
    two, four = [(1, 3), (2, 4)]
    form = host.get(f"{home}desk/pair/by-hand/").context["form"]
    pairs: dict[str, int] = {}
    for number, (one, other) in enumerate((two, four), start=1):
        pairs |= {f"home_{number}": who(season, one).pk, f"away_{number}": who(season, other).pk}
    assert set(pairs) <= set(form.fields)
    sent(host, f"{home}desk/pair/by-hand/", pairs)
    decided(host, season, 3, 4)
    assert faults_of(season) == []
    assert "The book of 2 evenings" in words(host.get(f"{home}desk/"))
    assert f"{home}standings/" in Client().get(home).content.decode()
    table = words(Client().get(f"{home}standings/"))
    assert [table.count(f"{rank} of evenings") for rank in (1, 2, 3, 4)] == [1, 2, 0, 1]
    for page in ("contestants/", "schedule/", "results/", "history/"):
        assert Client().get(home + page).status_code == 200
    sent(host, f"{home}desk/conclude/")
    season.refresh_from_db()
    assert (season.status, season.winner) == ("finished", who(season, 3))
    assert {who(season, n).place for n in (1, 2, 3, 4)} == {1, 2, 4}
    assert Evenings.name in words(Client().get(home))


def test_what_does_not_hold_of_it_is_told(host: Client) -> None:
    season = opened(host, 4)
    assert faults_of(season) == []
    one = DeathMatch.objects.filter(round__season=season).order_by("number")[0]
    DeathMatch.objects.filter(pk=one.pk).update(best_of=5)
    assert f"{one} is no best of three" in faults_of(season)


def test_who_leaves_ends_it_where_one_is_left(host: Client) -> None:
    season = opened(host, 3)
    desk = f"/seasons/{season.slug}/desk/contestants"
    sent(host, f"{desk}/{who(season, 3).pk}/withdraw/", {"why": "a cold"})
    season.refresh_from_db()
    assert season.status == "running"
    sent(host, f"{desk}/{who(season, 1).pk}/withdraw/", {"why": "the same cold"})
    season.refresh_from_db()
    assert (season.status, season.winner) == ("finished", who(season, 2))
    assert DeathMatch.objects.get(round__season=season).how == "walkover"
    assert faults_of(season) == []


def test_who_is_replaced_hands_on_what_is_open(host: Client) -> None:
    season = opened(host, 2)
    user_named("cleo", display_name="Cleo")
    desk = f"/seasons/{season.slug}/desk/contestants"
    sent(host, f"{desk}/{who(season, 2).pk}/replace/", {"user": "cleo", "why": "a cold"})
    page = words(Client().get(f"/seasons/{season.slug}/rounds/1/"))
    assert "Cleo for Player 2" in page
    open_match = DeathMatch.objects.get(round__season=season)
    assert open_match.away == season.contestants.get(name="Cleo")
    decided(host, season, 1)
    assert EveningCourse.of(season).ordered[0] == (1, who(season, 1).pk)
    assert faults_of(season) == []


def test_people_challenge_each_other_in_it(host: Client) -> None:
    season = opened(host, 4)
    player = Client()
    player.force_login(User.objects.get(username="player1"))
    sent(player, "/seasons/wednesdays/challenge/", {"opponent": who(season, 3).pk})
    row = DeathMatch.objects.latest("pk")
    assert (row.home, row.away, row.best_of) == (who(season, 1), who(season, 3), 3)


def test_bots_play_it(orla: User) -> None:
    plan = Plan(
        format=Evenings.key, contestants=4, seed=1, start=START, quick=True, repertoire=(GAME,)
    )
    season = season_simulate(plan=plan, organiser=orla)
    assert (season.status, season.rounds.count()) == ("finished", 1)
    assert all(each.best_of == 3 for each in DeathMatch.objects.filter(round__season=season))
    assert faults_of(season) == []


def test_the_api_makes_pairs_and_shows_it(orla: User) -> None:
    _, text = token_create(
        acting_user=orla, name="host", scopes=("organise",), lasts=timedelta(days=1)
    )
    client = Client(headers={"authorization": f"Bearer {text}"})
    made = client.post(
        "/api/v1/seasons/",
        {"name": "By program", "format": Evenings.key, "format_options": {"best_of": 5}},
        content_type="application/json",
    )
    assert (made.status_code, made.json()["format"]) == (201, Evenings.key)
    listed = Client().get("/api/v1/seasons/", {"format": Evenings.key})
    assert (listed.status_code, listed.json()["results"]) == (200, [])
    answer = client.post(
        f"/api/v1/seasons/{made.json()['slug']}/rounds/", {}, content_type="application/json"
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "pairing.needed")


def test_it_goes_out_and_comes_back(host: Client, orla: User) -> None:
    season = opened(host, 5)
    decided(host, season, 2, 4)
    archive = season_records(season=season)
    elsewhere()
    restored = season_import(acting_user=orla, data=archive, match_accounts=True)
    assert (restored.format, restored.format_options) == (Evenings.key, season.format_options)
    assert faults_of(restored) == []
    assert season_records(season=restored) == archive


def test_without_it_nobody_can_have_it(
    host: Client, orla: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = season_records(season=opened(host, 2))
    elsewhere()
    monkeypatch.delitem(registry.FORMATS, Evenings.key)
    refused("format.unknown", season_import, acting_user=orla, data=archive)
