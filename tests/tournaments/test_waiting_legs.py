"""A leg that an organiser begins at a live pace waits for its players: what can be done meanwhile,
and what is told of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import msgspec
import pytest
from django.db import transaction
from django.test import Client

from accounts.models import AuditEntry, User
from core.clock import instant_of
from games.models import Match
from games.ratings.models import RatingRuling
from games.ratings.services import match_rate, rating_correct
from games.services.arrivals import match_attend
from games.services.waking import match_wake
from games.words import result_text
from tests.games.support import committing
from tests.tournaments.support import (
    START,
    WARS,
    account,
    after,
    chosen,
    conceded,
    down_to_two,
    fresh,
    kinds,
    leg_of,
    refused,
    ruled,
    running,
    who,
)
from tests.tournaments.test_documents import elsewhere
from tests.tournaments.test_items import brought, history
from tournaments.audience import sealed_actions
from tournaments.documents.export import season_records
from tournaments.documents.restore import season_import
from tournaments.dumps import tables
from tournaments.formats.elimination.final import final_open
from tournaments.invariants import faults_of
from tournaments.jobs import UNSEAL
from tournaments.models import DeathMatch, Gift, ItemEvent, Leg, Season, SeasonEvent
from tournaments.services.contestants.departures import contestant_withdraw
from tournaments.services.items.declarations import item_declare
from tournaments.services.items.gifts import item_give
from tournaments.services.items.returns import item_take_back
from tournaments.services.legs import leg_start, leg_unseal, ms
from tournaments.services.results.corrections import death_match_void, leg_void
from tournaments.services.results.ratings import rating_set_right
from tournaments.services.results.rulings import death_match_declare, death_match_walkover
from tournaments.services.scheduling.readiness import leg_confirm
from tournaments.services.scheduling.sweep import legs_sweep


def called(organiser: User, death_match: DeathMatch, number: int = 1) -> Leg:
    """Begin a leg as an organiser does: it waits for both players."""
    with committing():
        leg_start(acting_user=organiser, leg=leg_of(death_match, number), at=START)
    leg = leg_of(death_match, number)
    assert leg.match is not None
    assert leg.match.waits_until is not None
    return leg


# -- leaving, and ends ---------------------------------------------------------------------------

Ends = Callable[[User, DeathMatch], Any]


def withdraws(own: bool) -> Ends:
    """The second player leaves, at their own word or at an organiser's."""

    def end(orla: User, death_match: DeathMatch) -> None:
        leaver = death_match.away
        assert leaver is not None
        contestant_withdraw(
            acting_user=leaver.user if own else orla, contestant=leaver, why="ill",
            at=after(minutes=1),
        )  # fmt: skip

    return end


def given(service: Callable[..., Any]) -> Ends:
    """An organiser gives it to the first player."""

    def end(orla: User, death_match: DeathMatch) -> None:
        service(
            acting_user=orla, death_match=death_match, winner=death_match.home, why="because",
            at=after(minutes=1),
        )  # fmt: skip

    return end


@pytest.mark.parametrize(
    ("end", "how"),
    [
        (withdraws(own=True), "walkover"),
        (withdraws(own=False), "walkover"),
        (given(death_match_declare), "ruling"),
        (given(death_match_walkover), "walkover"),
    ],
    ids=["themselves", "organiser", "declared", "walkover"],
)
@pytest.mark.parametrize("kind", ["elimination", "single-elimination"])
def test_whoever_leaves_ends_what_waits_for_them(
    orla: User, kind: str, end: Ends, how: str
) -> None:
    season = running(orla, 4, kind)
    if kind == "elimination":
        chosen(orla, season, ec=1, dmo=2)
    death_match = fresh(DeathMatch.objects.filter(round__season=season).order_by("pk")[0])
    called(orla, death_match)
    with committing():
        end(orla, death_match)
    leg = leg_of(death_match)
    assert leg.match is not None
    assert (leg.status, leg.winner_seat, leg.how) == ("finished", 0, how)
    decided = fresh(death_match)
    assert (decided.winner, decided.how) == (death_match.home, how)
    assert faults_of(season) == []
    # Nobody has won what never began: it is void, and says why.
    assert (leg.match.status, leg.match.winner, leg.match.reason) == ("finished", None, "ruling")
    entry = leg.match.entries.get(actor="organiser")
    assert (entry.text, entry.why) == ("void", f"Player 1 wins without playing: {decided.why}")
    void = "void: it never began" if entry.by is None else "void, by an organiser's ruling"
    for seat in (0, 1, None):
        assert result_text(["a", "b"], leg.match, seat) == f"The match is {void}."
    assert not leg.match.players.filter(missed_end=True).exists()
    # And it counts for no rating, whatever is ruled later.
    assert match_rate(match_id=leg.match.pk) == []
    for winner in (0, 1):
        refused(
            "rating.never-begun", rating_correct, match_id=leg.match.pk, acting_user=None,
            winner=winner, why="because",
        )  # fmt: skip
    rating_set_right(leg.match.pk, 1, orla, "because")
    assert not RatingRuling.objects.exists()


def test_what_waits_can_be_called_off_or_declared_void(orla: User) -> None:
    season = running(orla, 4)
    death_match = chosen(orla, season, ec=1, dmo=2)
    first = called(orla, death_match)
    with committing():
        leg_void(acting_user=orla, leg=first, why="because", at=after(minutes=1))
    assert (leg_of(death_match).attempt, leg_of(death_match).status) == (2, "planned")
    second = called(orla, death_match)
    with committing():
        death_match_void(acting_user=orla, death_match=death_match, why="so", at=after(minutes=2))
    assert fresh(death_match).status == "void"
    for leg in (first, second):
        match = Match.objects.get(leg=leg)
        assert (match.status, match.winner) == ("finished", None)
    assert faults_of(season) == []


# -- what is brought -----------------------------------------------------------------------------


@pytest.fixture
def season(orla: User) -> Season:
    """Player 3 has been eliminated by Player 2."""
    return down_to_two(orla)


@pytest.fixture
def final(orla: User, season: Season) -> DeathMatch:
    """Player 1 (seat 0) against Player 2, the best of three in Domino Wars."""
    return final_open(acting_user=orla, season=season, best_of=3, games=[WARS], at=START)


def gift_for(orla: User, final: DeathMatch, to: int, item: str = "domino-repeat") -> Gift:
    return item_give(
        acting_user=orla, season=final.round.season, receiver=who(final.round.season, to),
        death_match=final, leg_number=1, at=START, item=item,
        ruleset="" if item in ("block", "copy") else "domino-wars",
    )  # fmt: skip


def begins(leg: Leg) -> None:
    assert leg.match is not None
    with committing():
        assert match_attend(match_id=leg.match.pk, there=(True, True), at=ms(after(seconds=30)))


def shown_to(user: User | None, leg: Leg) -> dict[str, str]:
    """What pages and the API show of a leg and of everything around it, numbers left out."""
    client = Client()
    if user is not None:
        client.force_login(user)
    row, match = leg.death_match, leg.match
    assert match is not None
    season = f"/seasons/{row.round.season.slug}/"
    api = f"/api/v1{season}"
    found = {}
    for path in (
        season, f"{season}schedule/", f"{season}results/", f"{season}items/", f"{season}history/",
        f"{season}rounds/{row.round.number}/", f"{season}matches/{row.pk}/", f"{season}desk/",
        f"{season}desk/items/", f"{season}desk/matches/{row.pk}/", f"/matches/{match.pk}/", "/",
        api, f"{api}items/", f"{api}events/", f"{api}rounds/", f"/api/v1/death-matches/{row.pk}/",
        f"/api/v1/matches/{match.pk}/", "/api/v1/matches/",
    ):  # fmt: skip
        answer = client.get(path)
        assert answer.status_code in (200, 302, 403, 404), path
        text = re.sub(r'(csrf\w*"? value=|nonce=)"[^"]*"', "", answer.content.decode())
        found[re.sub(r"/\d+/", "/#/", path)] = re.sub(r"\d+", "#", text)
    return found


def exported(season: Season) -> list[str]:
    """What is exported, and stored for whoever listens."""
    dumped = [tables.death_matches, tables.matches, tables.items, tables.events]
    rows = [msgspec.json.encode(row).decode() for table in dumped for row in table()]
    rows = [re.sub(r"\d+", "#", row) for row in rows]
    return [*rows, *kinds(season), *ItemEvent.objects.values_list("kind", flat=True)]


@pytest.mark.usefixtures("one_seed")
def test_what_is_brought_is_told_nobody_while_it_waits(
    orla: User, cleo: User, season: Season, final: DeathMatch
) -> None:
    """Everybody but whose it is sees the same as where nothing is brought."""
    gift, block = gift_for(orla, final, to=1), gift_for(orla, final, to=2, item="block")
    readers = {"nobody": None, "cleo": cleo, "orla": orla, "opponent": account(season, 2)}

    def seen() -> dict[str, Any]:
        leg = called(orla, final)
        pages: dict[str, Any] = {name: shown_to(user, leg) for name, user in readers.items()}
        return {**pages, "exported": exported(season), "own": shown_to(account(season, 1), leg)}

    with transaction.atomic():
        without = seen()
        transaction.set_rollback(True)
    brought(final, gift)
    sealed = seen()
    own, own_without = sealed.pop("own"), without.pop("own")
    for name, told in sealed.items():
        assert told == without[name], name
    changed = {path for path in own if own[path] != own_without[path]}
    assert changed == {f"/seasons/{season.slug}/matches/#/"}
    # Nor what is aimed at it.
    leg = leg_of(final)
    refused(
        "item.too-late", item_declare, acting_user=account(season, 2), leg=leg, gift=block,
        target=gift, at=START,
    )  # fmt: skip
    assert leg.match is not None
    assert (leg.items, leg.match.items) == (None, [])
    declared = AuditEntry.objects.filter(sealed_actions(orla))
    assert declared.filter(action="item.declare").exists()

    begins(leg)
    leg, gift = leg_of(final), Gift.objects.get(pk=gift.pk)
    assert leg.match is not None
    assert (leg.items or {})["held"] == [["domino-repeat"], []]
    assert [each["item"] for each in leg.match.items] == ["domino-repeat"]
    assert (gift.status, history(gift)) == ("spent", ["given", "brought"])
    assert not AuditEntry.objects.filter(sealed_actions(orla)).exists()
    assert not leg_unseal(match_id=leg.match.pk), "told once"
    conceded(leg, winner=0)
    assert history(gift)[-1] == "spent"
    assert faults_of(season) == []


def test_the_two_that_bring_something_are_told_together_once_it_begins(
    orla: User, season: Season, final: DeathMatch
) -> None:
    gift, block = gift_for(orla, final, to=1), gift_for(orla, final, to=2, item="block")
    brought(final, gift)
    brought(final, block, gift)
    leg = called(orla, final)
    assert "item.brought" not in kinds(season)
    begins(leg)
    assert kinds(season).count("item.brought") == 1
    leg = leg_of(final)
    assert (leg.items or {})["held"] == [[], []]
    assert leg.match is not None
    assert leg.match.items == []
    assert (history(gift)[-1], history(block)[-1]) == ("blocked", "acted")
    assert faults_of(season) == []


@pytest.mark.parametrize("ends", ["nobody-came", "void", "given", "called-off"])
def test_what_never_began_tells_nothing_of_what_was_brought(
    orla: User, season: Season, final: DeathMatch, ends: str
) -> None:
    gift = gift_for(orla, final, to=1)
    brought(final, gift)
    leg = called(orla, final)
    assert leg.match is not None
    with committing():
        if ends == "nobody-came":
            match_wake(match_id=leg.match.pk, at=ms(after(minutes=10)))
        elif ends == "called-off":
            leg_void(acting_user=orla, leg=leg, why="because", at=after(minutes=1))
        elif ends == "given":
            given(death_match_declare)(orla, final)
        else:
            ruled(orla, leg, ends)
    leg = Leg.objects.get(pk=leg.pk)
    match = Match.objects.get(leg=leg)
    assert leg.status == ("finished" if ends == "given" else "void")
    assert (leg.items, match.items, leg.declarations.count()) == (None, [], 0)
    gift.refresh_from_db()
    kept = ("expired", ["given", "expired"]) if ends == "given" else ("held", ["given"])
    assert (gift.status, history(gift)) == kept
    assert not {"item.brought", "item.spent", "item.returned"} & set(kinds(season))
    assert faults_of(season) == []
    if ends != "given":
        brought(final, gift)


def test_what_waits_is_brought_nowhere_else_and_not_taken_back(
    orla: User, season: Season, final: DeathMatch
) -> None:
    gift, other = gift_for(orla, final, to=1), gift_for(orla, final, to=1)
    anywhere = item_give(
        acting_user=orla, season=season, receiver=who(season, 1), item="domino-repeat",
        ruleset="domino-wars", at=START,
    )  # fmt: skip
    brought(final, gift)
    brought(final, anywhere)
    called(orla, final)
    for each in (gift, other):
        refused("item.match-waits", item_take_back, acting_user=orla, gift=each, why="because")
    refused(
        "item.declared", item_declare, acting_user=account(season, 1), leg=leg_of(final, 2),
        gift=anywhere,
    )  # fmt: skip


def test_what_a_worker_missed_is_told_by_the_sweep(
    orla: User, season: Season, final: DeathMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    gift = gift_for(orla, final, to=1)
    brought(final, gift)
    leg = called(orla, final)
    asked: list[tuple[Any, ...]] = []
    monkeypatch.setattr("tournaments.receivers.enqueue", lambda *given: asked.append(given))
    assert legs_sweep(at=START).settled == 0
    begins(leg)
    assert leg.match is not None
    assert asked == [(UNSEAL, leg.match.pk, ms(after(seconds=30)))]
    assert leg_of(final).items is None
    assert legs_sweep(at=after(minutes=1)).settled == 1
    assert history(gift)[-1] == "brought"
    assert legs_sweep(at=after(minutes=1)).settled == 0


def test_a_result_that_is_quicker_than_the_worker_finds_what_was_brought(
    orla: User, season: Season, final: DeathMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    gift = gift_for(orla, final, to=1)
    brought(final, gift)
    leg = called(orla, final)
    with monkeypatch.context() as patched:
        patched.setattr("tournaments.receivers.enqueue", lambda *_given: None)
        begins(leg)
    conceded(leg_of(final), winner=1)
    assert history(gift) == ["given", "brought", "spent"]
    assert faults_of(season) == []


# -- in words ------------------------------------------------------------------------------------


def test_everything_says_that_it_waits(orla: User, season: Season, final: DeathMatch) -> None:
    sheet = f"/seasons/{season.slug}/"
    leg = leg_of(final)
    client = Client()
    client.force_login(orla)
    # As an organiser begins it, at the desk.
    start = f"{sheet}desk/matches/{final.pk}/legs/{leg.pk}/start/"
    assert (
        "It waits for both players, whatever they have said" in client.get(start).content.decode()
    )
    answer = client.post(start, follow=True).content.decode()
    assert "The match waits for both players." in answer
    assert "waits for its players" in answer
    leg = leg_of(final)
    pages = {
        f"{sheet}matches/{final.pk}/": "waits for its players",
        f"{sheet}rounds/{final.round.number}/": "waits for its players",
        f"{sheet}desk/matches/{final.pk}/": "once both players are there",
        f"{sheet}desk/rounds/{final.round.number}/": "waits for its players",
        f"{sheet}desk/steps/cancel/": "Waiting for its players just now: Player 1 vs Player 2.",
        f"{sheet}history/": "begins once both players are there: Domino Wars",
    }
    on = ("being played", "Being played just now", ">live<", "tag--live")
    found = {path: client.get(path).content.decode() for path in pages}
    for path, words in pages.items():
        assert words in found[path], path
    # The season itself is running.
    cards = re.compile(r"<article.*?</article>|<section class=\"leg.*?</section>", re.DOTALL)
    for path in pages:
        told = " ".join(cards.findall(found[path]))
        assert not [words for words in on if words in told], path
    player = Client()
    player.force_login(account(season, 1))
    assert "begins once both of you are there." in player.get(sheet).content.decode()

    begins(leg)
    assert "Being played just now" in client.get(f"{sheet}desk/steps/cancel/").content.decode()
    for path in list(pages)[:2]:
        told = client.get(path).content.decode()
        assert ">live<" in told or "being played" in told, path
        assert "waits for its players" not in told, path
    assert " is on." in player.get(sheet).content.decode()


# -- when play began -----------------------------------------------------------------------------


class Told(NamedTuple):
    """What is told of when a leg is, or was, played."""

    started_at: str | None
    waits_until: int | None
    calendar: tuple[str, str, bool]  # its status, its beginning, whether it says that it waits
    tag: str


def told_of(row: DeathMatch) -> Told:
    season = row.round.season
    answer = Client().get(f"/api/v1/death-matches/{row.pk}/").json()["legs"][0]
    listed = Client().get("/api/v1/death-matches/").json()["results"]
    assert [each["legs"][0] for each in listed if each["id"] == row.pk] == [answer]
    feed = Client().get(f"/seasons/{season.slug}/calendar.ics")
    text = feed.content.decode().replace("\r\n ", "")
    event = next(
        each for each in text.split("BEGIN:VEVENT") if f"-leg-{answer['id']}@" in each
    ).replace("\r", "")  # fmt: skip
    field = dict(line.split(":", 1) for line in event.splitlines() if ":" in line)
    begins = "begins once both players are there" in field["DESCRIPTION"]
    calendar = (field["STATUS"], field["DTSTART"], begins)
    return Told(answer["started_at"], answer["waits_until"], calendar, feed["ETag"])


def stamp(at: datetime) -> str:
    return f"{at:%Y%m%dT%H%M%SZ}"


def test_play_has_begun_when_both_are_there(orla: User) -> None:
    """While it waits everybody is told so; then when it began, not when it was called."""
    season = running(orla, 2, "single-elimination")
    row = DeathMatch.objects.get(round__season=season)
    leg = called(orla, row)
    assert leg.match is not None
    waits = told_of(row)
    assert waits[:3] == (None, leg.match.waits_until, ("TENTATIVE", stamp(START), True))
    begins(leg)
    began = after(seconds=30)
    on = told_of(row)
    assert on.started_at is not None
    assert datetime.fromisoformat(on.started_at) == began
    assert on[1:3] == (None, ("CONFIRMED", stamp(began), False))
    assert on.tag != waits.tag
    conceded(leg_of(row), winner=0)
    over = told_of(row)
    assert over[:3] == on[:3]
    assert faults_of(season) == []
    assert begun_in_document(season, orla) == [began]


@pytest.mark.parametrize("ends", ["nobody-came", "given"])
def test_what_never_began_has_no_beginning(orla: User, ends: str) -> None:
    season = running(orla, 2, "single-elimination")
    row = DeathMatch.objects.get(round__season=season)
    leg = called(orla, row)
    assert leg.match is not None
    with committing():
        if ends == "given":
            given(death_match_walkover)(orla, row)
        else:
            match_wake(match_id=leg.match.pk, at=ms(after(minutes=10)))
    assert told_of(row).started_at is None
    assert told_of(row).calendar[0] == ("CONFIRMED" if ends == "given" else "CANCELLED")
    assert faults_of(season) == []
    assert begun_in_document(season, orla)[0] is None


def begun_in_document(season: Season, orla: User) -> list[datetime | None]:
    """When the legs of a season began, as its document says; it can be restored."""
    archive = season_records(season=season)
    elsewhere()
    copy = season_import(acting_user=orla, data=archive)
    assert faults_of(copy) == []
    legs = Leg.objects.filter(death_match__round__season=copy).order_by("pk")
    return list(legs.values_list("started_at", flat=True))


def test_a_beginning_that_a_worker_missed_is_told_by_the_sweep_or_with_the_end(
    orla: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    season = running(orla, 4, "single-elimination")
    first, second = DeathMatch.objects.filter(round__number=1, round__season=season).order_by("pk")
    with monkeypatch.context() as away:
        away.setattr("tournaments.receivers.enqueue", lambda *_given: None)
        for row in (first, second):
            begins(called(orla, row))
            assert leg_of(row).started_at is None
    conceded(leg_of(second), winner=0)
    assert leg_of(second).started_at == after(seconds=30)
    assert legs_sweep(at=after(minutes=1)).settled == 1
    assert leg_of(first).started_at == after(minutes=1)
    assert legs_sweep(at=after(minutes=2)).settled == 0


# -- at a slow pace ------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["organiser", "both ready"])
@pytest.mark.parametrize("how", ["both look in", "time"])
def test_at_a_slow_pace_it_waits_in_turns_and_is_never_void(orla: User, by: str, how: str) -> None:
    season = running(orla, 2, "single-elimination", pace="daily")
    row = DeathMatch.objects.get(round__season=season)
    if by == "organiser":
        leg = called(orla, row)
    else:
        with committing():
            for number in (1, 2):
                leg_confirm(acting_user=account(season, number), leg=leg_of(row), at=START)
        leg = leg_of(row)
    assert leg.match is not None
    until = START + timedelta(hours=12)
    assert (leg.started_at, leg.match.waits_until) == (None, ms(until))
    event = SeasonEvent.objects.filter(kind="death-match.started").latest("pk")
    assert datetime.fromisoformat(event.data["waits_until"]) == until
    assert event.words.startswith("Player 1 vs Player 2")
    looked = "begins once both players have looked in and their numbers are open"
    assert f"{looked}: Tetronogo." in event.words
    feed = Client().get(f"/seasons/{season.slug}/calendar.ics").content.decode()
    feed = feed.replace("\r\n ", "")
    assert looked in feed
    desk, player = Client(), Client()
    desk.force_login(orla)
    page = desk.get(f"/seasons/{season.slug}/desk/matches/{row.pk}/").content.decode()
    assert "once both players have looked in and their numbers are open" in page
    player.force_login(account(season, 1))
    page = player.get(f"/seasons/{season.slug}/").content.decode()
    assert "begins once both of you have looked in and your numbers are open." in page
    hour = after(hours=1)
    with committing():
        if how == "time":
            match_wake(match_id=leg.match.pk, at=ms(until) + 1)
        else:
            for there in ((True, False), (False, True)):
                match_attend(match_id=leg.match.pk, there=there, at=ms(hour))
    leg = leg_of(row)
    assert leg.match is not None
    assert (leg.match.status, leg.match.waits_until) == ("running", None)
    assert leg.started_at == (hour if how == "both look in" else instant_of(ms(until) + 1))
    assert faults_of(season) == []
